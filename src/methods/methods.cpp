// The table of skinning methods: how each is prepared, and its traits and options.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/core/spelling.h>
#include <pelt/deform/cor.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/delta_mush.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>
#include <pelt/methods/ddm.h>
#include <pelt/methods/methods.h>
#include <pelt/methods/pack.h>
#include <pelt/runtime/skin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace pelt::methods {
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
    void evaluateTangents(std::span<const Vec3f> rest, std::size_t first, std::size_t count,
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

using Made = std::unique_ptr<Deformer>;

constexpr std::string_view kStored = "ddm";  ///< plays what the character stores

/// Delta Mush over the skin that its rig blends, or over what another method makes.
class DeltaMushDeformer final : public Deformer {
public:
    DeltaMushDeformer(deform::DeltaMushRig rig, Made base, std::size_t vertices)
        : rig_(std::move(rig)), pose_(rig_), base_(std::move(base)), deformed_(base_ ? vertices : 0) {}

    void setPose(std::span<const Affine3f> bones) override {
        if (!base_) return pose_.set(bones);
        base_->setPose(bones);
        parallelFor(deformed_.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
            base_->evaluate({}, first, last - first, {deformed_, {}});
        });
        pose_.set(bones, deformed_);
    }
    void setPoseOver(std::span<const Affine3f> bones, std::span<const Vec3f> deformed) override {
        pose_.set(bones, deformed);
    }
    void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                  const deform::Output& out) const noexcept override {
        deform::evaluate(rig_, pose_, rest, first, count, out);
    }

private:
    deform::DeltaMushRig rig_;
    deform::DeltaMushPose pose_;
    Made base_;
    std::vector<Vec3f> deformed_;
};

Made lbs(const Character& character, const SkinWeights& weights) {
    return std::make_unique<LbsDeformer>(deform::prepareLbs(character.mesh, weights));
}

Made dqs(const Character& character, const SkinWeights& weights) {
    return std::make_unique<DqsDeformer>(
        deform::prepareDqs(character.mesh, weights, rig::jointRestPositions(character.skeleton)));
}

Made prepareLbs(const Character& character, const MethodOptions&, const Progress&) {
    const bool is_virtual = std::any_of(character.driven.begin(), character.driven.end(),
                                        [](const auto& joint) { return joint.kind() == rig::DriverKind::ddm; });
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
    const DdmPayload* const mush = rig::mushOf(character);
    DdmSettings settings = mush ? mush->settings : DdmSettings{};
    const bool any = setOptions(settings, ddmFields(), options);
    if (changed) *changed = any;
    return settings;
}

/// Options of Delta Mush that Direct Delta Mush does not have.
struct OverOptions {
    std::string base;
};

OptionTable<OverOptions> overRows() {
    return {
        OptionRow<OverOptions>("base", "METHOD|SEQ", &OverOptions::base,
                               "What dm and dm-tangent smooth: another method with the character's own weights, or "
                               "a sequence with one mesh per sample (default: linear blend skinning with the bind)")};
}

