// Transforms of nodes and joints from their locals, and joints by name.
#include <fmt/format.h>
#include <pelt/core/spelling.h>
#include <pelt/rig/skeleton.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pelt::rig {
namespace {

/// Replaces axes of length 0, which the map collapsed, so that all three form a rotation.
void completeAxes(Vec3d (&axes)[3]) {
    for (int i = 0; i < 3; ++i) {
        const Vec3d &next = axes[(i + 1) % 3], &last = axes[(i + 2) % 3];
        if (axes[i] == Vec3d()) axes[i] = cross(next, last);
        for (int guess = 0; guess < 3 && axes[i] == Vec3d(); ++guess) {  // a second missing axis: any
            Vec3d unit;
            unit[(i + guess) % 3] = 1;
            const Vec3d across = unit - next * dot(next, unit) - last * dot(last, unit);
            if (length(across) > 0.5) axes[i] = normalized(across);
        }
    }
}

}  // namespace

Affine3d restLocal(const SkeletonNode& node) { return node.matrix ? *node.matrix : toAffine(node.local); }

Trs trsOf(const Affine3d& a) {
    const Mat3d m = a.linear();
    // A mirrored frame has its reflection in the first axis, in every pose.
    const double sign = determinant(m) < 0 ? -1 : 1;
    Vec3d axes[3] = {normalized(m.col[0] * sign), {}, {}};
    axes[1] = normalized(m.col[1] - axes[0] * dot(axes[0], m.col[1]));
    axes[2] = cross(axes[0], axes[1]);
    if (axes[2] == Vec3d())
        axes[2] = normalized(m.col[2] - axes[0] * dot(axes[0], m.col[2]) - axes[1] * dot(axes[1], m.col[2]));
    completeAxes(axes);
    return {a.translation(),
            toQuat(Mat3d{{axes[0], axes[1], axes[2]}}),
            {sign * length(m.col[0]), dot(axes[1], m.col[1]), dot(axes[2], m.col[2])}};
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
