#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/measure/skin_error.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/range_of_motion.h>

#include <optional>

namespace pelt::verbs {

struct BakeRequest {
    std::string method = "ddm";             ///< what is baked: a method,
    methods::MethodOptions method_options;  ///< with these options,
    MeshSequence* base = nullptr;           ///< over meshes, one per sample of the clip, if the method can;
    MeshSequence* sequence = nullptr;       ///< or, instead, meshes: one per sample of the clip
    methods::Sampling sampling;       ///< of the clip; a character without clips is baked over the range of motion
    rig::RangeOfMotion range;         ///< also sampled if a method is baked that needs no meshes
    bool only_clip = false;           ///< the range of motion takes no part: the skin is made for the clip alone
    std::size_t influences = 4;       ///< K: maximal number of joints per vertex; 0: any number
    std::size_t helpers = 0;          ///< maximal number of joints to add
    std::size_t virtual_joints = 0;   ///< maximal number of virtual joints, instead of helpers
    std::optional<double> max_error;  ///< E_RMS to reach with as few helpers or virtual joints as possible
    std::vector<std::string> locked;  ///< joints whose weights are kept
    float weld = 0;                   ///< vertices within this distance are treated as one
};

/// A skin that was tried, and its error.
struct BakeCandidate {
    std::string name;  ///< "v5" (or "given", where no Direct Delta Mush is baked), "resolved", "helpers", "virtual"
    std::size_t helpers = 0;
    std::size_t virtual_joints = 0;
    std::optional<measure::SkinError> clip;   ///< over all samples of the clip, if there is one
    std::optional<measure::SkinError> range;  ///< over the range of motion, if it takes part and a method is baked

    const measure::SkinError& main() const { return clip ? *clip : *range; }
};

struct BakeResult {
    Character character;                    ///< the given one with the best skin; helper joints have keys in every clip
    std::vector<BakeCandidate> candidates;  ///< by number of helpers or virtual joints
    std::size_t chosen = 0;                 ///< index of a candidate
    std::vector<std::uint32_t> helpers;     ///< slots of the added joints, the most useful one first
};

/// Approximates any deformer of a character, or meshes produced by another program, by a plain linear blend skin.
/// Vertices of equal position get equal weights. Throws Error (bad input) for a character without joints or weights, an
/// unknown joint, a sequence of another size, or more virtual joints than vertices, (bad usage) for an unknown method
/// and for virtual joints of anything but Direct Delta Mush, together with helpers or with locked joints; cancelled if
/// `progress` asks for a stop.
BakeResult bake(const Character& character, const BakeRequest& request, const Progress& progress = {});

}  // namespace pelt::verbs
