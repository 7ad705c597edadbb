// Welds the copies of a vertex that a file splits at seams.
#include <pelt/core/error.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "check.h"
#include "disjoint_sets.h"

namespace pelt::geometry {
namespace {

using Bits = std::array<std::uint32_t, 4>;  ///< position, body
using Cell = std::array<double, 4>;         ///< integers, the body last

std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return h * 0xd6e8feb86659fd93u;
}

/// Float bits, with -0 = 0. NaNs are compared by their bits, so that they weld only with themselves.
Bits canonicalBits(const Vec3f& p, std::uint32_t body) {
    const auto bits = [](float f) { return f == 0.0f ? 0u : std::bit_cast<std::uint32_t>(f); };
    return {bits(p.x), bits(p.y), bits(p.z), body};
}

/// Points and the bodies they belong to.
struct Points {
    std::span<const Vec3f> positions;
    std::span<const std::uint32_t> bodies;  ///< empty: all belong to one

    std::uint32_t body(std::uint32_t v) const { return bodies.empty() ? 0 : bodies[v]; }
    Bits bits(std::uint32_t v) const { return canonicalBits(positions[v], body(v)); }
};

/// Numbers the classes by their first vertex; `leader[v]` is the lowest vertex of the class of v.
Weld numbered(std::span<const std::uint32_t> leader) {
    Weld weld;
    weld.welded.resize(leader.size());
    for (std::uint32_t v = 0; v < leader.size(); ++v) {
        if (leader[v] == v) {
            weld.welded[v] = static_cast<std::uint32_t>(weld.representative.size());
            weld.representative.push_back(v);
        } else {
            weld.welded[v] = weld.welded[leader[v]];
        }
    }
    return weld;
}

/// Per vertex, the lowest vertex of equal position and body: an open-addressing table filled in vertex order.
std::vector<std::uint32_t> exactLeaders(const Points& points) {
    constexpr std::uint32_t kEmpty = ~0u;
    const std::size_t slots = std::bit_ceil(points.positions.size() * 2 + 1);
    std::vector<std::uint32_t> table(slots, kEmpty);
    std::vector<std::uint32_t> leader(points.positions.size());
    for (std::uint32_t v = 0; v < points.positions.size(); ++v) {
        const Bits key = points.bits(v);
        std::size_t slot =
            mix(mix(std::uint64_t(key[0]) << 32 | key[1]) ^ (std::uint64_t(key[3]) << 32 | key[2])) & (slots - 1);
        while (table[slot] != kEmpty && points.bits(table[slot]) != key) slot = (slot + 1) & (slots - 1);
        if (table[slot] == kEmpty) table[slot] = v;
        leader[v] = table[slot];
    }
    return leader;
}

struct CellHash {
    std::size_t operator()(const Cell& c) const {
        std::uint64_t h = 0;
        for (const double d : c) h = mix(h ^ std::bit_cast<std::uint64_t>(d));
        return h;
    }
};

/// Points sorted into cells so small that all points of a cell are within the tolerance of each other: a cell is
/// welded as a whole and dense clusters stay cheap. Cell coordinates are integers stored as doubles, which cannot
/// overflow.
class WeldGrid {
public:
    WeldGrid(const Points& points, double tolerance)
        : points_(points), tolerance_(tolerance), cell_size_(tolerance * 0.57735) {
        cells_.reserve(points.positions.size());
        blocks_.reserve(points.positions.size());
    }

    void insert(std::uint32_t vertex, DisjointSets& sets) {
        const Vec3d p(points_.positions[vertex]);
        const auto whole = [&](double x) { return std::floor(x / cell_size_) + 0.0; };  // + 0: no negative zero
        const Cell cell{whole(p.x), whole(p.y), whole(p.z), double(points_.body(vertex))};
        for (const double c : cell) {
            if (!std::isfinite(c)) return;  // not finite, or the spacing of floats exceeds the tolerance
        }
        auto& members = cells_[cell];
        if (members.empty()) {
            ++blocks_[blockOf(cell, 0, 0, 0)];
        } else {
            sets.join(members.front(), vertex);
        }
        members.push_back(vertex);
    }

