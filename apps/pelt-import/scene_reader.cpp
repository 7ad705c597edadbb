// Reads Collada from bytes into a character.
#include "scene_reader.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "import_library.h"
#include "mend_collada.h"

namespace pelt::importer {
namespace {

bool isCollada(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                                std::min<std::size_t>(bytes.size(), 65536));
    return head.find("<COLLADA") != std::string_view::npos;
}

void walk(const aiScene& scene, const aiNode& node, const Affine3d& above, std::vector<MeshNode>& found) {
    MeshNode here{&node, {}, above * toAffine(node.mTransformation)};
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
        if (node.mMeshes[m] >= scene.mNumMeshes) continue;
        const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
        const bool has_triangle = std::any_of(mesh.mFaces, mesh.mFaces + mesh.mNumFaces,
                                              [](const aiFace& face) { return face.mNumIndices == 3; });
        if (has_triangle && mesh.mVertices) here.meshes.push_back(&mesh);
    }
    const Affine3d world = here.world;
    if (!here.meshes.empty()) found.push_back(std::move(here));
    for (unsigned c = 0; c < node.mNumChildren; ++c) walk(scene, *node.mChildren[c], world, found);
}

}  // namespace

Character readBytes(std::span<const std::byte> bytes, Warnings& warnings, const Progress& progress) {
    if (!isCollada(bytes))
        throw Error::badInput("this is neither an FBX nor a Collada file; check how it was exported");
    const std::string text = mendCollada({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    progress.report("import", kFileRead);
    Character character = convertCollada(text, readScene(std::as_bytes(std::span(text)), "dae"), warnings, progress);
    progress.report("import", kClipsDone);
    if (character.mesh.positions.empty()) useMovedNodesAsJoints(character);
    if (character.mesh.positions.empty() && character.skeleton.joints.empty())
        throw Error::badInput("it has no mesh and no animation; export the skinned mesh together with its skeleton");
    completeAttributes(character.mesh);
    finishSkeleton(character);
    return character;
}

std::vector<MeshNode> meshNodes(const aiScene& scene) {
    std::vector<MeshNode> found;
    walk(scene, *scene.mRootNode, Affine3d(), found);
    return found;
}

void keepSkinned(std::vector<SourceInstance>& instances, Warnings& warnings) {
    const auto skinned = [](const SourceInstance& i) { return i.isSkinned(); };
    if (std::none_of(instances.begin(), instances.end(), skinned)) return;
    for (const SourceInstance& instance : instances)
        if (!instance.isSkinned())
            warnings.push_back(fmt::format("mesh '{}' has no skin and was left out", instance.name));
    std::erase_if(instances, [&](const SourceInstance& i) { return !skinned(i); });
}

bool nearlyEqual(const Affine3d& a, const Affine3d& b) {
    double size = 0, difference = 0;
    for (int i = 0; i < 16; ++i) {
        size = std::max({size, std::abs(a.m[i]), std::abs(b.m[i])});
        difference = std::max(difference, std::abs(a.m[i] - b.m[i]));
    }
    return difference <= 1e-5 * size;
}

bool isFiniteMap(const Affine3d& a) {
    return std::all_of(std::begin(a.m), std::end(a.m), [](double x) { return std::isfinite(x); });
}

std::uint32_t jointSlot(Skeleton& skeleton, std::uint32_t node, const Affine3d& inverse_bind) {
    if (!isFiniteMap(inverse_bind))
        throw Error::badInput(
            fmt::format("joint '{}' is bound with a scale of zero; bind the skin again", skeleton.nodes[node].name));
    for (std::uint32_t j = 0; j < skeleton.joints.size(); ++j)
        if (skeleton.joints[j].node == node && nearlyEqual(skeleton.joints[j].inverse_bind, inverse_bind)) return j;
    skeleton.joints.push_back({node, inverse_bind});
    return static_cast<std::uint32_t>(skeleton.joints.size() - 1);
}

void useMovedNodesAsJoints(Character& character) {
    Skeleton& skeleton = character.skeleton;
    std::vector<bool> moved(skeleton.nodes.size(), false);
    for (const Clip& clip : character.clips)
        for (const Channel& channel : clip.channels)
            if (channel.path != ChannelPath::morph_weights) moved[channel.target] = true;
    for (const Joint& joint : skeleton.joints) moved[joint.node] = false;
    std::vector<Affine3d> local, world(skeleton.nodes.size());
    for (const SkeletonNode& node : skeleton.nodes) local.push_back(rig::restLocal(node));
    rig::worldTransforms(skeleton, local, world);
    for (std::uint32_t n = 0; n < moved.size(); ++n)
        if (const Affine3d bind = inverse(world[n]); moved[n] && isFiniteMap(bind))
            skeleton.joints.push_back({n, bind});
}

void finishSkeleton(Character& character) {
    Skeleton& skeleton = character.skeleton;
    std::vector<bool> kept(skeleton.nodes.size(), character.mesh.positions.empty());
    for (const Joint& joint : skeleton.joints)
        for (std::int32_t n = static_cast<std::int32_t>(joint.node); n >= 0 && !kept[static_cast<std::size_t>(n)];
             n = skeleton.nodes[static_cast<std::size_t>(n)].parent)
            kept[static_cast<std::size_t>(n)] = true;
    std::vector<std::int32_t> renumbered(skeleton.nodes.size(), -1);
    std::vector<SkeletonNode> nodes;
    std::set<std::string> names;
    for (std::size_t n = 0; n < kept.size(); ++n) {
        if (!kept[n]) continue;
        SkeletonNode node = skeleton.nodes[n];
        if (node.parent >= 0) node.parent = renumbered[static_cast<std::size_t>(node.parent)];
        const std::string name = node.name.empty() ? "node" : node.name;
        node.name = name;
        for (int copy = 2; !names.insert(node.name).second; ++copy) node.name = fmt::format("{}_{}", name, copy);
        renumbered[n] = static_cast<std::int32_t>(nodes.size());
        nodes.push_back(std::move(node));
    }
    skeleton.nodes = std::move(nodes);
    for (Joint& joint : skeleton.joints) joint.node = static_cast<std::uint32_t>(renumbered[joint.node]);
    for (Clip& clip : character.clips) {
        std::erase_if(clip.channels, [&](const Channel& c) {
            return c.path != ChannelPath::morph_weights && renumbered[c.target] < 0;
        });
        for (Channel& c : clip.channels)
            if (c.path != ChannelPath::morph_weights) c.target = static_cast<std::uint32_t>(renumbered[c.target]);
    }
    std::erase_if(character.clips, [](const Clip& clip) { return clip.channels.empty(); });
}

}  // namespace pelt::importer
