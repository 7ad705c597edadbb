// Which joints carry skin. Files do not say so: it is inferred from the shape of the skeleton and its position in the
// mesh; docs/bind.md has the rules.
#include "joint_roles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bone_view.h"
#include "joint_names.h"
#include "mesh_probe.h"

namespace pelt::bind {
namespace {

constexpr std::uint32_t kNone = ~0u;
constexpr double kAway = 0.02;             // of the diagonal from any skin: a closer joint may be that of a shoe's sole
constexpr double kTip = 1.2;               // of the radius of the previous bone: the skin of a tip is no farther away
constexpr std::size_t kMostJoints = 4096;  // all pairs are compared: beyond this, no joint is treated as a control

struct Branches {
    std::vector<std::uint32_t> of;     ///< per joint: its branch, kNone for the trunk
    std::vector<std::uint32_t> sizes;  ///< joints per branch
};

/// Cuts the tree at its first branching: a body and its siblings under one root, or several roots.
Branches branchesOf(const JointTree& tree) {
    std::vector<std::uint32_t> tops;
    for (std::uint32_t j = 0; j < tree.size(); ++j)
        if (tree.parents[j] < 0) tops.push_back(j);
    while (tops.size() == 1) {
        const std::vector<std::uint32_t> below = tree.children[tops[0]];
        tops = below;
    }
    Branches branches;
    branches.of.assign(tree.size(), kNone);
    branches.sizes.assign(tops.size(), 0);
    for (std::uint32_t b = 0; b < tops.size(); ++b) {
        std::vector<std::uint32_t> open{tops[b]};
        while (!open.empty()) {
            const std::uint32_t j = open.back();
            open.pop_back();
            branches.of[j] = b;
            ++branches.sizes[b];
            open.insert(open.end(), tree.children[j].begin(), tree.children[j].end());
        }
    }
    return branches;
}

/// Branches of controls: a single joint away from the mesh (a pole target; a chain outside may be a cape), or a joint
/// at the place of one of a larger branch (an IK handle on a wrist). Siblings may share a place: two thighs may start
/// in one hip. A joint where another's bone merely ends, at its marker, is not a handle: a foot that is a child of the
/// root.
std::vector<bool> controls(const JointTree& tree, const std::vector<bool>& away, double tolerance) {
    std::vector<bool> gone(tree.size(), false);
    if (tree.size() > kMostJoints) return gone;
    const Branches branches = branchesOf(tree);
    std::vector<bool> steers(branches.sizes.size(), false);
    for (std::uint32_t j = 0; j < tree.size(); ++j) {
        const std::uint32_t b = branches.of[j];
        if (b == kNone) continue;
        if (away[j] && branches.sizes[b] == 1) steers[b] = true;
        for (std::uint32_t k = 0; k < tree.size() && !steers[b]; ++k) {
            const std::uint32_t other = branches.of[k];
            if (other == kNone || other == b || branches.sizes[other] <= branches.sizes[b]) continue;
            if (tree.parents[j] == tree.parents[k]) continue;
            if (tree.children[k].empty() && markerOf(tree.names[k]) == Marker::end) continue;
            steers[b] = length(tree.positions[j] - tree.positions[k]) <= tolerance;
        }
    }
    for (std::uint32_t j = 0; j < tree.size(); ++j) {
        const std::uint32_t b = branches.of[j];
        if (b != kNone) gone[j] = steers[b];
    }
    return gone;
}

/// Whether another bone runs beside the point with only the inside of the mesh in between: a leg that comes back down
/// beside the bone that leads up from the floor. A bone that continues from the end of the first is not beside it.
bool hasBoneBeside(const JointTree& joints, const geometry::RayTree& tree, const std::vector<bool>& gone,
                   std::uint32_t joint, const Vec3d& point) {
    for (std::uint32_t k = 0; k < joints.size(); ++k) {
        if (k == joint || gone[k]) continue;
        for (const std::uint32_t child : joints.children[k]) {
            const Vec3d start = joints.positions[k], along = joints.positions[child] - start;
            const double t = dot(point - start, along) / dot(along, along);
            if (t > 0 && t < 1 && shareInside(tree, point, start + along * t) == 1) return true;
        }
    }
    return false;
}

/// The fraction of the joint's bones that belongs to it alone: inside the mesh and, with `alone`, without another bone
/// beside it.
double ownShare(const JointTree& joints, const geometry::RayTree& tree, const std::vector<bool>& gone,
                std::uint32_t joint, bool alone) {
    constexpr int kSamples = 8;
    const Vec3d start = joints.positions[joint];
    double own = 0, whole = 0;
    for (const std::uint32_t child : joints.children[joint]) {
        const Vec3d along = joints.positions[child] - start;
        whole += length(along);
        for (int s = 0; s < kSamples; ++s) {
            const Vec3d point = start + along * ((s + 0.5) / kSamples);
            if (geometry::enclosureOf(tree, point).winding > 0 &&
                !(alone && hasBoneBeside(joints, tree, gone, joint, point)))
                own += length(along) / kSamples;
        }
    }
    return whole > 0 ? own / whole : 0;
}

/// A root that moves the whole body lies outside the mesh (on the floor), and three quarters of its bones lie outside
/// too, or in regions of other bones: between the legs inside a skirt, or inside a leg. The next joint may do the same
/// if three quarters of it lies outside.
void dropCarriers(const JointTree& joints, const geometry::RayTree& tree, const std::vector<bool>& inside,
                  std::vector<bool>& gone) {
    for (std::uint32_t root = 0; root < joints.size(); ++root) {
        if (joints.parents[root] >= 0) continue;
        for (std::uint32_t j = root; !inside[j] && !gone[j] && !joints.children[j].empty();) {
            if (ownShare(joints, tree, gone, j, j == root) > 0.25) break;
            gone[j] = true;
            if (joints.children[j].size() > 1) break;
            j = joints.children[j][0];
        }
    }
}

/// Leaves far from any skin (pole targets, cameras): no bone leads to them.
void dropFarLeaves(const JointTree& joints, const geometry::RayTree& tree, double diagonal,
                   const std::vector<bool>& inside, std::vector<bool>& gone) {
    const std::vector<bool> all(tree.tagCount(), true);
    for (std::uint32_t j = 0; j < joints.size(); ++j)
        if (!gone[j] && !inside[j] && joints.children[j].empty() && joints.parents[j] >= 0)
            gone[j] = !tree.nearest(joints.positions[j], 0.1 * diagonal, all);
}

/// Whether the mesh ends near the leaf: beyond it, in its parent's direction, there is only the rounded end, no longer
/// than it is thick, and shorter than the bone that leads to the leaf. False if that bone does not lie in the mesh
/// either (a cape is a sheet): then nothing can be inferred.
bool meshEndsAt(const geometry::RayTree& tree, const Vec3d& leaf, const Vec3d& parent, double diagonal) {
    constexpr int kSteps = 32;
    const double bone = length(leaf - parent);
    if (bone <= 1e-3 * diagonal) return true;  // at its parent's position: no bone of its own
    if (geometry::enclosureOf(tree, parent).winding <= 0 && shareInside(tree, parent, leaf) == 0) return false;
    const Vec3d direction = normalized(leaf - parent);
    const double beyond = lengthInside(tree, leaf, direction, bone / kSteps, bone * (1 + 1e-9));
    if (beyond == 0) return true;
    if (beyond > bone * (kSteps - 1.5) / kSteps) return false;  // the last step may lie on the skin
    return beyond <= 2 * radiusAround(tree, leaf + direction * (0.25 * beyond), direction, diagonal);
}

/// Whether only the rounded end is left around a leaf: ahead and on all sides, the skin is no farther away than from
/// the middle of the bone that leads there, and that bone is longer than thick. A foot continues.
bool isFingertip(const geometry::RayTree& tree, const Vec3d& leaf, const Vec3d& parent, double diagonal) {
    const Vec3d bone = leaf - parent, direction = normalized(bone);
    const double radius = radiusAround(tree, parent + bone * 0.5, direction, diagonal);
    if (radius == 0 || length(bone) < radius) return false;
    const Vec3d u = normalized(cross(direction, std::abs(direction.x) < 0.7 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0)));
    const Vec3d v = cross(direction, u);
    std::vector<geometry::Crossing> crossings;
    for (int way = 0; way < 17; ++way) {  // straight ahead, eight directions at an angle and eight to the side
        const double angle = 2 * std::numbers::pi * way / 8, ahead = way == 16 ? 1 : way < 8 ? 0 : std::sqrt(0.5);
        const Vec3d side = u * std::cos(angle) + v * std::sin(angle);
        tree.crossings(leaf, direction * ahead + side * std::sqrt(1 - ahead * ahead), diagonal, crossings);
        const auto out = std::find_if(crossings.begin(), crossings.end(), [](const auto& c) { return c.leaving > 0; });
        if (out != crossings.end() && out->t > kTip * radius) return false;
    }
    return true;
}

/// Whether every part of the mesh around the first point is also around the other: no eye or other separate piece.
bool sharesParts(const geometry::RayTree& tree, const Vec3d& point, const Vec3d& other) {
    const auto own = geometry::enclosureOf(tree, point).tags, others = geometry::enclosureOf(tree, other).tags;
    return std::includes(others.begin(), others.end(), own.begin(), own.end());
}

/// Leaves that are only markers, by name and by shape. Returns, per joint, where such a leaf puts the end of its bone;
/// its own position if none does.
std::vector<Vec3d> dropMarkers(const JointTree& joints, const geometry::RayTree& tree, double diagonal,
                               std::vector<bool>& gone) {
    std::vector<Vec3d> ends = joints.positions;
    for (std::uint32_t j = 0; j < joints.size(); ++j) {
        if (gone[j] || !joints.children[j].empty() || joints.parents[j] < 0) continue;
        const Marker marker = markerOf(joints.names[j]);
        const auto parent = static_cast<std::size_t>(joints.parents[j]);
        if (gone[parent]) continue;  // its skin must go to another joint
        // The last joint of a chain (a fingertip's) may have any name; then it must be right at the end.
        const bool last = joints.children[parent].size() == 1 && joints.parents[parent] >= 0 &&
                          sharesParts(tree, joints.positions[j], joints.positions[parent]);
        if (marker == Marker::none && !last) continue;
        gone[j] = marker == Marker::none ? isFingertip(tree, joints.positions[j], joints.positions[parent], diagonal)
                                         : meshEndsAt(tree, joints.positions[j], joints.positions[parent], diagonal);
        if (gone[j] && marker != Marker::place) ends[parent] = joints.positions[j];
    }
    return ends;
}

}  // namespace

