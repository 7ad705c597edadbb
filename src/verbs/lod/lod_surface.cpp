// The poses that levels of detail are made for, and where the original lies on a level.
#include "lod_surface.h"

#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/methods/methods.h>
#include <pelt/rig/range_of_motion.h>

#include <cmath>

namespace pelt::verbs {

LodPoses::LodPoses(const Character& character, const Progress& progress) {
    progress.report("simplify", 0);
    if (character.skeleton.joints.empty() || character.weights.empty()) return;
    bones_ = rig::rangeOfMotion(character.skeleton, rig::rangeOfFigure(character));
}

std::vector<Vec3f> LodPoses::positions(const Character& character, std::size_t pose) const {
    if (pose == 0) return character.mesh.positions;
    const std::unique_ptr<methods::Deformer> deformer =
        methods::findMethod(character.ddm ? "ddm" : "lbs").prepare(character, {}, {});
    deformer->setPose(bones_[pose - 1]);
    std::vector<Vec3f> posed(character.mesh.vertexCount());
    parallelFor(posed.size(), 1024, [&](std::size_t first, std::size_t last) {
        deformer->evaluate({character.mesh.positions, {}}, first, last - first, {posed, {}});
    });
    return posed;
}

namespace {

/// Per vertex, the connected part of the welded mesh.
std::vector<std::uint32_t> connectedPartOf(const Mesh& mesh) {
    const geometry::Weld weld = geometry::weldByPosition(mesh);
    const std::vector<Triangle> triangles = geometry::weldedTriangles(mesh.triangles, weld);
    const geometry::ConnectedParts parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    std::vector<std::uint32_t> part;
    for (const std::uint32_t point : weld.welded) part.push_back(parts.part[point]);
    return part;
}

}  // namespace

LodSurface placeOnLod(const Mesh& original, std::span<const Vec3f> original_normals, const Mesh& lod,
                      std::span<const std::uint32_t> kept) {
    LodSurface surface;
    const std::vector<std::uint32_t> part = connectedPartOf(original);
    surface.weld = geometry::weldByPosition(lod);
    surface.triangles = geometry::weldedTriangles(lod.triangles, surface.weld);
    std::vector<Vec3d> points;
    for (const std::uint32_t v : surface.weld.representative) points.emplace_back(lod.positions[v]);
    std::vector<std::uint32_t> tags;
    for (const Triangle& t : surface.triangles) tags.push_back(part[kept[surface.weld.representative[t[0]]]]);
    const geometry::RayTree tree(points, surface.triangles, tags);
    surface.places.resize(original.vertexCount());
    parallelFor(surface.places.size(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const Vec3d p(original.positions[v]);
            const Vec3d normal(original_normals[v]);
            auto place = tree.nearestFacing(p, HUGE_VAL, {normal, 0, false, part[v]});
            if (!place) place = tree.nearestFacing(p, HUGE_VAL, {normal, 0, true, part[v]});
            if (!place) place = tree.nearest(p, HUGE_VAL);
            if (place) surface.places[v] = *place;
        }
    });
    return surface;
}

}  // namespace pelt::verbs
