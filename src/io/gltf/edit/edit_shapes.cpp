// Writes changed positions, normals and tangents into a document.
#include "edit.h"

namespace pelt::io::gltf {

ShapeArrays shapeArrays(const Mesh& mesh, std::size_t first, std::size_t count, const Affine3d& placement) {
    const Affine3d to_file = inverse(placement);
    const bool placed = !isIdentity(placement);
    const Mat3d linear = placement.linear(), inverse_linear = to_file.linear();
    ShapeArrays shape;
    for (std::size_t v = first; v < first + count; ++v) {
        const Vec3f p = placed ? Vec3f(to_file * Vec3d(mesh.positions[v])) : mesh.positions[v];
        shape.positions.insert(shape.positions.end(), {p.x, p.y, p.z});
        if (mesh.normals.empty()) continue;
        // Normals are transformed by the inverse transpose; from mesh to file that is the transpose.
        Vec3d n(mesh.normals[v]);
        if (placed) n = {dot(linear.col[0], n), dot(linear.col[1], n), dot(linear.col[2], n)};
        const Vec3f unit = normalized(Vec3f(n), Vec3f{0, 0, 1});
        shape.normals.insert(shape.normals.end(), {unit.x, unit.y, unit.z});
        if (mesh.tangents.empty()) continue;
        const Vec4f& from = mesh.tangents[v];
        Vec3d t{from.x, from.y, from.z};
        if (placed) t = inverse_linear * t;
        const Vec3f along = normalized(Vec3f(t), Vec3f{1, 0, 0});
        shape.tangents.insert(shape.tangents.end(), {along.x, along.y, along.z, from.w < 0 ? -1.0F : 1.0F});
    }
    return shape;
}

void writeShape(Appender& appender, Json& attributes, const ShapeArrays& shape) {
    attributes["POSITION"] = appender.addFloats(shape.positions, "VEC3", ViewTarget::vertices, true);
    if (!shape.normals.empty()) attributes["NORMAL"] = appender.addFloats(shape.normals, "VEC3", ViewTarget::vertices);
    if (!shape.tangents.empty())
        attributes["TANGENT"] = appender.addFloats(shape.tangents, "VEC4", ViewTarget::vertices);
}

}  // namespace pelt::io::gltf
