// Cuts a figure out of a picture: its outline, then triangles of even size inside.
#include <pelt/core/error.h>
#include <pelt/geometry/flat_figure.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "geometry/mesh/disjoint_sets.h"
#include "outline.h"
#include "region_mesh.h"

namespace pelt::geometry {
namespace {

using namespace flat;

constexpr double kWidening = 0.08;       ///< of an edge: it also rounds tips, which lets triangles be wider there
constexpr double kTolerance = 0.06;      ///< of an edge, between outline and mesh
constexpr double kLeastTolerance = 0.4;  ///< of a traced pixel
constexpr double kLeastPart = 0.5;       ///< of a traced pixel, the shortest edge of the outline
constexpr double kNearEnough = 0.03;     ///< of the number of triangles
constexpr int kMostTries = 6;

std::optional<RegionMesh> meshOf(const OutlineTracer& tracer, double edge, const Progress& progress) {
    const double pixel = tracer.pixel();
    const MeshSize size{edge, std::max(kTolerance * edge, kLeastTolerance * pixel), kLeastPart * pixel};
    for (double widening = kWidening * edge; widening >= pixel; widening /= 2)
        if (const std::optional<Outline> wider = tracer.widened(widening))
            if (std::optional<RegionMesh> mesh = meshRegion(wider->loops, size, progress);
                mesh && mesh->smallest_angle >= kLeastAngle)
                return mesh;
    return meshRegion(tracer.outline().loops, size, progress);
}

/// The edge length that gives the number of triangles, by trying: the outline needs some of its own.
RegionMesh meshWith(const OutlineTracer& tracer, std::size_t triangles, const Progress& progress) {
    const double equilateral = 4 / std::sqrt(3.0);  // squared edge per area
    double edge = std::sqrt(tracer.outline().area / double(triangles) * equilateral);
    std::optional<RegionMesh> best;
    const auto missed = [&](const RegionMesh& mesh) {
        return std::abs(double(mesh.triangles.size()) - double(triangles));
    };
    for (int attempt = 0; attempt < kMostTries; ++attempt) {
        const double from = double(attempt) / kMostTries, to = double(attempt + 1) / kMostTries;
        std::optional<RegionMesh> mesh = meshOf(tracer, edge, progress.share("cut out", from, to));
        if (!mesh || mesh->triangles.empty()) break;
        const double ratio = double(mesh->triangles.size()) / double(triangles);
        const bool sharp = mesh->smallest_angle < kLeastAngle, best_sharp = best && best->smallest_angle < kLeastAngle;
        if (!best || (best_sharp && !sharp) || (best_sharp == sharp && missed(*mesh) < missed(*best)))
            best = std::move(mesh);
        if (!sharp && std::abs(ratio - 1) < kNearEnough) break;
        edge *= std::clamp(std::sqrt(ratio), 0.6, 1.6);
    }
    if (!best) throw Error::badInput("its outline crosses itself; draw it larger, or clean its edge");
    return std::move(*best);
}

/// Sorts the triangles by island, the largest one first, and the points with them.
FlatFigure sortedByIsland(const RegionMesh& mesh) {
    DisjointSets sets(mesh.points.size());
    for (const Triangle& t : mesh.triangles) {
        sets.join(t[0], t[1]);
        sets.join(t[0], t[2]);
    }
    std::map<std::uint32_t, std::vector<Triangle>> by_island;
    for (const Triangle& t : mesh.triangles) by_island[sets.root(t[0])].push_back(t);
    std::vector<const std::vector<Triangle>*> islands;
    for (const auto& [root, triangles] : by_island) islands.push_back(&triangles);
    std::stable_sort(islands.begin(), islands.end(),
                     [](const auto* a, const auto* b) { return a->size() > b->size(); });
    FlatFigure figure;
    figure.smallest_angle = mesh.smallest_angle;
    constexpr std::uint32_t kUnused = ~std::uint32_t(0);
    std::vector<std::uint32_t> number(mesh.points.size(), kUnused);
    for (const std::vector<Triangle>* island : islands) {
        figure.islands.push_back(island->size());
        for (Triangle triangle : *island) {
            for (std::uint32_t& corner : triangle) {
                if (number[corner] == kUnused) {
                    number[corner] = std::uint32_t(figure.points.size());
                    figure.points.push_back(mesh.points[corner]);
                }
                corner = number[corner];
            }
            figure.triangles.push_back(triangle);
        }
    }
    return figure;
}

}  // namespace

FlatFigure cutFigure(const Coverage& coverage, std::size_t triangles, const Progress& progress) {
    if (triangles == 0) throw Error::badUsage("`triangles` is 0; ask for at least one");
    if (coverage.width == 0 || coverage.height == 0 || coverage.values.size() != coverage.width * coverage.height)
        throw Error::badUsage("a picture needs one value for each of its pixels");
    const OutlineTracer tracer(coverage);
    if (tracer.outline().islands == 0)
        throw Error::badInput("there is no figure in it: no more than a speck of it is opaque");
    return sortedByIsland(meshWith(tracer, triangles, progress));
}

}  // namespace pelt::geometry
