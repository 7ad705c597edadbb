// Loose pieces that do not follow what they sit on, sides that differ, joints without skin.
#include <pelt/geometry/ray_tree.h>

#include <algorithm>
#include <map>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kLoosePiece = 0.15;  // of the points: larger ones are no loose pieces
constexpr double kOwnBone = 0.1;      // of the diagonal
constexpr std::size_t kPieceSamples = 24;
constexpr double kUneven = 0.25;  // distance between a row and that of the other side

/// What a piece sits on: the rows of the nearest points of other pieces.
struct Seat {
    std::vector<Row> rows;  ///< per sampled point; empty where nothing is near
    std::vector<std::uint32_t> points;
};

Seat seatOf(const CheckSurface& s, const geometry::RayTree& tree, std::uint32_t piece, std::vector<bool>& allowed) {
    Seat seat;
    const auto& points = s.pieces[piece];
    const std::size_t step = std::max<std::size_t>(1, points.size() / kPieceSamples);
    allowed[piece] = false;
    for (std::size_t i = 0; i < points.size(); i += step) {
        seat.points.push_back(points[i]);
        Row row;
        if (const auto place = tree.nearest(s.points[points[i]], 0.05 * s.diagonal, allowed)) {
            const Triangle& t = s.triangles[place->triangle];
            const Row* corners[] = {&s.rows[t[0]], &s.rows[t[1]], &s.rows[t[2]]};
            row = meanRow(corners);
        }
        seat.rows.push_back(std::move(row));
    }
    allowed[piece] = true;
    return seat;
}

/// The least distance from the piece to points of other pieces that follow a joint.
double distanceToSkinOf(const CheckSurface& s, std::uint32_t piece, std::uint32_t joint,
                        std::span<const std::uint32_t> some) {
    double least = s.diagonal;
    for (std::uint32_t q = 0; q < s.count(); ++q) {
        if (s.piece[q] == piece || weightIn(s.rows[q], joint) < 0.3f) continue;
        for (const std::uint32_t p : some) least = std::min(least, length(s.points[p] - s.points[q]));
    }
    return least;
}

bool mirroredAlike(const CheckSurface& s, std::span<const std::uint32_t> points, bool& differs) {
    std::size_t same = 0, other = 0;
    differs = false;
    if (s.mirrored.empty()) return false;
    for (const std::uint32_t p : points) {
        const std::uint32_t q = s.mirrored[p];
        if (q == kNone || s.piece[q] == s.piece[p]) continue;
        const Row twin = twinRow(s, s.rows[q]);
        if (twin.empty()) continue;
        (rowDistance(twin, s.rows[p]) < kUneven ? same : other)++;
    }
    differs = 2 * other > points.size();
    return 2 * same > points.size();
}

}  // namespace

