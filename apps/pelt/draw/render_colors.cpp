// What `render --color` shows, as values or colors per vertex.
#include "draw/render_colors.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/render/render.h>
#include <pelt/rig/joint_list.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/transfer.h>

#include <algorithm>
#include <cmath>

namespace pelt::draw {
namespace {

void checkWeights(const Character& character) {
    if (character.weights.empty()) throw Error::badInput("has no skin weights to show; compute some with pelt bind");
}

constexpr Vec3f kNoJoint{0.5f, 0.5f, 0.5f};

/// Calls `add` with the joint that carries a part of the props (-1: none) and its number of vertices.
template <class Add>
void forEachProp(const Character& character, const rig::JointList& joints, Add&& add) {
    const std::vector<std::int32_t> carriers = rig::carriersOfProps(character);
    for (std::size_t p = 0; p < carriers.size(); ++p)
        add(carriers[p] < 0 ? -1 : std::int32_t(joints.of_slot[std::size_t(carriers[p])]),
            std::size_t(character.props.mesh.parts[p].vertex_count));
}

}  // namespace

ColorChoice parseColor(const std::string& text) {
    using Kind = ColorChoice::Kind;
    if (text == "plain") return {Kind::plain, {}};
    if (text == "weights") return {Kind::weights, {}};
    if (text == "confidence") return {Kind::confidence, {}};
    if (text == "error") return {Kind::error, {}};
    const std::string word = text.substr(0, 6);
    const bool one_joint = text == "joint" || word == "joint=" || word == "joint ";
    if (one_joint && text.size() > word.size()) return {Kind::joint, text.substr(word.size())};
    if (one_joint) throw Error::badUsage("--color joint: name the joint, e.g. --color joint hip");
    throw Error::badUsage(fmt::format("--color {}: there are plain, weights, joint NAME, confidence and error", text));
}

std::vector<Vec3f> weightColors(const Character& character) {
    checkWeights(character);
    const rig::JointList joints = rig::listJoints(character.skeleton);
    const SkinWeights& weights = character.weights;
    std::vector<Vec3f> colors(weights.vertexCount());
    for (std::size_t v = 0; v < colors.size(); ++v)
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            colors[v] += render::jointColor(joints.of_slot[weights.jointsOf(v)[i]]) * weights.weightsOf(v)[i];
    forEachProp(character, joints, [&](std::int32_t entry, std::size_t count) {
        colors.insert(colors.end(), count, entry < 0 ? kNoJoint : render::jointColor(std::size_t(entry)));
    });
    return colors;
}

std::vector<Vec3f> confidenceColors(const Character& character) {
    const auto& maps = character.mesh.attributes;
    const auto map = std::find_if(maps.begin(), maps.end(), [](const auto& a) { return a.name == verbs::kConfidence; });
    if (map == maps.end())
        throw Error::badInput(
            fmt::format("has no map {} to show; pelt bind and pelt transfer write it", verbs::kConfidence));
    // transfer writes 0, 1/2 and 1, bind all that is between
    constexpr Vec3f kSure{0.03f, 0.22f, 0.60f}, kMiddle{0.85f, 0.55f, 0.03f}, kUnsure{0.75f, 0.06f, 0.04f};
    std::vector<Vec3f> colors;
    for (const float value : map->values) {
        const float t = std::isfinite(value) ? 2 * std::clamp(value, 0.0f, 1.0f) : 0;
        colors.push_back(t > 1 ? kMiddle * (2 - t) + kSure * (t - 1) : kUnsure * (1 - t) + kMiddle * t);
    }
    colors.resize(rig::vertexCount(character), kNoJoint);
    return colors;
}

std::vector<float> jointWeights(const Character& character, const std::string& name) {
    checkWeights(character);
    const rig::JointList joints = rig::listJoints(character.skeleton);
    const auto joint = rig::findJoint(character.skeleton, name);
    if (!joint) throw Error::badInput(rig::noSuchJoint(character.skeleton, name));
    const std::size_t entry = joints.of_slot[*joint];
    const SkinWeights& weights = character.weights;
    std::vector<float> values(weights.vertexCount(), 0.0f);
    for (std::size_t v = 0; v < values.size(); ++v)
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            if (joints.of_slot[weights.jointsOf(v)[i]] == entry) values[v] += weights.weightsOf(v)[i];
    forEachProp(character, joints, [&](std::int32_t carrier, std::size_t count) {
        values.insert(values.end(), count, carrier == std::int32_t(entry) ? 1.0f : 0.0f);
    });
    return values;
}

}  // namespace pelt::draw