    /// Joins cells that contain points within the tolerance of each other. Cells have the size tolerance / sqrt 3, so
    /// such points are at most two cells apart.
    void joinNeighbors(DisjointSets& sets) const {
        for (const auto& [cell, members] : cells_) {
            if (isAlone(cell)) continue;
            for (int n = 63; n < 125; ++n) {  // the 62 cells of the 5x5x5 block that come after its center
                const Cell other{cell[0] + n / 25 - 2 + 0.0, cell[1] + n / 5 % 5 - 2 + 0.0, cell[2] + n % 5 - 2 + 0.0,
                                 cell[3]};
                const auto found = cells_.find(other);
                if (found == cells_.end()) continue;
                if (sets.root(members.front()) == sets.root(found->second.front())) continue;
                if (anyNear(members, found->second)) sets.join(members.front(), found->second.front());
            }
        }
    }

private:
    /// The block of 8x8x8 cells that contains the cell at this offset.
    static Cell blockOf(const Cell& cell, int dx, int dy, int dz) {
        const auto block = [](double c) { return std::floor(c / 8) + 0.0; };
        return {block(cell[0] + dx), block(cell[1] + dy), block(cell[2] + dz), cell[3]};
    }

    /// Whether the blocks near the cell contain no other cell. This holds for most vertices with a small tolerance, and
    /// is much cheaper than checking all neighboring cells.
    bool isAlone(const Cell& cell) const {
        const Cell own = blockOf(cell, 0, 0, 0);
        if (blocks_.at(own) > 1) return false;
        for (int corner = 0; corner < 8; ++corner) {
            const Cell block = blockOf(cell, corner & 1 ? 2 : -2, corner & 2 ? 2 : -2, corner & 4 ? 2 : -2);
            if (block != own && blocks_.contains(block)) return false;
        }
        return true;
    }

    bool anyNear(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
        for (const std::uint32_t i : a) {
            for (const std::uint32_t j : b) {
                const Vec3d d = Vec3d(points_.positions[i]) - Vec3d(points_.positions[j]);
                if (dot(d, d) <= tolerance_ * tolerance_) return true;
            }
        }
        return false;
    }

    Points points_;
    double tolerance_, cell_size_;
    std::unordered_map<Cell, std::vector<std::uint32_t>, CellHash> cells_;
    std::unordered_map<Cell, std::uint32_t, CellHash> blocks_;  ///< number of occupied cells per block
};

}  // namespace

Weld weldByPosition(std::span<const Vec3f> positions, float tolerance, std::span<const std::uint32_t> bodies) {
    if (!(tolerance >= 0)) throw Error::badUsage("the welding tolerance must be zero or a positive length");
    if (!bodies.empty() && bodies.size() != positions.size())
        throw Error::badUsage("welding takes one body for each vertex");
    const Points points{positions, bodies};
    std::vector<std::uint32_t> leader = exactLeaders(points);
    if (tolerance == 0) return numbered(leader);

    DisjointSets sets(positions.size());
    WeldGrid grid(points, tolerance);
    for (std::uint32_t v = 0; v < positions.size(); ++v) {
        sets.join(leader[v], v);
        if (leader[v] == v) grid.insert(v, sets);
    }
    grid.joinNeighbors(sets);
    for (std::uint32_t v = 0; v < positions.size(); ++v) leader[v] = sets.root(v);
    return numbered(leader);
}

std::vector<std::uint32_t> bodiesOf(const Mesh& mesh) {
    const auto same = [&](const MeshPart& part) { return part.body == mesh.parts.front().body; };
    if (std::all_of(mesh.parts.begin(), mesh.parts.end(), same)) return {};
    std::vector<std::uint32_t> bodies(mesh.vertexCount(), 0);
    for (const MeshPart& part : mesh.parts) {
        const std::size_t first = std::min<std::size_t>(part.first_vertex, bodies.size());
        std::fill_n(bodies.begin() + std::ptrdiff_t(first),
                    std::min<std::size_t>(part.vertex_count, bodies.size() - first), part.body);
    }
    return bodies;
}

Weld weldByPosition(const Mesh& mesh, float tolerance) {
    return weldByPosition(mesh.positions, tolerance, bodiesOf(mesh));
}

std::vector<Triangle> weldedTriangles(std::span<const Triangle> triangles, const Weld& weld) {
    checkTriangles(triangles, weld.welded.size());
    std::vector<Triangle> result;
    result.reserve(triangles.size());
    for (const Triangle& t : triangles) {
        const Triangle w{weld.welded[t[0]], weld.welded[t[1]], weld.welded[t[2]]};
        if (w[0] != w[1] && w[1] != w[2] && w[2] != w[0]) result.push_back(w);
    }
    return result;
}

}  // namespace pelt::geometry
