// The samples and rows that virtual bones are fitted to, in the units of the solver.
#include "virtual_problem.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <cmath>

namespace pelt::fit::virtual_bones {
namespace {

void check(std::span<const Vec3f> rest, const Skeleton& skeleton, const DdmRows<float>& rows,
           const SkinSamples& samples) {
    if (samples.vertices != rest.size() || rows.vertexCount() != rest.size())
        throw Error::badInput(fmt::format("the mesh has {} vertices, the samples {} and the mushed skin {}",
                                          rest.size(), samples.vertices, rows.vertexCount()));
    if (samples.samples == 0 || rest.empty()) throw Error::badInput("there are no samples to fit");
    if (samples.positions.size() != 3 * rest.size() * samples.samples || samples.importance.size() != samples.samples ||
        samples.locals.size() != skeleton.nodes.size() * samples.samples)
        throw Error::badInput("the numbers of positions, poses and importances do not match that of the samples");
}

/// (x - center) / radius
VirtualBone toSolved(VirtualBone bone, const Vec3d& center, double radius) {
    bone.center = (bone.center - center) / radius;
    for (JointBlock& block : bone.blocks) {
        block.turn *= radius;
        block.move = block.move / radius;
    }
    return bone;
}

}  // namespace

Problem::Problem(std::span<const Vec3f> rest, const Skeleton& skeleton, const DdmRows<float>& given,
                 const SkinSamples& samples) {
    check(rest, skeleton, given, samples);
    const geometry::Sphere ball = geometry::smallestEnclosingSphere(rest);
    data.vertices = rest.size();
    data.frames = samples.samples;
    data.rest_center = ball.center;
    data.radius = ball.radius > 0 ? ball.radius : 1;
    poses.joints = skeleton.joints.size();
    std::vector<bool> used(poses.joints, false);
    for (const std::uint32_t joint : given.joints) used[joint] = true;
    for (std::uint32_t j = 0; j < used.size(); ++j)
        if (used[j]) joints.push_back(j);
    for (std::size_t v = 0; v < rest.size(); ++v) {
        data.rest.push_back((Vec3d(rest[v]) - data.rest_center) / data.radius);
        rows.push_back(toSolved(boneOfRow(given, v), data.rest_center, data.radius));
    }
    const std::size_t nodes = skeleton.nodes.size();
    for (std::size_t s = 0; s < data.frames; ++s) {
        Vec3d center;
        for (std::size_t v = 0; v < data.vertices; ++v) {
            const float* x = samples.positions.data() + 3 * (v * data.frames + s);
            center += Vec3d(x[0], x[1], x[2]) / double(data.vertices);
        }
        data.frame_center.push_back(center);
        poses.scale.push_back(std::sqrt(samples.importance[s]) * data.radius);
        for (const Affine3d& m : rig::skinMatricesOf(skeleton, {samples.locals.data() + s * nodes, nodes}))
            poses.maps.emplace_back(m.linear(), (m * data.rest_center - center) / data.radius);
    }
    data.values.resize(samples.positions.size());
    data.squared.resize(data.vertices);
    parallelFor(data.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t d = first * data.dimensions(); d < last * data.dimensions(); ++d) {
            const std::size_t s = d / 3 % data.frames;
            data.values[d] =
                float((double(samples.positions[d]) - data.frame_center[s][int(d % 3)]) / data.radius * poses.scale[s]);
            data.squared[d / data.dimensions()] += double(data.values[d]) * double(data.values[d]);
        }
    });
}

Problem::Problem(const Problem& whole, std::span<const std::uint32_t> vertices)
    : poses(whole.poses), joints(whole.joints) {
    data.vertices = vertices.size();
    data.frames = whole.data.frames;
    data.rest_center = whole.data.rest_center;
    data.radius = whole.data.radius;
    data.frame_center = whole.data.frame_center;
    data.values.reserve(vertices.size() * whole.data.dimensions());
    for (const std::uint32_t v : vertices) {
        data.values.insert(data.values.end(), whole.data.of(v), whole.data.of(v) + whole.data.dimensions());
        data.squared.push_back(whole.data.squared[v]);
        data.rest.push_back(whole.data.rest[v]);
        rows.push_back(whole.rows[v]);
    }
}

ssdr::Motions Problem::motionsOf(const std::vector<VirtualBone>& bones) const {
    ssdr::Motions motions(joints.size() + bones.size(), data.frames);
    for (std::size_t s = 0; s < data.frames; ++s)
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Affine3d& m = poses.of(s)[joints[j]];
            motions.set(s, j, {m.linear() * poses.scale[s], m.translation() * poses.scale[s]});
        }
    parallelFor(bones.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) setMotion(bones[k], poses, joints.size() + k, motions);
    });
    return motions;
}

VirtualBone Problem::toFile(const VirtualBone& bone) const {
    return toSolved(bone, data.rest_center * (-1 / data.radius), 1 / data.radius);
}

}  // namespace pelt::fit::virtual_bones
