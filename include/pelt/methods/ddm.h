#pragma once

#include <pelt/bind/rigid_bind.h>
#include <pelt/core/progress.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/methods/methods.h>
#include <pelt/rig/character.h>
#include <pelt/rig/ddm_payload.h>

#include <optional>

namespace pelt::methods {

/// All numbers that smoothing a character needs.
struct DdmPlan {
    SkinWeights original;  ///< the skin to start from: the bind stored in a mushed character, otherwise its weights
    SkinWeights bind;      ///< the same, made rigid unless the settings say keep
    deform::DdmOptions options;
};

/// Finds joints by name. Throws Error (bad input) for a missing one.
bind::BindOptions bindOptions(const Skeleton& skeleton, std::span<const std::string> joints,
                              std::span<const std::string> excluded);

/// Turns settings into numbers. Settings that are not set are chosen from the mesh: the width of the smoothing,
/// measured on the surface, is proportional to the distance of the skin from its bone, so that neither scale nor
/// resolution changes the result. Throws Error: bad usage for values outside their range, bad input for a missing
/// joint, part, material or attribute, or an attribute with negative or non-finite values.
DdmPlan planDdm(const Character& character, const DdmSettings& settings);

/// How the number of influences was chosen.
struct MushReport {
    struct Trial {
        std::size_t influences;
        double error;  ///< RMS over the range of motion, relative to the diagonal
    };
    std::vector<Trial> trials;   ///< the numbers of influences that were tried
    std::size_t influences = 0;  ///< maximum over the vertices
    bool capped = false;         ///< the tolerance needs more than the default maximum
};

/// What a mushed file contains besides its settings.
struct MushTarget {
    DdmVariant variant = DdmVariant::v0;
    DdmEncoding encoding = DdmEncoding::float32;
};

using MushField = OptionField<MushTarget, DdmVariant, DdmEncoding>;
std::span<const MushField> mushFields();

/// Mushes a character: precomputes, chooses the number of influences (unless given), and measures the error of pruning
/// and storing.
DdmPayload mush(const Character& character, const DdmSettings& settings, const MushTarget& target = {},
                const Progress& progress = {}, MushReport* report = nullptr);

/// The same, stored in the character, with plain weights for programs without Direct Delta Mush: those of the payload,
/// lowered to as many joints per vertex as every viewer of glTF supports.
void mushCharacter(Character& character, const DdmSettings& settings, const MushTarget& target = {},
                   const Progress& progress = {}, MushReport* report = nullptr);

/// RMS distance between two sets of rows of the same mesh over the range of motion, relative to its diagonal.
double rangeOfMotionError(const Mesh& mesh, const Skeleton& skeleton, const DdmRows<float>& rows,
                          const DdmRows<float>& reference);

/// The rows stored in the character if they have the numbers of `content`, or newly computed ones: with all joints,
/// unless a number is given.
DdmRows<float> ddmRows(const Character& character, const MethodOptions& options, const Progress& progress = {},
                       DdmContent content = DdmContent::full);

/// The same while options change: what the new options have in common with the last ones is not computed again. After
/// a change of κ or α, which leaves the smoothed rotations as they are, this takes a tenth of the time.
class DdmTuning {
public:
    /// The character must stay alive and unchanged.
    explicit DdmTuning(const Character& character) : character_(&character) {}

    DdmRows<float> rows(const MethodOptions& options, const Progress& progress = {},
                        DdmContent content = DdmContent::full);

private:
    const Character* character_;
    SkinWeights bind_;  ///< of the preparation
    std::optional<deform::DdmPreparation> preparation_;
};

}  // namespace pelt::methods
