// A lattice of tets around a surface: every cell that a triangle touches, and every cell inside.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/tets.h>

#include <limits>

#include "barycentric.h"
#include "bcc_lattice.h"
#include "geometry/mesh/check.h"

namespace pelt::geometry {
namespace {

constexpr const char* kStage = "embed in tets";
constexpr double kFinest = 200;  // cubes along the diagonal: bounds the memory of thin, long shapes
constexpr int kVotesInside = 4;  // of six

struct Surface {
    std::vector<Vec3d> positions;
    std::span<const Triangle> triangles;
    Box box = Box::none();
    double diagonal = 0, area = 0, volume = 0;
};

Surface surfaceOf(const Mesh& mesh) {
    checkTriangles(mesh.triangles, mesh.vertexCount());
    if (mesh.positions.empty()) throw Error::badInput("the mesh has no vertices to embed");
    Surface surface;
    surface.triangles = mesh.triangles;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const Vec3d p(mesh.positions[v]);
        if (!isFinite(p)) throw Error::badInput("vertex " + std::to_string(v) + " is not finite");
        surface.positions.push_back(p);
        surface.box.grow(p);
    }
    surface.diagonal = surface.box.diagonal();
    if (!(surface.diagonal > 0)) throw Error::badInput("the mesh is a single point and cannot be embedded");
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a = surface.positions[t[0]] - surface.box.low, b = surface.positions[t[1]] - surface.box.low,
                    c = surface.positions[t[2]] - surface.box.low;
        surface.area += length(cross(b - a, c - a)) / 2;
        surface.volume += dot(a, cross(b, c)) / 6;
    }
    surface.volume = std::abs(surface.volume);
    return surface;
}

/// Whether both are separated along the axis by more than rounding.
bool apart(const Vec3d& axis, const std::array<Vec3d, 4>& tet, const std::array<Vec3d, 3>& triangle, double slack) {
    double tet_low = HUGE_VAL, tet_high = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
    for (const Vec3d& p : tet) {
        tet_low = std::min(tet_low, dot(axis, p));
        tet_high = std::max(tet_high, dot(axis, p));
    }
    for (const Vec3d& p : triangle) {
        low = std::min(low, dot(axis, p));
        high = std::max(high, dot(axis, p));
    }
    const double margin = slack * length(axis);
    return tet_low > high + margin || low > tet_high + margin;
}

/// Separating axis theorem: two convex shapes are disjoint if they are separated along some face normal or cross
/// product of edges. Touching counts as intersecting.
bool meet(const std::array<Vec3d, 4>& tet, const std::array<Vec3d, 3>& triangle, double slack) {
    const std::array<Vec3d, 3> sides = {triangle[1] - triangle[0], triangle[2] - triangle[1],
                                        triangle[0] - triangle[2]};
    if (apart({1, 0, 0}, tet, triangle, slack) || apart({0, 1, 0}, tet, triangle, slack) ||
        apart({0, 0, 1}, tet, triangle, slack) || apart(cross(sides[0], sides[1]), tet, triangle, slack))
        return false;
    for (std::size_t c = 0; c < 4; ++c) {
        const Vec3d& a = tet[(c + 1) % 4];
        if (apart(cross(tet[(c + 2) % 4] - a, tet[(c + 3) % 4] - a), tet, triangle, slack)) return false;
    }
    for (const auto& [a, b] : kTetEdges)
        for (const Vec3d& side : sides)
            if (apart(cross(tet[b] - tet[a], side), tet, triangle, slack)) return false;
    return true;
}

