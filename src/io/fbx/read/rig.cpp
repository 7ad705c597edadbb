// Turns the models of an FBX file into the nodes of a skeleton, in meters and with y up.
#include "rig.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

namespace pelt::io::fbx {
namespace {

constexpr double kLongestTakeInFrames = 1e6;
constexpr double kSmallestScale = 1e-8;  // replaces a scale of zero in compensation

bool isOne(const Vec3d& s) { return length(s - Vec3d(1, 1, 1)) < 1e-6; }
bool isUniform(const Vec3d& s) {
    return std::max(std::abs(s.x - s.y), std::abs(s.x - s.z)) < 1e-6 * (1 + std::abs(s.x));
}
Vec3d product(const Vec3d& a, const Vec3d& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

Vec3d reciprocal(const Vec3d& s) {
    const auto invert = [](double x) {
        return 1 / (std::abs(x) < kSmallestScale ? std::copysign(kSmallestScale, x) : x);
    };
    return {invert(s.x), invert(s.y), invert(s.z)};
}

const FbxNodeTracks& tracksOf(const FbxTake* take, const FbxNode& model) {
    static const FbxNodeTracks none;
    if (!take) return none;
    const auto it = take->nodes.find(model.object->id);
    return it == take->nodes.end() ? none : it->second;
}

/// The first and last key of a take.
std::pair<double, double> keyRange(const FbxTake& take) {
    double first = 1e300, last = -1e300;
    const auto widen = [&](const FbxCurve& curve) {
        if (curve.keys.empty()) return;
        first = std::min(first, curve.keys.front().time);
        last = std::max(last, curve.keys.back().time);
    };
    for (const auto& node : take.nodes)
        for (const auto* tracks : {&node.second.translation, &node.second.rotation, &node.second.scale})
            for (const FbxTrack& track : *tracks)
                for (const FbxCurve& curve : track.axes) widen(curve);
    for (const auto& morph : take.morphs) widen(morph.second);
    return {first, last};
}

}  // namespace

FbxRig::FbxRig(const FbxDocument& document) : models_(readNodes(document)), takes_(readTakes(document)) {
    for (std::size_t m = 0; m < models_.size(); ++m) model_of_[models_[m].object->id] = static_cast<std::int32_t>(m);
    readConversion(document);
    readSpans(document);
    for (std::size_t m = 0; m < models_.size(); ++m) addModel(m);
}

std::int32_t FbxRig::modelOf(std::int64_t object_id) const {
    const auto it = model_of_.find(object_id);
    return it == model_of_.end() ? -1 : it->second;
}

void FbxRig::readConversion(const FbxDocument& document) {
    const int axes[3] = {static_cast<int>(document.setting("CoordAxis", 0)),
                         static_cast<int>(document.setting("UpAxis", 1)),
                         static_cast<int>(document.setting("FrontAxis", 2))};
    const double signs[3] = {document.setting("CoordAxisSign", 1), document.setting("UpAxisSign", 1),
                             document.setting("FrontAxisSign", 1)};
    double metres = document.setting("UnitScaleFactor", 1) / 100;  // the file stores the unit in centimeters
    if (!(metres > 0)) metres = 0.01;
    Mat3d turn{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int row = 0; row < 3; ++row)
        if (axes[row] >= 0 && axes[row] < 3) turn(row, axes[row]) = signs[row] < 0 ? -1 : 1;
    if (std::abs(determinant(turn)) != 1) turn = Mat3d();  // invalid axes: unchanged
    conversion_ = Affine3d(turn * metres, Vec3d());

    SkeletonNode root;
    root.name = "file_axes_and_units";
    if (determinant(turn) > 0)
        root.local = {{}, toQuat(turn), {metres, metres, metres}};
    else
        root.matrix = conversion_;
    skeleton_.nodes.push_back(root);
}

void FbxRig::readSpans(const FbxDocument& document) {
    const double rate = frameRate(document);
    for (const FbxTake& take : takes_) {
        SampleSpan span{take.start, take.stop, 1 / rate};
        if (!(span.stop > span.start)) std::tie(span.start, span.stop) = keyRange(take);
        if (!((span.stop - span.start) * rate <= kLongestTakeInFrames))
            throw Error::badInput(fmt::format("animation '{}' lasts {:.4g} seconds, more than {:.0f} frames; trim it",
                                              take.name, span.stop - span.start, kLongestTakeInFrames));
        spans_.push_back({&take, span});
    }
}

Vec3d FbxRig::scaleAt(std::size_t model, const FbxTake* take, double t, Side side) const {
    return evaluate(tracksOf(take, models_[model]).scale, models_[model].rest.scale, t, side, true);
}

Vec3d FbxRig::scalesAbove(std::size_t model, const FbxTake* take, double t, Side side) const {
    Vec3d scale{1, 1, 1};
    for (std::int32_t m = models_[model].parent; m >= 0; m = models_[static_cast<std::size_t>(m)].parent) {
        scale = product(scale, scaleAt(static_cast<std::size_t>(m), take, t, side));
        if (models_[static_cast<std::size_t>(m)].inherit == Inherit::Rrs) break;
    }
    return scale;
}

Vec3d FbxRig::compensation(std::size_t model, const FbxTake* take, double t, Side side) const {
    if (models_[model].inherit == Inherit::Rrs)
        return scaleAt(static_cast<std::size_t>(models_[model].parent), take, t, side);
    return scalesAbove(model, take, t, side);
}

std::vector<const std::vector<FbxTrack>*> FbxRig::scaleTracksAbove(std::size_t model, const FbxTake& take) const {
    std::vector<const std::vector<FbxTrack>*> tracks;
    for (std::int32_t m = models_[model].parent; m >= 0; m = models_[static_cast<std::size_t>(m)].parent) {
        const std::vector<FbxTrack>& scale = tracksOf(&take, models_[static_cast<std::size_t>(m)]).scale;
        if (!scale.empty()) tracks.push_back(&scale);
        if (models_[model].inherit == Inherit::Rrs) break;
    }
    return tracks;
}

/// Whether the scale to compensate is `property` at rest and at every key of every take.
bool FbxRig::scaleIs(std::size_t model, bool (*property)(const Vec3d&)) const {
    if (!property(compensation(model, nullptr, 0, Side::after))) return false;
    for (const Take& take : spans_) {
        const auto tracks = scaleTracksAbove(model, *take.take);
        if (tracks.empty()) continue;
        for (const double t : keyTimes(tracks, take.span))
            if (!property(compensation(model, take.take, t, Side::after))) return false;
    }
    return true;
}

bool FbxRig::needsCompensation(std::size_t model) const {
    if (models_[model].parent < 0 || models_[model].inherit == Inherit::RSrs) return false;
    return !scaleIs(model, models_[model].inherit == Inherit::Rrs ? isOne : isUniform);
}

void FbxRig::addModel(std::size_t m) {
    const FbxNode& model = models_[m];
    const auto add = [this](std::string name, std::uint32_t parent, const Trs& local) {
        skeleton_.nodes.push_back({std::move(name), static_cast<std::int32_t>(parent), local, {}});
        return static_cast<std::uint32_t>(skeleton_.nodes.size() - 1);
    };
    const std::uint32_t parent = model.parent < 0 ? 0 : parts_[static_cast<std::size_t>(model.parent)].node;
    const Trs local = localAt(m, nullptr, 0, Side::after);
    Parts parts;
    if (needsCompensation(m)) {
        const Vec3d scale = reciprocal(compensation(m, nullptr, 0, Side::after));
        parts.translation = add(model.object->name + "_translation", parent, {local.translation, {}, {1, 1, 1}});
        parts.compensation =
            static_cast<std::int32_t>(add(model.object->name + "_compensate", parts.translation, {{}, {}, scale}));
        parts_.push_back(parts);  // localAt reads it
        const Trs inner = localAt(m, nullptr, 0, Side::after);
        parts_.back().node =
            add(model.object->name, static_cast<std::uint32_t>(parts.compensation), {{}, inner.rotation, inner.scale});
        return;
    }
    parts.node = parts.translation = add(model.object->name, parent, local);
    parts_.push_back(parts);
}

/// The model's own translation, rotation and scale; for RrSs with D, as described at the class.
Trs FbxRig::localAt(std::size_t m, const FbxTake* take, double t, Side side) const {
    const FbxNode& model = models_[m];
    const FbxNodeTracks& tracks = tracksOf(take, model);
    FbxPose pose;
    pose.translation = evaluate(tracks.translation, model.rest.translation, t, side, false);
    pose.rotation = evaluate(tracks.rotation, model.rest.rotation, t, side, false);
    pose.scale = scaleAt(m, take, t, side);
    Trs local = model.local(pose);
    if (m < parts_.size() && parts_[m].compensation >= 0 && model.inherit == Inherit::RrSs)
        local.scale = product(local.scale, scalesAbove(m, take, t, side));
    return local;
}

void FbxRig::addChannels(std::size_t m, const Take& take, Clip& clip) const {
    const FbxNodeTracks& tracks = tracksOf(take.take, models_[m]);
    const Parts& parts = parts_[m];
    const auto above =
        parts.compensation >= 0 ? scaleTracksAbove(m, *take.take) : std::vector<const std::vector<FbxTrack>*>();
    using Sources = std::vector<const std::vector<FbxTrack>*>;
    const auto add = [&](ChannelPath path, std::uint32_t node, Sources sources, const Motion& motion) {
        std::erase_if(sources, [](const std::vector<FbxTrack>* s) { return s->empty(); });
        if (!sources.empty())
            clip.channels.push_back(sampleMotion(path, node, keyTimes(sources, take.span), motion, take.span));
    };
    const auto vec = [](const Vec3d& v) { return std::vector<double>{v.x, v.y, v.z}; };
    Sources moving{&tracks.translation};
    if (models_[m].hasPivots()) moving.insert(moving.end(), {&tracks.rotation, &tracks.scale});
    add(ChannelPath::translation, parts.translation, moving,
        [&](double t, Side side) { return vec(localAt(m, take.take, t, side).translation); });
    add(ChannelPath::rotation, parts.node, {&tracks.rotation}, [&](double t, Side side) {
        const Quatd q = localAt(m, take.take, t, side).rotation;
        return std::vector<double>{q.x, q.y, q.z, q.w};
    });
    Sources scaling{&tracks.scale};
    if (models_[m].inherit == Inherit::RrSs) scaling.insert(scaling.end(), above.begin(), above.end());
    add(ChannelPath::scale, parts.node, scaling,
        [&](double t, Side side) { return vec(localAt(m, take.take, t, side).scale); });
    if (parts.compensation >= 0)
        add(ChannelPath::scale, static_cast<std::uint32_t>(parts.compensation), above,
            [&](double t, Side side) { return vec(reciprocal(compensation(m, take.take, t, side))); });
}

Clip FbxRig::makeClip(const Take& take, const std::function<void(double)>& tell) const {
    Clip clip;
    clip.name = take.take->name;
    clip.last_key = take.span.stop - take.span.start;
    for (std::size_t m = 0; m < models_.size(); ++m) {
        addChannels(m, take, clip);
        tell(static_cast<double>(m + 1) / static_cast<double>(models_.size()));
    }
    return clip;
}

}  // namespace pelt::io::fbx
