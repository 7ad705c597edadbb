// Brings a loaded character into the space in which it moves.
#include <fmt/format.h>
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "load.h"

namespace pelt::io::gltf {
namespace {

/// Transforms the payload's rows from the space of the file to that of the mesh. Usually these are the same.
void movePayload(Loading& loading) {
    Character& character = loading.character;
    if (!character.ddm) return;
    auto moved = std::make_shared<DdmPayload>(*character.ddm);
    bool any = false;
    for (std::size_t p = 0; p < character.mesh.parts.size(); ++p) {
        const MeshPart& part = character.mesh.parts[p];
        const Affine3d space = character.from_file.empty() ? Affine3d{} : character.from_file[part.instance];
        if (part.vertex_count == 0 || space == loading.payload_spaces[p]) continue;
        any = true;
        rig::transformRows(moved->rows, part.first_vertex, part.vertex_count,
                           space * inverse(loading.payload_spaces[p]));
    }
    if (any) character.ddm = std::move(moved);
}

bool nearlyEqual(const Affine3d& a, const Affine3d& b, double size) {
    constexpr double kRounding = 3e-6;
    double largest = 0;
    for (int i = 0; i < 12; ++i) largest = std::max(largest, std::abs(a.m[i]));
    for (int i = 0; i < 16; ++i)
        if (!(std::abs(a.m[i] - b.m[i]) <= kRounding * (i < 12 ? largest : largest * size))) return false;
    return true;
}

/// Joints of equal weight in a row are ordered by their index, which has changed.
void renumber(SkinWeights& weights, const std::vector<std::uint32_t>& new_slot) {
    for (std::uint32_t& joint : weights.joints) joint = new_slot[joint];
    for (std::size_t v = 0; v < weights.vertexCount(); ++v)
        for (std::uint32_t e = weights.offsets[v] + 1; e < weights.offsets[v + 1]; ++e)
            for (std::uint32_t k = e; k > weights.offsets[v] && weights.weights[k] == weights.weights[k - 1] &&
                                      weights.joints[k] < weights.joints[k - 1];
                 --k)
                std::swap(weights.joints[k], weights.joints[k - 1]);
}

/// Parts of one character often have separate skins, with matrices that differ only by the placement of the meshes. In
/// the space of the character these are equal, and a joint has a single slot again.
void mergeJoints(Loading& loading) {
    Character& character = loading.character;
    std::vector<Joint>& joints = character.skeleton.joints;
    double size = 0;
    for (const Vec3f& p : character.mesh.positions) size = std::max(size, double(length(p)));
    std::vector<Joint> kept;
    std::vector<std::uint32_t> new_slot;
    std::multimap<std::uint32_t, std::uint32_t> of_node;
    for (const Joint& joint : joints) {
        const auto [first, last] = of_node.equal_range(joint.node);
        const auto same = std::find_if(first, last, [&](const auto& entry) {
            return nearlyEqual(kept[entry.second].inverse_bind, joint.inverse_bind, size);
        });
        new_slot.push_back(same != last ? same->second : std::uint32_t(kept.size()));
        if (same != last) continue;
        of_node.emplace(joint.node, std::uint32_t(kept.size()));
        kept.push_back(joint);
    }
    if (kept.size() == joints.size()) return;
    joints = std::move(kept);
    renumber(character.weights, new_slot);
    for (std::vector<std::uint32_t>& skin : loading.source->skin_slots)
        for (std::uint32_t& slot : skin) slot = new_slot[slot];
    if (!character.ddm) return;
    auto payload = std::make_shared<DdmPayload>(*character.ddm);
    for (std::uint32_t& joint : payload->rows.joints) joint = new_slot[joint];
    renumber(payload->bind, new_slot);
    character.ddm = std::move(payload);
}

/// Per skin, its body: skins that share a joint slot use one skeleton in the same way.
std::vector<std::uint32_t> bodiesOfSkins(const std::vector<std::vector<std::uint32_t>>& skin_slots, std::size_t slots) {
    std::vector<std::uint32_t> leader(skin_slots.size()), first_skin(slots, ~0u);
    std::iota(leader.begin(), leader.end(), 0u);
    const auto find = [&](std::uint32_t s) {
        while (leader[s] != s) s = leader[s] = leader[leader[s]];
        return s;
    };
    for (std::uint32_t s = 0; s < skin_slots.size(); ++s)
        for (const std::uint32_t slot : skin_slots[s]) {
            if (first_skin[slot] == ~0u) first_skin[slot] = s;
            const auto [low, high] = std::minmax({find(first_skin[slot]), find(s)});
            leader[high] = low;
        }
    for (std::uint32_t s = 0; s < leader.size(); ++s) leader[s] = find(s);
    return leader;
}

/// Parts whose skins share joints are welded where they touch; other parts are at the same position only by chance.
void findBodies(Loading& loading) {
    const GltfSource& source = *loading.source;
    const std::vector<std::uint32_t> bodies =
        bodiesOfSkins(source.skin_slots, loading.character.skeleton.joints.size());
    for (MeshPart& part : loading.character.mesh.parts)
        if (const auto& skin = source.instances[part.instance].skin) part.body = bodies[*skin];
}

}  // namespace

void normalizeSpace(Loading& loading) {
    Character& character = loading.character;
    GltfSource& source = *loading.source;
    std::vector<std::vector<std::uint32_t>> slots;
    for (const InstanceSource& instance : source.instances)
        slots.push_back(instance.skin ? source.skin_slots[*instance.skin] : std::vector<std::uint32_t>{});
    for (const std::vector<std::uint32_t>& skin : source.skin_slots) {
        source.inverse_binds.emplace_back();
        for (const std::uint32_t slot : skin)
            source.inverse_binds.back().push_back(character.skeleton.joints[slot].inverse_bind);
    }
    if (loading.spaces)
        rig::placeRestSpace(character, slots, *loading.spaces);
    else
        rig::normalizeRestSpace(character, slots);
    for (const Vec3f& p : character.mesh.positions)
        if (!isFinite(p))
            loading.document().root().fail(
                "a vertex is too far from the origin for single precision; scale the character down");
    for (std::size_t i = 0; i < source.instances.size() && !character.from_file.empty(); ++i)
        if (source.instances[i].skin) source.instances[i].placement = character.from_file[i];
    movePayload(loading);
    mergeJoints(loading);
    findBodies(loading);
}

}  // namespace pelt::io::gltf
