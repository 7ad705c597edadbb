#pragma once

#include "color_scale.h"
#include "ray_scene.h"
#include "shading.h"

namespace pelt::render {

/// The intersection of a ray with the skin.
struct SkinPoint {
    Surface surface;
    Vec3f position;   ///< on the triangle
    Vec3f origin;     ///< origin of secondary rays: offset from the surface, on the smooth shape that the normals imply
    Vec3f geometric;  ///< normal of the triangle, towards the eye
};

/// The subject in normalized space.
class Skin {
public:
    /// Throws Error: bad input for spans of inconsistent size; cancelled; system.
    Skin(const Subject& subject, const Normalization& normalize, const Progress& progress);

    const RayScene& scene() const { return scene_; }

    /// A bounding sphere of all triangles; radius -1 if there are none.
    const Vec3f& center() const { return center_; }
    float radius() const { return radius_; }

    SkinPoint at(std::uint32_t triangle, float u, float v, const Vec3f& ray_direction) const;

private:
    void findBounds();
    Vec3f colorAt(const Triangle& triangle, const float (&weight)[3]) const;

    RayScene scene_;
    std::vector<Vec3f> normals_;
    std::vector<Vec3f> colors_;
    std::optional<Scalars> scalars_;
    std::optional<ColorTable> scale_;
    Vec3f center_;
    float radius_ = -1;
};

/// The overlay's octahedra and joints as triangles.
struct BoneShapes {
    std::vector<std::int32_t> joint;  ///< per triangle: the joint whose ball it is part of, or -1
    std::vector<Vec3f> centers;       ///< per joint, for round shading
    RayScene scene;
};

BoneShapes makeBoneShapes(std::span<const Bone> bones, const Normalization& normalize, const Progress& progress);

}  // namespace pelt::render
