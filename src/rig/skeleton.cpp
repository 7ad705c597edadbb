#include <pelt/rig/skeleton.h>

#include <unordered_map>

namespace pelt::rig {

Affine3d restLocal(const SkeletonNode& node) { return node.matrix ? *node.matrix : toAffine(node.local); }

void worldTransforms(const Skeleton& skeleton, std::span<const Affine3d> local, std::span<Affine3d> world) {
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        world[n] = parent < 0 ? local[n] : world[static_cast<std::size_t>(parent)] * local[n];
    }
}

std::vector<std::int32_t> jointParents(const Skeleton& skeleton) {
    std::unordered_map<std::int32_t, std::int32_t> slot_of_node;
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
        slot_of_node.emplace(static_cast<std::int32_t>(skeleton.joints[j].node), static_cast<std::int32_t>(j));
    std::vector<std::int32_t> parents;
    parents.reserve(skeleton.joints.size());
    for (const Joint& joint : skeleton.joints) {
        std::int32_t node = skeleton.nodes[joint.node].parent;
        while (node >= 0 && !slot_of_node.contains(node)) node = skeleton.nodes[static_cast<std::size_t>(node)].parent;
        parents.push_back(node < 0 ? -1 : slot_of_node.at(node));
    }
    return parents;
}

std::vector<Vec3d> jointRestPositions(const Skeleton& skeleton) {
    std::vector<Vec3d> positions;
    positions.reserve(skeleton.joints.size());
    for (const Joint& joint : skeleton.joints) {
        const Vec3d p = inverse(joint.inverse_bind).translation();
        positions.push_back(isFinite(p) ? p : Vec3d{});
    }
    return positions;
}

const std::string& jointName(const Skeleton& skeleton, std::size_t joint) {
    return skeleton.nodes[skeleton.joints[joint].node].name;
}

std::optional<std::size_t> findJoint(const Skeleton& skeleton, std::string_view name) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
        if (jointName(skeleton, j) == name) return j;
    return std::nullopt;
}

}  // namespace pelt::rig
