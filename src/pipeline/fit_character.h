#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>

namespace pelt::pipeline {

/// Gives a mesh its fitted weights and dress pose. Normals and tangents turn as the surface about their vertex does, so
/// that hard edges stay hard.
void setFittedSkin(Character& character, const fit::ExampleFit& fitted, const geometry::Weld& weld);

/// One key a pose in one clip; the keys of driven joints in all of them.
void keyPoses(Character& character, std::size_t clip, std::vector<double> times);

}  // namespace pelt::pipeline
