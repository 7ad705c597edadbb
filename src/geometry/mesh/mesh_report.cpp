// Counts what may cause problems in a mesh: open edges, degenerate faces and the like.
#include <pelt/core/parallel.h>
#include <pelt/geometry/mesh_report.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "check.h"
#include "disjoint_sets.h"

namespace pelt::geometry {
namespace {

// Twice the area over the squared longest side: below float rounding of the corners, a face has no area.
constexpr double kNoArea = 1e-7;

bool hasArea(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, bc = c - b, ca = a - c;
    const double longest = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
    return length(cross(ab, bc)) > kNoArea * longest;
}

/// The sum of `count(first, last)` over all ranges of [0, size).
template <class Count>
std::size_t sumOver(std::size_t size, const Count& count) {
    std::atomic<std::size_t> sum = 0;
    parallelFor(size, kVertexGrain, [&](std::size_t first, std::size_t last) { sum += count(first, last); });
    return sum;
}

std::size_t countZeroArea(const Mesh& mesh, const Weld& weld) {
    const auto corner = [&](std::uint32_t v) { return Vec3d(mesh.positions[weld.representative[weld.welded[v]]]); };
    return sumOver(mesh.triangles.size(), [&](std::size_t first, std::size_t last) {
        return std::size_t(
            std::count_if(mesh.triangles.begin() + std::ptrdiff_t(first), mesh.triangles.begin() + std::ptrdiff_t(last),
                          [&](const Triangle& t) { return !hasArea(corner(t[0]), corner(t[1]), corner(t[2])); }));
    });
}

/// Entries grouped by vertex, in the order in which they were added: sorting a few entries per vertex takes a small
/// part of the time of sorting all of them.
template <class Entry>
class Buckets {
public:
    /// forEach(add) calls add(vertex, entry) for every entry; it is called twice.
    template <class ForEach>
    Buckets(std::size_t vertices, const ForEach& forEach) : ends_(vertices + 1, 0) {
        forEach([&](std::uint32_t v, const Entry&) { ++ends_[v]; });
        std::uint32_t begin = 0;
        for (std::uint32_t& end : ends_) begin += std::exchange(end, begin);
        entries_.resize(begin);
        forEach([&](std::uint32_t v, const Entry& entry) { entries_[ends_[v]++] = entry; });
    }

    /// count(vertex's entries, sorted), summed over all vertices; it may shorten the list.
    template <class Count>
    std::size_t countSorted(const Count& count) {
        return sumOver(ends_.size() - 1, [&](std::size_t first, std::size_t last) {
            std::size_t sum = 0;
            for (std::size_t v = first; v < last; ++v) {
                const std::span<Entry> own(entries_.data() + (v > 0 ? ends_[v - 1] : 0), entries_.data() + ends_[v]);
                std::sort(own.begin(), own.end());
                sum += count(own);
            }
            return sum;
        });
    }

    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::vector<std::uint32_t> ends_;
    std::vector<Entry> entries_;
};

/// Counts faces with the same three vertices as another, whatever their orientation, and of the others the edges with
/// one face and with more than two.
void countFaces(std::span<const Triangle> triangles, std::size_t vertices, MeshReport& report) {
    const auto sorted = [](Triangle t) {
        std::sort(t.begin(), t.end());
        return t;
    };
    struct Face {
        Triangle corners;
        bool operator<(const Face& o) const { return corners < o.corners; }
    };
    Buckets<Face> faces(vertices, [&](const auto& add) {
        for (const Triangle& t : triangles) {
            const Triangle corners = sorted(t);
            add(corners[0], Face{corners});
        }
    });
    report.duplicate_faces = faces.countSorted([](std::span<Face> own) {
        std::size_t duplicates = 0;
        for (std::size_t i = own.size(); i-- > 1;)
            if (own[i].corners == own[i - 1].corners) {
                own[i].corners[0] = ~0U;
                ++duplicates;
            }
        return duplicates;
    });
    Buckets<std::uint32_t> edges(vertices, [&](const auto& add) {
        for (const Face& face : faces.entries()) {
            const auto& [a, b, c] = face.corners;
            if (a == ~0U) continue;
            add(a, b);
            add(a, c);
            add(b, c);
        }
    });
    const auto countRuns = [](std::span<const std::uint32_t> ends, const auto& counts) {
        std::size_t sum = 0;
        for (std::size_t first = 0, last = 0; first < ends.size(); first = last) {
            while (last < ends.size() && ends[last] == ends[first]) ++last;
            sum += counts(last - first) ? 1 : 0;
        }
        return sum;
    };
    report.boundary_edges =
        edges.countSorted([&](auto own) { return countRuns(own, [](std::size_t n) { return n == 1; }); });
    report.non_manifold_edges =
        edges.countSorted([&](auto own) { return countRuns(own, [](std::size_t n) { return n > 2; }); });
}

void countParts(std::span<const Triangle> triangles, std::size_t vertices, MeshReport& report) {
    DisjointSets sets(vertices);
    std::vector<bool> used(vertices, false);
    for (const auto& [a, b, c] : triangles) {
        sets.join(a, b);
        sets.join(b, c);
        used[a] = used[b] = used[c] = true;
    }
    for (std::uint32_t v = 0; v < vertices; ++v) {
        if (!used[v])
            ++report.isolated_vertices;
        else
            report.connected_parts += sets.root(v) == v;
    }
}

}  // namespace

MeshReport inspectMesh(const Mesh& mesh, const Weld& weld) {
    checkTriangles(mesh.triangles, mesh.vertexCount());
    MeshReport report;
    report.welded_vertices = weld.count();

    std::vector<std::uint32_t> copies(weld.count(), 0);
    for (const std::uint32_t w : weld.welded) ++copies[w];
    for (const std::uint32_t count : copies) report.seam_vertices += count > 1 ? count : 0;

    report.zero_area_faces = countZeroArea(mesh, weld);
    const std::vector<Triangle> triangles = weldedTriangles(mesh.triangles, weld);
    parallelFor(2, 1, [&](std::size_t first, std::size_t last) {
        if (first == 0) countFaces(triangles, weld.count(), report);
        if (last == 2) countParts(triangles, weld.count(), report);
    });
    return report;
}

}  // namespace pelt::geometry
