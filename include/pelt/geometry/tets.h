#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/tet_mesh.h>
#include <pelt/geometry/laplacian.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::geometry {

using pelt::Tet;
using pelt::TetMesh;

/// The edges of a tet as pairs of its corners, in the order that tetCotangents gives their weights.
inline constexpr std::array<std::array<std::uint8_t, 2>, 6> kTetEdges = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// Without sign.
double tetVolume(const TetMesh& mesh, std::size_t tet);

/// Per edge of the tet, what it adds to the edge's Laplacian weight: a sixth of the opposite edge's length times the
/// cotangent of the dihedral angle there. May be negative (an obtuse angle); all 0 for a tet without volume.
std::array<double, 6> tetCotangents(const TetMesh& mesh, std::size_t tet);

/// The cotangent Laplacian of the volume. Unlike a surface's, its weights may be negative where dihedral angles are
/// obtuse: they are kept as they are, so that linear functions stay harmonic. Throws Error (bad input) for a tet that
/// names a vertex beyond the positions.
Laplacian tetLaplacian(const TetMesh& mesh);

/// Per vertex, a quarter of the volume of its tets; 0 for a vertex without any. Throws as tetLaplacian does.
std::vector<double> tetMass(const TetMesh& mesh);

/// The tets along edges: vertex v has neighbors wherever a tet has both.
Adjacency tetAdjacency(const TetMesh& mesh);

struct EmbeddingOptions {
    std::size_t target_tets = 50000;  ///< about how many tets to make; a fifth as many lattice points
};

/// A lattice of tets that holds a surface, and where in it each vertex of the surface lies.
struct TetEmbedding {
    TetMesh lattice;
    std::vector<std::uint32_t> tet;                  ///< per surface vertex: the tet it lies in
    std::vector<std::array<double, 4>> barycentric;  ///< its coordinates there, none negative, sum 1

    std::size_t vertexCount() const { return tet.size(); }
};

/// Puts the mesh into a lattice of congruent tets (body-centered cubic, so that no cotangent is negative), centered on
/// the bounding box. Kept are the tets that a triangle or a vertex touches and those inside. Inside is what most of six
/// views along the axes say, so that holes, overlapping parts and lone sheets do little harm; what is too open for that
/// still has all cells that the surface touches. The result has the same bytes on any number of threads. Throws Error:
/// bad input for a mesh without vertices, of no size, with a position that is not finite or with a triangle beyond its
/// vertices; bad usage for a target of 0; cancelled if `progress` asks for a stop.
TetEmbedding embedInTets(const Mesh& mesh, const EmbeddingOptions& options = {}, const Progress& progress = {});

/// The same for tets that are already there: each vertex in the tet that holds it, or in the one that comes nearest to
/// holding it, with its coordinates there clamped. Throws Error (bad input) for a mesh without tets, with a tet beyond
/// its vertices, or a position that is not finite.
TetEmbedding locateInTets(TetMesh tets, std::span<const Vec3f> points);

/// Values at the lattice points, `columns` of them a point (by rows), carried over to the surface's vertices.
std::vector<double> interpolate(const TetEmbedding& embedding, std::span<const double> lattice_values,
                                std::size_t columns);

}  // namespace pelt::geometry
