// Clips as animation stacks: one layer, a curve per number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "euler_keys.h"
#include "scene.h"

namespace pelt::io::fbx {
namespace {

constexpr double kTicksPerSecond = 46186158000.0;
constexpr std::int32_t kConstantKey = 0x2, kLinearKey = 0x4;

std::int64_t ticks(double seconds) { return std::llround(seconds * kTicksPerSecond); }

class ClipWriter {
public:
    ClipWriter(Scene& scene, const Clip& clip, std::string name) : scene_(scene), clip_(clip), name_(std::move(name)) {}

    void write() {
        RecordWriter& out = scene_.out;
        const std::int64_t stack = scene_.newId("AnimationStack");
        const std::int64_t start = ticks(clip_.first_key), stop = ticks(clip_.last_key);
        out.begin("AnimationStack", stack, ObjectName{name_, "AnimStack"}, "");
        out.begin("Properties70");
        out.property("LocalStart", "KTime", "Time", "", start);
        out.property("LocalStop", "KTime", "Time", "", stop);
        out.property("ReferenceStart", "KTime", "Time", "", start);
        out.property("ReferenceStop", "KTime", "Time", "", stop);
        out.end();
        out.end();
        layer_ = scene_.newId("AnimationLayer");
        out.begin("AnimationLayer", layer_, ObjectName{name_, "AnimLayer"}, "");
        out.end();
        scene_.link(layer_, stack);
        for (const Channel& channel : clip_.channels) {
            if (channel.times.empty()) continue;
            if (channel.path == ChannelPath::morph_weights)
                addMorphs(channel);
            else if (scene_.node_ids[channel.target] != 0)
                addTransform(channel);
        }
    }

private:
    void addTransform(const Channel& channel) {
        const bool rotation = channel.path == ChannelPath::rotation;
        const bool translation = channel.path == ChannelPath::translation;
        Channel moved = channel;
        if (channel.path != ChannelPath::scale) moveToFile(moved);
        const Keys keys = rotation ? eulerKeys(moved) : plainKeys(moved);
        const char* property = rotation ? "Lcl Rotation" : translation ? "Lcl Translation" : "Lcl Scaling";
        const std::int64_t node = addNode(rotation ? "R" : translation ? "T" : "S", {"d|X", "d|Y", "d|Z"}, keys);
        scene_.link(node, scene_.node_ids[channel.target], property);
    }

    /// Each value as localInFile gives it, which is linear in translations and rotations: so it also moves tangents.
    void moveToFile(Channel& channel) const {
        for (std::size_t i = 0; i + channel.width <= channel.values.size(); i += channel.width) {
            Trs local;
            float* v = channel.values.data() + i;
            if (channel.path == ChannelPath::rotation) {
                local.rotation = {v[0], v[1], v[2], v[3]};
                const Quatd q = localInFile(scene_, channel.target, local).rotation;
                v[0] = float(q.x), v[1] = float(q.y), v[2] = float(q.z), v[3] = float(q.w);
            } else {
                local.translation = {v[0], v[1], v[2]};
                const Vec3d t = localInFile(scene_, channel.target, local).translation;
                v[0] = float(t.x), v[1] = float(t.y), v[2] = float(t.z);
            }
        }
    }

    void addMorphs(const Channel& channel) {
        const auto shapes = scene_.shape_ids.find(channel.target);
        if (shapes == scene_.shape_ids.end()) return;
        Keys keys = plainKeys(channel);
        for (std::size_t s = 0; s < shapes->second.size() && s < keys.values.size(); ++s) {
            Keys one{keys.times, {std::move(keys.values[s])}, keys.constant};
            for (double& weight : one.values[0]) weight *= 100;
            const bool still = std::all_of(one.values[0].begin(), one.values[0].end(),
                                           [&](double w) { return w == one.values[0].front(); });
            if (still) one.times.resize(1), one.values[0].resize(1);
            scene_.link(addNode("DeformPercent", {"d|DeformPercent"}, one), shapes->second[s], "DeformPercent");
        }
    }

    std::int64_t addNode(const char* name, std::initializer_list<const char*> properties, const Keys& keys) {
        RecordWriter& out = scene_.out;
        const std::int64_t node = scene_.newId("AnimationCurveNode");
        out.begin("AnimationCurveNode", node, ObjectName{name, "AnimCurveNode"}, "");
        out.begin("Properties70");
        std::size_t i = 0;
        for (const char* property : properties) out.property(property, "Number", "", "A", keys.values[i++].front());
        out.end();
        out.end();
        scene_.link(node, layer_);
        i = 0;
        for (const char* property : properties) scene_.link(addCurve(keys, i++), node, property);
        return node;
    }

    std::int64_t addCurve(const Keys& keys, std::size_t component) {
        RecordWriter& out = scene_.out;
        std::vector<std::int64_t> times;
        for (const double t : keys.times) times.push_back(ticks(t));
        const std::vector<double>& values = keys.values[component];
        const std::int64_t id = scene_.newId("AnimationCurve");
        out.begin("AnimationCurve", id, ObjectName{"", "AnimCurve"}, "");
        out.leaf("Default", values.front());
        out.leaf("KeyVer", 4008);
        out.leaf("KeyTime", times);
        out.leaf("KeyValueFloat", std::vector<float>(values.begin(), values.end()));
        out.leaf("KeyAttrFlags", std::vector<std::int32_t>{keys.constant ? kConstantKey : kLinearKey});
        out.leaf("KeyAttrDataFloat", std::vector<float>{0, 0, 0, 0});
        out.leaf("KeyAttrRefCount", std::vector<std::int32_t>{static_cast<std::int32_t>(times.size())});
        out.end();
        return id;
    }

    Scene& scene_;
    const Clip& clip_;
    const std::string name_;
    std::int64_t layer_ = 0;
};

}  // namespace

void writeClips(Scene& scene) {
    for (std::size_t c = 0; c < scene.character.clips.size(); ++c) {
        const Clip& clip = scene.character.clips[c];
        ClipWriter(scene, clip, clip.name.empty() ? fmt::format("clip_{}", c) : clip.name).write();
    }
}

}  // namespace pelt::io::fbx
