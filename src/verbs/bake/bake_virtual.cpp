// Virtual joints: samples of Direct Delta Mush in many poses, and how many joints it takes to follow it.
#include "bake_virtual.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/scramble.h>
#include <pelt/fit/virtual_bones.h>

#include <algorithm>

#include "runtime/layout/ddm_forms.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kCountSteps = 16;              ///< the smallest number of joints is found within this part of it
constexpr std::size_t kMostVirtual = 1024;           ///< the solver stores a matrix for each pair of them
constexpr std::size_t kClipSamples = 50;             ///< of a clip
constexpr std::size_t kMixedClip = 60, kMixed = 40;  ///< mixtures of the poses of the clip, and of the range of motion
constexpr double kRangeShare = 0.25;  ///< importance of the range of motion where there is a clip, which is likelier
constexpr double kMixedReach = 0.5;   ///< of the mixtures of the range of motion
constexpr double kStillPose = 0.1;    ///< of the mean squared error of the plain skin: poses with less count as this

struct VirtualPose {
    std::vector<Affine3d> locals;
    double share;
};

/// Every node at the local transform of some other sample.
std::vector<Affine3d> mixedPose(const std::vector<std::vector<Affine3d>>& clip, std::size_t index) {
    std::vector<Affine3d> mixed;
    for (std::size_t n = 0; n < clip.front().size(); ++n)
        mixed.push_back(clip[scrambled((std::uint64_t(index) << 32) + n) % clip.size()][n]);
    return mixed;
}

/// Besides the poses of the clip and of the range of motion there are mixtures of both, in which each joint has a
/// rotation of its own: virtual joints follow several joints at once.
std::vector<VirtualPose> virtualPoses(const BakeJob& job) {
    const Skeleton& skeleton = job.character.skeleton;
    std::vector<std::vector<Affine3d>> clip;
    for (std::size_t p = 0; p < job.poses.count(measure::kClipPoses); ++p) clip.push_back(job.poses.locals(p));
    const double share = clip.empty() ? 1 : kRangeShare;
    std::vector<VirtualPose> poses;
    std::size_t driven = 0;
    if (!job.request.only_clip) {
        for (std::vector<Affine3d>& locals : measure::rangeLocals(job.character, job.request.range))
            poses.push_back({std::move(locals), share});
        driven = poses.size();
        rig::RangeOfMotion range = rig::rangeOfFigure(job.character, job.request.range);
        range.reach = kMixedReach;
        for (const auto& bones : rig::mixedPoses(skeleton, range, kMixed))
            poses.push_back({rig::localsOfSkin(skeleton, std::vector<Affine3d>(bones.begin(), bones.end())), share});
    }
    const std::size_t count = std::min(clip.size(), kClipSamples);
    for (std::size_t i = 0; i < count; ++i) poses.push_back({clip[(2 * i + 1) * clip.size() / (2 * count)], 1});
    for (std::size_t i = 0; i < kMixedClip && count > 1; ++i) poses.push_back({mixedPose(clip, i), 1});
    for (std::size_t p = driven; p < poses.size(); ++p)
        rig::applyDrivers(skeleton, job.character.driven, poses[p].locals);
    return poses;
}

std::vector<Affine3f> bonesOf(const BakeJob& job, const VirtualPose& pose) {
    const std::vector<Affine3d> maps = rig::skinMatricesOf(job.character.skeleton, pose.locals);
    return {maps.begin(), maps.end()};
}

bool isRigidPose(const BakeJob& job, const VirtualPose& pose) {
    const std::vector<Affine3f> bones = bonesOf(job, pose);
    const std::vector<std::uint32_t>& joints = job.reference.rows().joints;
    return std::all_of(joints.begin(), joints.end(),
                       [&](std::uint32_t joint) { return runtime::isRigid(Affine3d(bones[joint]).linear()); });
}

/// A pose counts relative to the error of the plain skin in it.
std::vector<double> importanceOf(const std::vector<VirtualPose>& poses, const std::vector<double>& errors) {
    double mean = 0;
    for (const double error : errors) mean += error / double(errors.size());
    std::vector<double> importance;
    for (std::size_t p = 0; p < poses.size(); ++p)
        importance.push_back(mean > 0 ? poses[p].share / (errors[p] + kStillPose * mean) : 1);
    return importance;
}

/// The samples of the welded vertices. Poses in which joints scale or shear are left out.
fit::SkinSamples sampleVirtual(const BakeJob& job, const Progress& progress) {
    const Mesh& mesh = job.character.mesh;
    const deform::LbsRig plain = deform::prepareLbs(mesh, job.start);
    std::vector<VirtualPose> poses = virtualPoses(job);
    std::erase_if(poses, [&](const VirtualPose& pose) { return !isRigidPose(job, pose); });
    if (poses.empty())
        throw Error::badInput(
            "scales or shears joints in all poses of the clip, to which `virtual` joints are not "
            "fitted; leave `only_clip` out, or use another `clip`");
    std::vector<Vec3f> exact(mesh.vertexCount()), skinned(mesh.vertexCount()), frame(job.weld.count());
    std::vector<double> errors;
    SampleTable table(job.weld.count(), poses.size());
    for (std::size_t p = 0; p < poses.size(); ++p) {
        progress.report("sample", double(p) / double(poses.size()));
        const std::vector<Affine3f> bones = bonesOf(job, poses[p]);
        job.reference.evaluate(0, bones, {}, exact);
        measure::poseSkin(plain, bones, {}, skinned);
        double squared = 0;
        for (std::size_t v = 0; v < exact.size(); ++v) {
            const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
            squared += dot(d, d) / double(exact.size());
        }
        errors.push_back(squared);
        for (std::size_t w = 0; w < frame.size(); ++w) frame[w] = exact[job.weld.representative[w]];
        table.add(frame, poses[p].locals);
    }
    fit::SkinSamples samples = table.take();
    samples.importance = importanceOf(poses, errors);
    return samples;
}

