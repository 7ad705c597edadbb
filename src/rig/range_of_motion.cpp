// Makes poses that bend and twist every joint.
#include <pelt/core/scramble.h>
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::rig {
namespace {

constexpr int kColors = 3;  ///< joints whose depths differ by a multiple of this move together

/// The depth of a joint: the number of joints between it and its root.
std::vector<int> depths(std::span<const std::int32_t> parents) {
    std::vector<int> depth(parents.size(), 0);
    for (std::size_t j = 0; j < parents.size(); ++j)
        for (std::int32_t p = parents[j]; p >= 0; p = parents[std::size_t(p)]) ++depth[j];
    return depth;
}

/// Per joint, the direction of its bone in the bind pose: toward the mean of its children; a leaf continues in its
/// parent's direction. Joints in the same position have no bone between them: its direction would be rounding error.
/// Driven joints do not count, so that a skeleton moves in the same way with and without helper joints.
std::vector<Vec3d> boneDirections(std::span<const Vec3d> positions, std::span<const std::int32_t> parents,
                                  std::span<const char> driven) {
    constexpr double kNoLength = 1e-5;  // of the skeleton's size
    double size = 0;
    for (const Vec3d& p : positions) size = std::max(size, length(p - positions.front()));
    const auto isBone = [&](const Vec3d& way) { return length(way) > kNoLength * size; };
    std::vector<Vec3d> sums(positions.size());
    for (std::size_t j = 0; j < positions.size(); ++j)
        if (parents[j] >= 0 && (driven.empty() || !driven[j]))
            sums[std::size_t(parents[j])] += positions[j] - positions[std::size_t(parents[j])];
    for (std::size_t j = 0; j < positions.size(); ++j) {
        for (std::int32_t p = parents[j]; !isBone(sums[j]) && p >= 0; p = parents[std::size_t(p)])
            sums[j] = positions[j] - positions[std::size_t(p)];
        sums[j] = isBone(sums[j]) ? normalized(sums[j]) : Vec3d{0, 1, 0};
    }
    return sums;
}

/// The joint in the middle of the skeleton: more than half of the joints are above it, below it or itself, but not more
/// than half below one of its children. -1 where there is none: one joint alone, or several skeletons of like size.
/// Driven joints do not count.
std::int32_t middleJoint(std::span<const std::int32_t> parents, std::span<const std::size_t> parents_first,
                         std::span<const char> driven) {
    std::vector<std::size_t> below(parents.size(), 0);  // joints at and below each
    std::size_t total = 0;
    for (auto j = parents_first.rbegin(); j != parents_first.rend(); ++j) {
        const std::size_t own = driven.empty() || !driven[*j];
        below[*j] += own;
        total += own;
        if (parents[*j] >= 0) below[std::size_t(parents[*j])] += below[*j];
    }
    std::int32_t middle = -1;
    if (total < 2) return middle;
    for (const std::size_t j : parents_first)
        if (parents[j] == middle && 2 * below[j] > total) middle = std::int32_t(j);
    return middle;
}

/// Parents before children: a joint's pose is its parent's pose times its own rotation in the bind pose.
std::vector<std::size_t> parentsFirst(const std::vector<int>& depth) {
    std::vector<std::size_t> order;
    for (int d = 0; order.size() < depth.size(); ++d)
        for (std::size_t j = 0; j < depth.size(); ++j)
            if (depth[j] == d) order.push_back(j);
    return order;
}

/// Per joint slot, the one that it moves with.
std::vector<std::int32_t> parentsIn(const RangeOfMotion& range, const Skeleton& skeleton) {
    std::vector<std::int32_t> parents = jointParents(skeleton);
    for (std::size_t j = 0; j < range.carriers.size(); ++j)
        if (range.carriers[j] >= 0) parents[j] = range.carriers[j];
    return parents;
}

/// A number in [-1, 1] without a pattern; small ones are likelier.
double mixedAngle(std::uint64_t seed) {
    double sum = -1;
    for (int i = 0; i < 2; ++i) {
        const std::uint64_t drawn = mixedBits((2 * seed + std::uint64_t(i) + 1) * kScrambleStep);
        sum += double(drawn >> 11) / 9007199254740992.0;
    }
    return sum;
}

struct Motion {
    int way;   ///< 0: toward the minimum, 1: toward the maximum
    int axis;  ///< 0, 1: perpendicular to the bone; 2: along it
};

/// The joint's rotation about its own rest position, in rest space.
Affine3d turn(const Vec3d& center, const Vec3d& along, int axis_index, double degrees) {
    const Vec3d helper = std::abs(along.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d across = normalized(cross(along, helper), Vec3d{1, 0, 0});
    const Vec3d axis = axis_index == 2 ? along : axis_index == 1 ? cross(along, across) : across;
    const Mat3d r = toMatrix(axisAngle(axis, degrees * std::numbers::pi / 180));
    return {r, center - r * center};
}

}  // namespace

std::vector<std::vector<Affine3f>> rangeOfMotion(const Skeleton& skeleton, const RangeOfMotion& range) {
    const std::vector<std::int32_t> parents = parentsIn(range, skeleton);
    const std::vector<Vec3d> positions = jointRestPositions(skeleton);
    const std::vector<int> depth = depths(parents);
    const std::vector<Vec3d> along = boneDirections(positions, parents, range.driven);
    const std::size_t count = parents.size();
    const std::vector<std::size_t> order = parentsFirst(depth);
    const std::int32_t middle = middleJoint(parents, order, range.driven);

    std::vector<std::vector<Affine3f>> poses;
    const auto addPose = [&](int color, int neighbors, const Motion& motion) {
        std::vector<Affine3d> world(count);
        for (const std::size_t j : order) {
            const int offset = (depth[j] - color % kColors + kColors) % kColors;
            const RangeOfMotion::Limits& limits = range.joints.empty() ? range.limits : range.joints[j];
            const double degrees = range.reach * (motion.axis == 2 ? limits.twist : limits.bend)[motion.way];
            const Affine3d own = offset < neighbors ? turn(positions[j], along[j], motion.axis, degrees) : Affine3d{};
            world[j] = parents[j] < 0 ? own : world[std::size_t(parents[j])] * own;
        }
        if (middle >= 0) {  // a rigid motion of the whole pose, which errors do not notice, keeps the figure upright
            const Affine3d back = inverse(world[std::size_t(middle)]);
            for (Affine3d& joint : world) joint = back * joint;
        }
        poses.emplace_back(world.begin(), world.end());
    };
    const Motion motions[] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {1, 2}, {0, 2}};
    for (int color = 0; color < kColors; ++color) {
        for (const Motion& motion : motions) addPose(color, 1, motion);
        for (const Motion& motion : {motions[0], motions[3], motions[4]}) addPose(color, 2, motion);
    }
    return poses;
}

std::vector<std::vector<Affine3f>> mixedPoses(const Skeleton& skeleton, const RangeOfMotion& range, std::size_t count) {
    const std::vector<std::int32_t> parents = parentsIn(range, skeleton);
    const std::vector<Vec3d> positions = jointRestPositions(skeleton);
    const std::vector<Vec3d> along = boneDirections(positions, parents, range.driven);
    const std::vector<std::size_t> order = parentsFirst(depths(parents));
    std::vector<std::vector<Affine3f>> poses;
    for (std::size_t pose = 0; pose < count; ++pose) {
        std::vector<Affine3d> world(parents.size());
        for (const std::size_t j : order) {
            const RangeOfMotion::Limits& limits = range.joints.empty() ? range.limits : range.joints[j];
            const bool moves = range.driven.empty() || !range.driven[j];
            Affine3d own;
            for (int axis = 2; axis >= 0 && moves; --axis) {
                const double share = range.reach * mixedAngle(3 * (pose * parents.size() + j) + std::uint64_t(axis));
                const double* limit = axis == 2 ? limits.twist : limits.bend;
                own = turn(positions[j], along[j], axis, share < 0 ? -share * limit[0] : share * limit[1]) * own;
            }
            world[j] = parents[j] < 0 ? own : world[std::size_t(parents[j])] * own;
        }
        poses.emplace_back(world.begin(), world.end());
    }
    return poses;
}

std::vector<Affine3d> localsOfSkin(const Skeleton& skeleton, std::span<const Affine3d> bones) {
    std::vector<std::int32_t> slot(skeleton.nodes.size(), -1);
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot[skeleton.joints[j].node] = std::int32_t(j);
    const std::vector<Affine3d> bind = bindWorlds(skeleton);
    std::vector<Affine3d> world(bind.size()), locals(bind.size());
    for (std::size_t n = 0; n < bind.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        const auto p = std::size_t(std::max(parent, 0));
        const Affine3d bound = parent < 0 ? bind[n] : inverse(bind[p]) * bind[n];
        world[n] = slot[n] >= 0 ? bones[std::size_t(slot[n])] * bind[n] : parent < 0 ? bound : world[p] * bound;
        locals[n] = parent < 0 ? world[n] : inverse(world[p]) * world[n];
    }
    return locals;
}

}  // namespace pelt::rig
