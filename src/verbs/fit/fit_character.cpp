// Gives a character its fitted weights, dress pose and clips.
#include "fit_character.h"

#include <pelt/rig/clip_builder.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

/// `v` rotated by the shortest rotation from the unit vector `from` to `to`.
Vec3f turned(const Vec3f& v, const Vec3f& from, const Vec3f& to) {
    const Vec3f axis = cross(from, to);
    const float cosine = dot(from, to);
    if (cosine < -0.99f) return v;  // opposite directions: the shortest rotation is not unique
    return v * cosine + cross(axis, v) + axis * (dot(axis, v) / (1 + cosine));
}

Channel resampled(const Channel& channel, std::span<const double> times) {
    Channel out{channel.path, channel.target, Interpolation::linear, channel.width, {}, {}};
    std::vector<double> value(channel.width);
    for (const double t : times) {
        rig::sampleChannel(channel, t, value);
        rig::addKey(out, rig::keyTimeFrom(t), value);
    }
    return out;
}

}  // namespace

void setFittedSkin(Character& character, const FitResult& made) {
    const fit::ExampleFit& fitted = made.convex;
    const geometry::Weld& weld = made.weld;
    Mesh& mesh = character.mesh;
    const SkinWeights welded = withoutSmall(fit::toSkinWeights(fitted.weights));
    character.weights = {};
    for (const std::uint32_t w : weld.welded) appendVertex(character.weights, welded.jointsOf(w), welded.weightsOf(w));
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) mesh.positions[v] = Vec3f(fitted.rest[weld.welded[v]]);
    if (mesh.normals.empty() || fitted.rest_normals.empty()) return;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const Vec3f before(made.poses.rest_normals[made.normal_of[v]]), after(fitted.rest_normals[made.normal_of[v]]);
        mesh.normals[v] = normalized(turned(mesh.normals[v], before, after), mesh.normals[v]);
        if (mesh.tangents.empty()) continue;
        Vec4f& tangent = mesh.tangents[v];
        const Vec3f along = turned({tangent.x, tangent.y, tangent.z}, before, after);
        tangent = {along.x, along.y, along.z, tangent.w};
    }
}

std::shared_ptr<const DdmPayload> signedSkin(const Character& character, const FitResult& made) {
    auto payload = std::make_shared<DdmPayload>();
    payload->variant = DdmVariant::v5;
    payload->fitted = true;
    payload->rows.content = DdmContent::plain;
    payload->rows.centers.resize(character.mesh.vertexCount());
    const fit::ExampleWeights& from = made.affine.weights;
    for (const std::uint32_t w : made.weld.welded) {
        std::vector<std::pair<float, std::uint32_t>> row;
        for (std::size_t i = 0; i < from.influenceCount(w); ++i)
            row.emplace_back(float(from.weightsOf(w)[i]), from.jointsOf(w)[i]);
        std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        for (const auto& [weight, joint] : row) {
            DdmBlock<float> block;
            block.w = weight;
            payload->rows.joints.push_back(joint);
            payload->rows.blocks.push_back(block);
            payload->rows.psi.push_back(weight);
        }
        payload->rows.endRow(payload->rows.joints.size());
    }
    return payload;
}

namespace {

std::string freeClipName(const Character& character, const std::string& base) {
    const auto taken = [&](const std::string& name) {
        return std::any_of(character.clips.begin(), character.clips.end(),
                           [&](const Clip& clip) { return clip.name == name; });
    };
    std::string name = base;
    for (int i = 2; taken(name); ++i) name = base + std::to_string(i);
    return name;
}

}  // namespace

void keyPoses(Character& character, std::size_t clip, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end(),
                            [](double a, double b) { return rig::keyTimeFrom(a) == rig::keyTimeFrom(b); }),
                times.end());
    Clip fitted = character.clips[clip];
    fitted.name = freeClipName(character, fitted.name + "_fit");
    for (Channel& channel : fitted.channels)
        if (channel.path != ChannelPath::morph_weights && !channel.times.empty()) channel = resampled(channel, times);
    fitted.first_key = times.front();
    fitted.last_key = times.back();
    double longest = 0;
    for (std::size_t i = 1; i < times.size(); ++i) longest = std::max(longest, times[i] - times[i - 1]);
    for (Clip& other : character.clips) rig::bakeDrivers(character.skeleton, character.driven, other);
    rig::bakeDrivers(character.skeleton, character.driven, fitted, longest > 0 ? 1 / longest : 30);
    character.clips.insert(character.clips.begin(), std::move(fitted));
}

}  // namespace pelt::verbs
