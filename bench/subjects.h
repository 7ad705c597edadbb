#pragma once

#include <pelt/rig/character.h>

#include <string>
#include <vector>

namespace pelt::bench {

/// A character to measure on: the built-in biped with at most four smooth influences per vertex, and one pose of its
/// clip.
struct Subject {
    std::string size;  ///< as row names say it: 20k
    Character character;
    std::vector<Affine3f> bones;
    std::vector<Vec3d> joint_positions;
};

/// Made once per size; later calls give the same one.
const Subject& bipedOf(std::size_t vertices);

/// The same weights with every vertex filled up to four influences, by joints next to its own at small weight: the most
/// that four influences can cost.
SkinWeights filledToFour(const Subject& subject);

}  // namespace pelt::bench
