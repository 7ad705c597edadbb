// Judging a character: its poses, a good skin of its body, and what engines take.
#include "judge.h"

#include <fmt/format.h>
#include <pelt/rig/joint_list.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

constexpr double kFps = 10;
constexpr std::size_t kMostSamples = 16;  // of all clips together

struct EngineLimits {
    std::size_t influences, joints;  ///< 0: any number
};

EngineLimits limitsOf(Engine engine) {
    switch (engine) {
        case Engine::gltf:
        case Engine::three:
        case Engine::unity:
            return {4, 0};
        case Engine::unreal:
        case Engine::godot:
            return {8, 0};
        case Engine::mobile:
            return {4, 75};
        default:
            return {0, 0};
    }
}

void addLimits(const Character& character, Engine engine, std::vector<measure::Finding>& findings) {
    const EngineLimits limits = limitsOf(engine);
    const auto add = [&](std::size_t has, std::size_t most, bool joints) {
        if (most == 0 || has <= most) return;
        measure::Finding finding;
        finding.flaw = measure::Flaw::limits;
        finding.severity = measure::Severity::fault;
        finding.value = double(has);
        finding.limit = double(most);
        if (!joints)
            for (std::uint32_t v = 0; v < character.weights.vertexCount(); ++v)
                if (character.weights.influenceCount(v) > most) finding.vertices.push_back(v);
        finding.share =
            double(finding.vertices.size()) / double(std::max<std::size_t>(1, character.mesh.vertexCount()));
        finding.detail = joints ? "joints" : "influences";
        findings.push_back(std::move(finding));
    };
    add(maxInfluences(character.weights), limits.influences, false);
    add(rig::listJoints(character.skeleton).entries.size(), limits.joints, true);
}

}  // namespace

Judge::Judge(const Character& character, const rig::RangeOfMotion& range, Engine engine,
             std::vector<std::string> problems, const Progress& progress)
    : poses_(character, kFps, kMostSamples, range),
      good_(goodSkin(character, progress)),
      engine_(engine),
      problems_(std::move(problems)) {}

measure::SkinCheck Judge::check(const Character& character, const Progress& progress) const {
    measure::SkinCheck check = measure::checkSkin(character, poses_, good_.shape, progress);
    addLimits(character, engine_, check.findings);
    for (const std::string& problem : problems_) {
        measure::Finding finding;
        finding.severity = measure::Severity::note;
        finding.detail = problem;
        check.findings.push_back(std::move(finding));
    }
    std::stable_sort(check.findings.begin(), check.findings.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
    check.score = measure::scoreOf(check.findings);
    return check;
}

std::pair<std::string, double> momentOf(const measure::SkinPoses& poses, std::size_t pose) {
    const measure::SkinPose at = poses.pose(pose);
    if (at.clip) return {at.clip->name, at.time};
    // The poses at their full extent come first, then those at half of it; each has a second of the clip.
    const std::size_t range = poses.count(measure::kRangePoses), index = pose - poses.count(measure::kClipPoses);
    const bool half = 2 * index >= range;
    return {rig::kRangeClip, double(half ? index - range / 2 : index) + (half ? 0.25 : 0.5)};
}

std::string sentenceOf(const Character& character, const measure::Finding& finding) {
    using measure::Flaw;
    const auto name = [&](std::int32_t slot) {
        return slot < 0 ? std::string("another joint") : rig::jointName(character.skeleton, std::size_t(slot));
    };
    const std::string joint = name(finding.joint), other = name(finding.other);
    const std::string some = counted(finding.vertices.size(), "vertex", "vertices");
    switch (finding.flaw) {
        case Flaw::bleed:
            return fmt::format("{} among those of {} follow {}, which is far from them", some, other, joint);
        case Flaw::torn:
            return fmt::format("a seam opens: copies of {} follow {} on one side and {} on the other", some, joint,
                               other);
        case Flaw::piece:
            return fmt::format("a loose piece of {} follows {}, but sits on {}", some, joint, other);
        case Flaw::noise:
            return fmt::format("the weights of {} jump between neighbors, mostly around {}", some, joint);
        case Flaw::crease:
            return fmt::format(
                "the skin folds sharply between {} and {}: {} change from one to the other within an edge", other,
                joint, some);
        case Flaw::collapse:
            return fmt::format("the skin of {} collapses ({})", joint, some);
        case Flaw::bulge:
            return fmt::format("the skin of {} swells ({})", joint, some);
        case Flaw::stretch:
            return fmt::format("{} around {} are pulled apart", some, joint);
        case Flaw::flip:
            return fmt::format("faces at {} around {} turn inside out", some, joint);
        case Flaw::poke:
            return fmt::format("{} around {} pass through another layer", some, joint);
        case Flaw::unweighted:
            return fmt::format("{} follow the root {} although they belong to {} and others", some, joint, other);
        case Flaw::swapped:
            return fmt::format("left and right are exchanged: {} follow {} in place of {}, or the reverse", some, joint,
                               other);
        case Flaw::asymmetry:
            return fmt::format("{} around {} are weighted differently from the other side", some, joint);
        case Flaw::unused:
            return fmt::format("{} carries no skin, but {} on the other side does", joint, other);
        case Flaw::limits:
            return finding.detail == "joints"
                       ? fmt::format("{:.0f} joints; the engine takes {:.0f}", finding.value, finding.limit)
                       : fmt::format("up to {:.0f} joints per vertex; the engine takes {:.0f}", finding.value,
                                     finding.limit);
        case Flaw::structure:
            return finding.detail;
    }
    return {};
}

std::string commandFor(const measure::Finding& finding, const std::string& file) {
    using measure::Flaw;
    if (finding.flaw == Flaw::structure) return fmt::format("pelt clean {} -o clean.glb", file);
    if (finding.flaw == Flaw::limits)
        return fmt::format("pelt limit {} --{} {:.0f} -o limited.glb", file,
                           finding.detail == "joints" ? "joints" : "influences", finding.limit);
    if (finding.flaw >= Flaw::collapse && finding.flaw <= Flaw::poke)  // where weights cannot go, helper joints do
        return fmt::format("pelt fix {} --helpers 8 -o fixed.glb", file);
    if (finding.flaw == Flaw::asymmetry || finding.flaw == Flaw::unused)
        return fmt::format("pelt mirror {} -o symmetric.glb", file);
    return fmt::format("pelt fix {} --only {} -o fixed.glb", file, wordOf(finding.flaw));
}

nlohmann::ordered_json findingJson(const Character& character, const Judge& judge, const measure::Finding& finding,
                                   const std::string& file) {
    using FindingJson = nlohmann::ordered_json;
    const auto name = [&](std::int32_t slot) {
        return slot < 0 ? FindingJson() : FindingJson(rig::jointName(character.skeleton, std::size_t(slot)));
    };
    FindingJson json;
    json["kind"] = wordOf(finding.flaw);
    json["severity"] = wordOf(finding.severity);
    json["joint"] = name(finding.joint);
    json["other_joint"] = name(finding.other);
    json["part"] = finding.part < 0 ? FindingJson() : FindingJson(character.mesh.parts[std::size_t(finding.part)].name);
    json["vertices"] = finding.vertices.size();
    json["share"] = finding.share;
    json["value"] = finding.value;
    json["limit"] = finding.limit;
    json["moment"] = nullptr;
    if (finding.pose) {
        const auto [clip, time] = momentOf(judge.poses(), *finding.pose);
        json["moment"] = {{"clip", clip}, {"time", time}};
    }
    json["says"] = sentenceOf(character, finding);
    json["fix"] = commandFor(finding, file);
    return json;
}

}  // namespace pelt::verbs
