#include "skin_poses.h"

#include <pelt/core/parallel.h>
#include <pelt/deform/lbs.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::pipeline {
namespace {

constexpr std::size_t kCompareGrain = 2048;  ///< vertices posed by one task

void poseSkin(const deform::LbsRig& rig, const SkinPose& at, const deform::RestShape& rest, std::span<Vec3f> out) {
    deform::LbsPose posed(rig);
    posed.set(at.bones);
    parallelFor(out.size(), kCompareGrain, [&](std::size_t first, std::size_t last) {
        deform::evaluate(rig, posed, rest, first, last - first, {out, {}});
    });
}

}  // namespace

double meanSquaredTurn(const Mesh& mesh, std::span<const Vec3f> a, std::span<const Vec3f> b) {
    constexpr std::size_t kTriangles = 8192;
    const auto normal = [](const Triangle& t, std::span<const Vec3f> at) {
        return cross(Vec3d(at[t[1]]) - Vec3d(at[t[0]]), Vec3d(at[t[2]]) - Vec3d(at[t[0]]));
    };
    double sum = 0;
    std::size_t count = 0;
    const std::size_t step = std::max<std::size_t>(1, mesh.triangles.size() / kTriangles);
    for (std::size_t i = 0; i < mesh.triangles.size(); i += step, ++count) {
        const Vec3d m = normal(mesh.triangles[i], a), n = normal(mesh.triangles[i], b);
        const double angle = std::atan2(length(cross(m, n)), dot(m, n)) * 180 / std::numbers::pi;
        sum += angle * angle;
    }
    return count > 0 ? sum / double(count) : 0;
}

SkinPoses::SkinPoses(const Character& character, double fps, std::size_t most, const rig::RangeOfMotion& range)
    : character_(&character) {
    for (const Clip& clip : character.clips)
        for (const double t : rig::sampleTimes(clip, fps)) times_.emplace_back(&clip, t);
    if (most > 0 && times_.size() > most) {
        for (std::size_t i = 0; i < most; ++i) times_[i] = times_[i * times_.size() / most];
        times_.resize(most);
    }
    const Skeleton& skeleton = character.skeleton;
    rig::RangeOfMotion free = rig::rangeOfFreeJoints(skeleton, character.driven, range);
    for (const double reach : {1.0, 0.5}) {
        free.reach = reach;
        for (const auto& bones : rig::rangeOfMotion(skeleton, free)) {
            const std::vector<Affine3d> exact(bones.begin(), bones.end());
            std::vector<Affine3d> locals = rig::localsOfSkin(skeleton, exact);
            rig::applyDrivers(skeleton, character.driven, locals);
            const std::vector<Affine3d> driven = rig::skinMatricesOf(skeleton, locals);
            range_.emplace_back(driven.begin(), driven.end());
        }
    }
}

SkinPose SkinPoses::pose(std::size_t index) const {
    if (index >= times_.size()) return {kRangePoses, nullptr, 0, range_[index - times_.size()]};
    const auto& [clip, time] = times_[index];
    const std::vector<Affine3d> bones = rig::drivenSkinMatrices(character_->skeleton, character_->driven, clip, time);
    return {kClipPoses, clip, time, {bones.begin(), bones.end()}};
}

SkinError SkinDistances::summary(const SkinPoses& poses, PoseSource part, double radius) const {
    SkinError error;
    const std::size_t count = poses.count(part);
    if (count == 0 || squared[part].empty()) return error;
    double sum = 0, most = 0;
    for (const double s : squared[part]) sum += s;
    for (const double m : max[part]) most = std::max(most, m);
    const double mean = sum / (double(count) * double(squared[part].size()));
    error.rms = std::sqrt(mean);
    error.max = std::sqrt(most);
    error.e_rms = radius > 0 ? 1000 * std::sqrt(mean / 3) / radius : 0;
    error.normals = std::sqrt(turned[part] / double(count));
    return error;
}

std::vector<SkinDistances> compareSkins(const Character& character, const SkinPoses& poses,
                                        const SkinWeights& reference, std::span<const SkinWeights> skins,
                                        const Progress& progress) {
    const Mesh& mesh = character.mesh;
    const std::size_t vertices = mesh.vertexCount();
    const deform::LbsRig exact_rig = deform::prepareLbs(mesh, reference);
    std::vector<deform::LbsRig> rigs;
    std::vector<SkinDistances> distances(skins.size());
    for (std::size_t s = 0; s < skins.size(); ++s) {
        rigs.push_back(deform::prepareLbs(mesh, skins[s]));
        for (int part = 0; part < kPoseParts; ++part) {
            distances[s].squared[part].assign(vertices, 0);
            distances[s].max[part].assign(vertices, 0);
        }
    }
    std::vector<Vec3f> exact(vertices), skinned(vertices), morphed;
    for (std::size_t p = 0; p < poses.count(); ++p) {
        progress.report("measure", double(p) / double(poses.count()));
        const SkinPose at = poses.pose(p);
        deform::RestShape rest;
        if (at.clip && !mesh.morphs.empty()) {
            morphed = mesh.positions;
            rig::addMorphs(mesh, rig::morphWeights(mesh, at.clip, at.time), morphed, {});
            rest.positions = morphed;
        }
        poseSkin(exact_rig, at, rest, exact);
        for (std::size_t s = 0; s < skins.size(); ++s) {
            poseSkin(rigs[s], at, rest, skinned);
            for (std::size_t v = 0; v < vertices; ++v) {
                const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
                distances[s].squared[at.part][v] += dot(d, d);
                distances[s].max[at.part][v] = std::max(distances[s].max[at.part][v], dot(d, d));
            }
            distances[s].turned[at.part] += meanSquaredTurn(mesh, exact, skinned);
        }
    }
    return distances;
}

}  // namespace pelt::pipeline
