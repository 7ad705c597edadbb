#pragma once

#include <pelt/rig/character.h>

#include <map>
#include <set>

#include "io/fbx/fbx.h"
#include "io/gltf/document/source.h"
#include "record_writer.h"

namespace pelt::io::fbx {

/// A connection of the file: an object to another, or to a property of it.
struct Link {
    std::int64_t from = 0, to = 0;
    std::string property;
};

/// The pieces of an FBX file on the way out, shared by those who write its parts. The records of Objects are written
/// first; connections are collected.
struct Scene {
    Scene(const Character& character_, const gltf::GltfSource& source_, RecordWriter& out_,
          std::vector<std::string>& warnings_, const Mat3d& turn_)
        : character(character_), source(source_), out(out_), warnings(warnings_), turn(turn_) {}

    const Character& character;
    const gltf::GltfSource& source;
    RecordWriter& out;
    std::vector<std::string>& warnings;

    Mat3d turn;                    ///< from y up to the file's axes
    double unit = 100;             ///< units of the file per unit of a node's space
    std::int32_t conversion = -1;  ///< a root node of the skeleton that only converts axes and units: it is left out

    std::vector<std::int64_t> node_ids;                            ///< per node of the skeleton; 0: it is not written
    std::vector<std::int64_t> mesh_models;                         ///< those of the skinned instances
    std::set<std::uint32_t> mesh_nodes;                            ///< nodes that are written as the mesh of their prop
    std::map<std::uint32_t, std::vector<std::int64_t>> shape_ids;  ///< per instance: its channels, one per morph target
    std::map<std::string, int> counts;                             ///< objects by kind
    std::vector<Link> links;

    std::int64_t newId(const std::string& kind) {
        ++counts[kind];
        return next_id_++;
    }
    void link(std::int64_t from, std::int64_t to, std::string property = {}) {
        links.push_back({from, to, std::move(property)});
    }
    /// Root space in meters to that of the file.
    Affine3d toFile() const { return {turn * 100.0, {}}; }
    /// A root-space map of a node, such as its bind, as that of its object in the file.
    Affine3d worldInFile(const Affine3d& world) const {
        return toFile() * world * Affine3d(Mat3d{{{1 / unit, 0, 0}, {0, 1 / unit, 0}, {0, 0, 1 / unit}}}, {});
    }

private:
    std::int64_t next_id_ = 1000;
};

/// Finds the conversion, and writes the nodes of the skeleton: joints as bones, nodes with props as meshes.
void writeNodes(Scene& scene);
/// Writes meshes with their skins and shapes.
void writeMeshes(Scene& scene);
void writeBindPose(Scene& scene);
/// The objects of the materials of the document, in its order.
std::vector<std::int64_t> writeMaterials(Scene& scene);
void writeClips(Scene& scene);

/// Begins a Model with what all have; the caller adds properties and calls endModel.
void beginModel(Scene& scene, std::int64_t id, const std::string& name, const char* type, const Trs& local);
void endModel(Scene& scene);

/// The local transform of a node as the file has it.
Trs localInFile(const Scene& scene, std::size_t node, const Trs& local);

/// Some parts of a mesh, placed by `place`.
struct MeshOut {
    const Mesh& mesh;
    std::span<const MeshPart> parts;  ///< of one instance, consecutive
    const std::vector<gltf::InstanceSource>& instances;
    std::size_t first_instance = 0;  ///< the number of instances[0]
    Affine3d place;
};
/// Writes them as one Geometry object; returns its id.
std::int64_t writeGeometry(Scene& scene, const MeshOut& mesh, const std::string& name);

}  // namespace pelt::io::fbx
