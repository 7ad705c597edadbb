#include <fmt/format.h>
#include <pelt/rig/rest_space.h>

#include <cmath>

#include "gltf/load.h"

namespace pelt::io::gltf {
namespace {

/// The payload's rows from the space that the file keeps them in to that of the mesh. As a rule that is the same.
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

}  // namespace

void normalizeSpace(Loading& loading) {
    Character& character = loading.character;
    GltfSource& source = *loading.source;
    std::vector<std::vector<std::uint32_t>> slots;
    for (const InstanceSource& instance : source.instances)
        slots.push_back(instance.skin ? source.skin_slots[*instance.skin] : std::vector<std::uint32_t>{});
    const std::vector<Joint> joints = character.skeleton.joints;
    for (const Joint& joint : joints) source.inverse_binds.push_back(joint.inverse_bind);
    rig::normalizeRestSpace(character, slots);
    for (const Vec3f& p : character.mesh.positions)
        if (!isFinite(p))
            loading.document().root().fail(
                "a vertex lies beyond single precision where the figure moves; scale it down");
    for (std::size_t i = 0; i < source.instances.size() && !character.from_file.empty(); ++i)
        if (source.instances[i].skin) source.instances[i].placement = character.from_file[i];
    movePayload(loading);
}

}  // namespace pelt::io::gltf
