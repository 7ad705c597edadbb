// Weights that were smoothed until distant joints bend a limb.
#include <algorithm>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kBlur = 0.125, kEven = 1.3;
constexpr float kBlurSharpness = 2.5;

/// How many joints a row has, as if all were as heavy: 1 for a single one.
double evenness(const Row& row) {
    double squares = 0;
    for (const Share& share : row) squares += double(share.weight) * double(share.weight);
    return squares > 0 ? 1 / squares : 0;
}

}  // namespace

void findBlur(CheckTools tools) {
    const CheckSurface& s = tools.surface;
    // Where each joint leads: its core. The radius of a core is how far its points are from the bone, in the median.
    std::vector<std::vector<std::uint32_t>> cores(s.places.size());
    for (std::uint32_t p = 0; p < s.count(); ++p)
        if (s.home[p] != kNone && !tools.taken[p]) cores[s.home[p]].push_back(p);
    std::vector<double> radius(s.places.size(), 0);
    for (std::uint32_t j = 0; j < cores.size(); ++j) {
        std::vector<double> distances;
        for (const std::uint32_t p : thinned(cores[j])) distances.push_back(s.boneDistance(j, s.points[p]));
        if (distances.empty()) continue;
        std::nth_element(distances.begin(), distances.begin() + std::ptrdiff_t(distances.size() / 2), distances.end());
        radius[j] = distances[distances.size() / 2];
    }
    // Steps over the surface from each core would be exact; the straight distance to a thinned core is enough.
    std::vector<std::vector<std::uint32_t>> thin;
    for (const auto& core : cores) thin.push_back(thinned(core));
    std::vector<double> strayed(s.places.size(), 0), moved_to(s.places.size(), 0);
    std::vector<std::vector<std::uint32_t>> far(s.places.size());
    double total = 0;
    for (std::uint32_t p = 0; p < s.count(); ++p) {
        if (tools.taken[p]) continue;
        for (const Share& share : s.rows[p]) {
            const std::uint32_t j = share.joint;
            if (j == s.home[p]) continue;
            double d = s.boneDistance(j, s.points[p]);
            const double reach = 1.2 * radius[j] + 0.015 * s.diagonal;
            if (d <= reach) continue;
            for (const std::uint32_t q : thin[j]) {
                if (d <= reach) break;
                d = std::min(d, length(s.points[p] - s.points[q]));
            }
            if (d <= reach) continue;
            strayed[j] += double(share.weight);
            total += double(share.weight);
            if (share.weight > 0.03f) far[j].push_back(p);
        }
    }
    std::uint32_t worst = kNone;
    for (std::uint32_t j = 0; j < strayed.size(); ++j)
        if (!far[j].empty() && (worst == kNone || strayed[j] > strayed[worst])) worst = j;
    if (worst == kNone) return;
    Finding finding;
    finding.flaw = Flaw::bleed;
    finding.joint = s.slot(worst);
    // Smoothed weights have many joints at each point, and many reach far; one joint alone that does is the artist's.
    double even = 0;
    for (const Row& row : s.rows) even += evenness(row) / double(s.count());
    finding.value = (even - 1) * std::min(total, 1.5 * (total - strayed[worst])) / double(s.count());
    finding.limit = kBlur;
    std::vector<std::uint32_t> points;  // where distant joints reach, and where there are as many
    for (std::uint32_t p = 0; p < s.count(); ++p)
        if (!tools.taken[p] && s.rows[p].size() > 1 && evenness(s.rows[p]) > kEven) points.push_back(p);
    for (const auto& own : far) points.insert(points.end(), own.begin(), own.end());
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    finding.other = s.slot(commonJoint(rowsOf(s, far[worst])));
    std::vector<Row> now = rowsOf(s, points), healthy;
    for (const std::uint32_t p : points) {
        Row row;
        double sum = 0;
        for (const Share& share : s.rows[p]) {
            const auto& list = far[share.joint];
            if (!std::binary_search(list.begin(), list.end(), p)) row.push_back(share), sum += double(share.weight);
        }
        for (Share& share : row) share.weight = float(double(share.weight) / sum);
        sharpen(row, kBlurSharpness);
        healthy.push_back(std::move(row));
    }
    tell(tools, std::move(finding), points, now, healthy, "without");
}

}  // namespace pelt::measure
