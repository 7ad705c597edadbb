// Checks meshes after reading and before writing.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>
#include <limits>

#include "mesh_readers.h"

namespace pelt::io {

float toFloat(double value) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (std::abs(value) > std::numeric_limits<float>::max()) return value > 0 ? kInfinity : -kInfinity;
    return static_cast<float>(value);
}

bool makeUnit(std::span<Vec3f> normals) {
    // A unit vector rounded to floats is off by a few 1e-8 in squared length; it must not be changed.
    constexpr double kRounding = 1e-6;
    for (Vec3f& n : normals) {
        const Vec3d wide(n);
        if (std::abs(dot(wide, wide) - 1) <= kRounding) continue;
        const Vec3d unit = normalized(wide);
        if (unit == Vec3d{}) return false;
        n = Vec3f(unit);
    }
    return true;
}

void checkFinite(std::span<const Vec3f> positions, const ErrorPlace& place) {
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!isFinite(positions[v])) throw Error::badInput(place, fmt::format("vertex {} is not finite", v));
}

void checkMesh(const Mesh& mesh, const std::string& name) {
    checkFinite(mesh.positions, {name});
    const std::size_t count = mesh.vertexCount();
    if ((!mesh.normals.empty() && mesh.normals.size() != count) || (!mesh.uvs.empty() && mesh.uvs.size() != count))
        throw Error::badInput({name}, fmt::format("not written: the mesh has {} vertices, {} normals and {} UVs", count,
                                                  mesh.normals.size(), mesh.uvs.size()));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t corner : mesh.triangles[t])
            if (corner >= count)
                throw Error::badInput({name},
                                      fmt::format("not written: triangle {} uses vertex {} of {}", t, corner, count));
}

}  // namespace pelt::io
