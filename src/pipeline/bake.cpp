#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/lbs.h>
#include <pelt/fit/bake.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/weld.h>
#include <pelt/pipeline/bake.h>
#include <pelt/pipeline/ddm.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bake_virtual.h"
#include "skin_poses.h"
#include "small_weights.h"

namespace pelt::pipeline {
namespace {

constexpr std::size_t kBakeGrain = 2048;     ///< vertices posed by one task
constexpr std::size_t kMostClipPoses = 100;  ///< of a long clip: samples closer in time add no information
/// Weights of the initial skin's error in each part, relative to the costs that keep weights smooth. The range of
/// motion counts more, because the skin will also be used with other clips.
constexpr double kClipEmphasis = 8, kRangeEmphasis = 16;
constexpr std::size_t kCountSteps = 16;  ///< the smallest number of virtual joints is found within this part of it
constexpr int kMostAttempts = 4;         ///< attempts at a skin that is nowhere worse than the initial one

enum Part { kClip, kRange, kParts };

/// One sampled pose.
struct Pose {
    Part part = kClip;
    std::size_t frame = 0;  ///< of the clip
    double time = 0;
    std::vector<Affine3d> locals;
};

/// The deformation to bake, evaluated in any pose.
class Reference {
public:
    Reference(const Character& character, const BakeRequest& request, const Progress& progress)
        : sequence_(request.sequence) {
        if (character.skeleton.joints.empty()) throw Error::badInput("has no skeleton");
        if (character.weights.empty())
            throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
        smoothed_ = std::make_shared<DdmPayload>();
        smoothed_->variant = character.ddm ? character.ddm->variant : DdmVariant::v0;
        smoothed_->rows = ddmRows(character, request.method_options, progress);
        if (sequence_) return;
        const Method& method = findMethod(request.method);
        is_ddm_ = method.traits.smooths;
        // Precompute once; every method then uses the rows as if they were stored in the file.
        Character prepared = character;
        const bool stored = method.traits.stored_rows;
        if (stored) prepared.ddm = smoothed_;
        deformer_ = method.prepare(prepared, stored ? MethodOptions{} : request.method_options, progress);
    }

    bool isDdm() const { return is_ddm_; }
    const DdmRows<float>& rows() const { return smoothed_->rows; }
    /// All joints that have weight on a vertex after smoothing.
    SkinWeights reach() const { return deform::plainWeights(smoothed_->rows); }