/// Marks the cells that the triangle touches.
void markTriangle(const BccLattice& lattice, const std::array<Vec3d, 3>& triangle, std::vector<std::uint8_t>& kept) {
    Box box = Box::none();
    for (const Vec3d& p : triangle) box.grow(p);
    const double size = lattice.size(), slack = 1e-9 * size;
    const Vec3d normal = normalized(cross(triangle[1] - triangle[0], triangle[2] - triangle[0]));
    const auto first = lattice.cubeOf(box.low - Vec3d{slack, slack, slack}),
               last = lattice.cubeOf(box.high + Vec3d{slack, slack, slack});
    // A cell extends from its cube's center to that of the next cube, and half a cube to each side.
    for (int z = first[2] - 1; z <= last[2]; ++z)
        for (int y = first[1] - 1; y <= last[1]; ++y)
            for (int x = first[0] - 1; x <= last[0]; ++x) {
                if (std::abs(dot(normal, lattice.cubeCenter({x, y, z}) - triangle[0])) > 1.6 * size) continue;
                const std::size_t cube = lattice.cubeIndex({x, y, z}) * BccLattice::kTetsPerCube;
                for (std::size_t k = cube; k < cube + BccLattice::kTetsPerCube; ++k)
                    if (!kept[k] && meet(lattice.cell(k).positions, triangle, slack)) kept[k] = 1;
            }
}

/// Adds a vote to every cell on the line that the surface encloses, seen from one end, and again from the other end.
/// Faces may have either orientation, if it is consistent.
void voteOnLine(const BccLattice& lattice, int axis, int kind, std::array<int, 3> cube,
                const std::vector<Crossing>& crossings, double start, std::vector<std::uint8_t>& votes) {
    const double offset = BccLattice::quarterOffset(kind)[std::size_t(axis)] * 0.25 * lattice.size();
    int ahead = 0, behind = 0;
    for (const Crossing& c : crossings) ahead += c.leaving;
    std::size_t next = 0;
    const auto along = std::size_t(axis);
    for (cube[along] = 0; cube[along] < lattice.counts()[along]; ++cube[along]) {
        const double t = lattice.cubeCenter(cube)[axis] + offset - start;
        for (; next < crossings.size() && crossings[next].t < t; ++next) {
            ahead -= crossings[next].leaving;
            behind -= crossings[next].leaving;
        }
        votes[lattice.cubeIndex(cube) * BccLattice::kTetsPerCube + std::size_t(kind)] +=
            std::uint8_t((ahead != 0) + (behind != 0));
    }
}

/// Per cell, how many of the six views along the axes see it inside.
std::vector<std::uint8_t> insideVotes(const BccLattice& lattice, const Surface& surface, const Progress& progress) {
    const std::vector<std::uint32_t> tags(surface.triangles.size(), 0);
    const RayTree tree(surface.positions, surface.triangles, tags);
    std::vector<std::uint8_t> votes(lattice.cellCount(), 0);
    // Slightly off the grid, so that rays do not run along flat sides of models built on a grid.
    const Vec3d hair = 1e-6 * lattice.size() * Vec3d{0.612, 0.373, 0.781};
    for (int axis = 0; axis < 3; ++axis) {
        progress.report(kStage, 0.4 + 0.2 * axis);
        const auto u = std::size_t((axis + 1) % 3), v = std::size_t((axis + 2) % 3);
        const std::size_t rows = std::size_t(lattice.counts()[u]) * BccLattice::kTetsPerCube;
        parallelFor(rows, 1, [&](std::size_t first, std::size_t last) {
            std::vector<Crossing> crossings;
            for (std::size_t row = first; row < last; ++row) {
                const int kind = int(row % BccLattice::kTetsPerCube);
                const auto offset = BccLattice::quarterOffset(kind);
                std::array<int, 3> cube{};
                cube[u] = int(row / BccLattice::kTetsPerCube);
                for (cube[v] = 0; cube[v] < lattice.counts()[v]; ++cube[v]) {
                    Vec3d origin = lattice.cubeCenter(cube) + hair;
                    for (int k = 0; k < 3; ++k) origin[k] += offset[std::size_t(k)] * 0.25 * lattice.size();
                    origin[axis] = surface.box.low[axis] - lattice.size();
                    Vec3d direction;
                    direction[axis] = 1;
                    tree.crossings(origin, direction, HUGE_VAL, crossings);
                    if (!crossings.empty()) voteOnLine(lattice, axis, kind, cube, crossings, origin[axis], votes);
                }
            }
        });
    }
    return votes;
}

