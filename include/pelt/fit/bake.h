#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>
#include <pelt/rig/driven_joints.h>

namespace pelt::fit {

/// A mesh as deformed in many poses of its skeleton.
struct SkinSamples {
    std::size_t vertices = 0, samples = 0;
    std::vector<float> positions;    ///< x, y, z at 3 * (vertex * samples + sample)
    std::vector<Affine3d> locals;    ///< local transforms of all nodes, at [sample * nodes + node]
    std::vector<double> importance;  ///< weight of each sample's squared error, above 0
};

struct BakeOptions {
    std::size_t influences = 4;         ///< K: maximal number of joints per vertex; 0: any number
    std::size_t helpers = 0;            ///< maximal number of joints to add
    std::vector<std::uint32_t> locked;  ///< slots of joints whose weights are kept
};

/// Linear blend skins that approximate a deformer, each with one helper joint more than the previous one.
struct BakedSkin {
    Skeleton skeleton;                     ///< the given one with helper joints appended
    std::vector<rig::DrivenJoint> driven;  ///< the given ones, then what drives the helpers
    std::vector<std::uint32_t> helpers;    ///< their slots, the most useful one first
    std::vector<SkinWeights> weights;      ///< with 0, 1, 2 … helpers: convex, at most K joints per vertex
};

/// Drops all helpers but the first `count`, and the skins that use more.
void keepHelpers(BakedSkin& skin, std::size_t count);

/// Finds the weights with which linear blend skinning is closest to the samples, and helper joints that reduce the
/// error further: joints driven as in [MohrGleicher03] §4.1, and bones from a decomposition of the residual [LeDeng12],
/// driven by a polynomial.
///
/// `rest` has one position per vertex, `given` one row per vertex, from which the weights of locked joints are kept.
/// `reach` has smooth weights on any number of joints, such as those of Direct Delta Mush. A vertex uses only joints of
/// its row in `reach` and helpers between them, because distant joints may move alike in the samples by coincidence;
/// and weights fall to zero where those of `reach` do. The same input gives the same bits on any number of threads.
///
/// Throws Error: bad input for sizes that do not match and numbers that are not finite, cancelled if `progress`
/// requests it.
BakedSkin bakeSkin(std::span<const Vec3f> rest, std::span<const Triangle> triangles, const Skeleton& skeleton,
                   std::span<const rig::DrivenJoint> driven, const SkinWeights& given, const SkinWeights& reach,
                   SkinSamples samples, const BakeOptions& options = {}, const Progress& progress = {});

/// Appends up to `count` joints that are learned from samples to a skeleton and to `driven`: the bones that a
/// decomposition finds beside the joints [LeDeng12], each driven by a polynomial in the rotations of nearby joints. The
/// samples' local transforms are those of the given nodes. Throws as bakeSkin does.
void addLearnedJoints(Skeleton& skeleton, std::vector<rig::DrivenJoint>& driven, std::span<const Vec3f> rest,
                      SkinSamples samples, std::size_t count, const Progress& progress = {});

}  // namespace pelt::fit
