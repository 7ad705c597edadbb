#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>

namespace pelt::pipeline {

/// Gives a mesh its fitted weights and dress pose. Normals and tangents are rotated with the surface around their
/// vertex, so that hard edges stay hard.
void setFittedSkin(Character& character, const fit::ExampleFit& fitted, const geometry::Weld& weld);

/// Inserts a clip with one key per pose, sampled from `clip`, before the others; these get keys for the driven joints.
void keyPoses(Character& character, std::size_t clip, std::vector<double> times);

}  // namespace pelt::pipeline