void findPieces(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    if (s.pieces.size() < 2) return;
    std::vector<std::uint32_t> tags;
    for (const Triangle& t : s.triangles) tags.push_back(s.piece[t[0]]);
    const geometry::RayTree tree(s.points, s.triangles, tags);
    std::vector<bool> allowed(s.pieces.size(), true);
    allowed.resize(std::max<std::size_t>(allowed.size(), tree.tagCount()), true);
    for (std::uint32_t piece = 0; piece < s.pieces.size(); ++piece) {
        const auto& points = s.pieces[piece];
        if (points.size() < 4 || double(points.size()) > kLoosePiece * double(s.count()) || tools.taken[points[0]])
            continue;
        const Seat seat = seatOf(s, tree, piece, allowed);
        std::vector<std::uint32_t> some;
        std::vector<Row> now, healthy;
        std::map<std::uint32_t, double> own, under;
        for (std::size_t i = 0; i < seat.points.size(); ++i) {
            if (seat.rows[i].empty()) continue;
            some.push_back(seat.points[i]);
            now.push_back(s.rows[seat.points[i]]);
            healthy.push_back(seat.rows[i]);
            for (const Share& share : now.back()) own[share.joint] += double(share.weight);
            for (const Share& share : healthy.back()) under[share.joint] += double(share.weight);
        }
        if (2 * some.size() < seat.points.size()) continue;
        double apart = 0;
        for (std::size_t i = 0; i < some.size(); ++i) apart += rowDistance(now[i], healthy[i]) / double(some.size());
        if (apart < 0.6) continue;
        const auto heavy = [](const std::map<std::uint32_t, double>& sums) {
            std::uint32_t best = kNone;
            double most = 0;
            for (const auto& [joint, sum] : sums)
                if (sum > most) most = sum, best = joint;
            return best;
        };
        const std::uint32_t k = heavy(own), u = heavy(under);
        const double to_skin = distanceToSkinOf(s, piece, k, some);
        double to_bone = s.diagonal;
        for (const std::uint32_t p : some) to_bone = std::min(to_bone, s.boneDistance(k, s.points[p]));
        bool differs = false;
        const bool alike = mirroredAlike(s, points, differs);
        // What a joint has no other skin than is what it is for.
        if (alike || (to_skin >= s.diagonal && to_bone < kOwnBone * s.diagonal)) continue;
        Finding finding;
        finding.flaw = Flaw::piece;
        finding.joint = s.slot(k);
        finding.other = s.slot(u);
        tools.motion.measure(some, now, healthy, finding);
        const double away = std::min(to_skin, to_bone);
        finding.value = differs ? std::max(away / s.diagonal, 0.031) : away / s.diagonal;
        finding.limit = 0.03;
        // A joint of another tree is steered by the clips, or by a constraint that the file does not have.
        if (s.hops(k, u) == kNoWay) finding.most = Severity::warning;
        // A piece moves as a whole with the mean of what it sits on.
        std::vector<const Row*> seats;
        for (const Row& row : healthy) seats.push_back(&row);
        const std::vector<Row> whole(points.size(), meanRow(seats));
        tell(tools, std::move(finding), points, rowsOf(s, points), whole, "seat");
    }
}

void findAsymmetry(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    if (s.mirrored.empty()) return;
    std::vector<bool> uneven(s.count(), false);
    std::size_t bad = 0;
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        const std::uint32_t q = s.mirrored[p];
        if (q == kNone || tools.taken[p] || tools.taken[q]) continue;
        const Row twin = twinRow(s, s.rows[q]);
        if (twin.empty()) continue;
        uneven[p] = rowDistance(twin, s.rows[p]) > kUneven;
        bad += uneven[p];
    }
    if (bad == 0) return;
    for (const auto& group : groupsOf(s, uneven)) {
        if (group.size() < 4) continue;
        Finding finding;
        finding.flaw = Flaw::asymmetry;
        std::vector<Row> now, healthy;
        std::map<std::uint32_t, std::size_t> votes;
        for (const std::uint32_t p : group) {
            now.push_back(s.rows[p]);
            healthy.push_back(twinRow(s, s.rows[s.mirrored[p]]));
            ++votes[s.home[p]];
        }
        tools.motion.measure(group, now, healthy, finding);
        finding.joint = s.slot(std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
                                   return a.second < b.second;
                               })->first);
        finding.value = finding.moved;
        finding.limit = 0.05;
        finding.most = Severity::warning;
        tell(tools, std::move(finding), group, now, healthy, "mirror", false);
    }
}

void findUnused(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    std::vector<bool> used(s.places.size(), false);
    for (const Row& row : s.rows)
        for (const Share& share : row) used[share.joint] = true;
    for (std::uint32_t j = 0; j < used.size(); ++j) {
        const std::uint32_t twin = s.twins[j];
        if (used[j] || twin == kNone || twin == j || !used[twin]) continue;
        Finding finding;
        finding.flaw = Flaw::unused;
        finding.joint = s.slot(j);
        finding.other = s.slot(twin);
        finding.value = 1;
        finding.limit = 2;
        tools.findings.push_back(std::move(finding));
    }
}

}  // namespace pelt::measure
