#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>

namespace pelt::pipeline {

/// Gives a mesh its fitted weights and dress pose. Normals and tangents turn as the surface about their vertex does, so
/// that hard edges stay hard.
void setFittedSkin(Character& character, const fit::ExampleFit& fitted, const geometry::Weld& weld);

/// Adds a clip with one key a pose, sampled from `clip`, and gives its index. All others keep their keys and get those
/// of the driven joints.
std::size_t keyPoses(Character& character, std::size_t clip, std::vector<double> times);

}  // namespace pelt::pipeline
