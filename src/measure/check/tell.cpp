// What all findings have in common: how many vertices, what they do, and what they might do instead.
#include <algorithm>
#include <map>

#include "surface.h"

namespace pelt::measure {
namespace {

constexpr double kCovered = 0.6;  // of the points have a healthy counterpart on the other side

/// Slots that vertices of each instance's part use, so that a row for a vertex names joints of its own skin.
class SlotsOfParts {
public:
    explicit SlotsOfParts(const CheckSurface& surface) : surface_(surface) {}
    std::uint32_t slotFor(std::uint32_t vertex, std::uint32_t joint) const {
        const SkinWeights& weights = surface_.character->weights;
        const auto& of_slot = surface_.joints.of_slot;
        // Most nodes have one slot; otherwise that of the same skin stands beside those that the vertex has.
        const auto first = std::uint32_t(surface_.joints.entries[joint].first_slot);
        std::uint32_t best = first;
        const std::uint32_t own = weights.influenceCount(vertex) > 0 ? weights.jointsOf(vertex)[0] : first;
        std::uint32_t least = ~0u;
        for (std::uint32_t slot = first; slot < of_slot.size(); ++slot)
            if (of_slot[slot] == joint) {
                const std::uint32_t apart = slot > own ? slot - own : own - slot;
                if (apart < least) least = apart, best = slot;
            }
        return best;
    }

private:
    const CheckSurface& surface_;
};

SkinWeights rowsForVertices(const CheckSurface& s, const std::map<std::uint32_t, const Row*>& of_point,
                            std::span<const std::uint32_t> vertices) {
    const SlotsOfParts slots(s);
    SkinWeights made;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (const std::uint32_t v : vertices) {
        const auto found = of_point.find(s.weld.welded[v]);
        joints.clear(), values.clear();
        const Row& row = found != of_point.end() && !found->second->empty() ? *found->second : s.vertex_rows[v];
        for (const Share& share : row) joints.push_back(slots.slotFor(v, share.joint)), values.push_back(share.weight);
        appendVertex(made, joints, values);
    }
    return made;
}

}  // namespace

std::vector<Row> rowsOf(const CheckSurface& surface, std::span<const std::uint32_t> points) {
    std::vector<Row> rows;
    for (const std::uint32_t p : points) rows.push_back(surface.rows[p]);
    return rows;
}

std::uint32_t commonJoint(std::span<const Row> rows) {
    std::map<std::uint32_t, std::size_t> votes;
    for (const Row& row : rows)
        if (const std::uint32_t j = heaviest(row); j != kNone) ++votes[j];
    std::uint32_t best = kNone;
    std::size_t most = 0;
    for (const auto& [joint, count] : votes)
        if (count > most) most = count, best = joint;
    return best;
}

void tell(CheckTools& tools, Finding finding, std::span<const std::uint32_t> points, std::span<const Row> now,
          std::span<const Row> healthy, std::string_view by, bool takes) {
    const CheckSurface& s = tools.surface;
    finding.vertices = s.verticesOf(points);
    finding.share = double(points.size()) / double(s.count());
    if (!points.empty()) finding.part = s.partOf(points.front());
    if (!finding.pose) tools.motion.measure(points, now, healthy, finding);
    std::vector<bool> inside(s.count(), false);
    for (const std::uint32_t p : points) inside[p] = true;
    if (takes && finding.value >= finding.limit && finding.most == Severity::fault)
        for (const std::uint32_t p : points) tools.taken[p] = true;
    std::map<std::uint32_t, const Row*> own;
    for (std::size_t i = 0; i < points.size(); ++i) own[points[i]] = &healthy[i];
    if (!s.mirrored.empty() && finding.flaw != Flaw::swapped) {
        std::vector<Row> twins;
        twins.reserve(points.size());
        std::map<std::uint32_t, const Row*> across = own;
        std::size_t covered = 0;
        for (const std::uint32_t p : points) {
            const std::uint32_t q = s.mirrored[p];
            if (q == kNone || inside[q]) continue;
            twins.push_back(twinRow(s, s.rows[q]));
            if (twins.back().empty()) continue;
            across[p] = &twins.back();
            ++covered;
        }
        if (double(covered) >= kCovered * double(points.size()))
            finding.remedies.push_back({"mirror", rowsForVertices(s, across, finding.vertices)});
    }
    if (!by.empty()) finding.remedies.push_back({by, rowsForVertices(s, own, finding.vertices)});
    tools.findings.push_back(std::move(finding));
}

}  // namespace pelt::measure
