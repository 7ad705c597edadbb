#pragma once

#include <pelt/geometry/weld.h>

namespace pelt::geometry {

/// Counts of properties of the welded mesh that may cause problems. Duplicate and degenerate faces do not count for
/// edges.
struct MeshReport {
    std::size_t welded_vertices = 0;
    std::size_t seam_vertices = 0;       ///< vertices that share their position with another
    std::size_t connected_parts = 0;     ///< with at least one face
    std::size_t boundary_edges = 0;      ///< with one face
    std::size_t non_manifold_edges = 0;  ///< with more than two faces
    std::size_t isolated_vertices = 0;   ///< without a face
    std::size_t zero_area_faces = 0;     ///< degenerate or without area
    std::size_t duplicate_faces = 0;     ///< same three welded vertices as an earlier face
    bool closed() const { return boundary_edges == 0 && non_manifold_edges == 0; }
};

MeshReport inspectMesh(const Mesh& mesh, const Weld& weld);

}  // namespace pelt::geometry
