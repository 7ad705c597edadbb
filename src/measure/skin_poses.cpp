// Skins of a character in the poses that they are compared in, and how far apart they are.
#include <pelt/core/parallel.h>
#include <pelt/measure/skin_poses.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace pelt::measure {
namespace {

/// The mean squared angle between the normals of a choice of triangles in two shapes of a mesh, in degrees.
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

}  // namespace

std::vector<std::vector<Affine3d>> rangeLocals(const Character& character, rig::RangeOfMotion range) {
    const Skeleton& skeleton = character.skeleton;
    range = rig::rangeOfFigure(character, std::move(range));
    std::vector<std::vector<Affine3d>> poses;
    for (const double reach : {1.0, 0.5}) {
        range.reach = reach;
        for (const auto& bones : rig::rangeOfMotion(skeleton, range)) {
            const std::vector<Affine3d> exact(bones.begin(), bones.end());
            poses.push_back(rig::localsOfSkin(skeleton, exact));
            rig::applyDrivers(skeleton, character.driven, poses.back());
        }
    }
    return poses;
}

SkinPoses::SkinPoses(const Character& character, double fps, std::size_t most, const rig::RangeOfMotion& range)
    : character_(&character) {
    for (const Clip& clip : character.clips) {
        if (rig::standsStill(character.skeleton, clip)) continue;
        for (const double t : rig::sampleTimes(clip, fps)) times_.emplace_back(&clip, t);
    }
    if (most > 0 && times_.size() > most) {
        for (std::size_t i = 0; i < most; ++i) times_[i] = times_[i * times_.size() / most];
        times_.resize(most);
    }
    range_ = rangeLocals(character, range);
}

SkinPoses::SkinPoses(const Character& character, const Clip* clip, std::span<const double> times,
                     const rig::RangeOfMotion* range)
    : character_(&character) {
    for (const double t : times) times_.emplace_back(clip, t);
    if (range) range_ = rangeLocals(character, *range);
}

std::vector<Affine3d> SkinPoses::locals(std::size_t index) const {
    if (index >= times_.size()) return range_[index - times_.size()];
    const auto& [clip, time] = times_[index];
    return rig::sampleDrivenLocals(character_->skeleton, character_->driven, clip, time);
}

SkinPose SkinPoses::pose(std::size_t index) const {
    const std::vector<Affine3d> bones = rig::skinMatricesOf(character_->skeleton, locals(index));
    SkinPose pose{index, kRangePoses, nullptr, 0, {bones.begin(), bones.end()}};
    if (index >= times_.size()) return pose;
    pose.part = kClipPoses;
    std::tie(pose.clip, pose.time) = times_[index];
    return pose;
}

void SkinSums::add(const Mesh& mesh, std::span<const Vec3f> exact, std::span<const Vec3f> skinned) {
    for (std::size_t v = 0; v < exact.size(); ++v) {
        const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
        squared += dot(d, d);
        max = std::max(max, dot(d, d));
    }
    turned += meanSquaredTurn(mesh, exact, skinned);
}

SkinError SkinSums::error(std::size_t poses, std::size_t vertices, double radius) const {
    SkinError error;
    if (poses == 0 || vertices == 0) return error;
    const double mean = squared / (double(poses) * double(vertices));
    error.rms = std::sqrt(mean);
    error.max = std::sqrt(max);
    error.e_rms = radius > 0 ? 1000 * std::sqrt(mean / 3) / radius : 0;
    error.normals = std::sqrt(turned / double(poses));
    return error;
}

SkinError SkinDistances::summary(const SkinPoses& poses, PoseSource part, double radius) const {
    SkinSums sums;
    for (const double s : squared[part]) sums.squared += s;
    for (const double m : max[part]) sums.max = std::max(sums.max, m);
    sums.turned = turned[part];
    return sums.error(poses.count(part), squared[part].size(), radius);
}

void poseSkin(const deform::LbsRig& rig, std::span<const Affine3f> bones, const deform::RestShape& rest,
              std::span<Vec3f> out) {
    deform::LbsPose posed(rig);
    posed.set(bones);
    parallelFor(out.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        deform::evaluate(rig, posed, rest, first, last - first, {out, {}});
    });
}

void poseSkins(const Mesh& mesh, const SkinPoses& poses, const PoseShape& reference, std::span<const PoseShape> skins,
               const HearSkin& hear, const Progress& progress) {
    std::vector<Vec3f> exact(mesh.vertexCount()), skinned(mesh.vertexCount()), morphed;
    for (std::size_t p = 0; p < poses.count(); ++p) {
        progress.report("measure", double(p) / double(poses.count()));
        const SkinPose at = poses.pose(p);
        deform::RestShape rest;
        if (at.clip && !mesh.morphs.empty()) {
            morphed = mesh.positions;
            rig::addMorphs(mesh, rig::morphWeights(mesh, at.clip, at.time), morphed, {});
            rest.positions = morphed;
        }
        reference(at, rest, exact);
        for (std::size_t s = 0; s < skins.size(); ++s) {
            skins[s](at, rest, skinned);
            hear(s, at.part, exact, skinned);
        }
    }
}

std::vector<SkinDistances> compareSkins(const Character& character, const SkinPoses& poses,
                                        const SkinWeights& reference, std::span<const SkinWeights> skins,
                                        const Progress& progress) {
    const Mesh& mesh = character.mesh;
    const auto plain = [&](const SkinWeights& weights) -> PoseShape {
        return [rig = deform::prepareLbs(mesh, weights)](const SkinPose& at, const deform::RestShape& rest,
                                                         std::span<Vec3f> out) { poseSkin(rig, at.bones, rest, out); };
    };
    std::vector<PoseShape> shapes;
    std::vector<SkinDistances> distances(skins.size());
    for (std::size_t s = 0; s < skins.size(); ++s) {
        shapes.push_back(plain(skins[s]));
        for (int part = 0; part < kPoseParts; ++part) {
            distances[s].squared[part].assign(mesh.vertexCount(), 0);
            distances[s].max[part].assign(mesh.vertexCount(), 0);
        }
    }
    const auto hear = [&](std::size_t s, PoseSource part, std::span<const Vec3f> exact,
                          std::span<const Vec3f> skinned) {
        for (std::size_t v = 0; v < exact.size(); ++v) {
            const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
            distances[s].squared[part][v] += dot(d, d);
            distances[s].max[part][v] = std::max(distances[s].max[part][v], dot(d, d));
        }
        distances[s].turned[part] += meanSquaredTurn(mesh, exact, skinned);
    };
    poseSkins(mesh, poses, plain(reference), shapes, hear, progress);
    return distances;
}

}  // namespace pelt::measure
