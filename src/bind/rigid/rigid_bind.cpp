// Binds each vertex to one joint: by the weights if there are any, otherwise by the nearest bone.
#include <fmt/format.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>

#include <numeric>
#include <optional>

#include "bind/skeleton/bind_joints.h"
#include "inside_bind.h"

namespace pelt::bind {
namespace {

/// One joint per vertex, with weight 1.
SkinWeights oneJointEach(std::vector<std::uint32_t> joints) {
    SkinWeights result;
    result.offsets.resize(joints.size() + 1);
    std::iota(result.offsets.begin(), result.offsets.end(), 0u);
    result.weights.assign(joints.size(), 1.0f);
    result.joints = std::move(joints);
    return result;
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
        const std::vector<std::uint32_t> nearest = bindInside(mesh, skeleton, options, progress).joints;
        for (const std::uint32_t v : bare) joints[v] = nearest[v];
    }
    return oneJointEach(std::move(joints));
}

SkinWeights bindNearestBone(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options,
                            const Progress& progress) {
    return oneJointEach(bindInside(mesh, skeleton, options, progress).joints);
}

NearestBind bindBare(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress) {
    InsideBind bind = bindInside(mesh, skeleton, options, progress);
    const double sure = shareInSight(mesh, bind);
    return {oneJointEach(std::move(bind.joints)), sure};
}

}  // namespace pelt::bind
