// Writes free poses as joints and weights that any viewer plays.
#include "pose_plain.h"

#include <pelt/core/parallel.h>
#include <pelt/fit/bone_skeleton.h>
#include <pelt/fit/follow_weights.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip_builder.h>
#include <pelt/rig/props.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

constexpr char kPlainClip[] = "pose";
constexpr double kSameVertex = 1e-5;  ///< relative to the diagonal

/// The meshes of the character in its document, with their materials; if their vertices are not those of the character,
/// the mesh in a new document.
Character bareCharacter(const Character& character, const Mesh& whole) {
    if (character.source) {
        Character bare = io::withoutRig(character);
        const double near = kSameVertex * geometry::boundingDiagonal(whole.positions);
        const auto same = [&](const Vec3f& a, const Vec3f& b) { return length(Vec3d(a) - Vec3d(b)) <= near; };
        const std::vector<Vec3f>&read = bare.mesh.positions, &known = whole.positions;
        if (bare.props.mesh.positions.empty() && std::equal(read.begin(), read.end(), known.begin(), known.end(), same))
            return bare;
    }
    Character bare;
    bare.mesh = whole;
    return bare;
}

/// The rows of the skin, then those of the props, which follow the joints that carry them; the first joint, if none
/// does.
SkinWeights wholeWeights(const Character& character) {
    SkinWeights weights = character.weights;
    const std::vector<std::int32_t> carriers = rig::carriersOfProps(character);
    for (std::size_t p = 0; p < carriers.size(); ++p) {
        const std::uint32_t joint[] = {std::uint32_t(std::max(carriers[p], 0))};
        const float one[] = {1};
        for (std::uint32_t v = 0; v < character.props.mesh.parts[p].vertex_count; ++v)
            appendVertex(weights, joint, one);
    }
    return weights;
}

/// The motions about the places of the joints: what turns and stretches a joint leaves its node where the joint is.
fit::Decomposition centered(const FreePoses& poses, std::span<const Vec3d> places, std::span<const Vec3f> rest,
                            const SkinWeights& weights) {
    fit::Decomposition made;
    made.rest.assign(rest.begin(), rest.end());
    made.weights = weights;
    made.bones = places.size();
    made.frames = poses.times.size();
    for (std::size_t i = 0; i < poses.joints.size(); ++i)
        made.motion.push_back(poses.joints[i] * Affine3d(Mat3d{}, places[i % made.bones]));
    return made;
}

/// Adds joints with the names of the character's, and their motion as a clip.
void addPlainJoints(Character& bare, const Character& named, std::span<const Vec3d> places, const FreePoses& poses) {
    const fit::FrameRange all[] = {{kPlainClip, 0, poses.times.size()}};
    fit::BoneAnimation made = fit::animateBones(centered(poses, places, bare.mesh.positions, bare.weights), {}, all, 1);
    const auto first = std::uint32_t(bare.skeleton.nodes.size());
    for (std::size_t j = 0; j < places.size(); ++j) {
        Joint& joint = made.skeleton.joints[j];
        const std::string name = rig::jointName(named.skeleton, j);
        std::uint32_t outer = joint.node;
        SkeletonNode& inner = made.skeleton.nodes[joint.node];
        if (inner.parent >= 0 && made.skeleton.nodes[std::size_t(inner.parent)].name == inner.name + "_stretch") {
            outer = std::uint32_t(inner.parent);
            made.skeleton.nodes[outer].name = name + "_stretch";
        }
        inner.name = name;
        made.skeleton.nodes[outer].local.translation = places[j];
        joint.inverse_bind = Affine3d(Mat3d{}, -places[j]);
        joint.node += first;
        bare.skeleton.joints.push_back(joint);
    }
    for (SkeletonNode& node : made.skeleton.nodes) {
        if (node.parent >= 0) node.parent += std::int32_t(first);
        if (node.name == "bones") node.name = "handles";
        bare.skeleton.nodes.push_back(std::move(node));
    }
    Clip clip = std::move(made.clips.front());
    std::vector<float> times;
    for (const double time : poses.times) times.push_back(rig::keyTimeFrom(time));
    for (Channel& channel : clip.channels) {
        channel.target += first;
        for (float& time : channel.times) time = times[std::size_t(time)];  // frames were counted
    }
    clip.first_key = times.front();
    clip.last_key = times.back();
    bare.clips.insert(bare.clips.begin(), std::move(clip));
}

/// How the written joints and weights play.
geometry::SequenceError playedError(const Character& plain, const FreePoses& poses) {
    geometry::SequenceComparison comparison(plain.mesh.positions);
    const std::size_t vertices = plain.mesh.vertexCount();
    std::vector<Vec3f> played(vertices);
    for (std::size_t f = 0; f < poses.times.size(); ++f) {
        const std::vector<Affine3d> bones =
            rig::skinMatricesDouble(plain.skeleton, &plain.clips.front(), rig::keyTimeFrom(poses.times[f]));
        parallelFor(vertices, kVertexGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
                Vec3d sum;
                for (std::size_t i = 0; i < plain.weights.influenceCount(v); ++i)
                    sum += bones[plain.weights.jointsOf(v)[i]] * Vec3d(plain.mesh.positions[v]) *
                           double(plain.weights.weightsOf(v)[i]);
                played[v] = Vec3f(sum);
            }
        });
        comparison.add(played, std::span(poses.positions).subspan(f * vertices, vertices));
    }
    return comparison.result();
}

}  // namespace

PlainPose plainPose(const Character& character, const FreePoses& poses, std::size_t influences,
                    const Progress& progress) {
    const Mesh whole = rig::wholeMesh(character);
    PlainPose made{bareCharacter(character, whole), {}};
    Character& plain = made.character;
    plain.weights = wholeWeights(character);
    const std::size_t joints = character.skeleton.joints.size();
    const bool fits = influences == 0 || maxInfluences(plain.weights) <= influences;
    if (!poses.as_blended || !fits)
        plain.weights = fit::followPoses(plain.mesh.positions, plain.weights, {poses.positions, poses.joints, joints},
                                         influences, progress);
    addPlainJoints(plain, character, rig::jointRestPositions(character.skeleton), poses);
    made.error = playedError(plain, poses);
    return made;
}

}  // namespace pelt::verbs
