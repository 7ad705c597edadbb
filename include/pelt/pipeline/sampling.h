#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/pipeline/methods.h>

#include <filesystem>
#include <optional>
#include <string>

namespace pelt::pipeline {

/// Which moments of a character to evaluate.
struct Sampling {
    std::optional<std::string> clip;    ///< name or index; default: the first
    double fps = 30;
    std::optional<std::string> frames;  ///< Python slice "a:b:step" over the samples
    bool bind_pose = false;             ///< one frame, the POSITIONs
};

/// The chosen sample times; empty for the bind pose. Throws Error (bad input) for an unknown clip or an empty choice,
/// (bad usage) for a slice that is none.
std::vector<double> sampleTimes(const Character& character, const Sampling& sampling);

/// Evaluates a character's frames: pose, morph targets, deformer, on all threads. `character` must outlive it.
class CharacterSampler {
public:
    CharacterSampler(const Character& character, const Method& method, const Sampling& sampling,
                     const Progress& progress = {});
    ~CharacterSampler();

    std::size_t frameCount() const;
    double frameTime(std::size_t frame) const;  ///< seconds; 0 for the bind pose
    /// Fills positions and, unless empty, normals of the whole mesh.
    void evaluate(std::size_t frame, std::span<Vec3f> positions, std::span<Vec3f> normals);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Opens any sequence: io::openSequence, and character files by sampling their skin (LBS) or morph targets.
std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, const Sampling& sampling = {},
                                           const std::optional<std::filesystem::path>& mesh = {});

}  // namespace pelt::pipeline
