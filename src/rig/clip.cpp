// Samples clips: transforms of nodes, skin matrices and morph weights at a time.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip.h>
#include <pelt/runtime/morphs.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

constexpr double kMostSamples = 1e7;

/// The key at or before `t`, and the fraction of the way to the next key, 0 to 1.
struct KeyInterval {
    std::size_t key;
    double fraction, seconds;
};

KeyInterval findInterval(const std::vector<float>& times, double t) {
    const std::size_t last = times.size() - 1;
    if (!(t > times.front())) return {0, 0, 0};
    if (t >= times.back()) return {last, 0, 0};
    const auto next = std::upper_bound(times.begin(), times.end(), t, [](double a, float b) { return a < b; });
    const std::size_t key = static_cast<std::size_t>(next - times.begin()) - 1;
    const double seconds = double(times[key + 1]) - times[key];
    return {key, (t - times[key]) / seconds, seconds};
}

Quatd quatAt(const float* v) { return normalized(Quatd{v[0], v[1], v[2], v[3]}); }

void normalizeRotation(std::span<double> out) {
    const Quatd q = normalized(Quatd{out[0], out[1], out[2], out[3]});
    out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
}

}  // namespace

void sampleChannel(const Channel& channel, double t, std::span<double> out) {
    const std::size_t width = channel.width;
    const bool cubic = channel.interpolation == Interpolation::cubic_spline;
    const std::size_t stride = cubic ? 3 * width : width;
    const auto [key, fraction, seconds] = findInterval(channel.times, t);
    const float* value = channel.values.data() + key * stride + (cubic ? width : 0);

    if (fraction == 0 || channel.interpolation == Interpolation::step) {
        std::copy_n(value, width, out.begin());
    } else if (cubic) {
        // Hermite basis; tangents are per second, as in glTF 2.0, appendix C.
        const double u = fraction, u2 = u * u, u3 = u2 * u;
        const float* out_tangent = value + width;
        const float* in_tangent = value + stride - width;
        const float* next = value + stride;
        for (std::size_t i = 0; i < width; ++i)
            out[i] = (2 * u3 - 3 * u2 + 1) * value[i] + seconds * (u3 - 2 * u2 + u) * out_tangent[i] +
                     (3 * u2 - 2 * u3) * next[i] + seconds * (u3 - u2) * in_tangent[i];
    } else if (channel.path == ChannelPath::rotation) {
        const Quatd q = slerp(quatAt(value), quatAt(value + stride), fraction);
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    } else {
        for (std::size_t i = 0; i < width; ++i) out[i] = value[i] + fraction * (double(value[i + stride]) - value[i]);
    }
    if (channel.path == ChannelPath::rotation) normalizeRotation(out);
}

void sampleChannel(const Channel& channel, double t, Trs& node) {
    double v[4] = {0, 0, 0, 0};
    sampleChannel(channel, t, v);
    if (channel.path == ChannelPath::translation) node.translation = {v[0], v[1], v[2]};
    if (channel.path == ChannelPath::rotation) node.rotation = {v[0], v[1], v[2], v[3]};
    if (channel.path == ChannelPath::scale) node.scale = {v[0], v[1], v[2]};
}

std::vector<Affine3d> sampleLocals(const Skeleton& skeleton, const Clip* clip, double t) {
    std::vector<Trs> posed(skeleton.nodes.size());
    std::vector<bool> animated(skeleton.nodes.size(), false);
    for (std::size_t n = 0; n < posed.size(); ++n) posed[n] = skeleton.nodes[n].local;
    if (clip) {
        for (const Channel& channel : clip->channels) {
            if (channel.path == ChannelPath::morph_weights || channel.times.empty()) continue;
            sampleChannel(channel, t, posed[channel.target]);
            animated[channel.target] = true;
        }
    }
    std::vector<Affine3d> local(posed.size());
    for (std::size_t n = 0; n < posed.size(); ++n)
        local[n] = animated[n] ? toAffine(posed[n]) : restLocal(skeleton.nodes[n]);
    return local;
}

std::vector<Affine3d> skinMatricesDouble(const Skeleton& skeleton, const Clip* clip, double t) {
    return skinMatricesOf(skeleton, sampleLocals(skeleton, clip, t));
}

std::vector<Affine3f> skinMatrices(const Skeleton& skeleton, const Clip* clip, double t) {
    std::vector<Affine3f> bones;
    bones.reserve(skeleton.joints.size());
    for (const Affine3d& bone : skinMatricesDouble(skeleton, clip, t)) bones.emplace_back(bone);
    return bones;
}

