// The hierarchy of joints in rest space; guessed from the axes if all joints are roots.
#include "joint_tree.h"

#include <algorithm>

namespace pelt::bind {
namespace {

using Axes = std::array<Vec3d, 6>;

/// Larger skeletons are used as they are, since all pairs of joints are compared.
constexpr std::size_t kMostLinked = 4096;

Axes axesOf(const Joint& joint) {
    const Mat3d frame = inverse(joint.inverse_bind).linear();
    Axes axes;
    for (std::size_t k = 0; k < 3; ++k) {
        axes[2 * k] = normalized(frame.col[k]);
        axes[2 * k + 1] = -axes[2 * k];
    }
    return axes;
}

bool allAlike(const std::vector<Axes>& axes) {
    return std::all_of(axes.begin(), axes.end(),
                       [&](const Axes& a) { return dot(a[0], axes[0][0]) > 0.999 && dot(a[2], axes[0][2]) > 0.999; });
}

struct Link {
    double cost;
    std::uint32_t parent, child;
};

/// The joint that each joint leads to along the axis: near and straight ahead.
std::vector<Link> linksAlong(const std::vector<Vec3d>& positions, const std::vector<Axes>& axes, std::size_t axis,
                             double tolerance) {
    std::vector<Link> links;
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
        Link best{0, j, j};
        for (std::uint32_t k = 0; k < positions.size(); ++k) {
            const double distance = length(positions[k] - positions[j]);
            if (k == j || distance <= tolerance) continue;
            const double straight = dot(positions[k] - positions[j], axes[j][axis]) / distance;
            if (straight <= 0.7) continue;
            const double cost = distance / (straight * straight * straight * straight);
            if (best.child == j || cost < best.cost) best = {cost, j, k};
        }
        if (best.child != j) links.push_back(best);
    }
    std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.cost < b.cost; });
    return links;
}

bool isAbove(const std::vector<std::int32_t>& parents, std::uint32_t ancestor, std::uint32_t joint) {
    for (auto j = static_cast<std::int32_t>(joint); j >= 0; j = parents[static_cast<std::size_t>(j)])
        if (j == static_cast<std::int32_t>(ancestor)) return true;
    return false;
}

/// Parents from the axis that links the most joints. In the wrong direction along the right axis, chains run together
/// where they should branch (five fingers into one wrist): links that a joint cannot accept count against their axis.
void linkFlatSkeleton(JointTree& tree, double tolerance) {
    std::vector<std::int32_t> best;
    std::int64_t best_score = 0;
    // A straight chain fits both directions: prefer the axes that programs align with bones, x, y and -z.
    for (const std::size_t axis : {0u, 2u, 5u, 1u, 3u, 4u}) {
        std::vector<std::int32_t> parents(tree.size(), -1);
        std::int64_t score = 0;
        for (const Link& link : linksAlong(tree.positions, tree.axes, axis, tolerance)) {
            const bool taken = parents[link.child] >= 0 || isAbove(parents, link.child, link.parent);
            score += taken ? -1 : 1;
            if (!taken) parents[link.child] = static_cast<std::int32_t>(link.parent);
        }
        if (score > best_score) {
            best_score = score;
            best = std::move(parents);
        }
    }
    if (2 * best_score >= static_cast<std::int64_t>(tree.size())) tree.parents = std::move(best);
}

}  // namespace

JointTree jointTree(const Skeleton& skeleton, double tolerance) {
    JointTree tree;
    tree.positions = rig::jointRestPositions(skeleton);
    tree.parents = rig::jointParents(skeleton);
    for (std::size_t j = 0; j < tree.size(); ++j) {
        tree.axes.push_back(axesOf(skeleton.joints[j]));
        tree.names.push_back(rig::jointName(skeleton, j));
    }
    const bool flat = std::all_of(tree.parents.begin(), tree.parents.end(), [](auto p) { return p < 0; });
    if (flat && tree.size() > 2 && tree.size() <= kMostLinked) linkFlatSkeleton(tree, tolerance);
    tree.children.resize(tree.size());
    for (std::uint32_t j = 0; j < tree.size(); ++j)
        if (tree.parents[j] >= 0) tree.children[static_cast<std::size_t>(tree.parents[j])].push_back(j);
    return tree;
}

void removeChildren(JointTree& tree, const std::vector<bool>& gone) {
    for (auto& children : tree.children) std::erase_if(children, [&](std::uint32_t j) { return gone[j]; });
}

std::vector<Vec3d> boneDirections(const JointTree& tree, double tolerance) {
    std::array<std::size_t, 6> votes{};
    std::size_t voters = 0;
    for (std::size_t j = 0; j < tree.size(); ++j) {
        if (tree.children[j].size() != 1) continue;
        const Vec3d bone = tree.positions[tree.children[j][0]] - tree.positions[j];
        if (length(bone) <= tolerance) continue;
        ++voters;
        for (std::size_t k = 0; k < 6; ++k) votes[k] += dot(tree.axes[j][k], bone) > 0.95 * length(bone);
    }
    const auto axis = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
    std::vector<Vec3d> directions(tree.size());
    if (voters < 3 || 5 * votes[axis] < 4 * voters || allAlike(tree.axes)) return directions;
    for (std::size_t j = 0; j < tree.size(); ++j) directions[j] = tree.axes[j][axis];
    return directions;
}

}  // namespace pelt::bind
