#pragma once

#include <pelt/geometry/ray_tree.h>
#include <pelt/geometry/weld.h>
#include <pelt/verbs/lod.h>

namespace pelt::verbs {

/// The poses that simplification sees and errors are measured in: the deformed vertices of a character.
class LodPoses {
public:
    /// The character must stay alive.
    LodPoses(const Character& character, const Progress& progress);

    /// The rest pose comes first.
    std::size_t count() const { return 1 + bones_.size(); }
    std::vector<Vec3f> positions(const Character& character, std::size_t pose) const;

private:
    std::vector<std::vector<Affine3f>> bones_;
};

/// Where the vertices of the original lie on a simplified surface.
struct LodSurface {
    geometry::Weld weld;
    std::vector<Triangle> triangles;             ///< over welded points
    std::vector<geometry::SurfacePlace> places;  ///< per original vertex
};

/// Each vertex on what is left of its own connected part. `original_normals`: unit, per vertex; `kept`: per vertex of
/// the simplified mesh, that of the original. Both meshes are at rest.
LodSurface placeOnLod(const Mesh& original, std::span<const Vec3f> original_normals, const Mesh& lod,
                      std::span<const std::uint32_t> kept);

}  // namespace pelt::verbs
