#pragma once

#include <pelt/core/compressed_rows.h>

#include "bind/rigid/bind_surface.h"

namespace pelt::bind {

/// The edges of a surface with their lengths, and links between parts that lie close to each other.
struct ReachGraph : CompressedRows {
    std::vector<std::uint32_t> to;
    std::vector<float> lengths;

    std::size_t vertexCount() const { return rowCount(); }
};

ReachGraph reachGraph(const BindSurface& surface);

/// The vertices that a joint reaches, and how far they are.
struct Reached {
    std::vector<std::uint32_t> vertices;
    std::vector<float> distances;
};

/// Shortest paths over a graph from vertices with given distances, no farther than a limit.
class ShortestPaths {
public:
    explicit ShortestPaths(const ReachGraph& graph)
        : graph_(graph), distances_(graph.vertexCount()), state_(graph.vertexCount(), 0) {}

    /// `allowed` has one entry per vertex, or is empty: all of them.
    Reached from(std::span<const std::uint32_t> vertices, std::span<const float> distances, float limit,
                 const std::vector<bool>& allowed = {});

private:
    const ReachGraph& graph_;
    std::vector<float> distances_;
    std::vector<std::uint8_t> state_;  ///< 0: not seen, 1: seen, 2: done
};

}  // namespace pelt::bind
