#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/geometry/segments.h>

#include <numeric>

#include "bone_choice.h"
#include "label_cleanup.h"
#include "skin_bones.h"

namespace pelt::fit {
namespace {

Error noJoint() { return Error::badInput("the skeleton has no joint to bind the mesh to"); }

std::vector<geometry::BoneSegment> segmentsOf(const Skeleton& skeleton) {
    return geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
}

/// One joint a vertex, each with weight 1.
SkinWeights oneJointEach(std::vector<std::uint32_t> joints) {
    SkinWeights result;
    result.offsets.resize(joints.size() + 1);
    std::iota(result.offsets.begin(), result.offsets.end(), 0u);
    result.weights.assign(joints.size(), 1.0f);
    result.joints = std::move(joints);
    return result;
}

std::vector<std::uint32_t> nearestJoints(std::span<const Vec3f> points, const Skeleton& skeleton) {
    const auto segments = segmentsOf(skeleton);
    std::vector<std::uint32_t> joints = geometry::nearestSegments(segments, points);
    for (std::uint32_t& j : joints) j = segments[j].joint;
    return joints;
}

/// Skins may bind one node each in their own slot: to the eye it is one joint, of which the first slot is left.
struct DistinctJoints {
    Skeleton skeleton;
    std::vector<std::uint32_t> slots;  ///< per joint of it: the slot in the original
};

DistinctJoints distinctJoints(const Skeleton& skeleton) {
    DistinctJoints result{skeleton, {}};
    result.skeleton.joints.clear();
    std::vector<bool> seen(skeleton.nodes.size(), false);
    for (std::uint32_t j = 0; j < skeleton.joints.size(); ++j) {
        if (seen[skeleton.joints[j].node]) continue;
        seen[skeleton.joints[j].node] = true;
        result.skeleton.joints.push_back(skeleton.joints[j]);
        result.slots.push_back(j);
    }
    return result;
}

/// One joint a vertex: by sight where the skeleton lies inside the mesh, else by distance alone.
std::vector<std::uint32_t> bonesOf(const Mesh& mesh, const Skeleton& all, const Progress& progress) {
    if (all.joints.empty()) throw noJoint();
    const auto [skeleton, slots] = distinctJoints(all);
    const BindSurface surface = bindSurface(mesh);
    progress.report("bind", 0);
    const auto bones = skinBones(skeleton, surface.tree, surface.diagonal);
    if (bones.empty()) return nearestJoints(mesh.positions, all);
    const std::vector<BoneView> views = viewBones(surface, bones);
    const Pieces pieces = piecesOf(surface, views);
    std::vector<std::uint32_t> welded = chooseBones(surface, views, pieces, rig::jointParents(skeleton), progress);
    cleanLabels(surface, welded);
    settlePieces(surface, pieces, skeleton.joints.size(), welded);
    std::vector<std::uint32_t> joints(mesh.vertexCount());
    for (std::size_t v = 0; v < joints.size(); ++v) joints[v] = slots[welded[surface.weld.welded[v]]];
    return joints;
}

/// The heaviest joint of a row, the lowest index on ties; rows need not be sorted.
std::uint32_t heaviest(std::span<const std::uint32_t> joints, std::span<const float> weights) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < joints.size(); ++k) {
        if (weights[k] > weights[best] || (weights[k] == weights[best] && joints[k] < joints[best])) best = k;
    }
    return joints[best];
}

}  // namespace

SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights,
                      const Progress& progress) {
    const std::size_t count = mesh.vertexCount();
    if (weights.vertexCount() == 0) return bindNearestBone(mesh, skeleton, progress);
    if (weights.vertexCount() != count) {
        throw Error::badInput(fmt::format("the skin has {} vertices, the mesh has {}", weights.vertexCount(), count));
    }
    std::vector<std::uint32_t> joints(count, 0), bare;
    for (std::uint32_t v = 0; v < count; ++v) {
        if (weights.influenceCount(v) > 0)
            joints[v] = heaviest(weights.jointsOf(v), weights.weightsOf(v));
        else
            bare.push_back(v);
    }
    if (!bare.empty()) {
        const std::vector<std::uint32_t> nearest = bonesOf(mesh, skeleton, progress);
        for (const std::uint32_t v : bare) joints[v] = nearest[v];
    }
    return oneJointEach(std::move(joints));
}

SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const Progress& progress) {
    return oneJointEach(bonesOf(mesh, skeleton, progress));
}

}  // namespace pelt::fit
