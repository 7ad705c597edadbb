// FBX: meshes as the import library reads them; the node tree, bind matrices, weights by control point, animation
// curves and morph weights from the file itself, because the library drops tangents, inherit types, parts of the pivots
// and the numbers of the control points, and mixes up joints of one name.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "fbx_rig.h"
#include "fbx_skin.h"
#include "import_library.h"
#include "scene_reader.h"

namespace pelt::importer {
namespace {

/// A mesh node of the library and the model it was made from.
struct Placed {
    MeshNode node;
    std::size_t model = 0;
    const FbxObject* geometry = nullptr;
};

/// Both traversals visit nodes in the same order, so the k-th mesh node of a name is the k-th model of that name with
/// geometry.
std::vector<Placed> matchModels(const FbxDocument& document, const FbxRig& rig, std::vector<MeshNode> nodes) {
    std::map<std::string, std::vector<std::size_t>> models;
    for (std::size_t m = rig.models().size(); m-- > 0;) {
        const FbxObject& object = *rig.models()[m].object;
        if (!document.sources(object.id, "Geometry", "Mesh").empty()) models[object.name].push_back(m);
    }
    std::vector<Placed> placed;
    for (MeshNode& node : nodes) {
        std::vector<std::size_t>& candidates = models[node.node->mName.C_Str()];
        if (candidates.empty())
            throw Error::badInput(
                fmt::format("mesh '{}' belongs to no model of the file; export it again", node.node->mName.C_Str()));
        const std::size_t model = candidates.back();
        candidates.pop_back();
        const FbxObject* geometry = document.sources(rig.models()[model].object->id, "Geometry", "Mesh").front();
        placed.push_back({std::move(node), model, geometry});
    }
    return placed;
}

void bindToJoints(const FbxRig& rig, const std::vector<FbxCluster>& clusters, const Placed& placed,
                  SourceInstance& instance, Skeleton& skeleton) {
    const FbxNode& model = rig.models()[placed.model];
    // The transform of the mesh in the bind pose, from its first joint.
    const Affine3d bind = clusters.front().link * clusters.front().transform;
    instance.to_root = rig.conversion() * bind * model.geometric;
    const Affine3d from_root = inverse(rig.conversion() * bind);
    for (const FbxCluster& cluster : clusters) {
        const std::int32_t joint = rig.modelOf(cluster.model->id);
        if (joint < 0) continue;
        const bool agrees = nearlyEqual(cluster.link * cluster.transform, bind);
        const Affine3d inverse_bind = agrees ? inverse(rig.conversion() * cluster.link) : cluster.transform * from_root;
        instance.bones.push_back(cluster.model->name);
        instance.slots.push_back(jointSlot(skeleton, rig.nodeOf(static_cast<std::size_t>(joint)), inverse_bind));
        instance.bone_points.push_back(cluster.points);
    }
}

SourceInstance makeInstance(const FbxDocument& document, const FbxRig& rig, const aiScene& scene, const Placed& placed,
                            Skeleton& skeleton) {
    SourceInstance instance;
    instance.name = rig.models()[placed.model].object->name;
    const std::vector<std::vector<std::uint32_t>> points = controlPoints(*placed.geometry, placed.node.meshes);
    bool has_bones = false;
    for (std::size_t p = 0; p < placed.node.meshes.size(); ++p) {
        const aiMesh* mesh = placed.node.meshes[p];
        instance.pieces.push_back({mesh, materialName(scene, *mesh), points[p]});
        has_bones = has_bones || mesh->mNumBones > 0;
    }
    const std::vector<FbxCluster> clusters = readClusters(document, *placed.geometry, rig);
    if (has_bones && !clusters.empty()) bindToJoints(rig, clusters, placed, instance, skeleton);
    return instance;
}

/// Without any skin, the bones of the file are still a skeleton to bind to.
void useBonesAsJoints(const FbxRig& rig, std::span<const Affine3d> world, Skeleton& skeleton) {
    for (std::size_t m = 0; m < rig.models().size(); ++m) {
        const std::string_view type = rig.models()[m].object->subtype;
        if (type != "LimbNode" && type != "Limb" && type != "Root") continue;
        const Affine3d inverse_bind = inverse(world[rig.nodeOf(m)]);
        if (isFiniteMap(inverse_bind)) skeleton.joints.push_back({rig.nodeOf(m), inverse_bind});
    }
}

void setMorphs(const FbxDocument& document, const Placed& placed, SourceInstance& instance,
               std::vector<FbxShape>& shapes, Warnings& warnings) {
    shapes = readShapes(document, *placed.geometry);
    const std::size_t in_library = instance.pieces.front().mesh->mNumAnimMeshes;
    if (shapes.size() != in_library) {
        warnings.push_back(fmt::format("mesh '{}': only {} of its {} blend shapes could be read; all were left out",
                                       instance.name, in_library, shapes.size()));
        shapes.clear();
    }
    for (const FbxShape& shape : shapes) {
        instance.morph_names.push_back(shape.name);
        instance.morph_weights.push_back(static_cast<float>(shape.weightAt(shape.percent)));
    }
}

/// One channel for all morph weights of an instance, if any is animated.
void addMorphChannel(const FbxRig::Take& take, const std::vector<FbxShape>& shapes, std::uint32_t instance,
                     Clip& clip) {
    std::vector<const FbxCurve*> curves, driving;
    for (const FbxShape& shape : shapes) {
        const auto it = take.take->morphs.find(shape.channel->id);
        curves.push_back(it == take.take->morphs.end() ? nullptr : &it->second);
        if (curves.back()) driving.push_back(curves.back());
    }
    if (driving.empty()) return;
    const Motion motion = [&](double t, Side side) {
        std::vector<double> weights;
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            const double percent = !curves[s]             ? shapes[s].percent
                                   : side == Side::before ? curves[s]->evaluateBefore(t)
                                                          : curves[s]->evaluate(t);
            weights.push_back(shapes[s].weightAt(percent));
        }
        return weights;
    };
    clip.channels.push_back(
        sampleMotion(ChannelPath::morph_weights, instance, keyTimes(driving, take.span), motion, take.span));
}

/// The meshes of the file, at rest, with their skins and shapes.
struct FbxMeshes {
    std::vector<SourceInstance> instances;
    std::vector<std::vector<FbxShape>> shapes;  ///< per instance
};

FbxMeshes readMeshes(const FbxDocument& document, const FbxRig& rig, const aiScene& scene,
                     std::span<const Affine3d> world, Skeleton& skeleton, Warnings& warnings) {
    FbxMeshes out;
    for (const Placed& placed : matchModels(document, rig, meshNodes(scene))) {
        SourceInstance instance = makeInstance(document, rig, scene, placed, skeleton);
        if (!instance.isSkinned())
            instance.to_root = world[rig.nodeOf(placed.model)] * rig.models()[placed.model].geometric;
        setMorphs(document, placed, instance, out.shapes.emplace_back(), warnings);
        out.instances.push_back(std::move(instance));
    }
    if (!skeleton.joints.empty())  // the shapes of instances that are left out are removed too
        for (std::size_t i = out.instances.size(); i-- > 0;)
            if (!out.instances[i].isSkinned()) out.shapes.erase(out.shapes.begin() + static_cast<std::ptrdiff_t>(i));
    keepSkinned(out.instances, warnings);
    return out;
}

}  // namespace

