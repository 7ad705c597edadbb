// Islands of points that follow a joint far from them: bleeding, exchanged sides, points left on the root.

#include <algorithm>
#include <map>

#include "surface.h"

namespace pelt::measure {
namespace {

// Of the diagonal: what lies this near to the rest of its joint's skin is no fault; among the skin of a neighbor in the
// skeleton it must be farther, and so must the only skin of a joint be from its bone.
constexpr double kNear = 0.05, kNearNeighbor = 0.12, kNearBone = 0.1;
constexpr double kExchanged = 0.015;   // of the points: a limb
constexpr double kLimb = 0.002;        // of the points: less skin of a joint is a patch
constexpr std::size_t kStray = 3;      // points: fewer are no more than a warning
constexpr double kOtherRow = 0.5;      // how far the rows are from those around them
constexpr double kOtherOnlyRow = 0.7;  // the same for the only skin of a joint
constexpr double kVisible = 0.01;      // of the diagonal: motion that is seen

struct Island {
    std::uint32_t joint = 0, expected = kNone;
    std::vector<std::uint32_t> points;
    bool whole = false;    ///< all of its piece
    bool trusted = false;  ///< where its joint is expected
    bool swapped = false;
    double to_bone = 0, to_twin = 0;  ///< the mean distance of its points
    double nearest_bone = 0;          ///< of its points to the joint
};

double gapBetween(const CheckSurface& s, const Island& a, const Island& b) {
    double least = s.diagonal;
    const auto ours = thinned(a.points), theirs = thinned(b.points);
    for (const std::uint32_t p : ours)
        for (const std::uint32_t q : theirs) least = std::min(least, length(s.points[p] - s.points[q]));
    return least;
}

Island makeIsland(const CheckSurface& s, std::vector<std::uint32_t> points) {
    Island made;
    made.points = std::move(points);
    made.joint = s.home[made.points.front()];
    made.whole = made.points.size() == s.pieces[s.piece[made.points.front()]].size();
    const std::uint32_t twin = s.twins[made.joint];
    const auto some = thinned(made.points);
    made.nearest_bone = s.diagonal;
    // Bones from the root lead everywhere: to feet on the floor, to handles.
    const bool root = s.isRoot(made.joint);
    for (const std::uint32_t p : some) {
        const double d = root ? length(s.points[p] - s.places[made.joint]) : s.boneDistance(made.joint, s.points[p]);
        made.to_bone += d / double(some.size());
        made.nearest_bone = std::min(made.nearest_bone, d);
        made.to_twin += (twin == kNone ? s.diagonal : s.boneDistance(twin, s.points[p])) / double(some.size());
    }
    return made;
}

/// The islands of each joint, the largest first.
std::vector<std::vector<Island>> islandsOf(const CheckSurface& s) {
    std::vector<std::vector<Island>> islands(s.places.size());
    std::vector<bool> seen(s.count(), false);
    for (std::uint32_t start = 0; start < s.count(); ++start) {
        if (seen[start] || s.home[start] == kNone) continue;
        std::vector<std::uint32_t> group{start};
        seen[start] = true;
        for (std::size_t i = 0; i < group.size(); ++i)
            for (const std::uint32_t q : s.around.of(group[i]))
                if (!seen[q] && s.home[q] == s.home[start]) seen[q] = true, group.push_back(q);
        std::sort(group.begin(), group.end());
        islands[s.home[start]].push_back(makeIsland(s, std::move(group)));
    }
    for (auto& own : islands)
        std::stable_sort(own.begin(), own.end(),
                         [](const Island& a, const Island& b) { return a.points.size() > b.points.size(); });
    return islands;
}

std::size_t sizeOf(const std::vector<Island>& islands, bool swapped) {
    std::size_t points = 0;
    for (const Island& island : islands)
        if (island.swapped == swapped) points += island.points.size();
    return points;
}

/// Islands that lie at the other side's joint, where most of that joint's own skin is missing.
void markSwapped(const CheckSurface& s, std::vector<std::vector<Island>>& islands) {
    for (std::uint32_t j = 0; j < islands.size(); ++j) {
        const std::uint32_t twin = s.twins[j];
        if (twin == kNone || twin == j) continue;
        for (Island& island : islands[j])
            island.swapped = island.to_twin < 0.5 * island.to_bone && island.to_bone > 0.05 * s.diagonal;
    }
    for (std::uint32_t j = 0; j < islands.size(); ++j) {
        const std::uint32_t twin = s.twins[j];
        if (twin == kNone || twin == j) continue;
        const std::size_t moved = sizeOf(islands[j], true), own = sizeOf(islands[twin], false);
        if (moved < 4 || moved < own || double(moved) < kLimb * double(s.count()))  // no more than a patch
            for (Island& island : islands[j]) island.swapped = false;
    }
}

/// Whether the other side of the character does the same.
bool sameOnOtherSide(const CheckSurface& s, std::span<const std::uint32_t> points) {
    if (s.mirrored.empty()) return false;
    std::size_t same = 0;
    for (const std::uint32_t p : points) {
        const std::uint32_t q = s.mirrored[p];
        if (q == kNone || std::binary_search(points.begin(), points.end(), q)) continue;
        const Row twin = twinRow(s, s.rows[q]);
        same += !twin.empty() && rowDistance(twin, s.rows[p]) < 0.3;
    }
    return 2 * same > points.size();
}

/// Points that are nearer to the bones of their joints' twins than to those that they follow, of a limb and its twin,
/// and their rows with the sides exchanged.
void exchange(const CheckSurface& s, std::uint32_t top, std::vector<std::uint32_t>& points, std::vector<Row>& rows) {
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        double now = 0, then = 0;
        Row row;
        for (Share share : s.rows[p]) {
            const std::uint32_t twin = s.twins[share.joint];
            if (twin != kNone && (s.isAbove(top, share.joint) || s.isAbove(s.twins[top], share.joint))) {
                now += double(share.weight) * s.boneDistance(share.joint, s.points[p]);
                then += double(share.weight) * s.boneDistance(twin, s.points[p]);
                share.joint = twin;
            }
            row.push_back(share);
        }
        if (then >= now) continue;
        std::sort(row.begin(), row.end(), [](const Share& a, const Share& b) { return a.joint < b.joint; });
        points.push_back(p);
        rows.push_back(std::move(row));
    }
}

/// One finding for each limb: the joints that are exchanged, from the topmost on.
void tellSwapped(CheckTools& tools, const std::vector<std::vector<Island>>& islands) {
    const CheckSurface& s = tools.surface;
    std::map<std::uint32_t, std::vector<std::uint32_t>> limbs;  // by topmost exchanged joint of either side
    const auto exchanged = [&](std::uint32_t j) { return sizeOf(islands[j], true) > 0; };
    for (std::uint32_t j = 0; j < islands.size(); ++j) {
        if (!exchanged(j)) continue;
        std::uint32_t top = j;
        for (std::int32_t up = s.parents[j]; up >= 0; up = s.parents[std::size_t(up)])
            if (exchanged(std::uint32_t(up))) top = std::uint32_t(up);
        if (exchanged(s.twins[top])) top = std::min(top, s.twins[top]);
        for (const Island& island : islands[j])
            if (island.swapped) limbs[top].insert(limbs[top].end(), island.points.begin(), island.points.end());
    }
    for (auto& [top, islanded] : limbs) {
        std::vector<std::uint32_t> points;
        std::vector<Row> healthy;
        exchange(s, top, points, healthy);
        if (points.empty()) continue;
        Finding finding;
        finding.flaw = Flaw::swapped;
        finding.joint = s.slot(top);
        finding.other = s.slot(s.twins[top]);
        finding.value = double(points.size()) / double(s.count());
        finding.limit = kExchanged;
        if (finding.value < kExchanged) {  // a patch on the other side's joint is no exchange
            finding.flaw = Flaw::bleed;
            tools.motion.measure(points, rowsOf(s, points), healthy, finding);
            finding.value = finding.moved;
            finding.limit = kVisible;
        }
        tell(tools, std::move(finding), points, rowsOf(s, points), healthy, "exchange");
    }
}

struct Suspect {
    std::vector<std::uint32_t> points;
    double far = 0;
};

}  // namespace