std::vector<float> morphWeights(const Mesh& mesh, const Clip* clip, double t) {
    std::vector<float> weights;
    weights.reserve(mesh.morphs.size());
    for (const MorphTarget& morph : mesh.morphs) weights.push_back(morph.default_weight);
    if (!clip) return weights;
    for (const Channel& channel : clip->channels) {
        if (channel.path != ChannelPath::morph_weights || channel.times.empty()) continue;
        std::vector<double> values(channel.width);
        sampleChannel(channel, t, values);
        // A mesh instance's morph targets are consecutive in Mesh::morphs, in the order of the channel's values.
        std::size_t next = 0;
        for (std::size_t m = 0; m < mesh.morphs.size() && next < values.size(); ++m)
            if (mesh.morphs[m].instance == channel.target) weights[m] = static_cast<float>(values[next++]);
    }
    return weights;
}

void addMorphs(const Mesh& mesh, std::span<const float> weights, std::span<Vec3f> positions, std::span<Vec3f> normals) {
    bool normals_moved = false;
    for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
        const MorphTarget& morph = mesh.morphs[m];
        const float w = weights[m];
        if (w == 0) continue;
        runtime::addOffsets(morph.vertices, morph.position_offsets, w, 0, positions);
        if (normals.empty() || morph.normal_offsets.empty()) continue;
        normals_moved = true;
        runtime::addOffsets(morph.vertices, morph.normal_offsets, w, 0, normals);
    }
    if (normals_moved)
        for (Vec3f& n : normals) n = normalized(n, Vec3f{0, 0, 1});
}

bool standsStill(const Skeleton& skeleton, const Clip& clip) {
    constexpr std::size_t kMostTimes = 64;
    constexpr double kMoved = 1e-4;  ///< of the skeleton's size; for rotations, of a radian
    std::vector<double> times;
    for (const Channel& channel : clip.channels) {
        times.insert(times.end(), channel.times.begin(), channel.times.end());
        if (channel.path != ChannelPath::morph_weights) continue;
        std::vector<double> start(channel.width), now(channel.width);
        for (const float t : channel.times) {
            sampleChannel(channel, t, now);
            if (t == channel.times.front()) start = now;
            for (std::size_t m = 0; m < now.size(); ++m)
                if (std::abs(now[m] - start[m]) > kMoved) return false;
        }
    }
    if (times.empty() || skeleton.joints.empty()) return true;
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const std::vector<Vec3d> places = jointRestPositions(skeleton);
    double size = 0;
    for (const Vec3d& place : places) size = std::max(size, length(place - places.front()));
    std::vector<Affine3d> first;
    const std::size_t count = std::min(times.size(), kMostTimes);
    for (std::size_t k = 0; k < count; ++k) {
        const double t = times[count > 1 ? k * (times.size() - 1) / (count - 1) : 0];
        std::vector<Affine3d> bones = skinMatricesDouble(skeleton, &clip, t);
        const Affine3d back = inverse(bones.front());
        for (Affine3d& bone : bones) bone = back * bone;
        if (k == 0) first = bones;
        for (std::size_t j = 0; j < bones.size(); ++j) {
            if (length(bones[j] * places[j] - first[j] * places[j]) > kMoved * size) return false;
            const Mat3d a = bones[j].linear(), b = first[j].linear();
            for (int c = 0; c < 3; ++c)
                if (length(a.col[c] - b.col[c]) > kMoved * length(b.col[c])) return false;
        }
    }
    return true;
}

std::vector<double> sampleTimes(const Clip& clip, double fps) {
    if (!(fps > 0) || !std::isfinite(fps)) throw Error::badUsage(fmt::format("`fps` is {}; it must be above 0", fps));
    const double steps = std::floor(clip.seconds() * fps + 1e-4);
    if (!(steps < kMostSamples))
        throw Error::badInput(
            {"", fmt::format("clip '{}'", clip.name)},
            fmt::format("{} s at {} frames per second are too many samples; lower `fps`", clip.seconds(), fps));
    std::vector<double> times(static_cast<std::size_t>(std::max(steps, 0.0)) + 1);
    for (std::size_t k = 0; k < times.size(); ++k)
        times[k] = std::min(clip.first_key + static_cast<double>(k) / fps, clip.last_key);
    return times;
}

}  // namespace pelt::rig