    void evaluate(const Pose& pose, std::span<const Affine3f> bones, const deform::RestShape& rest,
                  std::span<Vec3f> out) {
        if (sequence_) {
            sequence_->readFrame(pose.frame, out);
            return;
        }
        deformer_->setPose(bones);
        parallelFor(out.size(), kBakeGrain, [&](std::size_t first, std::size_t last) {
            deformer_->evaluate(rest, first, last - first, {out, {}});
        });
    }

private:
    MeshSequence* sequence_;
    std::shared_ptr<DdmPayload> smoothed_;
    std::unique_ptr<Deformer> deformer_;
    bool is_ddm_ = false;
};

std::vector<Affine3f> skinOf(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                             std::span<const Affine3d> given) {
    std::vector<Affine3d> locals(given.begin(), given.end());
    while (locals.size() < skeleton.nodes.size()) locals.push_back(rig::restLocal(skeleton.nodes[locals.size()]));
    rig::applyDrivers(skeleton, driven, locals);
    const std::vector<Affine3d> bones = rig::skinMatricesOf(skeleton, locals);
    return {bones.begin(), bones.end()};
}

/// The range of motion at full and at half extent; driven joints follow their drivers.
std::vector<Pose> rangePoses(const Character& character, rig::RangeOfMotion range) {
    const Skeleton& skeleton = character.skeleton;
    range = rig::rangeOfFreeJoints(skeleton, character.driven, std::move(range));
    std::vector<Pose> poses;
    for (const double reach : {1.0, 0.5}) {
        range.reach = reach;
        for (const auto& bones : rig::rangeOfMotion(skeleton, range)) {
            const std::vector<Affine3d> exact(bones.begin(), bones.end());
            Pose pose{kRange, 0, 0, rig::localsOfSkin(skeleton, exact)};
            rig::applyDrivers(skeleton, character.driven, pose.locals);
            poses.push_back(std::move(pose));
        }
    }
    return poses;
}

std::vector<Pose> clipPoses(const Character& character, const BakeRequest& request) {
    if (character.clips.empty() && !request.sequence && !request.sampling.clip) return {};
    const std::vector<double> times = sampleTimes(character, request.sampling);
    if (request.sequence && request.sequence->frameCount() != times.size())
        throw Error::badInput(
            fmt::format("has {} samples in its clip, but there are {} meshes to bake; the numbers must be equal (see "
                        "`clip`, `fps` and `frames`)",
                        times.size(), request.sequence->frameCount()));
    if (request.sequence && request.sequence->vertexCount() != character.mesh.vertexCount())
        throw Error::badInput(fmt::format("has {} vertices, but the meshes to bake have {}",
                                          character.mesh.vertexCount(), request.sequence->vertexCount()));
    const Clip* clip = &chosenClip(character, request.sampling);
    std::vector<Pose> poses;
    for (const double t : times)
        poses.push_back(
            {kClip, poses.size(), t, rig::sampleDrivenLocals(character.skeleton, character.driven, clip, t)});
    return poses;
}

/// All poses of the range of motion and evenly spaced ones of the clip.
std::vector<const Pose*> trainingPoses(const std::vector<Pose>& clip, const std::vector<Pose>& range) {
    std::vector<const Pose*> chosen;
    const std::size_t count = std::min(clip.size(), kMostClipPoses);
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(&clip[i * clip.size() / count]);
    for (const Pose& pose : range) chosen.push_back(&pose);
    return chosen;
}

/// Samples of welded vertices, and the error of a skin in each part.
struct Training {
    fit::SkinSamples samples;
    std::array<double, kParts> error{};  ///< mean squared error of the initial skin
    std::array<std::size_t, kParts> count{};
    std::vector<Part> parts;  ///< per sample
};

/// Number of samples transposed (from frames to vertices) at once.
constexpr std::size_t kSamplesAtOnce = 16;

Training sampleReference(const Character& character, Reference& reference, const SkinWeights& start,
                         const geometry::Weld& weld, const std::vector<const Pose*>& poses, const Progress& progress) {
    const Mesh& mesh = character.mesh;
    const std::size_t vertices = mesh.vertexCount(), welded = weld.count();
    std::vector<float> copies(welded, 0);
    for (const std::uint32_t w : weld.welded) ++copies[w];
    const deform::LbsRig plain = deform::prepareLbs(mesh, start);
    deform::LbsPose plain_pose(plain);

    Training training;
    training.samples.vertices = welded;
    training.samples.samples = poses.size();
    training.samples.positions.resize(3 * welded * poses.size());
    std::vector<std::vector<Vec3f>> means(kSamplesAtOnce, std::vector<Vec3f>(welded));
    std::vector<Vec3f> positions(vertices), skinned(vertices);
    for (std::size_t begin = 0; begin < poses.size(); begin += kSamplesAtOnce) {
        const std::size_t count = std::min(kSamplesAtOnce, poses.size() - begin);
        for (std::size_t s = 0; s < count; ++s) {
            progress.report("sample", double(begin + s) / double(poses.size()));
            const Pose& pose = *poses[begin + s];
            const std::vector<Affine3f> bones = skinOf(character.skeleton, {}, pose.locals);
            reference.evaluate(pose, bones, {}, positions);
            plain_pose.set(bones);
            deform::evaluate(plain, plain_pose, {}, 0, vertices, {skinned, {}});
            double squared = 0;
            std::fill(means[s].begin(), means[s].end(), Vec3f{});
            for (std::size_t v = 0; v < vertices; ++v) {
                const Vec3d d = Vec3d(positions[v]) - Vec3d(skinned[v]);
                squared += dot(d, d);
                means[s][weld.welded[v]] += positions[v] / copies[weld.welded[v]];
            }
            training.parts.push_back(pose.part);
            training.error[pose.part] += squared / double(vertices);
            ++training.count[pose.part];
            training.samples.locals.insert(training.samples.locals.end(), pose.locals.begin(), pose.locals.end());
        }
        parallelFor(welded, kBakeGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v)
                for (std::size_t s = 0; s < count; ++s)
                    for (int c = 0; c < 3; ++c)
                        training.samples.positions[3 * (v * poses.size() + begin + s) + std::size_t(c)] =
                            means[s][v][c];
        });
    }
    return training;
}

