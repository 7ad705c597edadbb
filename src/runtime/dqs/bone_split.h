#pragma once

#include <pelt/core/mat.h>

namespace pelt::runtime {

/// A = R · stretch, with R a rotation and `stretch` symmetric (right polar decomposition).
struct BoneSplit {
    Mat3d rotation;
    Mat3d stretch;
    /// The part of `stretch` that mirrors: the identity, or the reflection that it contains if det A < 0.
    Mat3d mirror;
    bool mirrored = false;
};

/// Defined for all matrices: a singular or zero matrix gets some rotation, a non-finite one is treated as the identity.
/// Mirrors as boneRotation does.
BoneSplit splitBone(const Mat3d& a) noexcept;

}  // namespace pelt::runtime
