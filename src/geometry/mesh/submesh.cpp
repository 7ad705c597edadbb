// A mesh with some of its triangles and the vertices that it still needs.
#include <pelt/geometry/submesh.h>

#include <algorithm>

namespace pelt::geometry {
namespace {

template <class T>
std::vector<T> pick(const std::vector<T>& values, std::span<const std::uint32_t> kept) {
    std::vector<T> picked;
    if (values.empty()) return picked;
    picked.reserve(kept.size());
    for (const std::uint32_t v : kept) picked.push_back(values[v]);
    return picked;
}

MorphTarget pickMorph(const MorphTarget& morph, std::span<const std::uint32_t> kept) {
    MorphTarget picked = morph;
    picked.vertices.clear();
    picked.position_offsets.clear();
    picked.normal_offsets.clear();
    std::size_t k = 0;
    for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
        while (k < kept.size() && kept[k] < morph.vertices[i]) ++k;
        if (k == kept.size() || kept[k] != morph.vertices[i]) continue;
        picked.vertices.push_back(static_cast<std::uint32_t>(k));
        picked.position_offsets.push_back(morph.position_offsets[i]);
        if (!morph.normal_offsets.empty()) picked.normal_offsets.push_back(morph.normal_offsets[i]);
    }
    return picked;
}

}  // namespace

std::vector<std::uint32_t> keptVertices(const Mesh& mesh, std::span<const Triangle> triangles) {
    std::vector<bool> used(mesh.vertexCount(), false);
    for (const Triangle& t : triangles)
        for (const std::uint32_t v : t) used[v] = true;
    for (const MeshPart& part : mesh.parts)
        if (part.triangle_count == 0)
            std::fill_n(used.begin() + part.first_vertex, std::size_t(part.vertex_count), true);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t v = 0; v < used.size(); ++v)
        if (used[v]) kept.push_back(v);
    return kept;
}

Mesh submesh(const Mesh& mesh, std::span<const Triangle> triangles) {
    const std::vector<std::uint32_t> kept = keptVertices(mesh, triangles);
    std::vector<std::uint32_t> index(mesh.vertexCount(), 0);
    for (std::uint32_t k = 0; k < kept.size(); ++k) index[kept[k]] = k;
    Mesh result;
    result.positions = pick(mesh.positions, kept);
    result.normals = pick(mesh.normals, kept);
    result.tangents = pick(mesh.tangents, kept);
    result.uvs = pick(mesh.uvs, kept);
    for (const VertexAttribute& a : mesh.attributes) result.attributes.push_back({a.name, pick(a.values, kept)});
    for (const MorphTarget& morph : mesh.morphs) result.morphs.push_back(pickMorph(morph, kept));
    std::vector<Triangle> ordered(triangles.begin(), triangles.end());
    const auto first_corner = [](const Triangle& t) { return *std::min_element(t.begin(), t.end()); };
    std::size_t next = 0;
    for (MeshPart part : mesh.parts) {
        const std::uint32_t end = part.first_vertex + part.vertex_count;
        const auto start = std::lower_bound(kept.begin(), kept.end(), part.first_vertex);
        const auto stop = std::lower_bound(start, kept.end(), end);
        part.first_triangle = static_cast<std::uint32_t>(result.triangles.size());
        for (const Triangle& t : ordered)
            if (first_corner(t) >= part.first_vertex && first_corner(t) < end)
                result.triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
        part.first_vertex = static_cast<std::uint32_t>(next);
        part.vertex_count = static_cast<std::uint32_t>(stop - start);
        part.triangle_count = static_cast<std::uint32_t>(result.triangles.size()) - part.first_triangle;
        next += part.vertex_count;
        result.parts.push_back(std::move(part));
    }
    if (mesh.parts.empty())
        for (const Triangle& t : ordered) result.triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
    return result;
}

}  // namespace pelt::geometry
