// Flaws between neighbors: torn seams, noise, hard folds.

#include <algorithm>
#include <map>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kTorn = 0.1;             // distance between the rows of copies
constexpr double kTornMean = 0.35;        // over a seam: less is a warning,
constexpr std::size_t kTornPoints = 3;    // and so are fewer points
constexpr double kNoise = 0.02;           // mean excess over the neighbors
constexpr std::size_t kNoisePoints = 60;  // fewer are no more than a warning
constexpr double kHardEdge = 0.85;        // distance between the rows of an edge
constexpr double kCutEverywhere = 0.75;   // of all edges between joints
constexpr double kCoarse = 0.022;         // of the diagonal: the mean edge
constexpr double kVisibleFold = 0.03;     // of the diagonal
constexpr std::size_t kLeastEdges = 6;
constexpr int kNoiseSweeps = 2, kCreaseSweeps = 3, kCreaseRings = 3;
constexpr float kSharpness = 1.6f;

/// The largest distance between the rows of a point's copies.
double openingAt(const CheckSurface& s, std::uint32_t p) {
    double most = 0;
    for (std::size_t i = 1; i < s.copies[p].size(); ++i)
        most = std::max(most, rowDistance(s.vertex_rows[s.copies[p][0]], s.vertex_rows[s.copies[p][i]]));
    return most;
}

}  // namespace

void findTorn(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    std::vector<bool> open(s.count(), false);
    std::vector<double> opening(s.count(), 0);
    for (std::uint32_t p = 0; p < s.count(); ++p) open[p] = (opening[p] = openingAt(s, p)) > kTorn;
    // Neighbors that are no copies but open points one edge away belong to the same tear.
    std::vector<bool> wide = open;
    for (std::uint32_t p = 0; p < s.count(); ++p)
        if (open[p])
            for (const std::uint32_t q : s.around.of(p)) wide[q] = true;
    for (const auto& group : groupsOf(s, wide)) {
        std::vector<std::uint32_t> points;
        double most = 0, mean = 0;
        for (const std::uint32_t p : group)
            if (open[p]) points.push_back(p), most = std::max(most, opening[p]), mean += opening[p];
        if (points.empty()) continue;
        mean /= double(points.size());
        Finding finding;
        finding.flaw = Flaw::torn;
        // The copy that is least like the points around it is the one that is wrong.
        std::vector<Row> now, healthy;
        std::map<std::uint32_t, std::size_t> wrong_joints;
        for (const std::uint32_t p : points) {
            std::vector<const Row*> beside;
            for (const std::uint32_t q : s.around.of(p))
                if (!open[q]) beside.push_back(&s.rows[q]);
            const Row around = beside.empty() ? s.rows[p] : meanRow(beside);
            const Row *best = nullptr, *worst = nullptr;
            for (const std::uint32_t v : s.copies[p]) {
                const Row& row = s.vertex_rows[v];
                if (!best || rowDistance(row, around) < rowDistance(*best, around)) best = &row;
                if (!worst || rowDistance(row, around) > rowDistance(*worst, around)) worst = &row;
            }
            now.push_back(*worst);
            healthy.push_back(*best);
            ++wrong_joints[heaviest(*worst)];
        }
        tools.motion.measure(points, now, healthy, finding);
        const std::uint32_t good = heaviest(healthy[healthy.size() / 2]);
        std::uint32_t bad = good;
        std::size_t votes = 0;
        for (const auto& [joint, count] : wrong_joints)
            if (count > votes) votes = count, bad = joint;
        finding.joint = s.slot(bad);
        finding.other = s.slot(good);
        finding.value = finding.moved;
        finding.limit = 0.004;
        if (points.size() < kTornPoints || mean < kTornMean) finding.most = Severity::warning;
        tell(tools, std::move(finding), points, now, healthy, "weld");
    }
}

