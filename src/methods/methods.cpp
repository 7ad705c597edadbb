#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>
#include <pelt/deform/cor.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/delta_mush.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>
#include <pelt/pipeline/ddm.h>
#include <pelt/pipeline/methods.h>
#include <pelt/pipeline/pack.h>

#include <algorithm>
#include <cstring>

namespace pelt::pipeline {
namespace {

using deform::DdmForm;

class LbsDeformer final : public Deformer {
public:
    explicit LbsDeformer(const deform::LbsRig& rig) : rig_(rig), pose_(rig_), linear_pose_(rig_) {}

    void setPose(std::span<const Affine3f> bones) override {
        pose_.set(bones);
        linear_.clear();
        for (const Affine3f& bone : bones) linear_.emplace_back(bone.linear(), Vec3f(0, 0, 0));
        linear_pose_.set(linear_);
    }
    void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                  const deform::Output& out) const noexcept override {
        deform::evaluate(rig_, pose_, rest, first, count, out);
    }
    /// Normals are transformed by the inverse transpose, tangent directions by the blended matrix itself.
    void evaluateTangents(std::span<const Vec3f> rest, std::size_t first, std::size_t count, std::span<Vec3f>,
                          std::span<Vec3f> tangents) const noexcept override {
        deform::evaluate(rig_, linear_pose_, {rest, {}}, first, count, {tangents, {}});
        for (Vec3f& t : tangents.subspan(first, count)) t = normalized(t);
    }
    std::span<const std::byte> rigBytes() const noexcept override { return rig_.bytes(); }

private:
    deform::LbsRig rig_;
    deform::LbsPose pose_, linear_pose_;  ///< linear: without translations
    std::vector<Affine3f> linear_;
};

/// A method that has a rig and a pose, which is set from bones.
template <class Rig, class Pose>
class PosedDeformer final : public Deformer {
public:
    explicit PosedDeformer(Rig rig) : rig_(std::move(rig)), pose_(rig_) {}

    void setPose(std::span<const Affine3f> bones) override { pose_.set(bones); }
    void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                  const deform::Output& out) const noexcept override {
        deform::evaluate(rig_, pose_, rest, first, count, out);
    }
    std::span<const std::byte> rigBytes() const noexcept override {
        if constexpr (requires { rig_.bytes(); })
            return rig_.bytes();
        else
            return {};
    }

private:
    Rig rig_;
    Pose pose_;
};
using DqsDeformer = PosedDeformer<deform::DqsRig, deform::DqsPose>;
using DdmDeformer = PosedDeformer<deform::DdmRig, deform::DdmPose>;
using DeltaMushDeformer = PosedDeformer<deform::DeltaMushRig, deform::DeltaMushPose>;

using Made = std::unique_ptr<Deformer>;

Made lbs(const Character& character, const SkinWeights& weights) {
    return std::make_unique<LbsDeformer>(deform::prepareLbs(character.mesh, weights));
}

Made dqs(const Character& character, const SkinWeights& weights) {
    return std::make_unique<DqsDeformer>(
        deform::prepareDqs(character.mesh, weights, rig::jointRestPositions(character.skeleton)));
}

Made prepareLbs(const Character& character, const MethodOptions&, const Progress&) {
    const bool is_virtual = std::any_of(character.driven.begin(), character.driven.end(),
                                        [](const auto& joint) { return joint.kind == rig::DriverKind::ddm; });
    return std::make_unique<LbsDeformer>(deform::prepareLbs(
        character.mesh, character.weights, is_virtual ? deform::LbsForm::compact : deform::LbsForm::full));
}

Made prepareDqs(const Character& character, const MethodOptions&, const Progress&) {
    return dqs(character, character.weights);
}

Made prepareCor(const Character& character, const MethodOptions& options, const Progress& progress) {
    deform::CorOptions numbers;
    setOptions(numbers, deform::corFields(), options);
    const DdmRows<float> rows = deform::corRows(character.mesh, character.weights, numbers, progress);
    return std::make_unique<DdmDeformer>(deform::packDdm(character.mesh, rows, DdmForm::v4));
}