/// Per cell, whether it is kept.
std::vector<std::uint8_t> chooseCells(const BccLattice& lattice, const Surface& surface, const Progress& progress) {
    std::vector<std::uint8_t> kept(lattice.cellCount(), 0);
    for (const Vec3d& p : surface.positions) kept[lattice.cellOf(p)] = 1;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const Triangle& corners = surface.triangles[t];
        if (t % 1024 == 0) progress.report(kStage, 0.4 * double(t) / double(surface.triangles.size()));
        markTriangle(lattice,
                     {surface.positions[corners[0]], surface.positions[corners[1]], surface.positions[corners[2]]},
                     kept);
    }
    const std::vector<std::uint8_t> votes = insideVotes(lattice, surface, progress);
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] |= votes[k] >= kVotesInside;
    return kept;
}

/// The size of cubes that gives about the requested number of tets: those inside, and the layer that the surface
/// touches, half of which lies outside.
double guessedSize(const Surface& surface, double wanted) {
    double fine = surface.diagonal / kFinest, coarse = surface.diagonal;
    for (int step = 0; step < 60; ++step) {
        const double size = std::sqrt(fine * coarse);
        const double count =
            BccLattice::kTetsPerCube * (surface.volume / (size * size * size) + 0.5 * surface.area / (size * size));
        (count > wanted ? fine : coarse) = size;
    }
    return coarse;
}

TetEmbedding gather(const BccLattice& lattice, const std::vector<std::uint8_t>& kept, const Surface& surface) {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    TetEmbedding result;
    std::vector<std::uint32_t> vertex(lattice.pointCount(), kUnused), tet(kept.size(), kUnused);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        if (!kept[k]) continue;
        const BccLattice::Cell cell = lattice.cell(k);
        Tet corners;
        for (std::size_t c = 0; c < 4; ++c) {
            std::uint32_t& v = vertex[cell.points[c]];
            if (v == kUnused) {
                v = std::uint32_t(result.lattice.positions.size());
                result.lattice.positions.push_back(cell.positions[c]);
            }
            corners[c] = v;
        }
        tet[k] = std::uint32_t(result.lattice.tets.size());
        result.lattice.tets.push_back(corners);
    }
    for (const Vec3d& p : surface.positions) {
        result.tet.push_back(tet[lattice.cellOf(p)]);
        auto shares = barycentricIn(result.lattice, result.lattice.tets[result.tet.back()], p);
        clampShares(shares);
        result.barycentric.push_back(shares);
    }
    return result;
}

}  // namespace

TetEmbedding embedInTets(const Mesh& mesh, const EmbeddingOptions& options, const Progress& progress) {
    if (options.target_tets == 0) throw Error::badUsage("embedding needs a target of at least one tet");
    const Surface surface = surfaceOf(mesh);
    const double wanted = double(options.target_tets);
    double size = guessedSize(surface, wanted);
    for (int attempt = 0;; ++attempt) {
        progress.report(kStage, 0);
        const BccLattice lattice(surface.box.low, surface.box.high, size);
        const std::vector<std::uint8_t> kept = chooseCells(lattice, surface, progress);
        const double count = double(std::count(kept.begin(), kept.end(), 1));
        const double better = std::max(surface.diagonal / kFinest, size * std::cbrt(count / wanted));
        const bool near = count > 0.85 * wanted && count < 1.15 * wanted;
        if (near || attempt == 3 || std::abs(better / size - 1) < 0.02) {
            progress.report(kStage, 1);
            return gather(lattice, kept, surface);
        }
        size = better;
    }
}

}  // namespace pelt::geometry
