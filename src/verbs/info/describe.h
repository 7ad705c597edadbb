#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/rig/character.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::verbs {

/// The findings of info, for JSON and text.
struct Findings {
    nlohmann::ordered_json json;
    std::string text;
    std::vector<std::string> problems;

    void line(std::string_view label, const std::string& value);
    /// Nothing if `count` is 0.
    void problem(std::size_t count, std::string_view one, std::string_view many);
};

void describeMesh(const Mesh& mesh, float weld_tolerance, Findings& found);
/// `utf8`: the tree of joints may be drawn with lines.
void describeCharacter(const Character& character, float weld_tolerance, bool utf8, Findings& found);
void describeSequence(const MeshSequence& sequence, float weld_tolerance, Findings& found);

}  // namespace pelt::verbs
