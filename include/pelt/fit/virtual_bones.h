#pragma once

#include <pelt/fit/bake.h>
#include <pelt/rig/ddm_payload.h>

namespace pelt::fit {

struct VirtualBonesOptions {
    std::size_t bones = 128;     ///< maximal number of virtual joints
    std::size_t influences = 4;  ///< K: maximal number of joints per vertex; 0: any number
};

/// A linear blend skin over the joints of a skeleton and virtual ones.
struct VirtualSkin {
    Skeleton skeleton;                     ///< the given one with virtual joints appended
    std::vector<rig::DrivenJoint> driven;  ///< the given ones, then what drives the virtual joints
    std::size_t bones = 0;                 ///< number of virtual joints
    SkinWeights weights;                   ///< convex, at most K joints per vertex
};

/// Approximates Direct Delta Mush v0 by linear blend skinning over virtual joints, each of which moves as a vertex of
/// Direct Delta Mush does, but by blocks that are optimized for the vertices that follow it. The idea is that of
/// [Le21]; docs/virtual_bones.md describes this solver.
///
/// `rest` and `rows` have one entry per vertex; `samples` are rigid poses of the skeleton with what v0 makes of them.
/// Fewer joints than requested are used if more would not reduce the error; with one for each vertex the result is v0.
/// The same input gives the same bits on any number of threads.
///
/// Throws Error: bad input for sizes that do not match, cancelled if `progress` requests it.
VirtualSkin fitVirtualBones(std::span<const Vec3f> rest, std::span<const Triangle> triangles, const Skeleton& skeleton,
                            std::span<const rig::DrivenJoint> driven, const DdmRows<float>& rows,
                            const SkinSamples& samples, const VirtualBonesOptions& options = {},
                            const Progress& progress = {});

}  // namespace pelt::fit
