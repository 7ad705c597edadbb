#pragma once

#include <pelt/core/vec.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pelt {

using Triangle = std::array<std::uint32_t, 3>;

/// A consecutive range of vertices and triangles that belong together in the file: a glTF primitive, an OBJ group.
struct MeshPart {
    std::string name;
    std::string material;  ///< empty if the file has none
    std::uint32_t first_vertex = 0, vertex_count = 0;
    std::uint32_t first_triangle = 0, triangle_count = 0;
    std::uint32_t instance = 0;  ///< parts of one instance (one node that carries a mesh) share morph weights
    /// Parts of one body use the same joints: their vertices at equal positions are treated as one point of its
    /// surface. Vertices of different bodies never are.
    std::uint32_t body = 0;
};

/// Offsets that a morph weight scales before skinning; only vertices that move are listed, in ascending order.
struct MorphTarget {
    std::string name;
    std::uint32_t instance = 0;
    float default_weight = 0;
    std::vector<std::uint32_t> vertices;
    std::vector<Vec3f> position_offsets;  ///< one per listed vertex
    std::vector<Vec3f> normal_offsets;    ///< empty, or one per listed vertex
};

/// A named scalar per vertex, such as a painted map `_LAMBDA`, as stored in the file; its values are not checked by the
/// loader.
struct VertexAttribute {
    std::string name;
    std::vector<float> values;
};

/// A triangle mesh in rest space. Polygons were cut into triangles while loading.
struct Mesh {
    std::vector<Vec3f> positions;
    std::vector<Vec3f> normals;   ///< empty, or one unit vector per vertex
    std::vector<Vec4f> tangents;  ///< empty, or one per vertex, w = ±1 as in glTF
    std::vector<Vec2f> uvs;       ///< empty, or one per vertex
    std::vector<Triangle> triangles;
    std::vector<MeshPart> parts;  ///< in order, covering all vertices and triangles; may be empty for a single piece
    std::vector<MorphTarget> morphs;
    std::vector<VertexAttribute> attributes;

    std::size_t vertexCount() const { return positions.size(); }
};

}  // namespace pelt
