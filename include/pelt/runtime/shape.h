#pragma once

#include <pelt/core/affine.h>

#include <span>

namespace pelt::runtime {

/// The rest shape to deform in place of the rig's own: with morph targets added, or another resolution's positions.
/// Empty spans mean the rig's. Both are indexed by vertex of the whole mesh.
struct RestShape {
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;
};

/// Where results go, indexed by vertex of the whole mesh, whatever range is evaluated. Empty `normals`: none wanted.
struct Output {
    std::span<Vec3f> positions;
    std::span<Vec3f> normals;
};

}  // namespace pelt::runtime
