#pragma once

#include <pelt/rig/character.h>

#include <string>
#include <vector>

namespace pelt::draw {

/// The value of `--color`.
struct ColorChoice {
    enum class Kind { plain, weights, joint, confidence, error };
    Kind kind = Kind::plain;
    std::string joint;  ///< the name, for Kind::joint
};

/// "plain", "weights", "joint NAME" or "joint=NAME", "confidence", "error". Throws Error (bad usage).
ColorChoice parseColor(const std::string& text);

/// Per vertex, the joints' colors blended by weight. Throws Error (bad input) for a character without weights.
std::vector<Vec3f> weightColors(const Character& character);

/// Per vertex, how pelt transfer gave it its weights: blue where they were copied, yellow on rigid pieces, red where
/// they were filled in, gray on props. Throws Error (bad input) for a character without that map.
std::vector<Vec3f> confidenceColors(const Character& character);

/// Per vertex, the weight of the joint of that name over all skins. Throws Error (bad input) if there is none.
std::vector<float> jointWeights(const Character& character, const std::string& name);

}  // namespace pelt::draw
