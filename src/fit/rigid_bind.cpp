#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/geometry/segments.h>

#include <algorithm>
#include <numeric>

namespace pelt::fit {
namespace {

std::vector<geometry::BoneSegment> segmentsOf(const Skeleton& skeleton) {
    if (skeleton.joints.empty()) throw Error::badInput("the skeleton has no joint to bind the mesh to");
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

/// The heaviest joint of a row, the lowest index on ties; rows need not be sorted.
std::uint32_t heaviest(std::span<const std::uint32_t> joints, std::span<const float> weights) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < joints.size(); ++k) {
        if (weights[k] > weights[best] || (weights[k] == weights[best] && joints[k] < joints[best])) best = k;
    }
    return joints[best];
}

}  // namespace

SkinWeights bindRigid(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& weights) {
    const std::size_t count = mesh.vertexCount();
    if (weights.vertexCount() == 0) return bindNearestBone(mesh, skeleton);
    if (weights.vertexCount() != count) {
        throw Error::badInput(fmt::format("the skin has {} vertices, the mesh has {}", weights.vertexCount(), count));
    }
    std::vector<std::uint32_t> joints(count, 0), bare;
    std::vector<Vec3f> bare_positions;
    for (std::uint32_t v = 0; v < count; ++v) {
        if (weights.influenceCount(v) > 0) {
            joints[v] = heaviest(weights.jointsOf(v), weights.weightsOf(v));
        } else {
            bare.push_back(v);
            bare_positions.push_back(mesh.positions[v]);
        }
    }
    if (!bare.empty()) {
        const std::vector<std::uint32_t> nearest = nearestJoints(bare_positions, skeleton);
        for (std::size_t k = 0; k < bare.size(); ++k) joints[bare[k]] = nearest[k];
    }
    return oneJointEach(std::move(joints));
}

SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton) {
    return oneJointEach(nearestJoints(mesh.positions, skeleton));
}

}  // namespace pelt::fit
