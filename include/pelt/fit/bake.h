#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>
#include <pelt/rig/driven_joints.h>

namespace pelt::fit {

/// What a deformer makes of a mesh in many poses of its skeleton.
struct SkinSamples {
    std::size_t vertices = 0, samples = 0;
    std::vector<float> positions;    ///< x, y, z at 3 * (vertex * samples + sample)
    std::vector<Affine3d> locals;    ///< local transforms of all nodes, at [sample * nodes + node]
    std::vector<double> importance;  ///< of each sample's squared error, above 0
};

struct BakeOptions {
    std::size_t influences = 4;         ///< K: at most so many joints per vertex; 0: any number
    std::size_t helpers = 0;            ///< at most so many joints are added
    std::vector<std::uint32_t> locked;  ///< slots of joints whose weights stay as they are
};

/// Linear blend skins that stand in for a deformer, each with one helper joint more than the one before.
struct BakedSkin {
    Skeleton skeleton;                     ///< the given one, helper joints appended
    std::vector<rig::DrivenJoint> driven;  ///< the given ones, then what drives the helpers
    std::vector<std::uint32_t> helpers;    ///< their slots, the one that brought most first
    std::vector<SkinWeights> weights;      ///< with 0, 1, 2 … of them: convex, at most K per vertex
};

/// Drops all helpers but the first `count`, and the skins that use more.
void keepHelpers(BakedSkin& skin, std::size_t count);

/// Finds the weights with which linear blend skinning comes nearest to the samples, and the helper joints that bring it
/// nearer still: joints driven as in [MohrGleicher03] §4.1, and bones that a decomposition of what is left finds
/// [LeDeng12], with a polynomial that drives them.
///
/// `rest` has one position per vertex, `given` a row, of which the weights of locked joints are kept. `reach` are
/// smooth weights on any number of joints, such as those of Direct Delta Mush: a vertex gets joints of its row there
/// and helpers that work between them, no others, since poses in which distant joints happen to move alike say nothing
/// about them; and weights fade out where those of `reach` do. The same input gives the same bits on any number of
/// threads.
///
/// Throws Error (bad input) for sizes that do not match and numbers that are not finite, cancelled if `progress` asks
/// for a stop.
BakedSkin bakeSkin(std::span<const Vec3f> rest, std::span<const Triangle> triangles, const Skeleton& skeleton,
                   std::span<const rig::DrivenJoint> driven, const SkinWeights& given, const SkinWeights& reach,
                   SkinSamples samples, const BakeOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::fit
