#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

#include <span>
#include <string_view>

namespace pelt::scenes {

/// A built-in procedural character.
struct Scene {
    std::string_view name;
    std::string_view summary;
    std::size_t default_resolution;
    Character (*maker)(std::size_t resolution, const Progress& progress);

    /// Makes about that many vertices; 0: the default. Progress is reported for the stage "generate". Throws Error
    /// (cancelled) if `progress` requests it.
    Character make(std::size_t resolution, const Progress& progress = {}) const {
        Character character = maker(resolution == 0 ? default_resolution : resolution, progress);
        progress.report("generate", 1);
        return character;
    }
};

/// All scenes, in the order of `pelt sample --list`.
std::span<const Scene> all();

/// The scene of that name, or nullptr.
const Scene* find(std::string_view name);

/// Example meshes for the arm: a muscular arm along its clip (the biceps bulges nonlinearly), sampled at `fps`, in the
/// vertex order of the "arm" scene of the same resolution.
std::unique_ptr<MeshSequence> armExamples(std::size_t resolution, double fps = 30);

/// The character's weights (its rigid bind) smoothed over the welded skin, with a width that depends on the thickness
/// of the limb and not on the mesh, and reduced to at most `influences` joints per vertex (0: all). Throws Error (bad
/// input) if the weights do not match the mesh.
SkinWeights smoothWeights(const Character& character, std::size_t influences = 4);

}  // namespace pelt::scenes
