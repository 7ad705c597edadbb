// The neighbors of each vertex along edges, and the connected parts of a mesh.
#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>

#include <algorithm>

#include "check.h"
#include "disjoint_sets.h"

namespace pelt::geometry {

Adjacency vertexAdjacency(std::span<const Triangle> triangles, std::size_t vertex_count) {
    checkTriangles(triangles, vertex_count);
    std::vector<std::uint32_t> ends(vertex_count + 1, 0);
    for (const Triangle& t : triangles) {
        for (const std::uint32_t v : t) ends[v + 1] += 2;
    }
    for (std::size_t v = 0; v < vertex_count; ++v) ends[v + 1] += ends[v];

    std::vector<std::uint32_t> all(triangles.size() * 6);
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    for (const Triangle& t : triangles) {
        for (int c = 0; c < 3; ++c) {
            all[next[t[c]]++] = t[(c + 1) % 3];
            all[next[t[c]]++] = t[(c + 2) % 3];
        }
    }

    Adjacency result;
    result.offsets.resize(vertex_count + 1, 0);
    parallelFor(vertex_count, kVertexGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const auto first = all.begin() + ends[v], last = all.begin() + ends[v + 1];
            std::sort(first, last);
            // A face that uses a vertex twice would make it its own neighbor: skipped.
            const auto kept = std::remove(first, std::unique(first, last), std::uint32_t(v));
            result.offsets[v + 1] = std::uint32_t(kept - first);
        }
    });
    for (std::size_t v = 0; v < vertex_count; ++v) result.offsets[v + 1] += result.offsets[v];
    result.neighbors.resize(result.offsets.back());
    parallelFor(vertex_count, kVertexGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            std::copy_n(all.begin() + ends[v], result.offsets[v + 1] - result.offsets[v],
                        result.neighbors.begin() + result.offsets[v]);
    });
    return result;
}

ConnectedParts connectedParts(const Adjacency& adjacency) {
    const auto count = static_cast<std::uint32_t>(adjacency.vertexCount());
    DisjointSets sets(count);
    for (std::uint32_t v = 0; v < count; ++v) {
        for (const std::uint32_t n : adjacency.of(v)) sets.join(v, n);
    }
    ConnectedParts result;
    result.part.resize(count);
    for (std::uint32_t v = 0; v < count; ++v) {
        const std::uint32_t root = sets.root(v);
        result.part[v] = root == v ? result.count++ : result.part[root];
    }
    return result;
}

}  // namespace pelt::geometry