/// The method to work on; null: linear blend skinning with the bind.
Made prepareBase(const Character& character, const MethodOptions& options, const Progress& progress) {
    OverOptions over;
    setOptions(over, overRows(), options);
    if (over.base.empty()) return nullptr;
    MethodOptions others = options;
    others.erase("base");
    return findMethod(over.base).prepare(character, others, progress);
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
    return std::make_unique<DeltaMushDeformer>(deform::prepareDeltaMush(character.mesh, plan.bind, numbers),
                                               prepareBase(character, options, progress), character.mesh.vertexCount());
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
    const DdmPayload* const mush = rig::mushOf(character);
    switch (mush ? mush->variant : DdmVariant::v0) {
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

/// Numbers that methods read.
using ContentOf = DdmContent(const Character&);

DdmContent contentOfStored(const Character& character) {
    const DdmPayload* const mush = rig::mushOf(character);
    return mush ? contentOf(mush->variant) : DdmContent::full;
}
template <DdmVariant kVariant>
DdmContent contentOfVariant(const Character&) {
    return contentOf(kVariant);
}

template <Made (*kOfRows)(const Character&, const DdmRows<float>&), ContentOf* kContent>
Made prepareRows(const Character& character, const MethodOptions& options, const Progress& progress) {
    return kOfRows(character, ddmRows(character, options, progress, kContent(character)));
}

/// [MohrGleicher03] Eq. 1 with weights of any sign.
Made fitted(const Character& character) {
    return std::make_unique<LbsDeformer>(deform::prepareLbs(character.mesh, deform::signedWeights(character.ddm->rows),
                                                            deform::LbsForm::full, deform::WeightSigns::any));
}

Made prepareStored(const Character& character, const MethodOptions& options, const Progress& progress) {
    if (playsFitted(character, findMethod(kStored), options)) return fitted(character);
    return prepareRows<ofStored, contentOfStored>(character, options, progress);
}

std::vector<OptionInfo> noOptions() { return {}; }
std::vector<OptionInfo> corOptions() { return optionInfos(deform::corFields()); }
std::vector<OptionInfo> ddmOptions() { return optionInfos(ddmFields()); }

std::vector<OptionInfo> deltaMushOptions() { return joined(ddmOptions(), optionInfos(overRows())); }

constexpr MethodTraits kPlain{}, kLinear{.linear = true}, kMush{.smooths = true, .over_others = true},
    kRows{.smooths = true, .stored_rows = true};

template <Made (*kOfRows)(const Character&, const DdmRows<float>&), ContentOf* kContent>
constexpr Method byRows(std::string_view name, std::string_view summary) {
    return {name, summary, kRows, ddmOptions, prepareRows<kOfRows, kContent>, kOfRows, kContent};
}
template <DdmForm kForm, DdmVariant kVariant>
constexpr Method byForm(std::string_view name, std::string_view summary) {
    return byRows<ofForm<kForm>, contentOfVariant<kVariant>>(name, summary);
}

constexpr Method kMethods[] = {
    {"lbs", "linear blend skinning", kLinear, noOptions, prepareLbs},
    {"dqs", "dual quaternion skinning, also for joints that stretch", kPlain, noOptions, prepareDqs},
    {"cor", "optimized centers of rotation", kPlain, corOptions, prepareCor},
    {"dm", "Delta Mush with best-fit frames", kMush, deltaMushOptions,
     prepareDeltaMush<deform::DeltaMushFrames::procrustes>},
    {"dm-tangent", "Delta Mush with tangent frames, which best fit all edges", kMush, deltaMushOptions,
     prepareDeltaMush<deform::DeltaMushFrames::tangent>},
    {kStored, "Direct Delta Mush: the data of a mushed or fitted file, else v0; enhanced if joints scale or shear",
     kRows, ddmOptions, prepareStored, ofStored, contentOfStored},
    byForm<DdmForm::v0, DdmVariant::v0>("ddm-v0", "Direct Delta Mush, the full model"),
    byForm<DdmForm::v1, DdmVariant::v1>("ddm-v1", "v0 without solving for a rotation"),
    byForm<DdmForm::v1_printed, DdmVariant::v1>("ddm-v1-printed",
                                                "v1 with the division by the determinant that the paper prints"),
    byForm<DdmForm::v2, DdmVariant::v2>("ddm-v2", "v0 with rotations blended as quaternions"),
    byForm<DdmForm::v3, DdmVariant::v3>("ddm-v3", "v0 with rotations blended as matrices"),
    byForm<DdmForm::v4, DdmVariant::v4>("ddm-v4", "v2 with one weight per joint for translations too"),
    byRows<ofV5, contentOfVariant<DdmVariant::v5>>("ddm-v5", "linear blend skinning with the smoothed weights"),
    byRows<ofV5Dqs, contentOfVariant<DdmVariant::v5>>("ddm-v5-dqs",
                                                      "dual quaternion skinning with the smoothed weights"),
    byForm<DdmForm::eddm, DdmVariant::v0>("eddm", "Enhanced Direct Delta Mush, for joints that scale or shear"),
};

}  // namespace

/// As normals are. The positions, which nobody needs, stay on the stack, for one window of Direct Delta Mush at a time.
void Deformer::evaluateTangents(std::span<const Vec3f> rest, std::size_t first, std::size_t count,
                                std::span<Vec3f> tangents) const noexcept {
    std::array<Vec3f, runtime::kDdmWindow> positions;
    for (const std::size_t last = first + count; first < last;) {
        const std::size_t end = std::min(last, (first / positions.size() + 1) * positions.size());
        evaluate({{}, rest}, first, end - first, {positions, tangents.subspan(first, end - first), first});
        first = end;
    }
}

std::unique_ptr<Deformer> deformerOf(const Character& character, std::span<const std::byte> rig) {
    AlignedBytes bytes(rig.size());
    if (!rig.empty()) std::memcpy(bytes.data(), rig.data(), rig.size());
    const auto skin = runtime::SkinRig::view(bytes);
    if (!skin) throw Error::badInput(runtime::describe(skin.error()));
    if (skin->vertexCount() != character.mesh.vertexCount() || skin->jointCount() > character.skeleton.joints.size())
        throw Error::badInput("these bytes of a deformer are those of another character");
    const runtime::RigKind kind = skin->kind();
    if (kind == runtime::RigKind::lbs) return std::make_unique<LbsDeformer>(deform::LbsRig(std::move(bytes)));
    if (kind == runtime::RigKind::dqs) return std::make_unique<DqsDeformer>(deform::DqsRig(std::move(bytes)));
    return std::make_unique<DdmDeformer>(deform::DdmRig(std::move(bytes)));
}

bool playsFitted(const Character& character, const Method& method, const MethodOptions& options) {
    return method.name == kStored && options.empty() && character.ddm && character.ddm->fitted;
}

DdmRows<float> ddmRows(const Character& character, const MethodOptions& options, const Progress& progress,
                       DdmContent content) {
    return DdmTuning(character).rows(options, progress, content);
}

DdmRows<float> DdmTuning::rows(const MethodOptions& options, const Progress& progress, DdmContent content) {
    bool changed = false;
    const DdmSettings settings = settingsFor(*character_, options, &changed);
    const DdmPayload* const mush = rig::mushOf(*character_);
    if (mush && !changed && holds(mush->rows.content, content)) return mush->rows;
    DdmPlan plan = planDdm(*character_, settings);
    if (!preparation_ || !(plan.bind == bind_)) {
        preparation_.emplace(character_->mesh, plan.bind);
        bind_ = std::move(plan.bind);
    }
    preparation_->update(plan.options, progress);
    return preparation_->rounded(std::size_t(settings.influences.value_or(0)));
}

std::span<const Method> all() { return kMethods; }

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

}  // namespace pelt::methods
