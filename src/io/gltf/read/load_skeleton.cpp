// Loads the nodes and joints that the character's meshes need.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>

#include "io/gltf/write/levels.h"
#include "load.h"

namespace pelt::io::gltf {
namespace {

/// Whether a matrix is invertible: its columns are not in a plane.
bool isInvertible(const Affine3d& matrix) {
    const Mat3d a = matrix.linear();
    const double volume = length(a.col[0]) * length(a.col[1]) * length(a.col[2]);
    return std::abs(determinant(a)) > 1e-9 * volume && std::isfinite(volume) && isFinite(matrix.translation());
}

/// The matrix given by 16 numbers in columns, if it is affine: its last row is 0 0 0 w.
std::optional<Affine3d> bindMatrix(const float* m) {
    Affine3d out;
    const bool affine = std::abs(m[3]) + std::abs(m[7]) + std::abs(m[11]) <= 1e-3F && m[15] > 0;
    if (!affine) return std::nullopt;
    const bool plain = std::abs(m[15] - 1) <= 1e-3F;
    for (std::size_t i = 0; i < 16; ++i) out.m[i] = plain ? m[i] : m[i] / double(m[15]);
    out = Affine3d(out.linear(), out.translation());
    return isInvertible(out) ? std::optional(out) : std::nullopt;
}

/// Per joint of a skin. Missing or singular matrices are computed from the rest pose of the joint's node.
std::vector<Affine3d> readInverseBinds(Loading& loading, std::size_t skin_index, std::size_t& mended) {
    const Document& document = loading.document();
    const JsonRef skin = document.item("skins", skin_index), joints = skin.at("joints");
    std::vector<Affine3d> out(joints.size());
    const auto accessor = skin.indexOf("inverseBindMatrices", "accessors", document.count("accessors"));
    if (!accessor) return out;  // glTF 2.0, 5.28: identity
    const std::vector<float> values = loading.reader->floats(*accessor, "MAT4");
    for (std::size_t j = 0; j < out.size(); ++j) {
        const auto given = 16 * j + 16 <= values.size() ? bindMatrix(values.data() + j * 16) : std::nullopt;
        if (given) {
            out[j] = *given;
            continue;
        }
        ++mended;
        loading.source->mended_skins[skin_index] = true;
        const std::size_t node = joints.element(j).asIndex("nodes", document.count("nodes"));
        const Affine3d world = restWorld(document, loading.tree, node);
        out[j] = isInvertible(world) ? inverse(world) : Affine3d{};
    }
    return out;
}

/// A node with equal matrices has one slot, however many skins list it.
class Slots {
public:
    std::uint32_t add(std::vector<std::size_t>& joint_nodes, std::vector<Joint>& joints, std::size_t node,
                      const Affine3d& inverse_bind) {
        for (auto [it, last] = known_.equal_range(node); it != last; ++it)
            if (std::memcmp(joints[it->second].inverse_bind.m, inverse_bind.m, sizeof inverse_bind.m) == 0)
                return it->second;
        const auto slot = static_cast<std::uint32_t>(joints.size());
        joints.push_back({0, inverse_bind});
        joint_nodes.push_back(node);
        known_.emplace(node, slot);
        return slot;
    }

private:
    std::multimap<std::size_t, std::uint32_t> known_;
};

/// VRM 0 names the joints of the thumb differently.
std::string humanBone(const std::string& name, bool version_0) {
    for (const std::string side : {"left", "right"}) {
        if (version_0 && name == side + "ThumbProximal") return side + "ThumbMetacarpal";
        if (version_0 && name == side + "ThumbIntermediate") return side + "ThumbProximal";
    }
    return name;
}

/// By node of the document, the bone of a human that it is: of avatars (VRM 0 and 1) and of their animations. What is
/// malformed is ignored: the extensions are not needed for the mesh.
std::map<std::size_t, std::string> humanBones(const Document& document) {
    std::map<std::size_t, std::string> bones;
    const auto extensions = document.json.find("extensions");
    if (extensions == document.json.end() || !extensions->is_object()) return bones;
    for (const char* name : {"VRMC_vrm", "VRMC_vrm_animation", "VRM"}) {
        const Json humanoid = extensions->value(name, Json::object()).is_object()
                                  ? extensions->value(name, Json::object()).value("humanoid", Json::object())
                                  : Json::object();
        if (!humanoid.is_object() || !humanoid.contains("humanBones")) continue;
        const bool version_0 = name == std::string_view("VRM");
        for (const auto& [key, entry] : humanoid["humanBones"].items()) {
            if (!entry.is_object() || !entry.contains("node") || !entry["node"].is_number_unsigned()) continue;
            if (version_0 && (!entry.contains("bone") || !entry["bone"].is_string())) continue;
            const std::string bone = version_0 ? entry["bone"].get<std::string>() : key;
            bones.try_emplace(entry["node"].get<std::size_t>(), humanBone(bone, version_0));
        }
    }
    return bones;
}

std::vector<std::size_t> skinsInUse(const Loading& loading) {
    std::vector<std::size_t> skins;
    for (const InstanceSource& instance : loading.source->instances)
        if (instance.skin && std::find(skins.begin(), skins.end(), *instance.skin) == skins.end())
            skins.push_back(*instance.skin);
    if (skins.empty())
        for (std::size_t s = 0; s < loading.document().count("skins"); ++s) skins.push_back(s);
    return skins;
}

}  // namespace

void findInstances(Loading& loading) {
    const Document& document = loading.document();
    std::vector<InstanceSource>&instances = loading.source->instances, &props = loading.source->props;
    std::vector<InstanceSource> plain;
    const std::vector<bool> coarser = levelNodes(document);
    for (std::size_t n = 0; n < document.count("nodes"); ++n) {
        if (coarser[n]) continue;
        const JsonRef node = document.item("nodes", n);
        const auto mesh = node.indexOf("mesh", "meshes", document.count("meshes"));
        const auto skin = node.indexOf("skin", "skins", document.count("skins"));
        if (mesh) (skin ? instances : plain).push_back({n, *mesh, skin, {}});
    }
    if (!instances.empty()) {
        const std::vector<bool> shown = shownNodes(document, loading.tree);
        std::copy_if(plain.begin(), plain.end(), std::back_inserter(props),
                     [&](const InstanceSource& instance) { return shown[instance.node]; });
        return;
    }
    for (InstanceSource& instance : plain) instance.placement = restWorld(document, loading.tree, instance.node);
    instances = std::move(plain);
    if (!instances.empty()) return;
    loading.all_nodes = true;
    if (document.count("nodes") == 0 || document.count("skins") + document.count("animations") == 0)
        document.root().fail("no node has a mesh; choose a file with a character");
}

void loadSkeleton(Loading& loading) {
    const Document& document = loading.document();
    GltfSource& source = *loading.source;
    Skeleton& skeleton = loading.character.skeleton;
    source.skin_slots.resize(document.count("skins"));
    source.mended_skins.assign(document.count("skins"), false);
    std::size_t mended = 0;
    std::vector<std::size_t> joint_nodes;
    Slots slots;
    for (const std::size_t s : skinsInUse(loading)) {
        const JsonRef skin = document.item("skins", s);
        const JsonRef joints = skin.at("joints");
        if (joints.size() == 0) joints.fail("a skin needs a joint; re-export the file");
        const std::vector<Affine3d> inverse_binds = readInverseBinds(loading, s, mended);
        for (std::size_t j = 0; j < joints.size(); ++j)
            source.skin_slots[s].push_back(slots.add(joint_nodes, skeleton.joints,
                                                     joints.element(j).asIndex("nodes", document.count("nodes")),
                                                     inverse_binds[j]));
    }
    if (mended > 0)
        loading.warnings.push_back(fmt::format(
            "{} inverse bind matrices are missing or singular; they were computed from the rest pose of the joints",
            mended));
    std::vector<bool> wanted(document.count("nodes"), false);
    if (loading.all_nodes) wanted.assign(wanted.size(), true);
    std::vector<std::size_t> leaves = joint_nodes;
    for (const InstanceSource& prop : source.props) leaves.push_back(prop.node);
    for (std::size_t node : leaves)
        for (; node != kNoNode && !wanted[node]; node = loading.tree.parent[node]) wanted[node] = true;
    const std::map<std::size_t, std::string> human = humanBones(document);
    std::vector<std::uint32_t> index(wanted.size(), 0);
    for (const std::size_t node : loading.tree.order) {
        if (!wanted[node]) continue;
        index[node] = static_cast<std::uint32_t>(skeleton.nodes.size());
        SkeletonNode made = readNode(document, node);
        const std::size_t parent = loading.tree.parent[node];
        made.parent = parent == kNoNode ? -1 : static_cast<std::int32_t>(index[parent]);
        if (const auto bone = human.find(node); bone != human.end()) made.human = bone->second;
        skeleton.nodes.push_back(std::move(made));
        source.node_of.push_back(node);
    }
    for (std::size_t j = 0; j < joint_nodes.size(); ++j) skeleton.joints[j].node = index[joint_nodes[j]];
}

}  // namespace pelt::io::gltf
