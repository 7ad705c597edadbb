#pragma once

#include "implicit_mesh.h"

namespace pelt::scenes {

struct GridMesh {
    std::vector<Vec3d> positions;
    std::vector<Triangle> triangles;
};

/// Marching tetrahedra: a manifold, oriented outward, whose only boundary (for a symmetric solid) lies on x = 0, with x
/// exactly 0. Throws Error as meshImplicitSurface does.
GridMesh polygonize(const ImplicitSurface& surface);

}  // namespace pelt::scenes
