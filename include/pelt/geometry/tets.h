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

/// Not negative.
double tetVolume(const TetMesh& mesh, std::size_t tet);

/// Per edge of the tet, its contribution to the Laplacian weight of the edge: a sixth of the opposite edge's length
/// times the cotangent of the dihedral angle there. May be negative (an obtuse angle); all 0 for a tet without volume.
std::array<double, 6> tetCotangents(const TetMesh& mesh, std::size_t tet);

/// The cotangent Laplacian of the volume. Unlike a surface's, its weights may be negative where dihedral angles are
/// obtuse: they are kept as they are, so that linear functions stay harmonic. Throws Error (bad input) for a tet with a
/// missing vertex.
Laplacian tetLaplacian(const TetMesh& mesh);

/// Per vertex, a quarter of the volume of its tets; 0 for a vertex without any. Throws as tetLaplacian does.
std::vector<double> tetMass(const TetMesh& mesh);

/// The adjacency of the vertices: two are neighbors if they belong to the same tet.
Adjacency tetAdjacency(const TetMesh& mesh);

struct EmbeddingOptions {
    std::size_t target_tets = 50000;  ///< about how many tets to make; a fifth as many lattice points
};

/// A lattice of tets that contains a surface, and the position of each surface vertex in it.
struct TetEmbedding {
    TetMesh lattice;
    std::vector<std::uint32_t> tet;                  ///< per surface vertex: the tet it lies in
    std::vector<std::array<double, 4>> barycentric;  ///< its coordinates there, none negative, sum 1

    std::size_t vertexCount() const { return tet.size(); }
};

/// Embeds the mesh in a lattice of congruent tets (body-centered cubic, so that no cotangent is negative), centered on
/// the bounding box. Keeps the tets that intersect the surface and those inside. Inside is decided by the majority of
/// six views along the axes, so that holes, overlapping parts and single sheets do little harm; a mesh that is too open
/// for that still gets all cells that its surface touches. The result has the same bytes on any number of threads.
/// Throws Error: bad input for a mesh without vertices, without extent, with a position that is not finite or with a
/// triangle with a missing vertex; bad usage for a target of 0; cancelled if `progress` requests it.
TetEmbedding embedInTets(const Mesh& mesh, const EmbeddingOptions& options = {}, const Progress& progress = {});

/// The same for given tets: each vertex gets the tet that contains it or, if there is none, the one nearest to
/// containing it, with clamped coordinates. Throws Error (bad input) for a mesh without tets, a tet with a missing
/// vertex, or a position that is not finite.
TetEmbedding locateInTets(TetMesh tets, std::span<const Vec3f> points);

/// Interpolates values at the lattice points (`columns` per point, by rows) to the vertices of the surface.
std::vector<double> interpolate(const TetEmbedding& embedding, std::span<const double> lattice_values,
                                std::size_t columns);

}  // namespace pelt::geometry
