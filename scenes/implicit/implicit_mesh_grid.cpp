// Marching tetrahedra on the Kuhn subdivision of a regular grid: six tetrahedra around the main diagonal of each cell.
// The subdivision of neighboring cells agrees on their common face, so the result has no holes and no ambiguous case;
// the grid starts on the plane x = 0 for a symmetric solid, so the cut there is clean as well.

#include "implicit_mesh_grid.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace pelt::scenes {
namespace {

constexpr double kLargestGrid = 2e8;  // values in memory at once
constexpr std::size_t kGrain = 256;

struct Index {
    int x, y, z;
};

class Grid {
public:
    explicit Grid(const ImplicitSurface& surface) : surface_(surface), cell_(surface.cell) {
        if (!(cell_ > 0)) throw Error::badUsage("implicit surface: the grid cell must be positive");
        low_ = surface.low - Vec3d(cell_, cell_, cell_);
        if (surface.symmetric) low_.x = 0;
        const Vec3d extent = (surface.high - low_) / cell_;
        const double points = (extent.x + 3) * (extent.y + 3) * (extent.z + 3);
        if (!(points < kLargestGrid) || !(extent.x > 0 && extent.y > 0 && extent.z > 0)) {
            throw Error::badUsage(
                fmt::format("implicit surface: a box of {:.0f} grid points; choose a larger cell or "
                            "a box round the solid",
                            points));
        }
        size_ = {int(extent.x) + 3, int(extent.y) + 3, int(extent.z) + 3};
        values_.assign(std::size_t(size_.x) * size_.y * size_.z, std::numeric_limits<float>::quiet_NaN());
    }

    Vec3d point(const Index& i) const { return low_ + Vec3d(i.x, i.y, i.z) * cell_; }
    std::size_t id(const Index& i) const { return (std::size_t(i.z) * size_.y + i.y) * size_.x + i.x; }
    double value(const Index& i) const { return values_[id(i)]; }

    /// The cells that the surface may cross, by descending an octree and dropping cubes that are too far away.
    std::vector<Index> surfaceCells() const {
        constexpr int kRoot = 64;
        std::vector<Index> cubes;
        for (int z = 0; z < size_.z - 1; z += kRoot)
            for (int y = 0; y < size_.y - 1; y += kRoot)
                for (int x = 0; x < size_.x - 1; x += kRoot) cubes.push_back({x, y, z});
        for (int side = kRoot; side > 1; side /= 2) cubes = halve(cubes, side / 2);
        return cubes;
    }

    void evaluateCorners(const std::vector<Index>& cells) {
        std::vector<std::size_t> wanted;
        wanted.reserve(cells.size() * 8);
        for (const Index& c : cells)
            for (int k = 0; k < 8; ++k) wanted.push_back(id({c.x + (k & 1), c.y + (k >> 1 & 1), c.z + (k >> 2)}));
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        parallelFor(wanted.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const std::size_t w = wanted[i];
                const Index at{int(w % size_.x), int(w / size_.x % size_.y), int(w / size_.x / size_.y)};
                values_[w] = static_cast<float>(surface_.value(point(at)));
            }
        });
    }

private:
    std::vector<Index> halve(const std::vector<Index>& cubes, int side) const {
        std::vector<Index> children;
        for (const Index& c : cubes)
            for (int k = 0; k < 8; ++k) {
                const Index child{c.x + (k & 1) * side, c.y + (k >> 1 & 1) * side, c.z + (k >> 2) * side};
                if (child.x < size_.x - 1 && child.y < size_.y - 1 && child.z < size_.z - 1) children.push_back(child);
            }
        std::vector<std::uint8_t> near(children.size());
        const double reach = surface_.slope * cell_ * side * std::sqrt(0.75);
        parallelFor(children.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const Vec3d middle = point(children[i]) + Vec3d(1, 1, 1) * (0.5 * side * cell_);
                near[i] = !(std::abs(surface_.value(middle)) > reach);
            }
        });
        std::vector<Index> kept;
        for (std::size_t i = 0; i < children.size(); ++i)
            if (near[i]) kept.push_back(children[i]);
        return kept;
    }

    const ImplicitSurface& surface_;
    double cell_;
    Vec3d low_;
    Index size_{};
    std::vector<float> values_;
};

