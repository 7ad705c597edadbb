#pragma once

#include <pelt/core/progress.h>
#include <pelt/pipeline/skin_error.h>
#include <pelt/rig/character.h>
#include <pelt/rig/range_of_motion.h>

/// Poses in which skins of a character are compared: samples of its clips, and the range of motion.
namespace pelt::pipeline {

/// The mean squared angle between the normals of a choice of triangles in two shapes of a mesh, in degrees.
double meanSquaredTurn(const Mesh& mesh, std::span<const Vec3f> a, std::span<const Vec3f> b);

enum PoseSource { kClipPoses, kRangePoses, kPoseParts };

struct SkinPose {
    PoseSource part = kClipPoses;
    const Clip* clip = nullptr;  ///< null in the range of motion
    double time = 0;
    std::vector<Affine3f> bones;  ///< rest space to posed space, one per joint slot
};

class SkinPoses {
public:
    /// At most `most` samples of the clips (0: any number), evenly spaced among those at `fps`. Throws Error as
    /// rig::sampleTimes does. The character must stay alive and unchanged.
    SkinPoses(const Character& character, double fps, std::size_t most, const rig::RangeOfMotion& range = {});

    std::size_t count() const { return times_.size() + range_.size(); }
    std::size_t count(PoseSource part) const { return part == kClipPoses ? times_.size() : range_.size(); }
    SkinPose pose(std::size_t index) const;

private:
    const Character* character_;
    std::vector<std::pair<const Clip*, double>> times_;
    std::vector<std::vector<Affine3f>> range_;
};

/// The distances between a skin and the reference, per vertex and part of the poses.
struct SkinDistances {
    std::vector<double> squared[kPoseParts];  ///< summed over the poses
    std::vector<double> max[kPoseParts];      ///< squared
    double turned[kPoseParts] = {};           ///< squared angles between face normals, summed over the poses

    SkinError summary(const SkinPoses& poses, PoseSource part, double radius) const;
};

/// Compares linear blend skins with `reference` in all poses, morph targets included. All have one row per vertex.
std::vector<SkinDistances> compareSkins(const Character& character, const SkinPoses& poses,
                                        const SkinWeights& reference, std::span<const SkinWeights> skins,
                                        const Progress& progress);

}  // namespace pelt::pipeline
