// Reads the animation stacks of an FBX file: the takes, their layers and the curves of each node.
#include "animation.h"

#include <algorithm>

namespace pelt::io::fbx {
namespace {

/// The curve that drives `property` ("d|X") of a curve node.
FbxCurve curveOf(const FbxDocument& document, const FbxObject& curve_node, std::string_view property) {
    for (const FbxLink& link : document.sources(curve_node.id))
        if (link.object->kind == "AnimationCurve" && link.property == property)
            return readCurve(document, *link.object);
    return {};
}

FbxTrack readTrack(const FbxDocument& document, const FbxObject& curve_node, const Vec3d& rest, FbxTrack layer) {
    constexpr const char* kAxes[3] = {"d|X", "d|Y", "d|Z"};
    for (int axis = 0; axis < 3; ++axis) {
        layer.axes[static_cast<std::size_t>(axis)] = curveOf(document, curve_node, kAxes[axis]);
        layer.fixed[axis] = document.number(curve_node, kAxes[axis], rest[axis]);
    }
    return layer;
}

bool isAnimated(const FbxTrack& track) {
    return std::any_of(track.axes.begin(), track.axes.end(), [](const FbxCurve& c) { return !c.keys.empty(); });
}

void addTrack(const FbxDocument& document, const FbxObject& curve_node, const FbxTrack& layer, FbxTake& take) {
    for (const FbxLink& link : document.destinations(curve_node.id)) {
        const FbxObject& target = *link.object;
        if (link.property == "DeformPercent") {
            FbxCurve curve = curveOf(document, curve_node, "d|DeformPercent");
            if (!curve.keys.empty()) take.morphs[target.id] = std::move(curve);
            return;
        }
        if (target.kind != "Model") continue;
        const bool scale = link.property == "Lcl Scaling", rotation = link.property == "Lcl Rotation";
        if (!scale && !rotation && link.property != "Lcl Translation") continue;
        const Vec3d rest = document.vector(target, link.property, scale ? Vec3d(1, 1, 1) : Vec3d());
        const FbxTrack track = readTrack(document, curve_node, rest, layer);
        if (!isAnimated(track)) return;
        FbxNodeTracks& tracks = take.nodes[target.id];
        (scale ? tracks.scale : rotation ? tracks.rotation : tracks.translation).push_back(track);
        return;
    }
}

/// How the layer is blended with those below it; the lowest one is not blended.
FbxTrack layerOf(const FbxDocument& document, const FbxObject& layer, bool lowest) {
    FbxTrack track;
    if (lowest) return track;
    track.blend = document.number(layer, "BlendMode") == 0 ? FbxTrack::Blend::add : FbxTrack::Blend::replace;
    track.weight = std::clamp(document.number(layer, "Weight", 100) / 100, 0.0, 1.0);
    return track;
}

}  // namespace

std::vector<FbxTake> readTakes(const FbxDocument& document) {
    std::vector<FbxTake> takes;
    for (const FbxObject* stack : document.objects("AnimationStack")) {
        FbxTake take;
        take.name = stack->name;
        take.start = document.number(*stack, "LocalStart") / kFbxTicksPerSecond;
        take.stop = document.number(*stack, "LocalStop") / kFbxTicksPerSecond;
        if (take.start == 0 && take.stop == 0) take.stop = -1;
        bool lowest = true;
        for (const FbxObject* layer : document.sources(stack->id, "AnimationLayer")) {
            const FbxTrack mode = layerOf(document, *layer, lowest);
            for (const FbxObject* node : document.sources(layer->id, "AnimationCurveNode"))
                addTrack(document, *node, mode, take);
            lowest = false;
        }
        if (!take.nodes.empty() || !take.morphs.empty()) takes.push_back(std::move(take));
    }
    return takes;
}

Vec3d evaluate(const std::vector<FbxTrack>& tracks, const Vec3d& rest, double t, Side side, bool is_scale) {
    Vec3d value = rest;
    for (const FbxTrack& track : tracks) {
        for (int axis = 0; axis < 3; ++axis) {
            const FbxCurve& curve = track.axes[static_cast<std::size_t>(axis)];
            if (curve.keys.empty() && track.blend != FbxTrack::Blend::base) continue;
            const double v = curve.keys.empty()     ? track.fixed[axis]
                             : side == Side::before ? curve.evaluateBefore(t)
                                                    : curve.evaluate(t);
            double& sum = value[axis];
            switch (track.blend) {
                case FbxTrack::Blend::base:
                    sum = v;
                    break;
                case FbxTrack::Blend::replace:
                    sum += (v - sum) * track.weight;
                    break;
                case FbxTrack::Blend::add:
                    if (is_scale)
                        sum *= 1 + (v - 1) * track.weight;
                    else
                        sum += v * track.weight;
                    break;
            }
        }
    }
    return value;
}

double frameRate(const FbxDocument& document) {
    constexpr double kRates[] = {30, 120, 100,  60,     50, 48, 30, 30,    29.97, 29.97,
                                 25, 24,  1000, 23.976, 0,  96, 72, 59.94, 119.88};
    const double mode = document.setting("TimeMode", 0);
    double rate = document.setting("CustomFrameRate", 30);
    if (mode >= 0 && mode < std::size(kRates) && mode != 14) rate = kRates[static_cast<std::size_t>(mode)];
    return std::clamp(rate, 24.0, 120.0);
}

}  // namespace pelt::io::fbx
