#pragma once

#include <pelt/rig/character.h>

#include "animation.h"
#include "sampling.h"

namespace pelt::io::fbx {

/// The models of an FBX file as a glTF-like skeleton: node 0 converts the file's axes and units to y up and meters;
/// each model is one node, or three if its scale is not simply inherited:
///     translation · (1 / C) · rotation and scale · D,   C and D diagonal,
/// with C the parent's scale for Rrs; C = D = all scales above for RrSs.
class FbxRig {
public:
    explicit FbxRig(const FbxDocument& document);

    const std::vector<FbxNode>& models() const { return models_; }
    const Skeleton& skeleton() const { return skeleton_; }
    /// The skeleton's node that carries a model's whole transform.
    std::uint32_t nodeOf(std::size_t model) const { return parts_[model].node; }
    std::int32_t modelOf(std::int64_t object_id) const;
    /// From file space to meters, y up; mirrors if the file's axes are left-handed.
    const Affine3d& conversion() const { return conversion_; }

    struct Take {
        const FbxTake* take;
        SampleSpan span;
    };
    const std::vector<Take>& takes() const { return spans_; }
    /// The clip of a take, without morph weights; reports progress after each model.
    Clip makeClip(const Take& take, const std::function<void(double)>& tell) const;

private:
    struct Parts {
        std::uint32_t node = 0, translation = 0;
        std::int32_t compensation = -1;
    };

    void readConversion(const FbxDocument& document);
    void readSpans(const FbxDocument& document);
    void addModel(std::size_t model);
    bool needsCompensation(std::size_t model) const;
    Vec3d scaleAt(std::size_t model, const FbxTake* take, double t, Side side) const;
    Vec3d scalesAbove(std::size_t model, const FbxTake* take, double t, Side side) const;
    Vec3d compensation(std::size_t model, const FbxTake* take, double t, Side side) const;
    Trs localAt(std::size_t model, const FbxTake* take, double t, Side side) const;
    bool scaleIs(std::size_t model, bool (*property)(const Vec3d&)) const;
    std::vector<const std::vector<FbxTrack>*> scaleTracksAbove(std::size_t model, const FbxTake& take) const;
    void addChannels(std::size_t model, const Take& take, Clip& clip) const;

    std::vector<FbxNode> models_;
    std::map<std::int64_t, std::int32_t> model_of_;
    std::vector<FbxTake> takes_;
    std::vector<Take> spans_;
    std::vector<Parts> parts_;
    Skeleton skeleton_;
    Affine3d conversion_;
};

}  // namespace pelt::io::fbx
