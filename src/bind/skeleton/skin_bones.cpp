// The bone segments that may carry skin, from the roles of the joints.
#include "skin_bones.h"

#include <algorithm>

#include "bone_view.h"
#include "joint_roles.h"
#include "mesh_probe.h"

namespace pelt::bind {
namespace {

constexpr double kStraight = 0.99;    // cosine: a child at the tail of its parent's bone is straight ahead
constexpr double kGoesOn = 0.7;       // the same if it is estimated from the parent's direction
constexpr double kBesideTail = 0.35;  // of the line to a child off the bone's axis belongs to the parent

/// The point where the bone of a root below the mesh enters it, so that the part outside does not count against the
/// rest; the start of the bone if it does not enter, or starts inside.
Vec3d entryOf(const geometry::RayTree& tree, const Vec3d& start, const Vec3d& end) {
    constexpr int kSamples = 32;
    for (int s = 0; s < kSamples; ++s) {
        const Vec3d point = start + (end - start) * ((s + 0.5) / kSamples);
        if (geometry::enclosureOf(tree, point).winding > 0) return s == 0 ? start : point;
    }
    return start;
}

/// Ends of bones if no axis is known to lie along them: the child closest to the parent's direction defines the tail
/// (the neck on a chest, the middle finger on a hand); of the lines to the other children only the first part belongs
/// to the joint. If no child continues in the parent's direction, all of it does.
std::vector<Vec3d> endsWithoutAxis(const JointTree& joints, std::uint32_t joint, std::vector<Vec3d> ends,
                                   double tolerance) {
    if (joints.parents[joint] < 0) return ends;
    const Vec3d start = joints.positions[joint];
    const Vec3d before = start - joints.positions[static_cast<std::size_t>(joints.parents[joint])];
    if (length(before) <= tolerance) return ends;
    std::size_t straight = ends.size();
    double best = kGoesOn;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const double cosine = dot(normalized(ends[k] - start), normalized(before));
        if (cosine <= best) continue;
        best = cosine;
        straight = k;
    }
    if (straight == ends.size()) return ends;
    for (std::size_t k = 0; k < ends.size(); ++k)
        if (k != straight) ends[k] = start + (ends[k] - start) * kBesideTail;
    return ends;
}

/// Ends of the bones of a joint with children. If an axis is known to lie along bones, a joint with several children
/// has one bone along it: programs that define bones by head and tail attach further children off its tail (thighs to a
/// pelvis, fingers to a hand). The skin around their start belongs to them; only the first part of the line to them
/// belongs to the parent.
std::vector<Vec3d> boneEnds(const JointTree& joints, std::uint32_t joint, const Vec3d& ahead, double tolerance) {
    const Vec3d start = joints.positions[joint];
    std::vector<Vec3d> ends;
    for (const std::uint32_t child : joints.children[joint]) ends.push_back(joints.positions[child]);
    if (ends.size() < 2) return ends;
    if (ahead == Vec3d{}) return endsWithoutAxis(joints, joint, std::move(ends), tolerance);
    double reach = 0;
    const Vec3d* straight = nullptr;
    double best = kStraight;
    for (const Vec3d& end : ends) {
        const double along = dot(end - start, ahead), far = length(end - start);
        reach = std::max(reach, along);
        if (far <= tolerance || along <= best * far) continue;
        best = along / far;
        straight = &end;
    }
    if (!straight && !(reach > tolerance)) return ends;
    std::vector<Vec3d> result{straight ? *straight : start + ahead * reach};
    for (const Vec3d& end : ends)
        if (&end != straight) result.push_back(start + (end - start) * kBesideTail);
    return result;
}

/// The bone of a joint without children: in the direction of a marker or of its own axis, otherwise in its parent's
/// direction. It ends before the skin; if it does not start inside, it is as long as its parent's.
geometry::BoneSegment leafBone(const JointTree& joints, const JointRoles& roles, const geometry::RayTree& tree,
                               double diagonal, std::uint32_t j) {
    const Vec3d start = joints.positions[j], marked = roles.ends[j] - start;
    const Vec3d parent = joints.parents[j] < 0 ? start : joints.positions[static_cast<std::size_t>(joints.parents[j])];
    const Vec3d direction = normalized(marked, normalized(roles.ahead[j], normalized(start - parent)));
    const double own = std::max(length(start - parent), length(marked));
    const double limit = std::max(4 * own, 0.1 * diagonal);
    const double within =
        roles.inside[j] ? lengthInside(tree, start, direction, diagonal / 256, limit, roles.sheets, kBeside * diagonal)
                        : 0;
    return {start, start + direction * (within > 0 ? 0.85 * within : own), j};
}

}  // namespace

std::vector<geometry::BoneSegment> skinBones(const Skeleton& skeleton, const geometry::RayTree& tree, double diagonal,
                                             std::span<const SkinChoice> choices) {
    const double tolerance = 1e-3 * diagonal;
    JointTree joints = jointTree(skeleton, tolerance);
    const JointRoles roles = jointRoles(joints, tree, diagonal);
    std::vector<geometry::BoneSegment> segments;
    if (!roles.known()) return segments;
    for (std::uint32_t j = 0; j < joints.size(); ++j) {
        const SkinChoice choice = choices.empty() ? SkinChoice::automatic : choices[j];
        if (choice == SkinChoice::none || (choice == SkinChoice::automatic && roles.gone[j])) continue;
        const Vec3d start = joints.positions[j];
        for (const Vec3d& end : boneEnds(joints, j, roles.ahead[j], tolerance))
            segments.push_back({joints.parents[j] < 0 && !roles.inside[j] ? entryOf(tree, start, end) : start, end, j});
        if (joints.children[j].empty()) segments.push_back(leafBone(joints, roles, tree, diagonal, j));
    }
    return segments;
}

}  // namespace pelt::bind