bool hasMeshes(const FbxTree& tree) {
    constexpr std::int64_t kOldest = 7000;  // of earlier versions the library says what to do
    const FbxElement* header = tree.root.find("FBXHeaderExtension");
    const FbxElement* version = header ? header->find("FBXVersion") : nullptr;
    if (version && version->integer(0) < kOldest) return true;
    const FbxDocument document(tree);  // which has the objects that the list points to
    const std::vector<const FbxObject*> shapes = document.objects("Geometry");
    return std::any_of(shapes.begin(), shapes.end(), [](const FbxObject* shape) { return shape->subtype == "Mesh"; });
}

const char* adviceWithoutMeshes(const FbxTree& tree) {
    const FbxDocument document(tree);
    for (const FbxObject* shape : document.objects("Geometry"))
        if (shape->subtype.starts_with("Nurbs"))
            return "it has NURBS curves or surfaces, but no mesh; convert them to polygons and export it again";
    return kNothing;
}

std::vector<std::byte> withoutAnimation(std::span<const std::byte> bytes, const FbxTree& tree) {
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    const FbxElement* objects = tree.root.find("Objects");
    if (!objects) return copy;
    for (const FbxElement& object : objects->children) {
        if (object.name != "AnimationStack") continue;
        const auto at = object.name.data() - reinterpret_cast<const char*>(bytes.data());
        copy[static_cast<std::size_t>(at)] = std::byte('x');
    }
    return copy;
}

Character convertFbx(const FbxTree& tree, const aiScene* scene, Warnings& warnings, const Progress& progress) {
    progress.report("import", kLibraryDone);
    const FbxDocument document(tree);
    const FbxRig rig(document);
    Character character;
    character.skeleton.nodes = rig.skeleton().nodes;
    std::vector<Affine3d> local, world(rig.skeleton().nodes.size());
    for (const SkeletonNode& node : rig.skeleton().nodes) local.push_back(rig::restLocal(node));
    rig::worldTransforms(rig.skeleton(), local, world);

    FbxMeshes meshes;
    if (scene) meshes = readMeshes(document, rig, *scene, world, character.skeleton, warnings);
    if (character.skeleton.joints.empty()) useBonesAsJoints(rig, world, character.skeleton);
    for (const SourceInstance& instance : meshes.instances) appendInstance(instance, character, warnings);
    progress.report("import", kMeshesDone);
    const double share = (kClipsDone - kMeshesDone) / static_cast<double>(std::max<std::size_t>(rig.takes().size(), 1));
    for (const FbxRig::Take& take : rig.takes()) {
        const double done = kMeshesDone + share * static_cast<double>(character.clips.size());
        Clip clip = rig.makeClip(take, [&](double part) { progress.report("import", done + share * part); });
        for (std::uint32_t i = 0; i < meshes.shapes.size(); ++i) addMorphChannel(take, meshes.shapes[i], i, clip);
        character.clips.push_back(std::move(clip));
    }
    return character;
}

}  // namespace pelt::importer
