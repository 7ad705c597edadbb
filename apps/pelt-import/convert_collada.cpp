// Collada: plain node matrices, so the import library's own nodes and keys are right. Its root node already converts
// the file's units and axes to meters and y up.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip_builder.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "import_library.h"
#include "scene_reader.h"

namespace pelt::importer {
namespace {

struct Nodes {
    Skeleton& skeleton;
    std::map<std::string, std::uint32_t> by_name;
    std::vector<Affine3d> world;
};

/// Translation, rotation and scale if the matrix can be decomposed, otherwise the matrix itself.
void setLocal(const Affine3d& matrix, SkeletonNode& node) {
    node.local = rig::trsOf(matrix);
    if (!nearlyEqual(pelt::toAffine(node.local), matrix)) node.matrix = matrix;
}

void addNodes(const aiNode& node, std::int32_t parent, Nodes& nodes) {
    SkeletonNode added;
    added.name = node.mName.C_Str();
    added.parent = parent;
    const Affine3d local = toAffine(node.mTransformation);
    if (!isFiniteMap(local))
        throw Error::badInput(
            fmt::format("node '{}' has a transform that is not finite; export the file again", added.name));
    setLocal(local, added);
    const auto index = static_cast<std::int32_t>(nodes.skeleton.nodes.size());
    nodes.by_name.emplace(added.name, static_cast<std::uint32_t>(index));
    nodes.world.push_back(parent < 0 ? local : nodes.world[static_cast<std::size_t>(parent)] * local);
    nodes.skeleton.nodes.push_back(std::move(added));
    for (unsigned c = 0; c < node.mNumChildren; ++c) addNodes(*node.mChildren[c], index, nodes);
}

struct BoundBone {
    std::string name;
    std::uint32_t node;
    Affine3d offset;  ///< the mesh's space to the joint's, in the bind pose
};

std::vector<BoundBone> bonesOf(const MeshNode& mesh_node, const Nodes& nodes, Warnings& warnings) {
    std::vector<BoundBone> bones;
    for (const aiMesh* mesh : mesh_node.meshes)
        for (unsigned b = 0; b < mesh->mNumBones; ++b) {
            const aiBone& bone = *mesh->mBones[b];
            const std::string name = bone.mName.C_Str();
            if (std::any_of(bones.begin(), bones.end(), [&](const BoundBone& other) { return other.name == name; }))
                continue;
            const auto node = nodes.by_name.find(name);
            if (node != nodes.by_name.end())
                bones.push_back({name, node->second, toAffine(bone.mOffsetMatrix)});
            else
                warnings.push_back(
                    fmt::format("mesh '{}': its joint '{}' is not a node of the scene; its weights were left out",
                                mesh_node.node->mName.C_Str(), name));
        }
    return bones;
}

/// Whether every joint is in its bind pose: a file may be saved in another pose.
bool standsAsBound(const std::vector<BoundBone>& bones, const Nodes& nodes) {
    const Affine3d first = nodes.world[bones.front().node] * bones.front().offset;
    return std::all_of(bones.begin(), bones.end(),
                       [&](const BoundBone& bone) { return nearlyEqual(nodes.world[bone.node] * bone.offset, first); });
}

/// In files written by Blender, a skin's bind shape matrix is relative to the parent of the mesh's node, although the
/// joints' matrices are absolute; the node's own transform must be added. This matters only if the armature object is
/// moved, rotated or scaled, and works if the joints are in their bind pose.
void mendBlenderBind(const MeshNode& mesh_node, const Nodes& nodes, std::vector<BoundBone>& bones) {
    const Affine3d place = mesh_node.world * inverse(nodes.world.front());
    for (BoundBone& bone : bones) {
        const Affine3d& joint = nodes.world[bone.node];
        const Affine3d mended = inverse(joint) * place * joint * bone.offset;
        if (isFiniteMap(mended)) bone.offset = mended;
    }
}

SourceInstance makeInstance(const aiScene& scene, const MeshNode& mesh_node, bool by_blender, Nodes& nodes,
                            Warnings& warnings) {
    SourceInstance instance;
    instance.name = mesh_node.node->mName.C_Str();
    instance.to_root = mesh_node.world;
    for (const aiMesh* mesh : mesh_node.meshes) instance.pieces.push_back({mesh, materialName(scene, *mesh), {}});
    std::vector<BoundBone> bones = bonesOf(mesh_node, nodes, warnings);
    if (!bones.empty()) {
        // The transform of the mesh in the bind pose: from the joints if they are in their bind pose, otherwise from
        // its node.
        if (standsAsBound(bones, nodes)) {
            if (by_blender) mendBlenderBind(mesh_node, nodes, bones);
            instance.to_root = nodes.world[bones.front().node] * bones.front().offset;
        }
        const Affine3d from_root = inverse(instance.to_root);
        for (const BoundBone& bone : bones) {
            instance.bones.push_back(bone.name);
            instance.slots.push_back(jointSlot(nodes.skeleton, bone.node, bone.offset * from_root));
        }
    }
    const aiMesh& first = *mesh_node.meshes.front();
    for (unsigned m = 0; m < first.mNumAnimMeshes; ++m) {
        instance.morph_names.emplace_back(first.mAnimMeshes[m]->mName.C_Str());
        // The library turns weights of 0 into 1, so 1 most likely means 0.
        const float weight = first.mAnimMeshes[m]->mWeight;
        instance.morph_weights.push_back(weight > 0 && weight < 1 ? weight : 0);
    }
    return instance;
}

double firstKey(const aiAnimation& animation) {
    double first = 1e300;
    for (unsigned c = 0; c < animation.mNumChannels; ++c)
        if (animation.mChannels[c]->mNumPositionKeys > 0)
            first = std::min(first, animation.mChannels[c]->mPositionKeys[0].mTime);
    return first;
}

template <class Key, class Read>
void addChannel(ChannelPath path, std::uint32_t node, const Key* keys, unsigned count, double start, double rate,
                Clip& clip, Read read) {
    Channel channel = rig::emptyChannel(path, node);
    for (unsigned k = 0; k < count; ++k) {
        const auto time = static_cast<float>((keys[k].mTime - start) / rate);
        if (!std::isfinite(time) || (!channel.times.empty() && !(time > channel.times.back()))) continue;
        const auto value = read(keys[k].mValue);
        if (value) rig::addKey(channel, time, *value);
    }
    if (!channel.times.empty()) clip.channels.push_back(std::move(channel));
}

void addNodeChannels(const aiNodeAnim& source, std::uint32_t node, double start, double rate, Clip& clip) {
    const auto vec = [](const aiVector3D& v) { return isFinite(toVec(v)) ? std::optional(toVec(v)) : std::nullopt; };
    const auto turn = [](const aiQuaternion& q) { return std::optional(normalized(Quatd{q.x, q.y, q.z, q.w})); };
    addChannel(ChannelPath::translation, node, source.mPositionKeys, source.mNumPositionKeys, start, rate, clip, vec);
    addChannel(ChannelPath::rotation, node, source.mRotationKeys, source.mNumRotationKeys, start, rate, clip, turn);
    addChannel(ChannelPath::scale, node, source.mScalingKeys, source.mNumScalingKeys, start, rate, clip, vec);
}

void addClip(const aiAnimation& animation, double start, Nodes& nodes, Clip& clip) {
    const double rate = animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : 1;
    for (unsigned c = 0; c < animation.mNumChannels; ++c) {
        const auto node = nodes.by_name.find(animation.mChannels[c]->mNodeName.C_Str());
        if (node == nodes.by_name.end()) continue;
        nodes.skeleton.nodes[node->second].matrix.reset();  // keys move its translation, rotation and scale
        addNodeChannels(*animation.mChannels[c], node->second, start, rate, clip);
    }
    for (const Channel& channel : clip.channels) clip.last_key = std::max(clip.last_key, double(channel.times.back()));
}

/// All animations of a Collada file play together unless the file groups them into clips.
std::vector<Clip> readClips(const aiScene& scene, bool grouped, Nodes& nodes) {
    std::vector<Clip> clips;
    double start = 1e300;
    for (unsigned a = 0; a < scene.mNumAnimations; ++a) start = std::min(start, firstKey(*scene.mAnimations[a]));
    for (unsigned a = 0; a < scene.mNumAnimations; ++a) {
        const aiAnimation& animation = *scene.mAnimations[a];
        if (clips.empty() || grouped) {
            clips.emplace_back();
            clips.back().name = animation.mName.length > 0 ? animation.mName.C_Str() : "animation";
        }
        addClip(animation, grouped ? firstKey(animation) : start, nodes, clips.back());
    }
    return clips;
}

/// The value of an attribute inside a tag; empty if it has none.
std::string attribute(std::string_view tag, std::string_view name) {
    const std::size_t at = tag.find(fmt::format(" {}=\"", name));
    if (at == std::string_view::npos) return {};
    const std::size_t start = at + name.size() + 3;
    const std::size_t end = tag.find('"', start);
    return end == std::string_view::npos ? std::string() : std::string(tag.substr(start, end - start));
}

/// The import library names nodes by their ids; users know them by their names.
std::map<std::string, std::string> nodeNames(std::string_view text) {
    std::map<std::string, std::string> names;
    for (std::size_t at = text.find("<node "); at != std::string_view::npos; at = text.find("<node ", at + 1)) {
        const std::string_view tag = text.substr(at, std::min(text.find('>', at), text.size()) - at);
        const std::string id = attribute(tag, "id"), name = attribute(tag, "name");
        if (!id.empty() && !name.empty() && name.find('&') == std::string::npos) names.emplace(id, name);
    }
    return names;
}

/// Without a mesh, the joints of the file are still a skeleton.
void useJointNodes(std::string_view text, Nodes& nodes) {
    for (std::size_t at = text.find("<node "); at != std::string_view::npos; at = text.find("<node ", at + 1)) {
        const std::string_view tag = text.substr(at, std::min(text.find('>', at), text.size()) - at);
        const auto node = nodes.by_name.find(attribute(tag, "id"));
        if (attribute(tag, "type") != "JOINT" || node == nodes.by_name.end()) continue;
        const Affine3d inverse_bind = inverse(nodes.world[node->second]);
        if (isFiniteMap(inverse_bind)) nodes.skeleton.joints.push_back({node->second, inverse_bind});
    }
}

}  // namespace

Character convertCollada(std::string_view text, const aiScene& scene, Warnings& warnings, const Progress& progress) {
    progress.report("import", kLibraryDone);
    Character character;
    Nodes nodes{character.skeleton, {}, {}};
    addNodes(*scene.mRootNode, -1, nodes);
    std::vector<SourceInstance> instances;
    const bool by_blender = text.find("<authoring_tool>Blender") != std::string_view::npos;
    const std::map<std::string, std::string> names = nodeNames(text);
    const auto rename = [&names](std::string& name) {
        if (const auto it = names.find(name); it != names.end()) name = it->second;
    };
    for (const MeshNode& mesh_node : meshNodes(scene)) {
        instances.push_back(makeInstance(scene, mesh_node, by_blender, nodes, warnings));
        rename(instances.back().name);
    }
    keepSkinned(instances, warnings);
    if (instances.empty()) useJointNodes(text, nodes);
    for (const SourceInstance& instance : instances) appendInstance(instance, character, warnings);
    progress.report("import", kMeshesDone);
    character.clips = readClips(scene, text.find("<library_animation_clips") != std::string_view::npos, nodes);
    for (SkeletonNode& node : character.skeleton.nodes) rename(node.name);
    return character;
}

}  // namespace pelt::importer
