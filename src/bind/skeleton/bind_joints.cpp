// Which joints may have vertices: one slot per node, as the options allow.
#include "bind_joints.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

namespace pelt::bind {
namespace {

/// Per node, whether the list names one of its slots.
std::vector<bool> namedNodes(const Skeleton& skeleton, std::span<const std::uint32_t> slots) {
    std::vector<bool> named(skeleton.nodes.size(), false);
    for (const std::uint32_t slot : slots) {
        if (slot >= skeleton.joints.size())
            throw Error::badInput(
                fmt::format("cannot bind to joint {}: the skeleton has only {}", slot, skeleton.joints.size()));
        named[skeleton.joints[slot].node] = true;
    }
    return named;
}

}  // namespace

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

std::vector<bool> allowedSlots(const Skeleton& skeleton, const BindOptions& options) {
    const std::vector<bool> listed = namedNodes(skeleton, options.joints),
                            excluded = namedNodes(skeleton, options.excluded);
    std::vector<bool> allowed;
    for (const Joint& joint : skeleton.joints)
        allowed.push_back((options.joints.empty() || listed[joint.node]) && !excluded[joint.node]);
    if (!skeleton.joints.empty() && std::find(allowed.begin(), allowed.end(), true) == allowed.end())
        throw Error::badInput("no joint is left to bind the mesh to");
    return allowed;
}

std::vector<SkinChoice> DistinctJoints::choices(const Skeleton& original, const BindOptions& options) const {
    const std::vector<bool> allowed = allowedSlots(original, options);
    std::vector<SkinChoice> result;
    for (const std::uint32_t slot : slots)
        result.push_back(!allowed[slot]           ? SkinChoice::none
                         : options.joints.empty() ? SkinChoice::automatic
                                                  : SkinChoice::skin);
    return result;
}

}  // namespace pelt::bind
