// Gives a mesh the skin of another character.
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/props.h>
#include <pelt/rig/rest_space.h>
#include <pelt/verbs/transfer.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pelt::verbs {
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

void writeConfidence(Mesh& mesh, const std::vector<bind::TransferOrigin>& origin) {
    std::erase_if(mesh.attributes, [](const VertexAttribute& a) { return a.name == kConfidence; });
    VertexAttribute confidence{kConfidence, {}};
    for (const bind::TransferOrigin o : origin) confidence.values.push_back(static_cast<float>(o) / 2);
    mesh.attributes.push_back(std::move(confidence));
}

/// The same mesh as its file shows it, or nothing if that is the same space.
std::optional<Mesh> asStored(const Character& character) {
    const Affine3d map = rig::toFileSpace(character);
    if (isIdentity(map)) return std::nullopt;
    Mesh mesh = character.mesh;
    mesh.morphs.clear();
    rig::transformVertices(mesh, 0, mesh.vertexCount(), map);
    return mesh;
}

/// The map that all instances of the mesh share, or nothing.
std::optional<Affine3d> commonMap(const Character& character) {
    const auto& maps = character.from_file;
    if (maps.empty() || !std::all_of(maps.begin(), maps.end(), [&](const Affine3d& m) { return m == maps[0]; }))
        return std::nullopt;
    return maps[0];
}

/// The mean distance of vertices from a surface.
double meanDistance(const Mesh& from, const Mesh& to) {
    const std::vector<Vec3d> positions(from.positions.begin(), from.positions.end());
    const geometry::RayTree tree(positions, from.triangles);
    const std::size_t step = std::max<std::size_t>(to.vertexCount() / 1000, 1);
    double sum = 0, count = 0;
    for (std::size_t v = 0; v < to.vertexCount(); v += step, ++count)
        if (const auto place = tree.nearest(Vec3d(to.positions[v]), HUGE_VAL)) sum += place->distance;
    return count > 0 ? sum / (count * std::max(geometry::boundingDiagonal(from.positions), 1e-30)) : 0;
}

/// The space in which both meshes lie on each other. A file may store its mesh in another space than the character
/// moves in (rig/rest_space.h), and the other mesh may have been made beside either.
struct CommonSpace {
    std::optional<Mesh> from, to;  ///< as stored; nothing: the character's own mesh
};

CommonSpace findCommonSpace(const Character& from, const Character& to, bool from_may_change) {
    std::optional<Mesh> stored_from = asStored(from), stored_to = asStored(to);
    if (!from_may_change) stored_from.reset();
    const Mesh* froms[] = {&from.mesh, stored_from ? &*stored_from : nullptr};
    const Mesh* tos[] = {&to.mesh, stored_to ? &*stored_to : nullptr};
    double best = HUGE_VAL;
    int chosen = 0;
    for (int k = 0; k < 4; ++k) {
        if (!froms[k / 2] || !tos[k % 2]) continue;
        const double apart = meanDistance(*froms[k / 2], *tos[k % 2]);
        if (apart < 0.9 * best) {  // a tie goes to the character's own space
            best = apart;
            chosen = k;
        }
    }
    CommonSpace space;
    if (chosen / 2 == 1) space.from = std::move(stored_from);
    if (chosen % 2 == 1) space.to = std::move(stored_to);
    return space;
}

}  // namespace

TransferResult transfer(const Character& from, const Character& to, const bind::TransferOptions& options,
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
    const CommonSpace space = findCommonSpace(from, character, kept || commonMap(from).has_value());
    result.transferred = bind::transferWeights(space.from ? *space.from : from.mesh, from.weights,
                                               space.to ? *space.to : character.mesh, options, progress);
    writeConfidence(character.mesh, result.transferred.origin);
    if (kept) {
        result.skeleton = TransferSkeleton::kept;
        character.weights = mapped(result.transferred.weights, map.slots);
        if (character.clips.empty()) rig::borrowClips(character, from.skeleton, from.clips, "from");
    } else {
        character.weights = result.transferred.weights;
        takeRig(character, from);
        if (space.from)
            for (Joint& joint : character.skeleton.joints) joint.inverse_bind = joint.inverse_bind * *commonMap(from);
    }
    return result;
}

}  // namespace pelt::verbs
