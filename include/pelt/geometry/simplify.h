#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

#include <span>

namespace pelt::geometry {

/// A mesh to simplify, in one or more shapes.
struct SimplifyInput {
    std::span<const Triangle> triangles;      ///< over vertices
    std::span<const std::uint32_t> point_of;  ///< per vertex: its point; copies of a point share one (Weld::welded)
    std::vector<std::vector<Vec3d>> shapes;   ///< per shape, the position of each point; the first is the rest pose
    std::vector<std::uint32_t> side_of;       ///< per vertex: copies on the same side of a seam share one (seamSides)
    std::span<const Vec2f> uvs;               ///< per vertex, or empty: faces that would flip in UV space are kept
    std::span<const Vec3f> normals;           ///< per vertex, or empty: for a choice between copies on one side
    std::vector<double> reach{};              ///< per point, or empty: how far it may move away from its faces at no
                                              ///< extra cost, in the units of the positions
};

/// Copies of a point that belong to the same part and have the same UVs: they differ in their normals alone, as in flat
/// shading, and are no seam.
std::vector<std::uint32_t> seamSides(const Mesh& mesh, std::span<const std::uint32_t> point_of);

/// Removes vertices until at most `targets[i]` triangles are left (descending), and returns the triangles at each of
/// these moments. Each step moves a vertex onto a neighbor, the one with the smallest quadric error [GarlandHeckbert97]
/// summed over all shapes, so that what bends in some pose keeps its vertices [MohrGleicher03b]. Finely modeled regions
/// count for more than their area, faces that would turn away from the normals seen there cost more than their
/// displacement, and so do points beyond their reach. The remaining vertices
/// are untouched: attributes need no interpolation. Seams, borders between parts and open edges are simplified only
/// along themselves; vertices of non-manifold edges stay; no part disappears, and no vertex moves more than 0.025 of
/// the diagonal away from its faces. Where nothing more can be removed, more triangles are left. Deterministic. Throws
/// Error: bad input for indices out of range, cancelled.
std::vector<std::vector<Triangle>> simplify(const SimplifyInput& input, std::span<const std::size_t> targets,
                                            const Progress& progress = {});

}  // namespace pelt::geometry
