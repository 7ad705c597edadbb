// Reads and writes the extension PELT_driven_joints.
#include "driven_joints.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace pelt::io::gltf {
namespace {

using rig::kDriverKinds;
constexpr double kUnitLength = 1e-6;  ///< rotations with a smaller error are not normalized

template <std::size_t N>
std::array<double, N> readTuple(const JsonRef& json) {
    if (json.size() != N) json.fail(fmt::format("must have {} numbers; make the file again", N));
    std::array<double, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i] = json.element(i).asFinite();
    return out;
}

Quatd readRotation(const JsonRef& json) {
    const auto q = readTuple<4>(json);
    const Quatd rotation{q[0], q[1], q[2], q[3]};
    const double squared = dot(rotation, rotation);
    if (!(std::abs(squared - 1) < 1e-3)) json.fail("must be a quaternion of unit length; make the file again");
    return std::abs(squared - 1) < kUnitLength ? rotation : normalized(rotation);
}

Vec3d readVector(const JsonRef& json) {
    const auto v = readTuple<3>(json);
    return {v[0], v[1], v[2]};
}

class DrivenReader {
public:
    explicit DrivenReader(Loading& loading)
        : loading_(loading), skeleton_node_(loading.document().count("nodes"), kOutside) {
        const std::vector<std::size_t>& node_of = loading.source->node_of;
        for (std::size_t n = 0; n < node_of.size(); ++n) skeleton_node_[node_of[n]] = static_cast<std::uint32_t>(n);
    }

    void read(const JsonRef& extension) {
        const std::uint64_t version = extension.unsignedOr("version", kDrivenJointsVersion);
        if (version != kDrivenJointsVersion)
            return warn(
                fmt::format("they have version {}, and this Pelt reads version {}", version, kDrivenJointsVersion));
        const JsonRef listed = extension.at("joints");
        std::vector<JsonRef> places;
        for (std::size_t i = 0; i < listed.size(); ++i) {
            outside_ = false;
            rig::DrivenJoint joint = readJoint(listed.element(i));
            if (outside_) {
                warn(fmt::format("{} uses nodes that are neither joints nor ancestors of one",
                                 listed.element(i).place()));
                continue;
            }
            driven_.push_back(std::move(joint));
            places.push_back(listed.element(i));
        }
        if (const auto fault = findDrivenFault(loading_.character.skeleton, driven_))
            places[fault->joint].fail(fault->what + "; make the file again");
        loading_.character.driven = std::move(driven_);
    }

private:
    static constexpr std::uint32_t kOutside = 0xFFFFFFFF;

    void warn(const std::string& why) {
        loading_.warnings.push_back(fmt::format(
            "driven joints were ignored: {}; their keys are played instead (saving removes the drivers)", why));
    }

    std::uint32_t readNodeIndex(const JsonRef& json) {
        const std::uint32_t node = skeleton_node_[json.asIndex("nodes", skeleton_node_.size())];
        outside_ |= node == kOutside;
        return node;
    }

    rig::DrivenJoint readJoint(const JsonRef& json) {
        rig::DrivenJoint joint;
        joint.node = readNodeIndex(json.at("node"));
        joint.driver = readNodeIndex(json.at("driver"));
        const JsonRef kind = json.at("kind");
        std::size_t known = 0;
        while (known < kDriverKinds.size() && kind.asString() != kDriverKinds[known]) ++known;
        if (known == kDriverKinds.size())
            kind.fail(fmt::format("unknown kind '{}'; use a newer version of Pelt or remove it", kind.asString()));
        switch (static_cast<rig::DriverKind>(known)) {
            case rig::DriverKind::rotation:
                joint.motion = readDrivenRotation(json);
                break;
            case rig::DriverKind::scale:
                joint.motion = readScale(json);
                break;
            case rig::DriverKind::learned:
                joint.motion = readLearned(json);
                break;
            case rig::DriverKind::ddm:
                joint.motion = readVirtual(json);
                break;
        }
        return joint;
    }

    static rig::DrivenRotation readDrivenRotation(const JsonRef& json) {
        return {json.at("fraction").asFinite(), readRotation(json.at("bindRotation"))};
    }

    rig::DrivenScale readScale(const JsonRef& json) {
        rig::DrivenScale scale;
        scale.k = json.at("k").asFinite();
        scale.axis = static_cast<int>(std::min<std::uint64_t>(json.at("axis").asUnsigned(), 3));
        scale.reciprocal = json.boolOr("reciprocal", false);
        if (const auto bind = json.find("bindScale")) scale.bind_scale = bind->asFinite();
        scale.parent = readNodeIndex(json.at("parent"));
        const JsonRef children = json.at("children");
        for (std::size_t c = 0; c < children.size(); ++c) scale.children.push_back(readNodeIndex(children.element(c)));
        return scale;
    }

