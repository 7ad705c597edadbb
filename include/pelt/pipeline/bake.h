#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/pipeline/sampling.h>
#include <pelt/rig/range_of_motion.h>

#include <optional>

namespace pelt::pipeline {

struct BakeRequest {
    std::string method = "ddm";        ///< what is baked: a method by name,
    MethodOptions method_options;      ///< with these options,
    MeshSequence* sequence = nullptr;  ///< or meshes, as many as the clip has samples, instead of it
    Sampling sampling;                 ///< of the clip; a character without clips is baked over the range of motion
    rig::RangeOfMotion range;          ///< that a method is sampled over too
    std::size_t influences = 4;        ///< K: at most so many joints per vertex; 0: any number
    std::size_t helpers = 0;           ///< at most so many joints are added
    std::optional<double> max_error;   ///< E_RMS: no more helpers than this needs
    std::vector<std::string> locked;   ///< joints whose weights stay as they are
    float weld = 0;                    ///< vertices within this distance are treated as one
};

struct BakeError {
    double rms = 0, max = 0, e_rms = 0;  ///< as SequenceError has them
    double normals = 0;                  ///< degrees, RMS of the angle between the triangles' normals
};

/// One skin that was tried, and how far it is from what is baked.
struct BakeCandidate {
    std::string name;  ///< "v5" (or "given", where no Direct Delta Mush is baked), "resolved", "helpers"
    std::size_t helpers = 0;
    std::optional<BakeError> clip;   ///< over all samples of the clip, where there is one
    std::optional<BakeError> range;  ///< over the range of motion, where a method is baked

    const BakeError& main() const { return clip ? *clip : *range; }
};

struct BakeResult {
    Character character;                    ///< the given one with the best skin; helper joints animated in every clip
    std::vector<BakeCandidate> candidates;  ///< in the order of their helpers
    std::size_t chosen = 0;                 ///< of the candidates
    std::vector<std::uint32_t> helpers;     ///< slots of the joints added, the one that brought most first
};

/// Any deformer of a character, or meshes that something else made of it, as a plain linear blend skin. Vertices of
/// equal position get equal weights. Throws Error (bad input) for a character without joints or weights, an unknown
/// joint, or a sequence of another size, (bad usage) for an unknown method, cancelled if `progress` asks for a stop.
BakeResult bake(const Character& character, const BakeRequest& request, const Progress& progress = {});

}  // namespace pelt::pipeline