DdmSettings settingsFor(const Character& character, const MethodOptions& options, bool* changed = nullptr) {
    DdmSettings settings = character.ddm ? character.ddm->settings : DdmSettings{};
    const bool any = setOptions(settings, ddmFields(), options);
    if (changed) *changed = any;
    return settings;
}

template <deform::DeltaMushFrames kFrames>
Made prepareDeltaMush(const Character& character, const MethodOptions& options, const Progress& progress) {
    progress.report("prepare", 0);
    const DdmPlan plan = planDdm(character, settingsFor(character, options));
    deform::DeltaMushOptions numbers;
    numbers.laplacian = plan.options.laplacian;
    numbers.smoothing = plan.options.smoothing;
    numbers.iterations = plan.options.iterations;
    numbers.lambda = plan.options.lambda;
    for (std::size_t v = 0; v < plan.options.excluded.size(); ++v)
        if (plan.options.excluded[v]) numbers.lambda[v] = 0;
    numbers.frames = kFrames;
    const geometry::PartTies ties = deform::connectParts(character.mesh, plan.bind, plan.options);
    numbers.extra_edges = ties.edges;
    for (std::size_t v = 0; v < ties.rigid.size(); ++v)
        if (ties.rigid[v]) numbers.lambda[v] = 0;
    numbers.weld_tolerance = plan.options.weld_tolerance;
    numbers.surface = plan.options.surface;
    return std::make_unique<DeltaMushDeformer>(deform::prepareDeltaMush(character.mesh, plan.bind, numbers));
}

Made ddm(const Character& character, const DdmRows<float>& rows, DdmForm form) {
    return std::make_unique<DdmDeformer>(deform::packDdm(character.mesh, rows, form));
}

template <DdmForm kForm>
Made ofForm(const Character& character, const DdmRows<float>& rows) {
    return ddm(character, rows, kForm);
}

Made ofV5(const Character& character, const DdmRows<float>& rows) { return lbs(character, deform::plainWeights(rows)); }

Made ofV5Dqs(const Character& character, const DdmRows<float>& rows) {
    return dqs(character, deform::plainWeights(rows));
}

/// The variant stored in the character; v0 if there is none.
Made ofStored(const Character& character, const DdmRows<float>& rows) {
    switch (character.ddm ? character.ddm->variant : DdmVariant::v0) {
        case DdmVariant::v0:
            break;
        case DdmVariant::v1:
            return ddm(character, rows, DdmForm::v1);
        case DdmVariant::v2:
            return ddm(character, rows, DdmForm::v2);
        case DdmVariant::v3:
            return ddm(character, rows, DdmForm::v3);
        case DdmVariant::v4:
            return ddm(character, rows, DdmForm::v4);
        case DdmVariant::v5:
            return ofV5(character, rows);
    }
    return ddm(character, rows, DdmForm::ddm);
}

template <Made (*kOfRows)(const Character&, const DdmRows<float>&)>
Made prepareRows(const Character& character, const MethodOptions& options, const Progress& progress) {
    return kOfRows(character, ddmRows(character, options, progress));
}

std::vector<OptionInfo> noOptions() { return {}; }
std::vector<OptionInfo> corOptions() { return optionInfos(deform::corFields()); }
std::vector<OptionInfo> ddmOptions() { return optionInfos(ddmFields()); }

constexpr MethodTraits kPlain{}, kLinear{true, false, false}, kMush{false, true, false}, kRows{false, true, true};

template <Made (*kOfRows)(const Character&, const DdmRows<float>&)>
constexpr Method byRows(std::string_view name, std::string_view summary) {
    return {name, summary, kRows, ddmOptions, prepareRows<kOfRows>, kOfRows};
}

