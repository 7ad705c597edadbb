#pragma once

#include <pelt/core/affine.h>

#include <cstddef>
#include <span>

namespace pelt::runtime {

/// Vertices are numbered as in the mesh, whatever range is evaluated: element i of a span is vertex `first` + i. Spans
/// of the whole mesh therefore start at 0, and a buffer for one block of vertices at the first of the block. A span has
/// at least the vertices of the range; isRange() is what every evaluation checks by assert.

/// A rest shape to deform instead of the rig's own, for example with morph targets added. Empty spans: the rig's own.
struct RestShape {
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;
    std::size_t first = 0;  ///< the vertex of element 0 of both
};

/// Where results are written. Leave `normals` empty if they are not needed.
struct Output {
    std::span<Vec3f> positions;
    std::span<Vec3f> normals;
    std::size_t first = 0;  ///< the vertex of element 0 of both
};

/// Whether a span of `size` vertices from `start` on has the vertices [first, first + count).
constexpr bool hasVertices(std::size_t size, std::size_t start, std::size_t first, std::size_t count) noexcept {
    return count == 0 || (first >= start && first - start <= size && count <= size - (first - start));
}

/// Whether [first, first + count) is a range of a mesh of `vertex_count` vertices that these spans have.
constexpr bool isRange(std::size_t vertex_count, const RestShape& rest, std::size_t first, std::size_t count,
                       const Output& out) noexcept {
    const auto has = [&](std::size_t size, std::size_t start) { return hasVertices(size, start, first, count); };
    return first <= vertex_count && count <= vertex_count - first && has(out.positions.size(), out.first) &&
           (out.normals.empty() || has(out.normals.size(), out.first)) &&
           (rest.positions.empty() || has(rest.positions.size(), rest.first)) &&
           (rest.normals.empty() || has(rest.normals.size(), rest.first));
}

}  // namespace pelt::runtime