void findNoise(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    std::vector<double> excess(s.count(), 0);
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        const auto around = s.around.of(p);
        if (around.size() < 3 || tools.taken[p]) continue;
        std::map<std::uint32_t, std::pair<float, float>> bounds;
        for (const Share& share : s.rows[p]) bounds[share.joint];
        for (const std::uint32_t q : around)
            for (const Share& share : s.rows[q]) bounds[share.joint];
        for (auto& [joint, bound] : bounds) {
            bound = {1, 0};
            for (const std::uint32_t q : around) {
                const float w = weightIn(s.rows[q], joint);
                bound = {std::min(bound.first, w), std::max(bound.second, w)};
            }
            const float own = weightIn(s.rows[p], joint);
            excess[p] += double(std::max({0.0f, own - bound.second, bound.first - own}));
        }
        excess[p] = std::min(excess[p], 0.5);
    }
    // The mean over two rings says whether it is noise or one odd point.
    std::vector<double> mean = excess;
    for (int ring = 0; ring < 3; ++ring) {
        std::vector<double> next(s.count(), 0);
        for (std::uint32_t p = 0; p < s.count(); ++p) {
            next[p] = mean[p];
            for (const std::uint32_t q : s.around.of(p)) next[p] += mean[q];
            next[p] /= double(s.around.of(p).size() + 1);
        }
        mean = std::move(next);
    }
    std::vector<bool> noisy(s.count(), false);
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        noisy[p] = mean[p] > kNoise;
    }
    std::vector<std::uint32_t> points;
    double most = 0;
    for (const auto& group : groupsOf(s, noisy))
        if (group.size() >= 12)
            for (const std::uint32_t p : group) points.push_back(p), most = std::max(most, mean[p]);
    std::sort(points.begin(), points.end());
    if (points.empty()) return;
    Finding finding;
    finding.flaw = Flaw::noise;
    finding.joint = s.slot(commonJoint(rowsOf(s, points)));
    const std::vector<Row> now = rowsOf(s, points);
    std::vector<Row> healthy = smoothedRows(s, points, kNoiseSweeps);
    for (Row& row : healthy) sharpen(row, kSharpness);
    double sum = 0;
    for (const std::uint32_t p : points) sum += mean[p];
    tools.motion.measure(points, now, healthy, finding);
    finding.value = sum / double(s.count());
    finding.limit = 0.004;
    if (points.size() < kNoisePoints && 2 * points.size() < s.count()) finding.most = Severity::warning;
    tell(tools, std::move(finding), points, now, healthy, "smooth");
}

void findCreases(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    struct Border {
        std::size_t edges = 0, hard = 0;
        double length = 0;
        std::vector<std::uint32_t> points;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Border> borders;
    std::size_t edges = 0, hard = 0;
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        for (const std::uint32_t q : s.around.of(p)) {
            if (q < p || s.home[p] == s.home[q] || s.home[p] == kNone || s.home[q] == kNone) continue;
            if (tools.taken[p] || tools.taken[q]) continue;
            Border& border = borders[{std::min(s.home[p], s.home[q]), std::max(s.home[p], s.home[q])}];
            ++border.edges, ++edges;
            border.length += length(s.points[p] - s.points[q]);
            if (rowDistance(s.rows[p], s.rows[q]) > kHardEdge) {
                ++border.hard, ++hard;
                border.points.push_back(p), border.points.push_back(q);
            }
        }
    }
    const double all_hard = edges > 0 ? double(hard) / double(edges) : 0;
    const auto softOnOtherSide = [&](const std::pair<std::uint32_t, std::uint32_t>& joints) {
        const std::uint32_t a = s.twins[joints.first], b = s.twins[joints.second];
        if (a == kNone || b == kNone || (a == joints.first && b == joints.second)) return false;
        const auto found = borders.find({std::min(a, b), std::max(a, b)});
        return found != borders.end() && found->second.edges >= kLeastEdges &&
               4 * found->second.hard < found->second.edges;
    };
    if (all_hard >= kCutEverywhere) {  // one cut, whose place is the whole figure
        std::pair<std::uint32_t, std::uint32_t> longest;
        Border whole;
        std::size_t most = 0;
        for (auto& [joints, border] : borders) {
            if (border.hard > most) most = border.hard, longest = joints;
            whole.edges += border.edges, whole.hard += border.hard, whole.length += border.length;
            whole.points.insert(whole.points.end(), border.points.begin(), border.points.end());
        }
        borders.clear();
        borders[longest] = std::move(whole);
    }
    // An edge of a coarse mesh is as wide as the whole bend: averaging over edges would soften too much.
    const std::string_view by = s.mean_edge > kCoarse * s.diagonal ? "" : "smooth";
    for (auto& [joints, border] : borders) {
        if (border.hard < kLeastEdges || 2 * border.hard < border.edges) continue;
        auto& points = border.points;
        std::sort(points.begin(), points.end());
        points.erase(std::unique(points.begin(), points.end()), points.end());
        Finding finding;
        finding.flaw = Flaw::crease;
        const bool below = s.isAbove(joints.first, joints.second);
        finding.joint = s.slot(below ? joints.second : joints.first);
        finding.other = s.slot(below ? joints.first : joints.second);
        points = ringsAround(s, points, kCreaseRings, tools.taken);
        const std::vector<Row> now = rowsOf(s, points), healthy = smoothedRows(s, points, kCreaseSweeps);
        tools.motion.measure(points, now, healthy, finding);
        finding.value = double(border.hard) / double(border.edges);
        finding.limit = 0.75;
        // A few hard borders are the artist's: between jaw and tongue, around a cuff. A cut is everywhere or on one
        // side.
        if (all_hard < kCutEverywhere)
            finding.most = !softOnOtherSide(joints)       ? Severity::note
                           : finding.moved < kVisibleFold ? Severity::warning
                                                          : Severity::fault;
        tell(tools, std::move(finding), points, now, healthy, by, false);
    }
}

}  // namespace pelt::measure