    rig::DrivenLearned readLearned(const JsonRef& json) {
        rig::DrivenLearned learned;
        const JsonRef inputs = json.at("inputs"), coefficients = json.at("coefficients"), placed = json.at("placed");
        for (std::size_t i = 0; i < inputs.size(); ++i)
            learned.inputs.push_back(
                {readNodeIndex(inputs.element(i).at("node")), readRotation(inputs.element(i).at("bindRotation"))});
        for (std::size_t i = 0; i < coefficients.size(); ++i)
            learned.coefficients.push_back(coefficients.element(i).asFinite());
        if (const auto t = placed.find("translation")) learned.placed.translation = readVector(*t);
        if (const auto r = placed.find("rotation")) learned.placed.rotation = readRotation(*r);
        if (const auto s = placed.find("scale")) learned.placed.scale = readVector(*s);
        return learned;
    }

    rig::DrivenVirtual readVirtual(const JsonRef& json) {
        rig::DrivenVirtual joint;
        if (const auto scale = json.find("scale")) joint.frame_scale = scale->asFinite();
        const JsonRef inputs = json.at("inputs");
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            rig::VirtualInput input;
            input.node = readNodeIndex(inputs.element(i).at("node"));
            const auto place = readTuple<12>(inputs.element(i).at("place"));
            for (std::size_t c = 0; c < 4; ++c)
                for (std::size_t r = 0; r < 3; ++r) input.place.m[4 * c + r] = place[3 * c + r];
            input.block = readTuple<16>(inputs.element(i).at("block"));
            joint.inputs.push_back(input);
        }
        return joint;
    }

    Loading& loading_;
    std::vector<std::uint32_t> skeleton_node_;  ///< document node -> skeleton node
    std::vector<rig::DrivenJoint> driven_;
    bool outside_ = false;  ///< the current joint uses a node that is not in the skeleton
};

Json tupleOf(const Vec3d& v) { return {v.x, v.y, v.z}; }
Json tupleOf(const Quatd& q) { return {q.x, q.y, q.z, q.w}; }

/// The shortest number that is this one in single precision, which is enough: half of the text.
double shortNumber(double x) {
    const std::string text = fmt::format("{}", float(x));
    std::from_chars(text.data(), text.data() + text.size(), x);
    return x;
}

Json virtualJson(const rig::VirtualInput& input, std::size_t node) {
    Json json = {{"node", node}};
    for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t r = 0; r < 3; ++r) json["place"].push_back(shortNumber(input.place.m[4 * c + r]));
    for (const double x : input.block) json["block"].push_back(shortNumber(x));
    return json;
}

/// Adds what a joint of one kind has to its object.
struct MotionWriter {
    Json& json;
    std::span<const std::size_t> node_of;

    void operator()(const rig::DrivenRotation& rotation) const {
        json["fraction"] = rotation.fraction;
        json["bindRotation"] = tupleOf(rotation.bind_rotation);
    }
    void operator()(const rig::DrivenScale& scale) const {
        json["k"] = scale.k;
        json["axis"] = scale.axis;
        json["reciprocal"] = scale.reciprocal;
        if (scale.bind_scale != 1) json["bindScale"] = scale.bind_scale;
        json["parent"] = node_of[scale.parent];
        for (const std::uint32_t child : scale.children) json["children"].push_back(node_of[child]);
    }
    void operator()(const rig::DrivenLearned& learned) const {
        json["placed"] = {{"translation", tupleOf(learned.placed.translation)},
                          {"rotation", tupleOf(learned.placed.rotation)},
                          {"scale", tupleOf(learned.placed.scale)}};
        for (const rig::LearnedInput& input : learned.inputs)
            json["inputs"].push_back({{"node", node_of[input.node]}, {"bindRotation", tupleOf(input.bind_rotation)}});
        json["coefficients"] = learned.coefficients;
    }
    void operator()(const rig::DrivenVirtual& joint) const {
        if (joint.frame_scale != 1) json["scale"] = joint.frame_scale;
        for (const rig::VirtualInput& input : joint.inputs)
            json["inputs"].push_back(virtualJson(input, node_of[input.node]));
    }
};

Json drivenJson(const rig::DrivenJoint& joint, std::span<const std::size_t> node_of) {
    Json json = {{"node", node_of[joint.node]}, {"driver", node_of[joint.driver]}, {"kind", joint.kindName()}};
    std::visit(MotionWriter{json, node_of}, joint.motion);
    return json;
}

}  // namespace

void loadDrivenJoints(Loading& loading) {
    if (const auto extension = findExtension(loading.document().root(), kDrivenJoints))
        DrivenReader(loading).read(*extension);
}

void writeDrivenJoints(Document& document, std::span<const rig::DrivenJoint> driven,
                       std::span<const std::size_t> node_of) {
    eraseExtension(document.json, kDrivenJoints);
    if (driven.empty()) return dropExtension(document, kDrivenJoints);
    Json joints = Json::array();
    for (const rig::DrivenJoint& joint : driven) joints.push_back(drivenJson(joint, node_of));
    document.json["extensions"][kDrivenJoints] = {{"version", kDrivenJointsVersion}, {"joints", std::move(joints)}};
    Json& used = collection(document, "extensionsUsed");
    if (std::find(used.begin(), used.end(), Json(kDrivenJoints)) == used.end()) used.push_back(kDrivenJoints);
}

}  // namespace pelt::io::gltf
