// The biped: meshes its implicit surface, and adds skeleton, weights and clips.
#include "biped.h"

#include <pelt/core/parallel.h>

#include <algorithm>

#include "biped_bind.h"
#include "biped_clips.h"
#include "biped_shape.h"
#include "biped_skeleton.h"
#include "implicit/implicit_mesh.h"

namespace pelt::scenes {
namespace {

constexpr std::size_t kFewestVertices = 6000, kMostVertices = 1000000;

ImplicitSurface surfaceOf(const BipedShape& shape) {
    ImplicitSurface surface;
    surface.value = [&shape](const Vec3d& p) { return shape.value(p); };
    surface.edge_length = [&shape](const Vec3d& p, double scale) { return shape.edgeLength(p, scale); };
    surface.low = shape.low();
    surface.high = shape.high();
    surface.cell = 0.005;
    surface.symmetric = true;
    return surface;
}

}  // namespace

Character makeBiped(std::size_t resolution, const Progress& progress) {
    const BipedShape shape;
    const ImplicitSurface surface = surfaceOf(shape);
    const ImplicitMesh skin =
        meshImplicitSurface(surface, std::clamp(resolution, kFewestVertices, kMostVertices), progress);
    const std::size_t count = skin.positions.size(), half = skin.positive_count, middle = half + skin.plane_count;

    Character biped;
    biped.skeleton = bipedSkeleton();
    Mesh& mesh = biped.mesh;
    mesh.positions.resize(count);
    mesh.normals.resize(count);
    const std::vector<std::size_t> joint = bindToShape(shape, skin);
    parallelFor(middle, 512, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const Vec3d p = skin.positions[v];
            // Averaged over an area: details too fine for the mesh must not cause noise in its normals.
            Vec3d n = fieldGradient(surface, p, 0.15 * shape.edgeLength(p, skin.scale));
            if (v >= half) n.x = 0;
            mesh.positions[v] = Vec3f(p);
            mesh.normals[v] = Vec3f(normalized(n, Vec3d(0, 1, 0)));
            if (v >= half) continue;
            const std::size_t image = middle + v;
            mesh.positions[image] = {-mesh.positions[v].x, mesh.positions[v].y, mesh.positions[v].z};
            mesh.normals[image] = {-mesh.normals[v].x, mesh.normals[v].y, mesh.normals[v].z};
        }
    });
    mesh.triangles = skin.triangles;
    mesh.parts.push_back({"body", "skin", 0, static_cast<std::uint32_t>(count), 0,
                          static_cast<std::uint32_t>(mesh.triangles.size()), 0});
    for (std::size_t v = 0; v < count; ++v) {
        const std::uint32_t j[] = {static_cast<std::uint32_t>(joint[v])};
        const float one[] = {1};
        appendVertex(biped.weights, j, one);
    }
    biped.clips = bipedClips();
    return biped;
}

}  // namespace pelt::scenes
