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

    /// Gives about that many vertices; 0 takes the default. `progress` is told rising fractions of the stage
    /// "generate". Throws Error (cancelled) where it asks for a stop.
    Character make(std::size_t resolution, const Progress& progress = {}) const {
        Character character = maker(resolution == 0 ? default_resolution : resolution, progress);
        progress.report("generate", 1);
        return character;
    }
};

/// All of them, in the order that `pelt sample --list` shows.
std::span<const Scene> all();

/// nullptr where there is none of that name.
const Scene* find(std::string_view name);

/// The arm's example poses: what a muscular arm really looks like along its clip (the biceps bulges non-linearly),
/// sampled at `fps`, in the vertex order of the "arm" scene of the same resolution.
std::unique_ptr<MeshSequence> armExamples(std::size_t resolution, double fps = 30);

/// The character's weights (its rigid bind) blurred over the welded skin, by a width that follows the thickness of the
/// limb and not the mesh, and lowered to at most `influences` joints per vertex (0: all). Throws Error (bad input) for
/// a character whose weights do not fit its mesh.
SkinWeights smoothWeights(const Character& character, std::size_t influences = 4);

}  // namespace pelt::scenes
