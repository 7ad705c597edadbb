#include "skin_bones.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "joint_tree.h"

namespace pelt::fit {
namespace {

constexpr std::uint32_t kNone = ~0u;
constexpr std::size_t kMostJoints = 4096;  // every pair of joints is compared: beyond, none is taken for a control

struct Branches {
    std::vector<std::uint32_t> of;     ///< per joint: its branch, kNone for the trunk
    std::vector<std::uint32_t> sizes;  ///< joints a branch
};

/// Cuts the tree at its first fork: a body and what hangs beside it under one root, or several roots.
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

/// Branches that only steer: a lone joint outside the mesh (a pole target; a chain outside may be a cape), or a joint
/// on one of a larger branch (an IK handle on a wrist). Siblings may share a place: two thighs that start in one hip
/// do.
std::vector<bool> controls(const JointTree& tree, const std::vector<bool>& inside, double tolerance) {
    std::vector<bool> gone(tree.size(), false);
    if (tree.size() > kMostJoints) return gone;
    const Branches branches = branchesOf(tree);
    std::vector<bool> steers(branches.sizes.size(), false);
    for (std::uint32_t j = 0; j < tree.size(); ++j) {
        const std::uint32_t b = branches.of[j];
        if (b == kNone) continue;
        if (!inside[j] && branches.sizes[b] == 1) steers[b] = true;
        for (std::uint32_t k = 0; k < tree.size() && !steers[b]; ++k) {
            const std::uint32_t other = branches.of[k];
            if (other == kNone || other == b || branches.sizes[other] <= branches.sizes[b]) continue;
            if (tree.parents[j] == tree.parents[k]) continue;
            steers[b] = length(tree.positions[j] - tree.positions[k]) <= tolerance;
        }
    }
    for (std::uint32_t j = 0; j < tree.size(); ++j) {
        const std::uint32_t b = branches.of[j];
        if (b != kNone) gone[j] = steers[b];
    }
    return gone;
}

/// How much of a line lies inside the mesh.
double shareInside(const geometry::RayTree& tree, const Vec3d& from, const Vec3d& to) {
    constexpr int kSamples = 8;
    int within = 0;
    for (int s = 0; s < kSamples; ++s)
        within += geometry::enclosureOf(tree, from + (to - from) * ((s + 0.5) / kSamples)).winding > 0;
    return within / double{kSamples};
}

/// The name without what marks its side or number: "HandSlot.L" and "handslot_02" are "handslot".
std::string stemOf(const std::string& name) {
    std::string stem = name;
    const auto trim = [&] {
        while (!stem.empty() && !std::isalpha(static_cast<unsigned char>(stem.back()))) stem.pop_back();
    };
    trim();
    for (const std::string_view side : {"left", "right", "l", "r"}) {
        if (stem.size() <= side.size()) continue;
        const std::size_t cut = stem.size() - side.size();
        const bool apart = !std::isalnum(static_cast<unsigned char>(stem[cut - 1]));
        const bool same = std::equal(side.begin(), side.end(), stem.begin() + static_cast<std::ptrdiff_t>(cut),
                                     [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
        if (apart && same) {
            stem.resize(cut);
            break;
        }
    }
    trim();
    return stem;
}

/// Whether the stem ends in the word; with `whole`, only where the word begins there: "toe_end", "ToeEnd", not "bend".
bool endsInWord(const std::string& stem, std::string_view word, bool whole) {
    if (stem.size() < word.size()) return false;
    const std::size_t cut = stem.size() - word.size();
    for (std::size_t k = 0; k < word.size(); ++k)
        if (std::tolower(static_cast<unsigned char>(stem[cut + k])) != word[k]) return false;
    if (!whole || cut == 0) return true;
    const auto before = static_cast<unsigned char>(stem[cut - 1]), at = static_cast<unsigned char>(stem[cut]);
    return !std::isalpha(before) || (std::isupper(at) && std::islower(before));
}

/// A root that carries the whole body about has one child and lies outside the mesh (on the floor), and so does most of
/// its bone, unless its name says what it is.
void dropCarriers(const JointTree& joints, const geometry::RayTree& tree, const std::vector<bool>& inside,
                  std::vector<bool>& gone) {
    for (std::uint32_t root = 0; root < joints.size(); ++root) {
        if (joints.parents[root] >= 0) continue;
        for (std::uint32_t j = root; !inside[j] && !gone[j] && joints.children[j].size() == 1;) {
            const std::uint32_t child = joints.children[j][0];
            if (!endsInWord(stemOf(joints.names[j]), "root", true) &&
                shareInside(tree, joints.positions[j], joints.positions[child]) >= 0.5)
                break;
            gone[j] = true;
            j = child;
        }
    }
}

enum class Marker { none, end, place };

/// What a leaf's name says that no geometry tells: where its parent's bone ends, or where things are held.
Marker markerOf(const std::string& name) {
    const std::string stem = stemOf(name);
    if (endsInWord(stem, "end", true) || endsInWord(stem, "site", true) || endsInWord(stem, "tip", false) ||
        endsInWord(stem, "nub", false))
        return Marker::end;
    if (endsInWord(stem, "slot", false) || endsInWord(stem, "socket", false)) return Marker::place;
    return Marker::none;
}

/// How far the bone goes on from `start` inside the mesh, at most `limit`; 0 where it starts outside.
double lengthInside(const geometry::RayTree& tree, const Vec3d& start, const Vec3d& direction, double step,
                    double limit) {
    double reached = 0;
    int misses = 0;  // one sample outside may be a gap between two parts
    for (int i = 1; i * step <= limit && misses < 2; ++i) {
        if (geometry::enclosureOf(tree, start + direction * (i * step)).winding > 0) {
            reached = i * step;
            misses = 0;
        } else {
            ++misses;
        }
    }
    return reached;
}

}  // namespace

std::vector<geometry::BoneSegment> skinBones(const Skeleton& skeleton, const geometry::RayTree& tree, double diagonal) {
    const double tolerance = 1e-3 * diagonal;
    JointTree joints = jointTree(skeleton, tolerance);
    std::vector<bool> inside(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j)
        inside[j] = geometry::enclosureOf(tree, joints.positions[j]).winding > 0;
    if (std::none_of(inside.begin(), inside.end(), [](bool in) { return in; })) return {};

    std::vector<bool> gone = controls(joints, inside, tolerance);
    removeChildren(joints, gone);
    dropCarriers(joints, tree, inside, gone);
    const std::vector<Vec3d> ahead = boneDirections(joints, tolerance);
    std::vector<Vec3d> ends = joints.positions;  // where an end marker says that the joint's bone goes
    for (std::uint32_t j = 0; j < joints.size(); ++j) {
        if (gone[j] || !joints.children[j].empty() || joints.parents[j] < 0) continue;
        const Marker marker = markerOf(joints.names[j]);
        gone[j] = marker != Marker::none;
        if (marker == Marker::end) ends[static_cast<std::size_t>(joints.parents[j])] = joints.positions[j];
    }
    removeChildren(joints, gone);

    std::vector<geometry::BoneSegment> segments;
    for (std::uint32_t j = 0; j < joints.size(); ++j) {
        if (gone[j]) continue;
        const Vec3d start = joints.positions[j];
        for (const std::uint32_t child : joints.children[j]) segments.push_back({start, joints.positions[child], j});
        if (!joints.children[j].empty()) continue;
        const Vec3d parent =
            joints.parents[j] < 0 ? start : joints.positions[static_cast<std::size_t>(joints.parents[j])];
        const Vec3d direction = normalized(ends[j] - start, normalized(ahead[j], normalized(start - parent)));
        const double own = std::max(length(start - parent), length(ends[j] - start));
        const double limit = std::max(4 * own, 0.1 * diagonal);
        const double within = inside[j] ? lengthInside(tree, start, direction, diagonal / 256, limit) : 0;
        // A bone ends short of the skin; where it does not start inside, it is as long as its parent's.
        segments.push_back({start, start + direction * (within > 0 ? 0.85 * within : own), j});
    }
    return segments;
}

}  // namespace pelt::fit
