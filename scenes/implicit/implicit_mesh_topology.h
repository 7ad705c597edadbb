#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/vec.h>

#include <cstdint>
#include <vector>

namespace pelt::scenes {

/// A triangle mesh that can be edited edge by edge. Half-edge h belongs to triangle h / 3 and goes from `from[h]` to
/// `from[next(h)]`; `twin[h]` has the opposite direction in the neighboring triangle, or is kNone on the boundary.
/// Removed triangles and vertices remain as unused entries until compact().
class EditMesh {
public:
    static constexpr std::uint32_t kNone = 0xffffffffu;

    std::vector<Vec3d> position;
    std::vector<std::uint32_t> from, twin;
    std::vector<std::uint32_t> out;    ///< per vertex, an outgoing half-edge (on the boundary: the boundary half-edge)
    std::vector<std::uint8_t> border;  ///< per vertex

    EditMesh(std::vector<Vec3d> positions, const std::vector<Triangle>& triangles);

    static std::uint32_t next(std::uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
    static std::uint32_t prev(std::uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }
    std::uint32_t to(std::uint32_t h) const { return from[next(h)]; }
    std::uint32_t tip(std::uint32_t h) const { return from[prev(h)]; }
    bool alive(std::uint32_t h) const { return from[h] != kNone; }
    std::size_t halfEdgeCount() const { return from.size(); }

    /// The outgoing half-edges of v, counterclockwise; on the boundary, starting with the boundary half-edge.
    void halfEdgesOf(std::uint32_t v, std::vector<std::uint32_t>& result) const;
    /// The neighbors of v, counter-clockwise.
    void neighborsOf(std::uint32_t v, std::vector<std::uint32_t>& result) const;
    bool adjacent(std::uint32_t a, std::uint32_t b) const;
    int valence(std::uint32_t v) const;

    /// Inserts a new vertex on the edge and returns its index.
    std::uint32_t split(std::uint32_t h, const Vec3d& where);
    /// Replaces the edge by the other diagonal of its two triangles. The edge must have a twin.
    void flip(std::uint32_t h);
    /// Whether collapsing from[h] into to(h) keeps the mesh manifold and the shape of the boundary.
    bool canCollapse(std::uint32_t h) const;
    void collapse(std::uint32_t h);

    /// Removes unused entries; vertices keep their order. Returns the new index of every old vertex, kNone for removed
    /// ones.
    std::vector<std::uint32_t> compact();
    std::vector<Triangle> triangles() const;

private:
    void setOut(std::uint32_t v, std::uint32_t h);
    void glue(std::uint32_t a, std::uint32_t b);
    void removeTriangle(std::uint32_t h, std::uint32_t kept);

    mutable std::vector<std::uint32_t> ring_a_, ring_b_;
};

}  // namespace pelt::scenes