/// Rows of welded vertices: those of the representatives.
SkinWeights weldedRows(const SkinWeights& weights, const geometry::Weld& weld) {
    SkinWeights rows;
    for (const std::uint32_t v : weld.representative) appendVertex(rows, weights.jointsOf(v), weights.weightsOf(v));
    return rows;
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

/// Rows of all vertices, without weights too small to be visible, which would only cost time. If joints are locked, all
/// weights are kept bit by bit.
SkinWeights unweldedRows(const SkinWeights& welded_rows, const geometry::Weld& weld, bool locked) {
    const SkinWeights rows = locked ? welded_rows : withoutSmall(welded_rows);
    SkinWeights weights;
    for (const std::uint32_t w : weld.welded) {
        weights.joints.insert(weights.joints.end(), rows.jointsOf(w).begin(), rows.jointsOf(w).end());
        weights.weights.insert(weights.weights.end(), rows.weightsOf(w).begin(), rows.weightsOf(w).end());
        weights.offsets.push_back(std::uint32_t(weights.joints.size()));
    }
    return weights;
}

/// A skin and its skeleton, to be measured.
struct Trial {
    deform::LbsRig rig;
    double squared[kParts] = {}, max[kParts] = {};
    double turned[kParts] = {};  ///< squared angles between normals
};

/// Errors of skins relative to the reference over all poses.
void measure(const Character& character, Reference& reference, const Skeleton& skeleton,
             std::span<const rig::DrivenJoint> driven, const std::vector<Pose>& clip, const std::vector<Pose>& range,
             const BakeRequest& request, std::vector<Trial>& trials, const Progress& progress) {
    const Mesh& mesh = character.mesh;
    const Clip* morphing = nullptr;
    if (!mesh.morphs.empty() && !clip.empty()) morphing = &chosenClip(character, request.sampling);
    std::vector<Vec3f> exact(mesh.vertexCount()), skinned(mesh.vertexCount()), morphed;
    std::size_t done = 0;
    for (const auto* poses : {&clip, &range})
        for (const Pose& pose : *poses) {
            progress.report("measure", double(done++) / double(clip.size() + range.size()));
            deform::RestShape rest;
            if (morphing && pose.part == kClip) {
                morphed = mesh.positions;
                rig::addMorphs(mesh, rig::morphWeights(mesh, morphing, pose.time), morphed, {});
                rest.positions = morphed;
            }
            reference.evaluate(pose, skinOf(character.skeleton, {}, pose.locals), rest, exact);
            const std::vector<Affine3f> bones = skinOf(skeleton, driven, pose.locals);
            for (Trial& trial : trials) {
                deform::LbsPose posed(trial.rig);
                posed.set(bones);
                parallelFor(exact.size(), kBakeGrain, [&](std::size_t first, std::size_t last) {
                    deform::evaluate(trial.rig, posed, rest, first, last - first, {skinned, {}});
                });
                for (std::size_t v = 0; v < exact.size(); ++v) {
                    const Vec3d d = Vec3d(exact[v]) - Vec3d(skinned[v]);
                    trial.squared[pose.part] += dot(d, d);
                    trial.max[pose.part] = std::max(trial.max[pose.part], dot(d, d));
                }
                trial.turned[pose.part] += meanSquaredTurn(mesh, exact, skinned);
            }
        }
}

std::optional<BakeError> errorOf(const Trial& trial, Part part, std::size_t poses, std::size_t vertices,
                                 double radius) {
    if (poses == 0) return {};
    BakeError error;
    const double mean = trial.squared[part] / (double(poses) * double(vertices));
    error.rms = std::sqrt(mean);
    error.max = std::sqrt(trial.max[part]);
    error.normals = std::sqrt(trial.turned[part] / double(poses));
    error.e_rms = radius > 0 ? 1000 * std::sqrt(mean / 3) / radius : 0;
    return error;
}

std::vector<std::uint32_t> lockedSlots(const Character& character, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> slots;
    for (const std::string& name : names) {
        const std::size_t before = slots.size();
        for (std::uint32_t j = 0; j < character.skeleton.joints.size(); ++j)
            if (rig::jointName(character.skeleton, j) == name) slots.push_back(j);
        if (slots.size() == before) throw Error::badInput(rig::noSuchJoint(character.skeleton, name));
    }
    return slots;
}

/// All parts count equally, each relative to the error of the initial skin there.
void weighParts(Training& training, const std::array<double, kParts>& emphasis, double radius) {
    training.samples.importance.clear();
    for (const Part part : training.parts) {
        const auto count = double(training.count[part]);
        const double mean = std::max(training.error[part] / count, 1e-14 * radius * radius);
        training.samples.importance.push_back(emphasis[part] / (count * mean));
    }
}

/// Whether the error of some part is larger than with the initial skin; its weight is then increased.
bool emphasise(const std::vector<BakeCandidate>& candidates, std::array<double, kParts>& emphasis) {
    const auto worse = [&](const std::optional<BakeError> BakeCandidate::*part) {
        return candidates.front().*part && (candidates.back().*part)->rms > (candidates.front().*part)->rms;
    };
    const bool clip = worse(&BakeCandidate::clip), range = worse(&BakeCandidate::range);
    if (clip) emphasis[kClip] *= 8;
    if (range) emphasis[kRange] *= 8;
    return clip || range;
}

/// The candidate with the fewest helpers that reaches the requested error, otherwise the best; starting with candidate
/// `first`.
std::size_t choose(const std::vector<BakeCandidate>& candidates, std::size_t first,
                   const std::optional<double>& max_error) {
    std::size_t best = first;
    for (std::size_t c = first; c < candidates.size(); ++c) {
        if (max_error && candidates[c].main().e_rms <= *max_error) return c;
        const BakeCandidate &now = candidates[c], &before = candidates[best];
        const bool range_holds = !now.range || !before.range || now.range->rms <= before.range->rms * 1.0001;
        if (now.main().rms <= before.main().rms && range_holds) best = c;
    }
    return best;
}

void applySkin(const Character& character, Skeleton skeleton, std::vector<rig::DrivenJoint> driven, SkinWeights weights,
               Character& baked) {
    baked = character;
    baked.ddm = nullptr;
    baked.skeleton = std::move(skeleton);
    baked.driven = std::move(driven);
    baked.weights = std::move(weights);
    if (baked.driven.size() > character.driven.size())
        for (Clip& clip : baked.clips) rig::bakeDrivers(baked.skeleton, baked.driven, clip);
}

constexpr std::size_t kMostVirtual = 1024;  ///< the solver stores a matrix for each pair of them

void checkVirtual(const Character& character, const BakeRequest& request) {
    if (request.virtual_joints == 0) return;
    if (request.sequence || !findMethod(request.method).traits.smooths)
        throw Error::badUsage("`virtual` joints follow Direct Delta Mush: use `from` ddm");
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

/// What the attempts at virtual joints share.
struct VirtualAttempt {
    const Character& character;
    const BakeRequest& request;
    Reference& reference;
    const SkinWeights& start;
    const geometry::Weld& weld;
    const std::vector<Pose>&clip, &range;
    double radius;
};

/// A skin with at most `count` virtual joints, and its error.
std::pair<fit::VirtualSkin, BakeCandidate> tryVirtual(const VirtualAttempt& with, const fit::SkinSamples& samples,
                                                      const DdmRows<float>& rows, std::size_t count,
                                                      const Progress& progress) {
    const Mesh& mesh = with.character.mesh;
    std::vector<Vec3f> rest;
    for (const std::uint32_t v : with.weld.representative) rest.push_back(mesh.positions[v]);
    fit::VirtualSkin skin =
        fit::fitVirtualBones(rest, geometry::weldedTriangles(mesh.triangles, with.weld), with.character.skeleton,
                             with.character.driven, rows, samples, {count, with.request.influences}, progress);
    skin.weights = unweldedRows(skin.weights, with.weld, false);
    std::vector<Trial> trials{{deform::prepareLbs(mesh, skin.weights)}};
    measure(with.character, with.reference, skin.skeleton, skin.driven, with.clip, with.range, with.request, trials,
            progress);
    BakeCandidate candidate{"virtual", 0, skin.bones,
                            errorOf(trials[0], kClip, with.clip.size(), mesh.vertexCount(), with.radius),
                            errorOf(trials[0], kRange, with.range.size(), mesh.vertexCount(), with.radius)};
    return {std::move(skin), std::move(candidate)};
}

/// Adds candidates with virtual joints: one with all that are allowed or, if an error is to be reached, several:
/// numbers are doubled until one is sufficient, then bisected.
void addVirtual(const VirtualAttempt& with, BakeResult& result, const Progress& progress) {
    const BakeRequest& request = with.request;
    if (request.max_error && result.candidates[result.chosen].main().e_rms <= *request.max_error) return;
    VirtualBake bake{
        with.character,
        with.reference.rows(),
        with.start,
        with.weld,
        request.range,
        {},
        [&](std::span<const Affine3f> bones, std::span<Vec3f> out) { with.reference.evaluate({}, bones, {}, out); }};
    for (const Pose& pose : with.clip) bake.clip.push_back(pose.locals);
    const fit::SkinSamples samples = sampleVirtual(bake, progress);
    const DdmRows<float> rows = weldedDdmRows(with.reference.rows(), with.weld);
    std::vector<std::pair<fit::VirtualSkin, BakeCandidate>> tried;
    const auto suffices = [&](std::size_t count) {
        tried.push_back(tryVirtual(with, samples, rows, count, progress));
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
    result.chosen = choose(result.candidates, 0, request.max_error);
    if (result.chosen < plain) return;
    fit::VirtualSkin& skin = tried[result.chosen - plain].first;
    applySkin(with.character, std::move(skin.skeleton), std::move(skin.driven), std::move(skin.weights),
              result.character);
}

}  // namespace

BakeResult bake(const Character& character, const BakeRequest& request, const Progress& progress) {
    checkVirtual(character, request);
    Reference reference(character, request, progress);
    const Mesh& mesh = character.mesh;
    const std::vector<Pose> clip = clipPoses(character, request);
    const std::vector<Pose> range = request.sequence ? std::vector<Pose>{} : rangePoses(character, request.range);
    const geometry::Weld weld = geometry::weldByPosition(mesh, request.weld);
    std::vector<Vec3f> rest;
    for (const std::uint32_t v : weld.representative) rest.push_back(mesh.positions[v]);
    const double radius = geometry::smallestEnclosingSphere(mesh.positions).radius;

    const SkinWeights reach = weldedRows(reference.reach(), weld), given = weldedRows(character.weights, weld);
    const SkinWeights start = unweldedRows(keepHeaviest(reference.isDdm() ? reach : given, request.influences), weld,
                                           !request.locked.empty());
    fit::BakeOptions options;
    options.influences = request.influences;
    options.helpers = request.helpers;
    options.locked = lockedSlots(character, request.locked);

    BakeResult result;
    std::array<double, kParts> emphasis{kClipEmphasis, kRangeEmphasis};
    for (int attempt = 1;; ++attempt) {
        Training training = sampleReference(character, reference, start, weld, trainingPoses(clip, range), progress);
        weighParts(training, emphasis, radius);
        fit::BakedSkin skin =
            fit::bakeSkin(rest, geometry::weldedTriangles(mesh.triangles, weld), character.skeleton, character.driven,
                          given, reach, std::move(training.samples), options, progress);
        std::vector<SkinWeights> weights{start};
        for (const SkinWeights& rows : skin.weights)
            weights.push_back(unweldedRows(rows, weld, !request.locked.empty()));
        std::vector<Trial> trials;
        for (const SkinWeights& w : weights) trials.push_back({deform::prepareLbs(mesh, w)});
        measure(character, reference, skin.skeleton, skin.driven, clip, range, request, trials, progress);
        result.candidates.clear();
        for (std::size_t c = 0; c < trials.size(); ++c) {
            const std::size_t helpers = c > 0 ? c - 1 : 0;
            result.candidates.push_back({c == 0         ? (reference.isDdm() ? "v5" : "given")
                                         : helpers == 0 ? "resolved"
                                                        : "helpers",
                                         helpers, 0, errorOf(trials[c], kClip, clip.size(), mesh.vertexCount(), radius),
                                         errorOf(trials[c], kRange, range.size(), mesh.vertexCount(), radius)});
        }
        if (emphasise(result.candidates, emphasis) && attempt < kMostAttempts) continue;
        // The initial skin does not respect locked joints.
        result.chosen = choose(result.candidates, options.locked.empty() ? 0 : 1, request.max_error);
        fit::keepHelpers(skin, result.candidates[result.chosen].helpers);
        result.helpers = skin.helpers;
        // The remaining slots are renumbered.
        SkinWeights chosen =
            result.chosen == 0 ? start : unweldedRows(skin.weights.back(), weld, !request.locked.empty());
        applySkin(character, std::move(skin.skeleton), std::move(skin.driven), std::move(chosen), result.character);
        if (request.virtual_joints > 0)
            addVirtual({character, request, reference, start, weld, clip, range, radius}, result, progress);
        return result;
    }
}

}  // namespace pelt::pipeline