DdmRows<float> weldedDdmRows(const DdmRows<float>& rows, const geometry::Weld& weld) {
    DdmRows<float> welded;
    for (const std::uint32_t v : weld.representative) {
        for (std::size_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
            welded.joints.push_back(rows.joints[e]);
            welded.blocks.push_back(rows.blocks[e]);
            welded.psi.push_back(rows.psi[e]);
        }
        welded.endRow(welded.joints.size());
        welded.centers.push_back(rows.centers[v]);
    }
    return welded;
}

/// A skin with at most `count` virtual joints, and its error.
std::pair<fit::VirtualSkin, BakeCandidate> tryVirtual(const BakeJob& job, const fit::SkinSamples& samples,
                                                      const DdmRows<float>& rows, std::size_t count,
                                                      const Progress& progress) {
    const Mesh& mesh = job.character.mesh;
    std::vector<Vec3f> rest;
    for (const std::uint32_t v : job.weld.representative) rest.push_back(mesh.positions[v]);
    fit::VirtualSkin skin =
        fit::fitVirtualBones(rest, geometry::weldedTriangles(mesh.triangles, job.weld), job.character.skeleton,
                             job.character.driven, rows, samples, {count, job.request.influences}, progress);
    skin.weights = unweldedRows(skin.weights, job.weld, false);
    const BakeErrors errors = measureSkins(job, skin.skeleton, skin.driven, {&skin.weights, 1}, progress).front();
    BakeCandidate candidate{"virtual", 0, skin.bones, errors.clip, errors.range};
    return {std::move(skin), std::move(candidate)};
}

}  // namespace

void checkVirtual(const Character& character, const BakeRequest& request) {
    // Joints of this kind follow no joint that follows others itself.
    const auto have = std::count_if(
        character.driven.begin(), character.driven.end(),
        [](const rig::DrivenJoint& joint) { return std::holds_alternative<rig::DrivenVirtual>(joint.motion); });
    if (have > 0 && (request.virtual_joints > 0 || request.helpers > 0))
        throw Error::badInput(
            fmt::format("has {} virtual joints already, on which other joints cannot depend; bake the file that it was "
                        "made from",
                        have));
    if (request.virtual_joints == 0) return;
    if (request.sequence || !methods::findMethod(request.method).traits.smooths)
        throw Error::badUsage("`virtual` joints follow Direct Delta Mush: use `from` ddm");
    if (request.base || request.method_options.contains("base"))
        throw Error::badUsage("`virtual` joints follow Direct Delta Mush, which has no `base`");
    if (request.helpers > 0)
        throw Error::badUsage("`virtual` joints and `helpers` exclude each other: use one of them");
    if (!request.locked.empty()) throw Error::badUsage("`virtual` joints and `lock` exclude each other");
    const std::size_t vertices = character.mesh.vertexCount();
    if (request.virtual_joints > vertices)
        throw Error::badInput(fmt::format("has {} vertices, which is less than the {} `virtual` joints", vertices,
                                          request.virtual_joints));
    if (request.virtual_joints > kMostVirtual && request.virtual_joints < vertices)
        throw Error::badUsage(fmt::format("{} `virtual` joints are too many: use at most {}, or {} for one per vertex",
                                          request.virtual_joints, kMostVirtual, vertices));
}

void addVirtual(const BakeJob& job, BakeResult& result, const Progress& progress) {
    const BakeRequest& request = job.request;
    if (request.max_error && result.candidates[result.chosen].main().e_rms <= *request.max_error) return;
    const fit::SkinSamples samples = sampleVirtual(job, progress);
    const DdmRows<float> rows = weldedDdmRows(job.reference.rows(), job.weld);
    std::vector<std::pair<fit::VirtualSkin, BakeCandidate>> tried;
    const auto suffices = [&](std::size_t count) {
        tried.push_back(tryVirtual(job, samples, rows, count, progress));
        return !request.max_error || tried.back().second.main().e_rms <= *request.max_error;
    };
    std::size_t low = 1,
                high = request.max_error ? std::min<std::size_t>(8, request.virtual_joints) : request.virtual_joints;
    bool reached = suffices(high);
    while (!reached && high < request.virtual_joints) {
        low = high + 1;
        high = std::min(2 * high, request.virtual_joints);
        reached = suffices(high);
    }
    while (request.max_error && reached && high >= low + std::max<std::size_t>(1, high / kCountSteps)) {
        const std::size_t middle = (low + high) / 2;
        if (suffices(middle))
            high = middle;
        else
            low = middle + 1;
    }
    std::stable_sort(tried.begin(), tried.end(),
                     [](const auto& a, const auto& b) { return a.second.virtual_joints < b.second.virtual_joints; });
    const std::size_t plain = result.candidates.size();
    for (const auto& [skin, candidate] : tried) result.candidates.push_back(candidate);
    result.chosen = chooseBaked(result.candidates, 0, request.max_error);
    if (result.chosen < plain) return;
    fit::VirtualSkin& skin = tried[result.chosen - plain].first;
    result.character =
        withSkin(job.character, std::move(skin.skeleton), std::move(skin.driven), std::move(skin.weights));
}

}  // namespace pelt::verbs
