#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/progress.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/pipeline/methods.h>
#include <pelt/rig/character.h>

namespace pelt::pipeline {

/// Everything that smoothing a character needs, as numbers.
struct DdmPlan {
    SkinWeights original;  ///< the skin to start from: what a mushed character stores, else its weights
    SkinWeights bind;      ///< the same, rigid unless the settings keep it
    deform::DdmOptions options;
};

/// Joints by their names. Throws Error (bad input) for one that is not there.
fit::BindOptions bindOptions(const Skeleton& skeleton, std::span<const std::string> joints,
                             std::span<const std::string> excluded);

/// Turns settings into numbers. What is not set is chosen from the mesh: smoothing widths follow the distance of the
/// skin from its bone and are measured on the surface, so that neither scale nor resolution changes the result.
/// Throws Error: bad usage for values outside their range, bad input for a missing joint, part, material or attribute,
/// or an attribute with values that are negative or no numbers.
DdmPlan planDdm(const Character& character, const DdmSettings& settings);

/// How a number of influences was come by.
struct MushReport {
    struct Trial {
        std::size_t influences;
        double error;  ///< RMS over the range of motion, in units of the diagonal
    };
    std::vector<Trial> trials;   ///< tried while the number of influences was chosen
    std::size_t influences = 0;  ///< the largest of any vertex
    bool capped = false;         ///< more would have been needed for the tolerance than are kept unasked
};

/// What a mushed file asks for besides its settings.
struct MushTarget {
    DdmVariant variant = DdmVariant::v0;
    DdmEncoding encoding = DdmEncoding::float32;
};

using MushField = OptionField<MushTarget, DdmVariant, DdmEncoding>;
std::span<const MushField> mushFields();

/// Mushes a character: precomputes, chooses or takes the number of influences, measures what pruning and storing cost.
DdmPayload mush(const Character& character, const DdmSettings& settings, const MushTarget& target = {},
                const Progress& progress = {}, MushReport* report = nullptr);

/// RMS of the distance between two sets of rows of one mesh over the range of motion, in units of its diagonal.
double rangeOfMotionError(const Mesh& mesh, const Skeleton& skeleton, const DdmRows<float>& rows,
                          const DdmRows<float>& reference);

/// What the character stores, or what smoothing it now gives: with all joints, unless a number is asked for.
DdmRows<float> ddmRows(const Character& character, const MethodOptions& options, const Progress& progress = {});
}  // namespace pelt::pipeline
