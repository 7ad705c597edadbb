// Nodes as FBX models.
#include <algorithm>
#include <cmath>
#include <set>

#include "euler_keys.h"
#include "scene.h"

namespace pelt::io::fbx {
namespace {

/// The root that the reader of FBX files makes: without it, the file is again what it was.
void findConversion(Scene& scene) {
    const Skeleton& skeleton = scene.character.skeleton;
    if (skeleton.nodes.empty() || skeleton.nodes[0].name != kConversionNode || skeleton.nodes[0].matrix) return;
    const Trs& local = skeleton.nodes[0].local;
    const bool even = local.scale.x > 0 && local.scale.x == local.scale.y && local.scale.x == local.scale.z;
    bool used = !(local.translation == Vec3d());
    for (std::size_t n = 1; n < skeleton.nodes.size(); ++n) used = used || skeleton.nodes[n].parent < 0;
    for (const Joint& joint : skeleton.joints) used = used || joint.node == 0;
    for (const std::uint32_t node : scene.character.props.nodes) used = used || node == 0;
    for (const Clip& clip : scene.character.clips)
        for (const Channel& channel : clip.channels)
            used = used || (channel.path != ChannelPath::morph_weights && channel.target == 0);
    if (!even || used) return;
    scene.conversion = 0;
    scene.unit = 100 * local.scale.x;
}

/// Joints, and what is between two of them.
std::vector<bool> findBones(const Skeleton& skeleton) {
    std::vector<bool> joint(skeleton.nodes.size(), false), above(joint), below(joint), bone(joint);
    for (const Joint& j : skeleton.joints) joint[j.node] = true;
    for (std::size_t n = 0; n < joint.size(); ++n)
        if (const std::int32_t p = skeleton.nodes[n].parent; p >= 0)
            below[n] = joint[std::size_t(p)] || below[std::size_t(p)];
    for (std::size_t n = joint.size(); n-- > 0;)
        if (const std::int32_t p = skeleton.nodes[n].parent; p >= 0 && (joint[n] || above[n]))
            above[std::size_t(p)] = true;
    for (std::size_t n = 0; n < joint.size(); ++n) bone[n] = joint[n] || (above[n] && below[n]);
    return bone;
}

/// Nodes that only carried a skinned mesh, which has an object of its own in the file.
std::vector<bool> findEmptyCarriers(const Scene& scene, const std::vector<bool>& bone) {
    const Skeleton& skeleton = scene.character.skeleton;
    std::set<std::size_t> carriers;
    for (const gltf::InstanceSource& instance : scene.source.instances) carriers.insert(instance.node);
    std::vector<bool> empty(skeleton.nodes.size(), false);
    for (std::size_t n = 0; n < empty.size(); ++n) empty[n] = carriers.contains(scene.source.node_of[n]) && !bone[n];
    for (const SkeletonNode& node : skeleton.nodes)
        if (node.parent >= 0) empty[std::size_t(node.parent)] = false;
    return empty;
}

void writeAttribute(Scene& scene, std::int64_t model, const std::string& name, bool bone) {
    const std::int64_t id = scene.newId("NodeAttribute");
    scene.out.begin("NodeAttribute", id, ObjectName{name, "NodeAttribute"}, bone ? "LimbNode" : "Null");
    scene.out.leaf("TypeFlags", bone ? "Skeleton" : "Null");
    scene.out.end();
    scene.link(id, model);
}

/// The parts of the props that move with a node, one range per instance.
std::vector<std::span<const MeshPart>> propsOf(const Props& props, std::size_t node) {
    std::vector<std::span<const MeshPart>> found;
    for (std::size_t p = 0; p < props.nodes.size();) {
        std::size_t last = p + 1;
        while (last < props.nodes.size() && props.mesh.parts[last].instance == props.mesh.parts[p].instance) ++last;
        if (props.nodes[p] == node) found.push_back(std::span(props.mesh.parts).subspan(p, last - p));
        p = last;
    }
    return found;
}

}  // namespace

Trs localInFile(const Scene& scene, std::size_t node, const Trs& local) {
    const std::int32_t parent = scene.character.skeleton.nodes[node].parent;
    Trs moved = local;
    moved.translation = local.translation * scene.unit;
    const bool top = parent < 0 || parent == scene.conversion;
    if (!top) return moved;
    Quatd turn = toQuat(scene.turn);
    if (parent >= 0) turn = turn * scene.character.skeleton.nodes[std::size_t(parent)].local.rotation;
    if (turn == Quatd()) return moved;
    moved.translation = toMatrix(turn) * moved.translation;
    moved.rotation = turn * local.rotation;
    return moved;
}

void beginModel(Scene& scene, std::int64_t id, const std::string& name, const char* type, const Trs& local) {
    RecordWriter& out = scene.out;
    const Vec3d angles = eulerAngles(local.rotation, {}), &t = local.translation, &s = local.scale;
    out.begin("Model", id, ObjectName{name, "Model"}, type);
    out.leaf("Version", 232);
    out.begin("Properties70");
    out.property("InheritType", "enum", "", "", 1);  // plain products of matrices, as in glTF
    out.property("DefaultAttributeIndex", "int", "Integer", "", 0);
    out.property("Lcl Translation", "Lcl Translation", "", "A", t.x, t.y, t.z);
    out.property("Lcl Rotation", "Lcl Rotation", "", "A", angles.x, angles.y, angles.z);
    out.property("Lcl Scaling", "Lcl Scaling", "", "A", s.x, s.y, s.z);
}

void endModel(Scene& scene) {
    scene.out.end();  // Properties70
    scene.out.leaf("Shading", true);
    scene.out.leaf("Culling", "CullingOff");
    scene.out.end();
}

void writeNodes(Scene& scene) {
    findConversion(scene);
    const Skeleton& skeleton = scene.character.skeleton;
    const std::vector<bool> bone = findBones(skeleton), empty = findEmptyCarriers(scene, bone);
    scene.node_ids.assign(skeleton.nodes.size(), 0);
    std::size_t sheared = 0;
    std::set<std::string> seen, shared;  // readers that know models by their names look for a mesh and find a bone
    for (const SkeletonNode& node : skeleton.nodes)
        if (!seen.insert(node.name).second) shared.insert(node.name);
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        if (empty[n] || static_cast<std::int32_t>(n) == scene.conversion) continue;
        const SkeletonNode& node = skeleton.nodes[n];
        const auto props = propsOf(scene.character.props, n);
        const bool mesh = !bone[n] && props.size() == 1;
        const std::int64_t id = scene.node_ids[n] = scene.newId("Model");
        const Trs local = node.matrix ? rig::trsOf(*node.matrix) : node.local;
        if (node.matrix) {
            const Affine3d again = toAffine(local);
            double off = 0;
            for (int i = 0; i < 12; ++i) off = std::max(off, std::abs(again.m[i] - node.matrix->m[i]));
            sheared += off > 1e-5;
        }
        const std::string name = mesh && shared.contains(node.name) ? node.name + "_mesh" : node.name;
        beginModel(scene, id, name, mesh ? "Mesh" : bone[n] ? "LimbNode" : "Null", localInFile(scene, n, local));
        endModel(scene);
        scene.link(id, node.parent >= 0 ? scene.node_ids[std::size_t(node.parent)] : 0);
        if (!mesh) writeAttribute(scene, id, node.name, bone[n]);
        if (mesh) scene.mesh_nodes.insert(static_cast<std::uint32_t>(n));
    }
    if (sheared > 0)
        scene.warnings.push_back(std::to_string(sheared) +
                                 " nodes are sheared, which FBX cannot store; the shear was left out");
}

}  // namespace pelt::io::fbx