class Polygonizer {
public:
    explicit Polygonizer(const Grid& grid) : grid_(grid) {}

    void addCell(const Index& c) {
        static constexpr int kAxes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        for (int p = 0; p < 6; ++p) {
            Index corner[4] = {c, c, c, c};
            for (int step = 1; step < 4; ++step) {
                corner[step] = corner[step - 1];
                (kAxes[p][step - 1] == 0   ? corner[step].x
                 : kAxes[p][step - 1] == 1 ? corner[step].y
                                           : corner[step].z)++;
            }
            if (p >= 3) std::swap(corner[2], corner[3]);  // odd permutations of the axes invert the tetrahedron
            addTetrahedron(corner);
        }
    }

    GridMesh mesh;

private:
    /// The corners are positively oriented.
    void addTetrahedron(const Index (&corner)[4]) {
        int mask = 0;
        for (int i = 0; i < 4; ++i) mask |= (grid_.value(corner[i]) < 0) << i;
        // Even permutations of the corners that put the inside corner (or the only outside one) first.
        static constexpr int kFront[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
        static constexpr int kPairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                             {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
        for (int i = 0; i < 4; ++i) {
            const int* o = kFront[i];
            const auto edge = [&](int k) { return vertex(corner[o[0]], corner[o[k]]); };
            if (mask == 1 << i) mesh.triangles.push_back({edge(1), edge(2), edge(3)});
            if (mask == (15 ^ (1 << i))) mesh.triangles.push_back({edge(1), edge(3), edge(2)});
        }
        for (const int* o : kPairs) {
            if (mask != (1 << o[0] | 1 << o[1])) continue;
            const auto edge = [&](int a, int b) { return vertex(corner[o[a]], corner[o[b]]); };
            const std::uint32_t quad[4] = {edge(0, 2), edge(0, 3), edge(1, 3), edge(1, 2)};
            mesh.triangles.push_back({quad[0], quad[1], quad[2]});
            mesh.triangles.push_back({quad[0], quad[2], quad[3]});
        }
    }

    std::uint32_t vertex(Index a, Index b) {
        if (grid_.id(b) < grid_.id(a)) std::swap(a, b);
        const int direction = (b.x - a.x) | (b.y - a.y) << 1 | (b.z - a.z) << 2;
        const std::uint64_t key = std::uint64_t(grid_.id(a)) * 8 + static_cast<std::uint64_t>(direction);
        const auto [entry, fresh] = vertices_.try_emplace(key, static_cast<std::uint32_t>(mesh.positions.size()));
        if (fresh) {
            // Kept away from the corners: coincident vertices would give triangles without area.
            const double fa = grid_.value(a), fb = grid_.value(b);
            const double t = std::clamp(fa / (fa - fb), 0.05, 0.95);
            const Vec3d pa = grid_.point(a), pb = grid_.point(b);
            mesh.positions.push_back(pa + (pb - pa) * t);
        }
        return entry->second;
    }

    const Grid& grid_;
    std::unordered_map<std::uint64_t, std::uint32_t> vertices_;  // only for lookups: its order is never used
};

}  // namespace

GridMesh polygonize(const ImplicitSurface& surface) {
    Grid grid(surface);
    const std::vector<Index> cells = grid.surfaceCells();
    grid.evaluateCorners(cells);
    Polygonizer polygonizer(grid);
    for (const Index& c : cells) polygonizer.addCell(c);
    if (polygonizer.mesh.triangles.empty()) throw Error::badUsage("implicit surface: no surface inside the box");
    return std::move(polygonizer.mesh);
}

}  // namespace pelt::scenes