JointRoles jointRoles(JointTree& joints, const geometry::RayTree& tree, double diagonal) {
    JointRoles roles;
    roles.inside.resize(joints.size());
    roles.sheets.assign(tree.tagCount(), true);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const geometry::Enclosure around = geometry::enclosureOf(tree, joints.positions[j]);
        roles.inside[j] = around.winding > 0;
        for (const std::uint32_t tag : around.tags) roles.sheets[tag] = false;
    }
    if (std::none_of(roles.inside.begin(), roles.inside.end(), [](bool in) { return in; })) return roles;
    const std::vector<bool> all(tree.tagCount(), true);
    std::vector<bool> away(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j)
        away[j] = !roles.inside[j] && !tree.nearest(joints.positions[j], kAway * diagonal, all);
    roles.gone = controls(joints, away, 1e-3 * diagonal);
    dropFarLeaves(joints, tree, diagonal, roles.inside, roles.gone);
    removeChildren(joints, roles.gone);
    dropCarriers(joints, tree, roles.inside, roles.gone);
    roles.ahead = boneDirections(joints, 1e-3 * diagonal);
    roles.ends = dropMarkers(joints, tree, diagonal, roles.gone);
    removeChildren(joints, roles.gone);
    return roles;
}

}  // namespace pelt::bind
