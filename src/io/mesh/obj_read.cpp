// Makes a mesh of the records of an OBJ file.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>

#include "mesh_readers.h"
#include "obj_data.h"
#include "polygon.h"

namespace pelt::io {
namespace {

void checkCorners(const ObjData& data, const std::string& name) {
    for (std::size_t face = 0; face < data.faces.size(); ++face) {
        const auto check = [&](std::uint32_t index, std::size_t count, const char* what) {
            if (index == ObjData::kNone || index < count) return;
            throw Error::badInput(
                {name, fmt::format("line {}", data.faces[face].line)},
                fmt::format("a face uses {} {}, but the file has {}", what, std::uint64_t(index) + 1, count));
        };
        for (const ObjData::Corner& corner : data.faceCorners(face)) {
            check(corner.vertex, data.positions.size(), "vertex");
            check(corner.uv, data.uvs.size(), "texture coordinate");
            check(corner.normal, data.normals.size(), "normal");
        }
    }
}

/// The first triangle of each face, and the count of all at the end.
std::vector<std::size_t> cutFaces(const ObjData& data, Mesh& mesh) {
    std::vector<std::size_t> first_triangle;
    std::vector<std::uint32_t> polygon;
    first_triangle.reserve(data.faces.size() + 1);
    for (std::size_t face = 0; face < data.faces.size(); ++face) {
        polygon.clear();
        for (const ObjData::Corner& corner : data.faceCorners(face)) polygon.push_back(corner.vertex);
        first_triangle.push_back(mesh.triangles.size());
        appendPolygon(polygon, data.positions, mesh.triangles);
    }
    first_triangle.push_back(mesh.triangles.size());
    return first_triangle;
}

/// Each vertex gets the UV of its first corner that has one. A vertex without corners gets the record of the same index
/// if there are as many records as vertices.
std::vector<Vec2f> vertexUvs(const ObjData& data) {
    enum class Corners : char { none, without_uv, with_uv };
    std::vector<Vec2f> uvs(data.positions.size());
    std::vector<Corners> corners(data.positions.size(), Corners::none);
    const bool by_number = data.uvs.size() == data.positions.size();
    bool any = data.faces.empty() && by_number;
    for (const ObjData::Corner& corner : data.corners) {
        Corners& state = corners[corner.vertex];
        if (state == Corners::with_uv) continue;
        state = corner.uv == ObjData::kNone ? Corners::without_uv : Corners::with_uv;
        if (state == Corners::without_uv) continue;
        uvs[corner.vertex] = data.uvs[corner.uv];
        any = true;
    }
    for (std::size_t v = 0; by_number && v < uvs.size(); ++v)
        if (corners[v] == Corners::none) uvs[v] = data.uvs[v];
    return any ? uvs : std::vector<Vec2f>{};
}

/// Each vertex gets the normal shared by its corners, otherwise the normalized sum of their normals. A vertex without
/// corners gets the record of the same index if there are as many records as vertices. Empty if a corner has no normal.
std::vector<Vec3f> vertexNormals(const ObjData& data) {
    if (data.normals.empty() || (data.faces.empty() && data.normals.size() != data.positions.size())) return {};
    std::vector<Vec3f> units = data.normals;
    for (Vec3f& n : units)
        if (!makeUnit({&n, 1})) n = {};
    std::vector<Vec3f> normals(data.positions.size(), Vec3f(0, 0, 1));
    if (units.size() == normals.size()) normals = units;

    enum class Corners : char { none, alike, different };
    std::vector<Corners> corners(data.positions.size(), Corners::none);
    std::vector<Vec3d> sums(data.positions.size());
    for (const ObjData::Corner& corner : data.corners) {
        if (corner.normal == ObjData::kNone) return {};
        const std::uint32_t v = corner.vertex;
        const Vec3f& n = units[corner.normal];
        if (corners[v] == Corners::none) {
            corners[v] = Corners::alike;
            normals[v] = n;
        } else if (normals[v] != n) {
            corners[v] = Corners::different;
        }
        sums[v] += Vec3d(n);
    }
    for (std::size_t v = 0; v < normals.size(); ++v) {
        if (corners[v] == Corners::different) normals[v] = Vec3f(normalized(sums[v]));
        if (normals[v] == Vec3f{}) return {};
    }
    return normals;
}

}  // namespace

Mesh parseObj(std::span<const std::byte> bytes, const std::string& name) {
    ObjData data = readObjRecords(bytes, name, false);
    if (data.positions.empty()) throw Error::badInput({name}, "has no vertices (no line begins with v)");
    checkCorners(data, name);
    Mesh mesh;
    const std::vector<std::size_t> first_triangle = cutFaces(data, mesh);
    mesh.uvs = vertexUvs(data);
    mesh.normals = vertexNormals(data);
    mesh.parts = objParts(data, first_triangle);
    mesh.positions = std::move(data.positions);
    return mesh;
}

std::vector<Vec3f> parseObjPositions(std::span<const std::byte> bytes, const std::string& name) {
    return std::move(readObjRecords(bytes, name, true).positions);
}

}  // namespace pelt::io
