// Numbers the copies of a point by part and UV, so that the two sides of a seam stay apart.
#include <pelt/geometry/simplify.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace pelt::geometry {

std::vector<std::uint32_t> seamSides(const Mesh& mesh, std::span<const std::uint32_t> point_of) {
    std::vector<std::uint32_t> part(mesh.vertexCount(), 0), sides;
    for (std::uint32_t p = 0; p < mesh.parts.size(); ++p)
        std::fill_n(part.begin() + mesh.parts[p].first_vertex, std::size_t(mesh.parts[p].vertex_count), p);
    std::map<std::tuple<std::uint32_t, std::uint32_t, float, float>, std::uint32_t> known;
    for (std::size_t v = 0; v < part.size(); ++v) {
        const Vec2f uv = mesh.uvs.empty() ? Vec2f{} : mesh.uvs[v];
        const auto number = static_cast<std::uint32_t>(known.size());
        sides.push_back(known.try_emplace({point_of[v], part[v], uv.x, uv.y}, number).first->second);
    }
    return sides;
}

}  // namespace pelt::geometry
