// Finds the tet that contains a point: each box of a grid lists the tets whose bounding boxes overlap it.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/tets.h>

#include "barycentric.h"

namespace pelt::geometry {
namespace {

constexpr double kInside = -1e-9;  // tolerance of a barycentric coordinate: rounding at a face

struct Boxes {
    Vec3d low;
    double size = 1;
    std::array<int, 3> counts{1, 1, 1};
    std::vector<std::uint32_t> offsets, tets;

    std::array<int, 3> cellOf(const Vec3d& p) const {
        std::array<int, 3> cell;
        for (int k = 0; k < 3; ++k)
            cell[std::size_t(k)] =
                int(std::clamp(std::floor((p[k] - low[k]) / size), 0.0, double(counts[std::size_t(k)] - 1)));
        return cell;
    }
    std::size_t indexOf(int x, int y, int z) const {
        return (std::size_t(z) * std::size_t(counts[1]) + std::size_t(y)) * std::size_t(counts[0]) + std::size_t(x);
    }
};

template <class Visit>
void forCells(const Boxes& boxes, const TetMesh& mesh, const Tet& tet, const Visit& visit) {
    Box box = Box::none();
    for (const std::uint32_t v : tet) box.grow(mesh.positions[v]);
    const auto a = boxes.cellOf(box.low), b = boxes.cellOf(box.high);
    for (int z = a[2]; z <= b[2]; ++z)
        for (int y = a[1]; y <= b[1]; ++y)
            for (int x = a[0]; x <= b[0]; ++x) visit(boxes.indexOf(x, y, z));
}

Boxes fillBoxes(const TetMesh& mesh) {
    Boxes boxes;
    Box whole = Box::none();
    for (const Tet& t : mesh.tets)
        for (const std::uint32_t v : t) whole.grow(mesh.positions[v]);
    boxes.low = whole.low;
    const Vec3d extent = whole.high - whole.low;
    const double longest = std::max({extent.x, extent.y, extent.z});
    const double cells = std::clamp(std::cbrt(double(mesh.tets.size())), 1.0, 256.0);
    boxes.size = longest > 0 ? longest / cells : 1;
    for (int k = 0; k < 3; ++k) boxes.counts[std::size_t(k)] = int(extent[k] / boxes.size) + 1;
    const std::size_t count =
        std::size_t(boxes.counts[0]) * std::size_t(boxes.counts[1]) * std::size_t(boxes.counts[2]);
    boxes.offsets.assign(count + 1, 0);
    for (const Tet& t : mesh.tets) forCells(boxes, mesh, t, [&](std::size_t cell) { ++boxes.offsets[cell + 1]; });
    for (std::size_t c = 0; c < count; ++c) boxes.offsets[c + 1] += boxes.offsets[c];
    boxes.tets.resize(boxes.offsets.back());
    std::vector<std::uint32_t> next(boxes.offsets.begin(), boxes.offsets.end() - 1);
    for (std::uint32_t t = 0; t < mesh.tets.size(); ++t)
        forCells(boxes, mesh, mesh.tets[t], [&](std::size_t cell) { boxes.tets[next[cell]++] = t; });
    return boxes;
}

struct Place {
    std::uint32_t tet = 0;
    std::array<double, 4> shares{};
    double least = -HUGE_VAL;

    void offer(const TetMesh& mesh, std::uint32_t t, const Vec3d& point) {
        const auto s = barycentricIn(mesh, mesh.tets[t], point);
        const double smallest = *std::min_element(s.begin(), s.end());
        if (smallest > least) *this = Place{t, s, smallest};
    }
};

/// Searches the point's box first and then growing rings of boxes, up to one ring after the first hit, since a tet of
/// the next ring may be nearer.
Place findPlace(const Boxes& boxes, const TetMesh& mesh, const Vec3d& point) {
    Place place;
    const auto at = boxes.cellOf(point);
    const int widest = std::max({boxes.counts[0], boxes.counts[1], boxes.counts[2]});
    for (int ring = 0, last = widest; ring <= std::min(last, widest); ++ring) {
        for (int z = std::max(0, at[2] - ring); z <= std::min(boxes.counts[2] - 1, at[2] + ring); ++z)
            for (int y = std::max(0, at[1] - ring); y <= std::min(boxes.counts[1] - 1, at[1] + ring); ++y)
                for (int x = std::max(0, at[0] - ring); x <= std::min(boxes.counts[0] - 1, at[0] + ring); ++x) {
                    if (std::max({std::abs(x - at[0]), std::abs(y - at[1]), std::abs(z - at[2])}) != ring) continue;
                    const std::size_t cell = boxes.indexOf(x, y, z);
                    for (std::uint32_t e = boxes.offsets[cell]; e < boxes.offsets[cell + 1]; ++e)
                        place.offer(mesh, boxes.tets[e], point);
                }
        if (place.least >= kInside) break;
        if (place.least > -HUGE_VAL && last == widest) last = ring + 1;
    }
    return place;
}

void checkVolume(const TetMesh& tets) {
    if (tets.tets.empty()) throw Error::badInput("the volume has no tets");
    tetMass(tets);  // throws for tets with a missing vertex
    for (std::size_t v = 0; v < tets.vertexCount(); ++v)
        if (!isFinite(tets.positions[v]))
            throw Error::badInput("vertex " + std::to_string(v) + " of the volume is not finite");
}

}  // namespace

TetEmbedding locateInTets(TetMesh tets, std::span<const Vec3f> points) {
    checkVolume(tets);
    for (std::size_t v = 0; v < points.size(); ++v)
        if (!isFinite(points[v])) throw Error::badInput("vertex " + std::to_string(v) + " is not finite");
    TetEmbedding result;
    result.lattice = std::move(tets);
    result.tet.resize(points.size());
    result.barycentric.resize(points.size());
    const Boxes boxes = fillBoxes(result.lattice);
    parallelFor(points.size(), 256, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            Place place = findPlace(boxes, result.lattice, Vec3d(points[v]));
            if (place.least == -HUGE_VAL) place.shares = {1, 0, 0, 0};  // no tet there has volume
            clampShares(place.shares);
            result.tet[v] = place.tet;
            result.barycentric[v] = place.shares;
        }
    });
    return result;
}

}  // namespace pelt::geometry
