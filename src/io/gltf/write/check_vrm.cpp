// The rules of VRM 0 and VRM 1 for what an avatar refers to: https://github.com/vrm-c/vrm-specification.
#include "check_vrm.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <array>
#include <map>
#include <set>

#include "io/gltf/document/node_tree.h"

namespace pelt::io::gltf {
namespace {

constexpr std::array<std::string_view, 15> kRequired = {
    "hips",         "spine",         "head",          "leftUpperArm",  "leftLowerArm",
    "leftHand",     "rightUpperArm", "rightLowerArm", "rightHand",     "leftUpperLeg",
    "leftLowerLeg", "leftFoot",      "rightUpperLeg", "rightLowerLeg", "rightFoot"};

/// Each bone hangs below the one before it, with any nodes in between.
constexpr std::array<std::array<std::string_view, 4>, 6> kChains = {
    {{"hips", "spine", "head", ""},
     {"spine", "leftUpperArm", "leftLowerArm", "leftHand"},
     {"spine", "rightUpperArm", "rightLowerArm", "rightHand"},
     {"hips", "leftUpperLeg", "leftLowerLeg", "leftFoot"},
     {"hips", "rightUpperLeg", "rightLowerLeg", "rightFoot"},
     {"hips", "head", "", ""}}};

const Json* find(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

const Json& listOf(const Json& object, const char* key) {
    static const Json none = Json::array();
    const Json* found = find(object, key);
    return found && found->is_array() ? *found : none;
}

const Json& objectOf(const Json& object, const char* key) {
    static const Json none = Json::object();
    const Json* found = find(object, key);
    return found && found->is_object() ? *found : none;
}

class VrmCheck {
public:
    VrmCheck(const Document& document, const std::string& name)
        : document_(document), name_(name), tree_(readNodeTree(document)) {}

    void run() {
        const Json& extensions = objectOf(document_.json, "extensions");
        if (const Json* vrm = find(extensions, "VRMC_vrm"))
            version1(*vrm, extensions);
        else if (const Json* old = find(extensions, "VRM"))
            version0(*old);
        else
            fail("it is no avatar: it has neither the extension VRMC_vrm (VRM 1) nor VRM (VRM 0); write .glb instead");
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error::badUsage({name_}, "cannot be written as .vrm: " + what);
    }

    /// The index in `object[key]`, below the number of items of the collection.
    std::optional<std::size_t> index(const Json& object, const char* key, const char* collection,
                                     const std::string& where) const {
        const Json* value = find(object, key);
        if (!value || (value->is_number_integer() && value->get<std::int64_t>() == -1)) return {};  // -1 in VRM 0: none
        if (!value->is_number_integer() || value->get<std::int64_t>() < 0 ||
            value->get<std::uint64_t>() >= document_.count(collection))
            fail(fmt::format("{} refers to an entry of {} that does not exist", where, collection));
        return value->get<std::size_t>();
    }

    void humanoid(const std::map<std::string, std::size_t, std::less<>>& bones) const {
        std::set<std::size_t> nodes;
        for (const auto& [bone, node] : bones)
            if (!nodes.insert(node).second) fail(fmt::format("the bone {} has the node of another bone", bone));
        for (const std::string_view bone : kRequired)
            if (!bones.contains(bone)) fail(fmt::format("it has no humanoid bone {}", bone));
        for (const auto& chain : kChains)
            for (std::size_t k = 1; k < chain.size() && !chain[k].empty(); ++k)
                if (!isBelow(bones.find(chain[k])->second, bones.find(chain[k - 1])->second))
                    fail(fmt::format("the humanoid bone {} is not below {}", chain[k], chain[k - 1]));
    }

    bool isBelow(std::size_t node, std::size_t above) const {
        while (node != kNoNode && node != above) node = tree_.parent[node];
        return node == above;
    }

    void morph(std::optional<std::size_t> mesh, const Json& bind, const std::string& where) const {
        if (!mesh) fail(where + " names no mesh");
        const Json& primitives = listOf(document_.item("meshes", *mesh).value(), "primitives");
        const std::size_t targets = primitives.empty() ? 0 : listOf(primitives[0], "targets").size();
        const Json* at = find(bind, "index");
        if (!at || !at->is_number_integer() || at->get<std::int64_t>() < 0 || at->get<std::uint64_t>() >= targets)
            fail(fmt::format("{} refers to a morph target that its mesh does not have", where));
    }

    std::optional<std::size_t> meshOf(std::optional<std::size_t> node) const {
        if (!node) return {};
        return index(document_.item("nodes", *node).value(), "mesh", "meshes", "a node");
    }

    void version1(const Json& vrm, const Json& extensions) const {
        const Json& meta = objectOf(vrm, "meta");
        for (const char* key : {"name", "authors", "licenseUrl"})
            if (!find(meta, key)) fail(fmt::format("its meta data has no {}, which VRM 1 requires", key));
        std::map<std::string, std::size_t, std::less<>> bones;
        for (const auto& [bone, entry] : objectOf(objectOf(vrm, "humanoid"), "humanBones").items())
            if (const auto node = index(entry, "node", "nodes", "the humanoid bone " + bone)) bones[bone] = *node;
        humanoid(bones);
        for (const char* kind : {"preset", "custom"})
            for (const auto& [name, expression] : objectOf(objectOf(vrm, "expressions"), kind).items())
                for (const Json& bind : listOf(expression, "morphTargetBinds")) {
                    const std::string where = fmt::format("the expression {}", name);
                    morph(meshOf(index(bind, "node", "nodes", where)), bind, where);
                }
        for (const Json& entry : listOf(objectOf(vrm, "firstPerson"), "meshAnnotations"))
            if (!meshOf(index(entry, "node", "nodes", "the first person view")))
                fail("the first person view names a node without a mesh");
        springs1(objectOf(extensions, "VRMC_springBone"));
    }

    void springs1(const Json& springs) const {
        for (const Json& collider : listOf(springs, "colliders"))
            index(collider, "node", "nodes", "a collider of the springs");
        const auto inside = [&](const Json& list, const char* key) {
            for (const Json& entry : list)
                if (!entry.is_number_unsigned() || entry.get<std::size_t>() >= listOf(springs, key).size())
                    fail(fmt::format("its springs refer to an entry of {} that does not exist", key));
        };
        for (const Json& group : listOf(springs, "colliderGroups")) inside(listOf(group, "colliders"), "colliders");
        for (const Json& spring : listOf(springs, "springs")) {
            inside(listOf(spring, "colliderGroups"), "colliderGroups");
            for (const Json& joint : listOf(spring, "joints"))
                if (!index(joint, "node", "nodes", "a spring")) fail("a joint of a spring names no node");
        }
    }

    void version0(const Json& vrm) const {
        std::map<std::string, std::size_t, std::less<>> bones;
        for (const Json& entry : listOf(objectOf(vrm, "humanoid"), "humanBones")) {
            const Json* name = find(entry, "bone");
            if (!name || !name->is_string()) fail("a humanoid bone has no name");
            const auto& bone = name->get_ref<const std::string&>();
            if (const auto node = index(entry, "node", "nodes", "the humanoid bone " + bone)) bones[bone] = *node;
        }
        humanoid(bones);
        for (const Json& group : listOf(objectOf(vrm, "blendShapeMaster"), "blendShapeGroups"))
            for (const Json& bind : listOf(group, "binds"))
                morph(index(bind, "mesh", "meshes", "an expression"), bind, "an expression");
        const Json& first_person = objectOf(vrm, "firstPerson");
        index(first_person, "firstPersonBone", "nodes", "the first person view");
        for (const Json& entry : listOf(first_person, "meshAnnotations"))
            index(entry, "mesh", "meshes", "the first person view");
        const Json& springs = objectOf(vrm, "secondaryAnimation");
        for (const Json& group : listOf(springs, "boneGroups")) {
            index(group, "center", "nodes", "a spring");
            for (const Json& bone : listOf(group, "bones"))
                if (!bone.is_number_integer() || bone.get<std::int64_t>() < -1 ||
                    bone.get<std::int64_t>() >= std::int64_t(document_.count("nodes")))
                    fail("a spring refers to a node that does not exist");
            for (const Json& colliders : listOf(group, "colliderGroups"))
                if (!colliders.is_number_unsigned() ||
                    colliders.get<std::size_t>() >= listOf(springs, "colliderGroups").size())
                    fail("a spring refers to colliders that do not exist");
        }
        for (const Json& group : listOf(springs, "colliderGroups"))
            index(group, "node", "nodes", "a collider of the springs");
    }

    const Document& document_;
    const std::string& name_;
    NodeTree tree_;
};

}  // namespace

bool isVrm(const Document& document) {
    const Json& extensions = objectOf(document.json, "extensions");
    return extensions.contains("VRMC_vrm") || extensions.contains("VRM");
}

void checkVrm(const Document& document, const std::string& name) { VrmCheck(document, name).run(); }

}  // namespace pelt::io::gltf
