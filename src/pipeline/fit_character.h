#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>

namespace pelt::pipeline {

/// Gives a mesh its fitted weights and dress pose. Normals and tangents turn as the surface about their vertex does, so
/// that hard edges stay hard.
void setFittedSkin(Character& character, const fit::ExampleFit& fitted, const geometry::Weld& weld);

/// Puts a clip with one key per pose, sampled from `clip`, before the others, which keep their keys and get those of
/// the driven joints.
void keyPoses(Character& character, std::size_t clip, std::vector<double> times);

}  // namespace pelt::pipeline
