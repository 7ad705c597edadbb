#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>
#include <pelt/pipeline/methods.h>

namespace pelt::pipeline {
namespace {

class LbsDeformer final : public Deformer {
public:
    explicit LbsDeformer(const Character& character)
        : rig_(deform::prepareLbs(character.mesh, character.weights)), bones_(character.skeleton.joints.size()) {}

    void setPose(std::span<const Affine3f> bones) override { bones_.assign(bones.begin(), bones.end()); }
    void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                  const deform::Output& out) const noexcept override {
        deform::evaluate(rig_, bones_, rest, first, count, out);
    }

private:
    deform::LbsRig rig_;
    std::vector<Affine3f> bones_;
};

class DqsDeformer final : public Deformer {
public:
    explicit DqsDeformer(const Character& character)
        : rig_(deform::prepareDqs(character.mesh, character.weights, rig::jointRestPositions(character.skeleton))),
          pose_(rig_) {}

    void setPose(std::span<const Affine3f> bones) override { pose_.set(bones); }
    void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                  const deform::Output& out) const noexcept override {
        deform::evaluate(rig_, pose_, rest, first, count, out);
    }

private:
    deform::DqsRig rig_;
    deform::DqsPose pose_;
};

template <class T>
std::unique_ptr<Deformer> prepare(const Character& character, const Progress& progress) {
    progress.report("prepare", 0);
    auto deformer = std::make_unique<T>(character);
    progress.report("prepare", 1);
    return deformer;
}

constexpr Method kMethods[] = {
    {"lbs", "linear blend skinning", prepare<LbsDeformer>},
    {"dqs", "dual quaternion skinning, joints that stretch included", prepare<DqsDeformer>},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method& findMethod(std::string_view name) {
    std::string names;
    for (const Method& method : kMethods) {
        if (method.name == name) return method;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", method.name);
    }
    throw Error::badUsage(fmt::format("no method '{}'; there are {}", name, names));
}

}  // namespace pelt::pipeline
