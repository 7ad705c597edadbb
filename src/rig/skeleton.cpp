#include <fmt/format.h>
#include <pelt/core/spelling.h>
#include <pelt/rig/skeleton.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pelt::rig {

Affine3d restLocal(const SkeletonNode& node) { return node.matrix ? *node.matrix : toAffine(node.local); }

Trs trsOf(const Affine3d& a) {
    const Mat3d m = a.linear();
    // A mirrored frame keeps its mirror in the first axis, in every pose alike.
    const double sign = determinant(m) < 0 ? -1 : 1;
    const Vec3d x = normalized(m.col[0] * sign, Vec3d{1, 0, 0});
    const Vec3d y = normalized(m.col[1] - x * dot(x, m.col[1]));
    const Mat3d rotation{{x, y, cross(x, y)}};
    return {
        a.translation(), toQuat(rotation), {sign * length(m.col[0]), dot(y, m.col[1]), dot(rotation.col[2], m.col[2])}};
}

std::vector<Affine3d> bindWorlds(const Skeleton& skeleton) {
    std::vector<const Joint*> slot(skeleton.nodes.size(), nullptr);
    for (const Joint& joint : skeleton.joints)
        if (!slot[joint.node]) slot[joint.node] = &joint;
    std::vector<Affine3d> world(skeleton.nodes.size());
    for (std::size_t n = 0; n < world.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        world[n] = restLocal(skeleton.nodes[n]);
        if (parent >= 0) world[n] = world[std::size_t(parent)] * world[n];
        if (!slot[n]) continue;
        const Affine3d bound = inverse(slot[n]->inverse_bind);
        if (std::all_of(bound.m, bound.m + 16, [](double x) { return std::isfinite(x); })) world[n] = bound;
    }
    return world;
}

void worldTransforms(const Skeleton& skeleton, std::span<const Affine3d> local, std::span<Affine3d> world) {
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        world[n] = parent < 0 ? local[n] : world[static_cast<std::size_t>(parent)] * local[n];
    }
}

std::vector<Affine3d> skinMatricesOf(const Skeleton& skeleton, std::span<const Affine3d> local) {
    std::vector<Affine3d> world(local.size()), bones;
    worldTransforms(skeleton, local, world);
    bones.reserve(skeleton.joints.size());
    for (const Joint& joint : skeleton.joints) bones.push_back(world[joint.node] * joint.inverse_bind);
    return bones;
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

std::string noSuchJoint(const Skeleton& skeleton, std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) names.push_back(jointName(skeleton, j));
    const std::string meant = didYouMean(name, names);
    if (names.empty()) return fmt::format("no joint '{}': the character has no joints", name);
    return fmt::format("no joint '{}'{}", name, meant.empty() ? "; there are " + listNames(names) : meant);
}

}  // namespace pelt::rig
