// Finds pieces that move as a whole, such as buttons, and gives each one row of weights.
#include "loose_pieces.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::bind::transfer {
namespace {

constexpr double kSmall = 0.1;        ///< of the skin's diagonal: a piece of this size may be a button or a buckle
constexpr double kInside = 0.25;      ///< the same for pieces inside the body
constexpr double kSameSkin = 0.9;     ///< share of a small piece that agrees with the skin if it is part of it
constexpr double kPartSkin = 0.5;     ///< share of a piece inside that agrees if it is a layer of the skin
constexpr double kContactGap = 0.02;  ///< of a piece's size: nearer counts as touching

struct Extent {
    geometry::Box box = geometry::Box::none();
    double area = 0, agreed = 0;
    std::vector<std::uint32_t> vertices;

    double share() const { return area > 0 ? agreed / area : 0; }
};

std::vector<double> areasOf(const BindSurface& surface) {
    std::vector<double> areas(surface.positions.size(), 0);
    for (const Triangle& t : surface.triangles) {
        const Vec3d& a = surface.positions[t[0]];
        const double area = length(cross(surface.positions[t[1]] - a, surface.positions[t[2]] - a)) / 6;
        if (std::isfinite(area))
            for (const std::uint32_t v : t) areas[v] += area;
    }
    return areas;
}

std::vector<Extent> extentsOf(const BindSurface& surface, std::span<const Match> matches) {
    const std::vector<double> areas = areasOf(surface);
    std::vector<Extent> extents(surface.parts.count);
    for (std::uint32_t v = 0; v < areas.size(); ++v) {
        Extent& extent = extents[surface.parts.part[v]];
        extent.box.grow(surface.positions[v]);
        extent.area += areas[v];
        if (matches[v].agrees) extent.agreed += areas[v];
        extent.vertices.push_back(v);
    }
    return extents;
}

bool isInside(const BindSurface& from, const BindSurface& to, std::span<const std::uint32_t> vertices) {
    return std::all_of(vertices.begin(), vertices.end(),
                       [&](std::uint32_t v) { return geometry::enclosureOf(from.tree, to.positions[v]).winding > 0; });
}

}  // namespace

std::vector<bool> rigidPieces(const BindSurface& from, const BindSurface& to, std::span<const Match> matches) {
    const std::vector<Extent> extents = extentsOf(to, matches);
    std::vector<char> rigid(extents.size(), 0);
    parallelFor(extents.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            const Extent& piece = extents[p];
            const double size = piece.box.diagonal() / from.diagonal;
            rigid[p] = size <= kSmall
                           ? piece.share() < kSameSkin
                           : size <= kInside && piece.share() < kPartSkin && isInside(from, to, piece.vertices);
        }
    });
    return {rigid.begin(), rigid.end()};
}

SkinWeights settleRigidPieces(const WeightedSurface& from, const WeightedSurface& to, std::span<const Match> matches,
                              const std::vector<bool>& rigid) {
    const std::vector<Extent> extents = extentsOf(to.surface, matches);
    const std::vector<double> areas = areasOf(to.surface);
    std::vector<bool> hosts(rigid.size());
    for (std::size_t p = 0; p < rigid.size(); ++p) hosts[p] = !rigid[p];
    std::vector<SkinWeights> rows(rigid.size());
    parallelFor(rigid.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            if (!rigid[p]) continue;
            const double size = extents[p].box.diagonal();
            RowSum sum;
            for (const std::uint32_t v : extents[p].vertices) {
                const auto host = to.surface.tree.nearest(to.surface.positions[v], matches[v].distance, hosts);
                const double apart = (host ? host->distance : matches[v].distance) + kContactGap * size;
                const double vote = apart > 0 ? (areas[v] + 1e-12 * size * size) / (apart * apart) : 1;
                if (host)
                    to.addAt(*host, vote, sum);
                else
                    from.addAt(matches[v].place, vote, sum);
            }
            sum.appendTo(rows[p]);
        }
    });
    SkinWeights result;
    RowSum row;
    for (std::size_t v = 0; v < to.weights.vertexCount(); ++v) {
        const std::size_t part = to.surface.parts.part[v];
        if (rigid[part])
            row.add(rows[part], 0, 1);
        else
            row.add(to.weights, v, 1);
        row.appendTo(result);
    }
    return result;
}

}  // namespace pelt::bind::transfer
