// The groups of an OBJ file as parts of the mesh.
#include <algorithm>

#include "obj_data.h"

namespace pelt::io {
namespace {

enum class Level { object_group_material, object_group, object };

bool isSamePart(const ObjData::Run& a, const ObjData::Run& b, Level level) {
    if (a.object != b.object) return false;
    if (level != Level::object && a.group != b.group) return false;
    return level != Level::object_group_material || a.material == b.material;
}

/// One run as a part, with the range of vertices that its faces use.
MeshPart partOfRun(const ObjData& data, std::size_t r, std::span<const std::size_t> first_triangle, Level level) {
    const ObjData::Run& run = data.runs[r];
    const std::size_t end_face = r + 1 < data.runs.size() ? data.runs[r + 1].first_face : data.faces.size();
    std::uint32_t low = ObjData::kNone, high = 0;
    for (std::size_t face = run.first_face; face < end_face; ++face)
        for (const ObjData::Corner& corner : data.faceCorners(face)) {
            low = std::min(low, corner.vertex);
            high = std::max(high, corner.vertex);
        }
    MeshPart part;
    part.name = level == Level::object || run.group.empty() ? run.object : run.group;
    part.material = run.material;
    part.first_vertex = low;
    part.vertex_count = high - low + 1;
    part.first_triangle = static_cast<std::uint32_t>(first_triangle[run.first_face]);
    part.triangle_count = static_cast<std::uint32_t>(first_triangle[end_face]) - part.first_triangle;
    return part;
}

std::vector<MeshPart> partsAt(const ObjData& data, std::span<const std::size_t> first_triangle, Level level) {
    std::vector<MeshPart> parts;
    for (std::size_t r = 0; r < data.runs.size(); ++r) {
        MeshPart run = partOfRun(data, r, first_triangle, level);
        if (r == 0 || !isSamePart(data.runs[r - 1], data.runs[r], level)) {
            parts.push_back(std::move(run));
            continue;
        }
        MeshPart& part = parts.back();
        const std::uint32_t end = std::max(part.first_vertex + part.vertex_count, run.first_vertex + run.vertex_count);
        part.first_vertex = std::min(part.first_vertex, run.first_vertex);
        part.vertex_count = end - part.first_vertex;
        part.triangle_count += run.triangle_count;
        if (part.material != run.material) part.material.clear();
    }
    return parts;
}

bool areDisjointInOrder(std::span<const MeshPart> parts) {
    for (std::size_t k = 1; k < parts.size(); ++k)
        if (parts[k].first_vertex < parts[k - 1].first_vertex + parts[k - 1].vertex_count) return false;
    return true;
}

/// Vertices that no face uses belong to the preceding part; those before the first part belong to the first.
void coverAllVertices(std::span<MeshPart> parts, std::uint32_t vertex_count) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k == 0) parts[k].first_vertex = 0;
        const std::uint32_t end = k + 1 < parts.size() ? parts[k + 1].first_vertex : vertex_count;
        parts[k].vertex_count = end - parts[k].first_vertex;
    }
}

}  // namespace

std::vector<MeshPart> objParts(const ObjData& data, std::span<const std::size_t> first_triangle) {
    for (const Level level : {Level::object_group_material, Level::object_group, Level::object}) {
        std::vector<MeshPart> parts = partsAt(data, first_triangle, level);
        if (!areDisjointInOrder(parts)) continue;
        if (parts.size() == 1 && parts[0].name.empty() && parts[0].material.empty()) return {};
        coverAllVertices(parts, static_cast<std::uint32_t>(data.positions.size()));
        return parts;
    }
    return {};
}

}  // namespace pelt::io
