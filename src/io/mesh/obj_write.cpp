// Writes meshes as OBJ.
#include "obj_write.h"

#include <charconv>

namespace pelt::io {
namespace {

template <class T>
void appendNumber(T value, std::string& text) {
    char digits[32];
    const auto [end, fault] = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, end);
    (void)fault;  // 32 characters hold any float or index
}

void appendLine(const char* keyword, std::initializer_list<float> values, std::string& text) {
    text += keyword;
    for (const float value : values) {
        text += ' ';
        appendNumber(value, text);
    }
    text += '\n';
}

/// A name must stay on its line: control characters and a backslash at the end, which would join lines, become '_'.
void appendName(const char* keyword, const std::string& name, std::string& text) {
    text += keyword;
    if (!name.empty()) text += ' ';
    for (const char c : name) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '_' : c;
    if (text.back() == '\\') text.back() = '_';
    text += '\n';
}

void appendFace(const Triangle& triangle, bool with_uvs, bool with_normals, std::string& text) {
    text += 'f';
    for (const std::uint32_t corner : triangle) {
        const std::uint64_t index = std::uint64_t(corner) + 1;
        text += ' ';
        appendNumber(index, text);
        if (with_uvs || with_normals) text += '/';
        if (with_uvs) appendNumber(index, text);
        if (!with_normals) continue;
        text += '/';
        appendNumber(index, text);
    }
    text += '\n';
}

}  // namespace

void appendObjPositions(std::span<const Vec3f> positions, std::string& text) {
    for (const Vec3f& p : positions) appendLine("v", {p.x, p.y, p.z}, text);
}

void appendObjTopology(const Mesh& mesh, bool with_normals, std::string& text) {
    with_normals = with_normals && !mesh.normals.empty();
    for (const Vec2f& uv : mesh.uvs) appendLine("vt", {uv.x, uv.y}, text);
    if (with_normals)
        for (const Vec3f& n : mesh.normals) appendLine("vn", {n.x, n.y, n.z}, text);
    std::size_t part = 0;
    std::string material;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (; part < mesh.parts.size() && mesh.parts[part].first_triangle <= t; ++part) {
            const MeshPart& p = mesh.parts[part];
            if (p.triangle_count == 0) continue;
            appendName("g", p.name, text);
            if (p.material != material) appendName("usemtl", material = p.material, text);
        }
        appendFace(mesh.triangles[t], !mesh.uvs.empty(), with_normals, text);
    }
}

}  // namespace pelt::io
