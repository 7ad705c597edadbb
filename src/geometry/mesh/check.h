#pragma once

#include <pelt/core/error.h>
#include <pelt/core/mesh.h>

#include <span>
#include <string>

namespace pelt::geometry {

/// Throws Error (bad input) for the first triangle with a missing vertex.
inline void checkTriangles(std::span<const Triangle> triangles, std::size_t vertex_count) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (const std::uint32_t v : triangles[t]) {
            if (v < vertex_count) continue;
            throw Error::badInput("triangle " + std::to_string(t) + " uses vertex " + std::to_string(v) +
                                  ", but the mesh has only " + std::to_string(vertex_count));
        }
    }
}

}  // namespace pelt::geometry
