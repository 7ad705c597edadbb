#pragma once

#include <pelt/core/affine.h>

#include <span>

namespace pelt::runtime {

/// A rest shape to deform instead of the rig's own, for example with morph targets added. Empty spans: the rig's own.
/// Both are indexed by vertex of the whole mesh.
struct RestShape {
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;
};

/// Where results are written, indexed by vertex of the whole mesh, whatever range is evaluated. Leave `normals` empty
/// if they are not needed.
struct Output {
    std::span<Vec3f> positions;
    std::span<Vec3f> normals;
};

}  // namespace pelt::runtime
