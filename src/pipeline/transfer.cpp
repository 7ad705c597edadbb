#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/transfer.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <optional>

namespace pelt::pipeline {
namespace {

constexpr std::uint32_t kUnusedSlot = ~std::uint32_t(0);

/// Per joint slot of `from` that carries weight, the slot of `to` with its name; the first joint that is missing.
struct SlotMap {
    std::vector<std::uint32_t> slots;
    std::optional<std::size_t> missing;
};

SlotMap mapSlots(const Character& from, const Skeleton& to) {
    SlotMap map{std::vector<std::uint32_t>(from.skeleton.joints.size(), kUnusedSlot), {}};
    std::vector<bool> used(map.slots.size(), false);
    for (const std::uint32_t joint : from.weights.joints) used[joint] = true;
    for (std::size_t j = 0; j < used.size() && !map.missing; ++j) {
        if (!used[j]) continue;
        if (const auto slot = rig::findJoint(to, rig::jointName(from.skeleton, j)))
            map.slots[j] = static_cast<std::uint32_t>(*slot);
        else
            map.missing = j;
    }
    return map;
}

SkinWeights mapped(const SkinWeights& weights, std::span<const std::uint32_t> slots) {
    SkinWeights result;
    std::vector<std::uint32_t> joints;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        joints.clear();
        for (const std::uint32_t joint : weights.jointsOf(v)) joints.push_back(slots[joint]);
        appendVertex(result, joints, weights.weightsOf(v));
    }
    return result;
}

/// The meshes of a character alone, with its props.
Character bareMesh(const Character& to) {
    if (to.skeleton.joints.empty() && to.props.mesh.parts.empty()) return to;
    if (to.source) return io::withoutRig(to);
    Character bare;
    bare.mesh = rig::wholeMesh(to);
    return bare;
}

void takeRig(Character& character, const Character& from) {
    character.skeleton = from.skeleton;
    character.driven = from.driven;
    character.clips.clear();
    for (const Clip& clip : from.clips) {
        Clip moved = clip;
        std::erase_if(moved.channels, [](const Channel& c) { return c.path == ChannelPath::morph_weights; });
        if (!moved.channels.empty()) character.clips.push_back(std::move(moved));
    }
}

void writeConfidence(Mesh& mesh, const std::vector<fit::TransferOrigin>& origin) {
    std::erase_if(mesh.attributes, [](const VertexAttribute& a) { return a.name == kConfidence; });
    VertexAttribute confidence{kConfidence, {}};
    for (const fit::TransferOrigin o : origin) confidence.values.push_back(static_cast<float>(o) / 2);
    mesh.attributes.push_back(std::move(confidence));
}

}  // namespace

TransferResult transfer(const Character& from, const Character& to, const fit::TransferOptions& options,
                        const Progress& progress) {
    if (from.skeleton.joints.empty() || from.weights.empty()) throw Error::badInput("has no skin to transfer");
    const SlotMap map = mapSlots(from, to.skeleton);
    TransferResult result;
    const bool kept = !to.skeleton.joints.empty() && !map.missing;
    if (!kept && !to.skeleton.joints.empty()) {
        result.skeleton = TransferSkeleton::replaced;
        result.missing_joint = rig::jointName(from.skeleton, *map.missing);
    }
    Character& character = result.character = kept ? to : bareMesh(to);
    character.ddm = nullptr;
    result.transferred = fit::transferWeights(from.mesh, from.weights, character.mesh, options, progress);
    writeConfidence(character.mesh, result.transferred.origin);
    if (kept) {
        result.skeleton = TransferSkeleton::kept;
        character.weights = mapped(result.transferred.weights, map.slots);
        if (character.clips.empty()) rig::borrowClips(character, from.skeleton, from.clips, "from");
    } else {
        character.weights = result.transferred.weights;
        takeRig(character, from);
    }
    return result;
}

}  // namespace pelt::pipeline
