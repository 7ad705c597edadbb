// Weights, keys and nodes as glTF stores them, for new and edited documents.
#include "write_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pelt::io::gltf {
namespace {

constexpr double kSumTolerance = 1e-7;  // per influence; the validator complains beyond 2e-7

/// The weights of one vertex, normalized to sum 1 in single precision; unchanged if they already have that sum.
std::vector<float> unitRow(std::span<const float> row) {
    double sum = 0;
    for (const float w : row) sum += w;
    std::vector<float> out(row.begin(), row.end());
    if (std::abs(sum - 1) > kSumTolerance * static_cast<double>(row.size()))
        for (float& w : out) w = static_cast<float>(w / sum);
    return out;
}

const char* pathName(ChannelPath path) {
    switch (path) {
        case ChannelPath::translation:
            return "translation";
        case ChannelPath::rotation:
            return "rotation";
        case ChannelPath::scale:
            return "scale";
        case ChannelPath::morph_weights:
            break;
    }
    return "weights";
}

const char* typeName(ChannelPath path) {
    if (path == ChannelPath::morph_weights) return "SCALAR";
    return path == ChannelPath::rotation ? "VEC4" : "VEC3";
}

const char* interpolationName(Interpolation interpolation) {
    if (interpolation == Interpolation::step) return "STEP";
    return interpolation == Interpolation::linear ? "LINEAR" : "CUBICSPLINE";
}

/// Keys as glTF requires them: rotations of unit length (tangents of a spline are not rotations).
std::vector<float> keyValues(const Channel& channel) {
    std::vector<float> values = channel.values;
    if (channel.path != ChannelPath::rotation) return values;
    const bool cubic = channel.interpolation == Interpolation::cubic_spline;
    for (std::size_t i = cubic ? 4 : 0; i + 4 <= values.size(); i += cubic ? 12 : 4) {
        const double length = std::sqrt(double(values[i]) * values[i] + double(values[i + 1]) * values[i + 1] +
                                        double(values[i + 2]) * values[i + 2] + double(values[i + 3]) * values[i + 3]);
        if (!(length > 0) || std::abs(length - 1) < 1e-6) continue;
        for (std::size_t c = 0; c < 4; ++c) values[i + c] = static_cast<float>(values[i + c] / length);
    }
    return values;
}

}  // namespace

WeightSets encodeWeights(const SkinWeights& weights, std::size_t first, std::size_t count,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index) {
    std::size_t most = 1;
    for (std::size_t v = first; v < first + count; ++v) most = std::max(most, weights.influenceCount(v));
    WeightSets sets;
    sets.joints.assign((most + 3) / 4, std::vector<std::uint16_t>(count * 4, 0));
    sets.weights.assign((most + 3) / 4, std::vector<float>(count * 4, 0.0F));
    for (std::size_t v = 0; v < count; ++v) {
        const auto slots = weights.jointsOf(first + v);
        const std::vector<float> row = unitRow(weights.weightsOf(first + v));
        for (std::size_t i = 0; i < slots.size(); ++i) {
            sets.joints[i / 4][v * 4 + i % 4] = static_cast<std::uint16_t>(skin_index(slots[i]));
            sets.weights[i / 4][v * 4 + i % 4] = row[i];
        }
        if (slots.empty()) sets.weights[0][v * 4] = 1;
    }
    return sets;
}

void writeWeights(Appender& appender, Json& attributes, const WeightSets& sets) {
    for (std::size_t k = 0; k < sets.joints.size() || attributes.contains(fmt::format("JOINTS_{}", k)) ||
                            attributes.contains(fmt::format("WEIGHTS_{}", k));
         ++k) {
        const std::string joints = fmt::format("JOINTS_{}", k), weights = fmt::format("WEIGHTS_{}", k);
        if (k >= sets.joints.size()) {
            attributes.erase(joints);
            attributes.erase(weights);
            continue;
        }
        const std::vector<std::uint16_t>& indices = sets.joints[k];
        const bool wide = std::any_of(indices.begin(), indices.end(), [](std::uint16_t j) { return j > 255; });
        attributes[joints] = wide ? appender.addUnsignedShorts(indices, "VEC4", ViewTarget::vertices)
                                  : appender.addUnsignedBytes(std::vector<std::uint8_t>(indices.begin(), indices.end()),
                                                              "VEC4", ViewTarget::vertices);
        attributes[weights] = appender.addFloats(sets.weights[k], "VEC4", ViewTarget::vertices);
    }
}

