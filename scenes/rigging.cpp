// Skeletons, binds and clips of the built-in characters.
#include "rigging.h"

#include <pelt/geometry/normals.h>
#include <pelt/geometry/segments.h>
#include <pelt/rig/clip_builder.h>

#include <algorithm>
#include <numeric>

namespace pelt::scenes {

Skeleton makeSkeleton(std::span<const JointPlace> joints) {
    Skeleton skeleton;
    for (const JointPlace& place : joints) {
        SkeletonNode node;
        node.name = place.name;
        node.parent = place.parent;
        node.local.translation =
            place.parent < 0 ? place.position : place.position - joints[std::size_t(place.parent)].position;
        skeleton.joints.push_back({static_cast<std::uint32_t>(skeleton.nodes.size()), Affine3d({}, -place.position)});
        skeleton.nodes.push_back(std::move(node));
    }
    return skeleton;
}

SkinWeights rigidBind(std::span<const Vec3f> positions, const Skeleton& skeleton) {
    const auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    SkinWeights weights;
    weights.joints = geometry::nearestSegments(segments, positions);
    for (std::uint32_t& joint : weights.joints) joint = segments[joint].joint;
    weights.weights.assign(positions.size(), 1.0f);
    weights.offsets.resize(positions.size() + 1);
    std::iota(weights.offsets.begin(), weights.offsets.end(), 0u);
    return weights;
}

Clip makeClip(std::string_view name, double seconds, std::span<const JointMotion> motions) {
    constexpr double kKeysPerSecond = 15;
    const auto steps = static_cast<std::size_t>(std::lround(seconds * kKeysPerSecond));
    Clip clip;
    clip.name = name;
    clip.last_key = double(steps) / kKeysPerSecond;
    for (const JointMotion& motion : motions) {
        Channel channel = rig::emptyChannel(ChannelPath::rotation, motion.joint);
        for (std::size_t k = 0; k <= steps; ++k) {
            const double t = double(k) / kKeysPerSecond;
            rig::addKey(channel, float(t), motion.rotation(t));
        }
        clip.channels.push_back(std::move(channel));
    }
    return clip;
}

Clip rangeOfMotion(std::span<const JointLimit> limits) {
    constexpr double kSecondsPerLimit = 2;
    std::vector<JointMotion> motions;
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const std::uint32_t joint = limits[i].joint;
        const auto earlier = std::find_if(motions.begin(), motions.end(), [&](auto& m) { return m.joint == joint; });
        if (earlier != motions.end()) continue;
        // Combines all limits of the joint in one motion: at any time at most one of them differs from rest.
        motions.push_back({joint, [limits, joint](double t) {
                               Quatd rotation;
                               for (std::size_t k = 0; k < limits.size(); ++k) {
                                   if (limits[k].joint != joint) continue;
                                   const double first = kSecondsPerLimit * double(k);
                                   const double angle = limits[k].highest * swell(first, first + 1, t) +
                                                        limits[k].lowest * swell(first + 1, first + 2, t);
                                   rotation = rotation * axisAngle(limits[k].axis, angle * kDegree);
                               }
                               return rotation;
                           }});
    }
    return makeClip("range_of_motion", kSecondsPerLimit * double(limits.size()), motions);
}

double smoothStep(double first, double last, double x) {
    const double t = std::clamp((x - first) / (last - first), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

double swell(double first, double last, double seconds) {
    const double third = (last - first) / 3;
    return smoothStep(first, first + third, seconds) - smoothStep(last - third, last, seconds);
}

Mesh toMesh(const ImplicitMesh& skin) {
    Mesh mesh;
    for (const Vec3d& p : skin.positions) mesh.positions.push_back(Vec3f(p));
    mesh.triangles = skin.triangles;
    return mesh;
}

Character makeCharacter(std::string_view name, Mesh mesh, Skeleton skeleton, std::vector<Clip> clips) {
    Character character;
    mesh.normals = geometry::angleWeightedNormals(mesh.positions, mesh.triangles, geometry::weldByPosition(mesh));
    if (mesh.parts.empty()) {
        MeshPart part;
        part.name = name;
        part.vertex_count = static_cast<std::uint32_t>(mesh.positions.size());
        part.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size());
        mesh.parts.push_back(std::move(part));
    }
    character.weights = rigidBind(mesh.positions, skeleton);
    character.mesh = std::move(mesh);
    character.skeleton = std::move(skeleton);
    character.clips = std::move(clips);
    return character;
}

}  // namespace pelt::scenes
