#pragma once

#include <pelt/rig/character.h>

#include <string>
#include <vector>

namespace pelt::bench {

/// A character for benchmarks: the built-in biped with at most four smooth influences per vertex, and one pose of its
/// clip.
struct Subject {
    std::string size;  ///< as in row names: 20k
    Character character;
    std::vector<Affine3f> bones;
    std::vector<Vec3d> joint_positions;
};

/// Created once per size; later calls return the same one.
const Subject& bipedOf(std::size_t vertices);

/// The same weights with every vertex filled up to four influences, with joints next to its own at small weight: the
/// worst case for four influences.
SkinWeights filledToFour(const Subject& subject);

}  // namespace pelt::bench
