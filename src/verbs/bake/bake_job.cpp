// What baking plain skins and virtual joints have in common: the reference, its samples, and the errors of skins.
#include "bake_job.h"

#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm.h>
#include <pelt/methods/ddm.h>

#include <algorithm>
#include <array>

namespace pelt::verbs {
namespace {

constexpr std::size_t kFramesAtOnce = 16;  ///< transposed (from frames to vertices)

std::vector<Affine3f> skinOf(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                             std::vector<Affine3d> locals) {
    while (locals.size() < skeleton.nodes.size()) locals.push_back(rig::restLocal(skeleton.nodes[locals.size()]));
    rig::applyDrivers(skeleton, driven, locals);
    const std::vector<Affine3d> bones = rig::skinMatricesOf(skeleton, locals);
    return {bones.begin(), bones.end()};
}

}  // namespace

BakeReference::BakeReference(const Character& character, const BakeRequest& request, const Progress& progress)
    : sequence_(request.sequence), base_(request.base), base_positions_(base_ ? character.mesh.vertexCount() : 0) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no skeleton");
    if (character.weights.empty())
        throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
    smoothed_ = std::make_shared<DdmPayload>();
    const DdmPayload* const mush = rig::mushOf(character);
    smoothed_->variant = mush ? mush->variant : DdmVariant::v0;
    const methods::Method& method = methods::findMethod(sequence_ ? "lbs" : request.method);
    const DdmContent content = request.virtual_joints > 0 ? DdmContent::full
                               : method.content           ? method.content(character)
                                                          : DdmContent::plain;
    smoothed_->rows = methods::ddmRows(character, request.method_options, progress, content);
    if (sequence_) return;
    const bool fitted = methods::playsFitted(character, method, request.method_options);
    is_ddm_ = method.traits.smooths && !fitted;
    // Precompute once; every method then uses the rows as if they were stored in the file.
    Character prepared = character;
    const bool stored = method.traits.stored_rows && !fitted;
    if (stored) prepared.ddm = smoothed_;
    deformer_ = method.prepare(prepared, stored ? methods::MethodOptions{} : request.method_options, progress);
}

SkinWeights BakeReference::reach() const { return deform::plainWeights(smoothed_->rows); }

void BakeReference::evaluate(std::size_t frame, std::span<const Affine3f> bones, const deform::RestShape& rest,
                             std::span<Vec3f> out) {
    if (sequence_) {
        sequence_->readFrame(frame, out);
        return;
    }
    if (base_) {
        base_->readFrame(frame, base_positions_);
        deformer_->setPoseOver(bones, base_positions_);
    } else {
        deformer_->setPose(bones);
    }
    const deform::RestShape shape = base_ ? deform::RestShape{} : rest;  // its morph targets are in the meshes
    parallelFor(out.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        deformer_->evaluate(shape, first, last - first, {out, {}});
    });
}

std::vector<BakeErrors> measureSkins(const BakeJob& job, const Skeleton& skeleton,
                                     std::span<const rig::DrivenJoint> driven, std::span<const SkinWeights> skins,
                                     const Progress& progress) {
    using measure::SkinPose;
    const Mesh& mesh = job.character.mesh;
    std::vector<Affine3f> bones;  // of all skins in a pose
    std::vector<measure::PoseShape> shapes;
    for (const SkinWeights& weights : skins)
        shapes.emplace_back([&bones, rig = deform::prepareLbs(mesh, weights)](
                                const SkinPose&, const deform::RestShape& rest, std::span<Vec3f> out) {
            measure::poseSkin(rig, bones, rest, out);
        });
    const auto reference = [&](const SkinPose& at, const deform::RestShape& rest, std::span<Vec3f> out) {
        job.reference.evaluate(at.index, at.bones, rest, out);
        bones = skinOf(skeleton, driven, job.poses.locals(at.index));
    };
    std::vector<std::array<measure::SkinSums, measure::kPoseParts>> sums(skins.size());
    measure::poseSkins(
        mesh, job.poses, reference, shapes,
        [&](std::size_t skin, measure::PoseSource part, std::span<const Vec3f> exact, std::span<const Vec3f> skinned) {
            sums[skin][part].add(mesh, exact, skinned);
        },
        progress);
    std::vector<BakeErrors> errors;
    for (const auto& parts : sums) {
        const auto error = [&](measure::PoseSource part) -> std::optional<measure::SkinError> {
            if (job.poses.count(part) == 0) return {};
            return parts[part].error(job.poses.count(part), mesh.vertexCount(), job.radius);
        };
        errors.push_back({error(measure::kClipPoses), error(measure::kRangePoses)});
    }
    return errors;
}

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

std::size_t chooseBaked(const std::vector<BakeCandidate>& candidates, std::size_t first,
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

Character withSkin(const Character& character, Skeleton skeleton, std::vector<rig::DrivenJoint> driven,
                   SkinWeights weights) {
    Character baked = character;
    baked.ddm = nullptr;
    baked.skeleton = std::move(skeleton);
    baked.driven = std::move(driven);
    baked.weights = std::move(weights);
    if (baked.driven.size() > character.driven.size())
        for (Clip& clip : baked.clips) rig::bakeDrivers(baked.skeleton, baked.driven, clip);
    return baked;
}

SampleTable::SampleTable(std::size_t vertices, std::size_t samples) {
    samples_.vertices = vertices;
    samples_.samples = samples;
    samples_.positions.resize(3 * vertices * samples);
}

void SampleTable::add(const std::vector<Vec3f>& frame, std::span<const Affine3d> locals) {
    waiting_.push_back(frame);
    samples_.locals.insert(samples_.locals.end(), locals.begin(), locals.end());
    if (waiting_.size() == kFramesAtOnce) store();
}

void SampleTable::store() {
    const std::size_t samples = samples_.samples;
    parallelFor(samples_.vertices, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (std::size_t s = 0; s < waiting_.size(); ++s)
                for (int c = 0; c < 3; ++c)
                    samples_.positions[3 * (v * samples + stored_ + s) + std::size_t(c)] = waiting_[s][v][c];
    });
    stored_ += waiting_.size();
    waiting_.clear();
}

fit::SkinSamples SampleTable::take() {
    store();
    return std::move(samples_);
}

}  // namespace pelt::verbs