void findMisplaced(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    std::vector<std::vector<Island>> islands = islandsOf(s);
    markSwapped(s, islands);
    tellSwapped(tools, islands);
    std::map<std::pair<std::uint32_t, std::uint32_t>, Suspect> suspects;  // by joint and expected joint
    for (std::uint32_t j = 0; j < islands.size(); ++j) {
        std::vector<Island*> rest;
        for (Island& island : islands[j])
            if (!island.swapped) rest.push_back(&island);
        const bool root = s.isRoot(j);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            Island& island = *rest[i];
            double gap = s.diagonal;
            for (std::size_t k = 0; k < i; ++k)
                if (rest[k]->trusted) gap = std::min(gap, gapBetween(s, island, *rest[k]));
            const double far = std::min(gap, island.nearest_bone) / s.diagonal;
            island.trusted = far < (i == 0 ? kNearBone : kNear) || island.whole ||
                             (i == 0 && root && 5 * island.points.size() > s.count());
            if (island.trusted) continue;
            std::vector<bool> unknown(s.count(), false);
            for (const std::uint32_t p : island.points) unknown[p] = true;
            const std::vector<Row> healthy = filledRows(s, island.points, unknown);
            island.expected = commonJoint(healthy);
            if (island.expected == kNone) continue;
            double other = 0;
            for (std::size_t p = 0; p < island.points.size(); ++p)
                other += rowDistance(s.rows[island.points[p]], healthy[p]) / double(island.points.size());
            const bool near = !root && far < kNearNeighbor && s.hops(j, island.expected) <= 1;
            if (near || other < (i == 0 ? kOtherOnlyRow : kOtherRow) || sameOnOtherSide(s, island.points)) {
                island.trusted = true;
                continue;
            }
            Suspect& suspect = suspects[{j, root ? kNone : island.expected}];
            suspect.points.insert(suspect.points.end(), island.points.begin(), island.points.end());
            suspect.far = std::max(suspect.far, far);
        }
    }
    for (auto& [joints, suspect] : suspects) {
        std::sort(suspect.points.begin(), suspect.points.end());
        std::vector<bool> unknown(s.count(), false);
        for (const std::uint32_t p : suspect.points) unknown[p] = true;
        const std::vector<Row> healthy = filledRows(s, suspect.points, unknown);
        Finding finding;
        finding.flaw = s.isRoot(joints.first) ? Flaw::unweighted : Flaw::bleed;
        if (suspect.points.size() < kStray) finding.most = Severity::warning;
        finding.joint = s.slot(joints.first);
        finding.other = s.slot(joints.second == kNone ? commonJoint(healthy) : joints.second);
        tools.motion.measure(suspect.points, rowsOf(s, suspect.points), healthy, finding);
        finding.value = finding.moved;
        finding.limit = kVisible;
        tell(tools, std::move(finding), suspect.points, rowsOf(s, suspect.points), healthy, "neighbors");
    }
}

}  // namespace pelt::measure
