#pragma once

#include <pelt/core/compressed_rows.h>
#include <pelt/core/mesh.h>

namespace pelt::geometry {

/// Neighbors along edges, one row per vertex, ascending, each once.
struct Adjacency : CompressedRows {
    std::vector<std::uint32_t> neighbors;

    std::size_t vertexCount() const { return rowCount(); }
    std::span<const std::uint32_t> of(std::size_t vertex) const { return rowOf(neighbors, vertex); }
};

/// Throws Error (bad input) for a triangle with a missing vertex.
Adjacency vertexAdjacency(std::span<const Triangle> triangles, std::size_t vertex_count);

/// Per vertex, the number of its connected part; parts are numbered by their lowest vertex. An isolated vertex is a
/// part of its own.
struct ConnectedParts {
    std::vector<std::uint32_t> part;
    std::uint32_t count = 0;
};

ConnectedParts connectedParts(const Adjacency& adjacency);

}  // namespace pelt::geometry
