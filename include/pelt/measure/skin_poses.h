#pragma once

#include <pelt/core/progress.h>
#include <pelt/deform/lbs.h>
#include <pelt/measure/skin_error.h>
#include <pelt/rig/character.h>
#include <pelt/rig/range_of_motion.h>

#include <functional>

/// Poses in which skins of a character are compared: samples of its clips, and the range of motion.
namespace pelt::measure {

enum PoseSource { kClipPoses, kRangePoses, kPoseParts };

struct SkinPose {
    std::size_t index = 0;  ///< among all poses; those of clips come first
    PoseSource part = kClipPoses;
    const Clip* clip = nullptr;  ///< null in the range of motion
    double time = 0;
    std::vector<Affine3f> bones;  ///< rest space to posed space, one per joint slot
};

/// The range of motion at its full and at half its extent: local transforms of all nodes, pose by pose. Driven joints
/// follow their drivers.
std::vector<std::vector<Affine3d>> rangeLocals(const Character& character, rig::RangeOfMotion range);

/// The character must stay alive and unchanged.
class SkinPoses {
public:
    /// At most `most` samples of the clips (0: any number), evenly spaced among those at `fps`. Clips that stand still
    /// say nothing of a skin and do not count. Throws Error as rig::sampleTimes does.
    SkinPoses(const Character& character, double fps, std::size_t most, const rig::RangeOfMotion& range = {});
    /// Moments of one clip, and the range of motion unless it is null.
    SkinPoses(const Character& character, const Clip* clip, std::span<const double> times,
              const rig::RangeOfMotion* range);

    std::size_t count() const { return times_.size() + range_.size(); }
    std::size_t count(PoseSource part) const { return part == kClipPoses ? times_.size() : range_.size(); }
    SkinPose pose(std::size_t index) const;
    /// The same pose as local transforms of all nodes.
    std::vector<Affine3d> locals(std::size_t index) const;

private:
    const Character* character_;
    std::vector<std::pair<const Clip*, double>> times_;
    std::vector<std::vector<Affine3d>> range_;
};

/// Sums over the poses and vertices in which a skin is compared with a reference.
struct SkinSums {
    double squared = 0;  ///< distances
    double max = 0;      ///< the largest one, squared
    double turned = 0;   ///< squared angles between face normals, in degrees: a mean for each pose

    void add(const Mesh& mesh, std::span<const Vec3f> exact, std::span<const Vec3f> skinned);
    SkinError error(std::size_t poses, std::size_t vertices, double radius) const;
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

/// Positions of all vertices in a pose. `rest` has the morphed positions where morph targets play.
using PoseShape = std::function<void(const SkinPose& pose, const deform::RestShape& rest, std::span<Vec3f> out)>;
/// Hears of one of the skins in one pose.
using HearSkin = std::function<void(std::size_t skin, PoseSource part, std::span<const Vec3f> exact,
                                    std::span<const Vec3f> skinned)>;

/// Poses a reference and several skins in all poses, morph targets included.
void poseSkins(const Mesh& mesh, const SkinPoses& poses, const PoseShape& reference, std::span<const PoseShape> skins,
               const HearSkin& hear, const Progress& progress);

/// A linear blend skin by its bones, on all threads.
void poseSkin(const deform::LbsRig& rig, std::span<const Affine3f> bones, const deform::RestShape& rest,
              std::span<Vec3f> out);

}  // namespace pelt::measure