void addChannel(Appender& appender, Json& animation, const Channel& channel, std::size_t node) {
    Json& samplers = animation["samplers"];
    samplers.push_back({{"input", appender.addFloats(channel.times, "SCALAR", ViewTarget::none, true)},
                        {"interpolation", interpolationName(channel.interpolation)},
                        {"output", appender.addFloats(keyValues(channel), typeName(channel.path), ViewTarget::none)}});
    const std::size_t sampler = samplers.size() - 1;
    animation["channels"].push_back(
        {{"sampler", sampler}, {"target", {{"node", node}, {"path", pathName(channel.path)}}}});
}

void writeTransform(Json& node, const SkeletonNode& from, bool as_trs) {
    for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
    if (from.matrix && !as_trs) {
        node["matrix"] = from.matrix->m;
        return;
    }
    const Trs& trs = from.local;
    if (!(trs.translation == Vec3d{})) node["translation"] = {trs.translation.x, trs.translation.y, trs.translation.z};
    if (!(trs.rotation == Quatd{})) {
        const Quatd q = normalized(trs.rotation);
        node["rotation"] = {q.x, q.y, q.z, q.w};
    }
    if (!(trs.scale == Vec3d{1, 1, 1})) node["scale"] = {trs.scale.x, trs.scale.y, trs.scale.z};
}

std::size_t addTwinNode(Document& document, std::size_t node) {
    Json& nodes = collection(document, "nodes");
    nodes[node]["children"].push_back(nodes.size());
    Json twin = Json::object();
    if (nodes[node].contains("name")) twin["name"] = nodes[node]["name"].get<std::string>() + "_twin";
    nodes.push_back(std::move(twin));
    return nodes.size() - 1;
}

std::size_t addOffsets(Appender& appender, std::size_t count, std::span<const std::uint32_t> where,
                       std::span<const Vec3f> offsets) {
    // A sparse element stores its index in addition to its 12 bytes.
    if (where.size() * 16 < count * 12) return appender.addSparse(count, where, offsets);
    std::vector<float> dense(count * 3, 0.0F);
    for (std::size_t i = 0; i < where.size(); ++i) {
        dense[std::size_t(where[i]) * 3] = offsets[i].x;
        dense[std::size_t(where[i]) * 3 + 1] = offsets[i].y;
        dense[std::size_t(where[i]) * 3 + 2] = offsets[i].z;
    }
    return appender.addFloats(dense, "VEC3", ViewTarget::vertices, true);
}

void ensureCommonRoot(Document& document, std::size_t skin) {
    Json& nodes = collection(document, "nodes");
    std::vector<std::size_t> parent(nodes.size(), nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
        if (const auto children = nodes[n].find("children"); children != nodes[n].end())
            for (const Json& child : *children) parent[child.get<std::size_t>()] = n;
    std::vector<std::size_t> roots;
    for (const Json& joint : document.json["skins"][skin]["joints"]) {
        std::size_t node = joint.get<std::size_t>();
        while (parent[node] < nodes.size()) node = parent[node];
        if (std::find(roots.begin(), roots.end(), node) == roots.end()) roots.push_back(node);
    }
    if (roots.size() < 2) return;
    const std::size_t root = nodes.size();
    nodes.push_back({{"name", "root"}, {"children", roots}});
    if (!document.json.contains("scenes")) return;
    for (Json& scene : document.json["scenes"]) {
        const auto listed = scene.find("nodes");
        if (listed == scene.end()) continue;
        Json kept = Json::array();
        bool has_root = false;
        for (const Json& node : *listed) {
            const bool below = std::find(roots.begin(), roots.end(), node.get<std::size_t>()) != roots.end();
            if (!below || !has_root) kept.push_back(below ? Json(root) : node);
            has_root |= below;
        }
        *listed = std::move(kept);
    }
}

}  // namespace pelt::io::gltf
