// Characters of the C interface: loading, saving, and views of mesh, joints and weights.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/files.h>

#include <algorithm>
#include <cmath>

#include "handles.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

namespace {

/// Weights by joint as `info` counts them; props are on the joint that carries them.
void listWeights(pelt_character& c) {
    const SkinWeights& weights = c.character.weights;
    const std::size_t skinned = c.character.mesh.vertexCount();
    c.weight_offsets.assign(1, 0);
    for (std::size_t v = 0; v < skinned; ++v) {
        const std::size_t begin = c.weight_joints.size();
        for (std::size_t i = 0; !weights.empty() && i < weights.influenceCount(v); ++i) {
            const auto joint = std::uint32_t(c.joints.of_slot[weights.jointsOf(v)[i]]);
            const auto first = c.weight_joints.begin() + std::ptrdiff_t(begin);
            const auto found = std::find(first, c.weight_joints.end(), joint);
            const float value = weights.weightsOf(v)[i];
            if (found != c.weight_joints.end()) {
                c.weight_values[std::size_t(found - c.weight_joints.begin())] += value;
                continue;
            }
            c.weight_joints.push_back(joint);
            c.weight_values.push_back(value);
        }
        c.weight_offsets.push_back(c.weight_joints.size());
    }
    const std::vector<MeshPart>& parts = c.character.props.mesh.parts;
    for (std::size_t p = 0; p < parts.size(); ++p)
        for (std::size_t v = 0; v < parts[p].vertex_count; ++v) {
            if (c.carriers[p] >= 0) {
                c.weight_joints.push_back(std::uint32_t(c.carriers[p]));
                c.weight_values.push_back(1);
            }
            c.weight_offsets.push_back(c.weight_joints.size());
        }
}

/// A character without joints.
pelt_character* meshAlone(Mesh mesh, std::string name) {
    Character made;
    made.mesh = std::move(mesh);
    return new pelt_character(std::move(made), std::move(name));
}

}  // namespace

pelt_character::pelt_character(Character made, std::string called, std::vector<std::string> repaired)
    : character(std::move(made)),
      name(std::move(called)),
      warnings(std::move(repaired)),
      joints(rig::listJoints(character.skeleton)),
      whole(rig::wholeMesh(character)) {
    for (const std::int32_t slot : rig::carriersOfProps(character))
        carriers.push_back(slot < 0 ? -1 : std::int32_t(joints.of_slot[std::size_t(slot)]));
    listWeights(*this);
}

pelt_status pelt_load(const char* path, const pelt_call* call, pelt_character** character) {
    return guarded([&] {
        need(path, "path");
        need(character, "character");
        const std::filesystem::path file(path);
        const verbs::FileKind kind = verbs::fileKind(file);
        if (kind == verbs::FileKind::mesh) {
            *character = meshAlone(io::loadMesh(file), file.filename().string());
            return;
        }
        if (kind != verbs::FileKind::character)
            throw Error::badInput({file.string()},
                                  "is neither a character (.glb .gltf .vrm .fbx .dae) nor a mesh "
                                  "(.obj .ply .off)");
        io::Loaded loaded = io::loadCharacter(file, {}, c::progressOf(call));
        *character =
            new pelt_character(std::move(loaded.character), file.filename().string(), std::move(loaded.warnings));
    });
}

pelt_status pelt_load_bytes(const void* bytes, size_t size, const char* name, const pelt_call* call,
                            pelt_character** character) {
    return guarded([&] {
        need(bytes, "bytes");
        need(character, "character");
        const std::string called = name ? name : "character.glb";
        const std::span<const std::byte> all(static_cast<const std::byte*>(bytes), size);
        const std::string known_as = name ? called : "memory:" + called;
        if (std::optional<Mesh> mesh = io::parseMesh(all, name ? called : "memory")) {
            *character = meshAlone(std::move(*mesh), name ? called : "mesh");
            return;
        }
        io::Loaded loaded = io::loadBytes(all, known_as, c::progressOf(call));
        *character = new pelt_character(std::move(loaded.character), called, std::move(loaded.warnings));
    });
}

pelt_status pelt_with_attribute(const pelt_character* character, const char* name, const float* values,
                                pelt_character** result) {
    return guarded([&] {
        need(character, "character");
        need(name, "name");
        need(values, "values");
        need(result, "result");
        if (name[0] != '_') throw Error::badUsage(fmt::format("name: '{}' does not begin with an underscore", name));
        Character made = character->character;
        const std::size_t count = made.mesh.vertexCount();
        for (std::size_t v = 0; v < count; ++v)
            if (!std::isfinite(values[v]))
                throw Error::badInput(fmt::format("values: that of vertex {} is not finite", v));
        std::erase_if(made.mesh.attributes, [&](const VertexAttribute& a) { return a.name == name; });
        made.mesh.attributes.push_back({name, {values, values + count}});
        *result = new pelt_character(std::move(made), character->name, character->warnings);
    });
}

void pelt_character_free(pelt_character* character) { delete character; }

pelt_status pelt_save(const pelt_character* character, const char* path) {
    return guarded([&] {
        need(character, "character");
        need(path, "path");
        io::saveCharacter(character->character, path);
    });
}

pelt_status pelt_save_bytes(const pelt_character* character, uint8_t** bytes, size_t* size) {
    return guarded([&] {
        need(character, "character");
        need(bytes, "bytes");
        need(size, "size");
        const std::vector<std::byte> all = io::toGlb(character->character);
        *bytes = c::copied(all);
        *size = all.size();
    });
}

pelt_status pelt_save_fbx(const pelt_character* character, int z_up, uint8_t** bytes, size_t* size) {
    return guarded([&] {
        need(character, "character");
        need(bytes, "bytes");
        need(size, "size");
        const std::vector<std::byte> all = io::toFbx(character->character, {.z_up = z_up != 0});
        *bytes = c::copied(all);
        *size = all.size();
    });
}

size_t pelt_vertex_count(const pelt_character* character) { return character->whole.vertexCount(); }
size_t pelt_triangle_count(const pelt_character* character) { return character->whole.triangles.size(); }
const float* pelt_positions(const pelt_character* character) { return &character->whole.positions.data()->x; }
const uint32_t* pelt_triangles(const pelt_character* character) {
    return reinterpret_cast<const uint32_t*>(character->whole.triangles.data());
}

size_t pelt_joint_count(const pelt_character* character) { return character->joints.entries.size(); }
const char* pelt_joint_name(const pelt_character* character, size_t joint) {
    return character->joints.entries[joint].name.c_str();
}
int32_t pelt_joint_parent(const pelt_character* character, size_t joint) {
    return character->joints.entries[joint].parent;
}

pelt_status pelt_joint_binds(const pelt_character* character, float* matrices) {
    return guarded([&] {
        need(character, "character");
        need(matrices, "matrices");
        const std::vector<Joint>& slots = character->character.skeleton.joints;
        for (std::size_t j = 0; j < character->joints.entries.size(); ++j) {
            const Affine3f bind(inverse(slots[character->joints.entries[j].first_slot].inverse_bind));
            std::copy(std::begin(bind.m), std::end(bind.m), matrices + 16 * j);
        }
    });
}

const uint64_t* pelt_weight_offsets(const pelt_character* character) { return character->weight_offsets.data(); }
const uint32_t* pelt_weight_joints(const pelt_character* character) { return character->weight_joints.data(); }
const float* pelt_weight_values(const pelt_character* character) { return character->weight_values.data(); }
