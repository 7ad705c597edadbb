#pragma once

#include <pelt/core/mesh.h>

#include "document.h"

namespace pelt::io::fbx {

inline constexpr std::size_t kMostUvSets = 4;

/// The polygons of one material as triangles. Corners of one control point with equal attributes are one vertex;
/// vertices are in the order of the control points.
struct Piece {
    std::int32_t material = 0;
    std::vector<std::uint32_t> points;  ///< per vertex, its control point
    std::vector<Vec3f> normals;         ///< empty, or one per vertex
    std::vector<Vec2f> uvs[kMostUvSets];
    std::vector<Vec4f> colors;
    std::vector<std::uint32_t> triangles;  ///< three vertices each
};

struct Geometry {
    std::vector<Vec3f> points;  ///< the control points, in the mesh's own space
    std::vector<Piece> pieces;  ///< in the order in which polygons first use a material
    std::vector<std::string> uv_names;
};

/// Material numbers from `material_count` on count as 0. Throws Error (bad input) for a polygon with a point that the
/// mesh does not have, or a point that is not finite.
Geometry readGeometry(const FbxObject& geometry, std::size_t material_count);

/// Fills in normals of pieces without any, from their faces.
void makeNormals(Geometry& geometry);

}  // namespace pelt::io::fbx
