#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/rig/character.h>

#include <span>
#include <string_view>

namespace pelt::scenes {

/// A built-in procedural character: `make(resolution)` gives about that many vertices; 0 takes the default.
struct Scene {
    std::string_view name;
    std::string_view summary;
    std::size_t default_resolution;
    Character (*make)(std::size_t resolution);
};

/// All of them, in the order that `pelt sample --list` shows.
std::span<const Scene> all();

/// nullptr where there is none of that name.
const Scene* find(std::string_view name);

/// The arm's example poses: what a muscular arm really looks like along its clip (the biceps bulges non-linearly),
/// sampled at `fps`, in the vertex order of the "arm" scene of the same resolution.
std::unique_ptr<MeshSequence> armExamples(std::size_t resolution, double fps = 30);

}  // namespace pelt::scenes
