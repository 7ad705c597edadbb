#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/geometry/segments.h>

#include <numeric>
#include <optional>

#include "bind_joints.h"
#include "bind_mirror.h"
#include "bone_choice.h"
#include "label_cleanup.h"
#include "skin_bones.h"

namespace pelt::fit {
namespace {

Error noJoint() { return Error::badInput("the skeleton has no joint to bind the mesh to"); }

/// One joint a vertex, each with weight 1.
SkinWeights oneJointEach(std::vector<std::uint32_t> joints) {
    SkinWeights result;
    result.offsets.resize(joints.size() + 1);
    std::iota(result.offsets.begin(), result.offsets.end(), 0u);
    result.weights.assign(joints.size(), 1.0f);
    result.joints = std::move(joints);
    return result;
}

std::vector<std::uint32_t> nearestJoints(std::span<const Vec3f> points, const Skeleton& skeleton,
                                         const std::vector<SkinChoice>& choices) {
    auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    std::erase_if(segments, [&](const auto& s) { return choices[s.joint] == SkinChoice::none; });
    std::vector<std::uint32_t> joints = geometry::nearestSegments(segments, points);
    for (std::uint32_t& j : joints) j = segments[j].joint;
    return joints;
}

/// One joint a welded vertex, by the bones that carry skin.
std::vector<std::uint32_t> jointsInside(const BindSurface& surface, const Skeleton& skeleton,
                                        std::span<const geometry::BoneSegment> bones, const Progress& progress) {
    const std::vector<BoneView> views = viewBones(surface, bones);
    const Pieces pieces = piecesOf(surface, views);
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    std::vector<std::uint32_t> joints = chooseBones(surface, views, pieces, parents, progress);
    cleanLabels(surface, joints);
    settlePieces(surface, pieces, parents.size(), joints);
    const BindMirror mirror = findMirror(skeleton, surface);
    if (!mirror.found()) return joints;
    std::vector<bool> carries(parents.size(), false);
    for (const geometry::BoneSegment& bone : bones) carries[bone.joint] = true;
    makeSymmetric(mirror, parents, carries, joints);
    return joints;
}

/// One joint a vertex: by sight where the skeleton lies inside the mesh, else by distance alone.
std::vector<std::uint32_t> bonesOf(const Mesh& mesh, const Skeleton& all, const BindOptions& options,
                                   const Progress& progress) {
    if (all.joints.empty()) throw noJoint();
    const DistinctJoints distinct = distinctJoints(all);
    const std::vector<SkinChoice> choices = distinct.choices(all, options);
    const BindSurface surface = bindSurface(mesh);
    progress.report("bind", 0);
    const auto bones = skinBones(distinct.skeleton, surface.tree, surface.diagonal, choices);
    std::vector<std::uint32_t> joints(mesh.vertexCount());
    if (bones.empty()) {
        joints = nearestJoints(mesh.positions, distinct.skeleton, choices);
    } else {
        const std::vector<std::uint32_t> welded = jointsInside(surface, distinct.skeleton, bones, progress);
        for (std::size_t v = 0; v < joints.size(); ++v) joints[v] = welded[surface.weld.welded[v]];
    }
    for (std::uint32_t& j : joints) j = distinct.slots[j];
    return joints;
}

/// The heaviest allowed joint of a row, the lowest index on ties; rows need not be sorted.
std::optional<std::uint32_t> heaviest(std::span<const std::uint32_t> joints, std::span<const float> weights,
                                      const std::vector<bool>& allowed) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < joints.size(); ++k) {
        if (!allowed[joints[k]]) continue;
        if (!best || weights[k] > weights[*best] || (weights[k] == weights[*best] && joints[k] < joints[*best]))
            best = k;
    }
    if (!best) return std::nullopt;
    return joints[*best];
}

}  // namespace

SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights,
                      const BindOptions& options, const Progress& progress) {
    const std::size_t count = mesh.vertexCount();
    if (weights.vertexCount() == 0) return bindNearestBone(mesh, skeleton, options, progress);
    if (weights.vertexCount() != count) {
        throw Error::badInput(fmt::format("the skin has {} vertices, the mesh has {}", weights.vertexCount(), count));
    }
    const std::vector<bool> allowed = allowedSlots(skeleton, options);
    std::vector<std::uint32_t> joints(count, 0), bare;
    for (std::uint32_t v = 0; v < count; ++v) {
        if (const auto joint = heaviest(weights.jointsOf(v), weights.weightsOf(v), allowed))
            joints[v] = *joint;
        else
            bare.push_back(v);
    }
    if (!bare.empty()) {
        const std::vector<std::uint32_t> nearest = bonesOf(mesh, skeleton, options, progress);
        for (const std::uint32_t v : bare) joints[v] = nearest[v];
    }
    return oneJointEach(std::move(joints));
}

SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options,
                            const Progress& progress) {
    return oneJointEach(bonesOf(mesh, skeleton, options, progress));
}

}  // namespace pelt::fit
