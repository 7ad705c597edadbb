#include "bake_virtual.h"

#include <pelt/core/parallel.h>
#include <pelt/deform/lbs.h>

#include <algorithm>

#include "../internal/rigs/ddm_forms.h"

namespace pelt::pipeline {
namespace {

constexpr std::size_t kPosedAtOnce = 2048;           ///< vertices posed by one task
constexpr std::size_t kClipSamples = 50;             ///< of a clip
constexpr std::size_t kMixedClip = 60, kMixed = 40;  ///< mixtures of the poses of the clip, and of the range of motion
constexpr double kRangeShare = 0.25;  ///< importance of the range of motion where there is a clip, which is likelier
constexpr double kStillPose = 0.1;    ///< of the mean squared error of the plain skin: poses with less count as this

struct VirtualPose {
    std::vector<Affine3d> locals;
    double share;
};

/// Spreads consecutive numbers over all 64-bit numbers.
std::uint64_t scrambledPose(std::uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Every node at the local transform of some other sample.
std::vector<Affine3d> mixedPose(const std::vector<std::vector<Affine3d>>& clip, std::size_t index) {
    std::vector<Affine3d> mixed;
    for (std::size_t n = 0; n < clip.front().size(); ++n)
        mixed.push_back(clip[scrambledPose((std::uint64_t(index) << 32) + n) % clip.size()][n]);
    return mixed;
}

std::vector<VirtualPose> virtualPoses(const VirtualBake& bake) {
    const Skeleton& skeleton = bake.character.skeleton;
    std::vector<VirtualPose> poses;
    const double share = bake.clip.empty() ? 1 : kRangeShare;
    rig::RangeOfMotion range = rig::rangeOfFreeJoints(skeleton, bake.character.driven, bake.range);
    const auto addRange = [&](const std::vector<std::vector<Affine3f>>& list) {
        for (const auto& bones : list)
            poses.push_back({rig::localsOfSkin(skeleton, std::vector<Affine3d>(bones.begin(), bones.end())), share});
    };
    for (const double reach : {1.0, 0.5}) {
        range.reach = reach;
        addRange(rig::rangeOfMotion(skeleton, range));
    }
    addRange(rig::mixedPoses(skeleton, range, kMixed));
    const std::size_t count = std::min(bake.clip.size(), kClipSamples);
    for (std::size_t i = 0; i < count; ++i)
        poses.push_back({bake.clip[(2 * i + 1) * bake.clip.size() / (2 * count)], 1});
    for (std::size_t i = 0; i < kMixedClip && count > 1; ++i) poses.push_back({mixedPose(bake.clip, i), 1});
    for (VirtualPose& pose : poses) rig::applyDrivers(skeleton, bake.character.driven, pose.locals);
    return poses;
}

bool isRigidPose(const VirtualBake& bake, std::span<const Affine3f> bones) {
    return std::all_of(bake.rows.joints.begin(), bake.rows.joints.end(),
                       [&](std::uint32_t joint) { return runtime::isRigid(Affine3d(bones[joint]).linear()); });
}

}  // namespace

fit::SkinSamples sampleVirtual(const VirtualBake& bake, const Progress& progress) {
    const Mesh& mesh = bake.character.mesh;
    const std::size_t welded = bake.weld.count();
    const deform::LbsRig plain = deform::prepareLbs(mesh, bake.start);
    deform::LbsPose plain_pose(plain);
    std::vector<Vec3f> exact(mesh.vertexCount()), skinned(mesh.vertexCount());
    std::vector<std::vector<Vec3f>> frames;
    std::vector<double> errors, shares;
    fit::SkinSamples samples;
    const std::vector<VirtualPose> poses = virtualPoses(bake);
    for (std::size_t p = 0; p < poses.size(); ++p) {
        progress.report("sample", double(p) / double(poses.size()));
        const std::vector<Affine3d> maps = rig::skinMatricesOf(bake.character.skeleton, poses[p].locals);
        const std::vector<Affine3f> bones(maps.begin(), maps.end());
        if (!isRigidPose(bake, bones)) continue;
        bake.evaluate(bones, exact);
        plain_pose.set(bones);
        parallelFor(exact.size(), kPosedAtOnce, [&](std::size_t first, std::size_t last) {
            deform::evaluate(plain, plain_pose, {}, first, last - first, {skinned, {}});
        });
        double squared = 0;
        for (std::size_t v = 0; v < exact.size(); ++v) {
            const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
            squared += dot(d, d) / double(exact.size());
        }
        errors.push_back(squared);
        shares.push_back(poses[p].share);
        frames.emplace_back();
        for (const std::uint32_t v : bake.weld.representative) frames.back().push_back(exact[v]);
        samples.locals.insert(samples.locals.end(), poses[p].locals.begin(), poses[p].locals.end());
    }
    samples.vertices = welded;
    samples.samples = frames.size();
    double mean = 0;
    for (const double error : errors) mean += error / double(errors.size());
    for (std::size_t s = 0; s < errors.size(); ++s)
        samples.importance.push_back(mean > 0 ? shares[s] / (errors[s] + kStillPose * mean) : 1);
    samples.positions.resize(3 * welded * frames.size());
    parallelFor(welded, kPosedAtOnce, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (std::size_t s = 0; s < frames.size(); ++s)
                for (int c = 0; c < 3; ++c)
                    samples.positions[3 * (v * frames.size() + s) + std::size_t(c)] = frames[s][v][c];
    });
    return samples;
}

}  // namespace pelt::pipeline