constexpr Method kMethods[] = {
    {"lbs", "linear blend skinning", kLinear, noOptions, prepareLbs},
    {"dqs", "dual quaternion skinning, also for joints that stretch", kPlain, noOptions, prepareDqs},
    {"cor", "optimized centers of rotation", kPlain, corOptions, prepareCor},
    {"dm", "Delta Mush with best-fit frames", kMush, ddmOptions, prepareDeltaMush<deform::DeltaMushFrames::procrustes>},
    {"dm-tangent", "Delta Mush with tangent frames, as published", kMush, ddmOptions,
     prepareDeltaMush<deform::DeltaMushFrames::tangent>},
    byRows<ofStored>("ddm",
                     "Direct Delta Mush: the data of a mushed file, otherwise v0; enhanced if joints scale or shear"),
    byRows<ofForm<DdmForm::v0>>("ddm-v0", "Direct Delta Mush, the full model"),
    byRows<ofForm<DdmForm::v1>>("ddm-v1", "v0 without solving for a rotation"),
    byRows<ofForm<DdmForm::v1_printed>>("ddm-v1-printed",
                                        "v1 with the division by the determinant that the paper prints"),
    byRows<ofForm<DdmForm::v2>>("ddm-v2", "v0 with rotations blended as quaternions"),
    byRows<ofForm<DdmForm::v3>>("ddm-v3", "v0 with rotations blended as matrices"),
    byRows<ofForm<DdmForm::v4>>("ddm-v4", "v2 with one weight per joint for translations too"),
    byRows<ofV5>("ddm-v5", "linear blend skinning with the smoothed weights"),
    byRows<ofV5Dqs>("ddm-v5-dqs", "dual quaternion skinning with the smoothed weights"),
    byRows<ofForm<DdmForm::eddm>>("eddm", "Enhanced Direct Delta Mush, for joints that scale or shear"),
};

}  // namespace

std::unique_ptr<Deformer> deformerOf(const Character& character, std::span<const std::byte> rig) {
    AlignedBytes bytes(rig.size());
    if (!rig.empty()) std::memcpy(bytes.data(), rig.data(), rig.size());
    const auto is = [&](runtime::RigKind kind) { return !runtime::findRig(bytes, kind).empty(); };
    const auto checked = [&](const auto& packed) {
        if (packed.view().vertexCount() != character.mesh.vertexCount() ||
            packed.view().jointCount() > character.skeleton.joints.size())
            throw Error::badInput("these bytes of a deformer are those of another character");
        return packed;
    };
    if (is(runtime::RigKind::lbs)) return std::make_unique<LbsDeformer>(checked(deform::LbsRig(std::move(bytes))));
    if (is(runtime::RigKind::dqs)) return std::make_unique<DqsDeformer>(checked(deform::DqsRig(std::move(bytes))));
    return std::make_unique<DdmDeformer>(checked(deform::DdmRig(std::move(bytes))));
}

DdmRows<float> ddmRows(const Character& character, const MethodOptions& options, const Progress& progress) {
    return DdmTuning(character).rows(options, progress);
}

DdmRows<float> DdmTuning::rows(const MethodOptions& options, const Progress& progress) {
    bool changed = false;
    const DdmSettings settings = settingsFor(*character_, options, &changed);
    if (character_->ddm && !changed) return character_->ddm->rows;
    DdmPlan plan = planDdm(*character_, settings);
    if (!preparation_ || !(plan.bind == bind_)) {
        preparation_.emplace(character_->mesh, plan.bind);
        bind_ = std::move(plan.bind);
    }
    preparation_->update(plan.options, progress);
    return preparation_->rounded(std::size_t(settings.influences.value_or(0)));
}

std::span<const Method> methods() { return kMethods; }

std::vector<std::string> optionsNotOf(const Method& method, const MethodOptions& options) {
    const std::vector<OptionInfo> own = method.options();
    std::vector<std::string> others;
    for (const auto& entry : options)
        if (std::none_of(own.begin(), own.end(), [&](const OptionInfo& o) { return o.name == entry.first; }))
            others.push_back(entry.first);
    return others;
}

const Method& findMethod(std::string_view name) {
    std::vector<std::string> names;
    for (const Method& method : kMethods) {
        if (method.name == name) return method;
        names.emplace_back(method.name);
    }
    throw Error::badUsage(
        fmt::format("no method '{}'{}; there are {}", name, didYouMean(name, names), fmt::join(names, ", ")));
}

}  // namespace pelt::pipeline
