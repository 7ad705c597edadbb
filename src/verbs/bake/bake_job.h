#pragma once

#include <pelt/deform/lbs.h>
#include <pelt/fit/bake.h>
#include <pelt/geometry/weld.h>
#include <pelt/measure/skin_poses.h>
#include <pelt/methods/methods.h>
#include <pelt/verbs/bake.h>

namespace pelt::verbs {

/// The deformation to bake, evaluated in any pose.
class BakeReference {
public:
    BakeReference(const Character& character, const BakeRequest& request, const Progress& progress);

    bool isDdm() const { return is_ddm_; }
    const DdmRows<float>& rows() const { return smoothed_->rows; }
    /// All joints that have weight on a vertex after smoothing.
    SkinWeights reach() const;

    /// `frame` is that of the sequence, if one is baked or worked on.
    void evaluate(std::size_t frame, std::span<const Affine3f> bones, const deform::RestShape& rest,
                  std::span<Vec3f> out);

private:
    MeshSequence *sequence_, *base_;
    std::vector<Vec3f> base_positions_;
    std::shared_ptr<DdmPayload> smoothed_;
    std::unique_ptr<methods::Deformer> deformer_;
    bool is_ddm_ = false;
};

/// What all attempts at a skin share.
struct BakeJob {
    const Character& character;
    const BakeRequest& request;
    BakeReference& reference;
    const measure::SkinPoses& poses;  ///< in which skins are measured
    const geometry::Weld& weld;
    const SkinWeights& start;  ///< the plain skin that others must not be worse than
    double radius;             ///< of the smallest sphere around the mesh
};

/// The error of a skin over each part of the poses, if there are any.
struct BakeErrors {
    std::optional<measure::SkinError> clip, range;
};

/// The errors of skins for a skeleton that begins with the nodes of the character's.
std::vector<BakeErrors> measureSkins(const BakeJob& job, const Skeleton& skeleton,
                                     std::span<const rig::DrivenJoint> driven, std::span<const SkinWeights> skins,
                                     const Progress& progress);

/// Rows of all vertices from those of welded ones, without weights too small to be visible, which would only cost time.
/// If joints are locked, all weights are kept bit by bit.
SkinWeights unweldedRows(const SkinWeights& welded_rows, const geometry::Weld& weld, bool locked);

/// The candidate with the fewest helpers that reaches the requested error, otherwise the best; starting with candidate
/// `first`.
std::size_t chooseBaked(const std::vector<BakeCandidate>& candidates, std::size_t first,
                        const std::optional<double>& max_error);

/// The character with another skeleton and skin.
Character withSkin(const Character& character, Skeleton skeleton, std::vector<rig::DrivenJoint> driven,
                   SkinWeights weights);

/// Samples of vertices, added frame by frame.
class SampleTable {
public:
    SampleTable(std::size_t vertices, std::size_t samples);

    void add(const std::vector<Vec3f>& frame, std::span<const Affine3d> locals);
    /// When all have been added; without their importance.
    fit::SkinSamples take();

private:
    void store();

    fit::SkinSamples samples_;
    std::vector<std::vector<Vec3f>> waiting_;  ///< frames that are transposed at once
    std::size_t stored_ = 0;
};

}  // namespace pelt::verbs
