// pelt limit: fewer joints per vertex, and fewer joints.
#include <fmt/format.h>
#include <pelt/verbs/limit.h>

#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

OptionTable<LimitRequest> limitRows() {
    using L = LimitRequest;
    using Row = OptionRow<L>;
    return {Row("influences", "K", &L::influences, "At most K joints per vertex, 0 for any number (default: 4)")
                .from(0, 65535)
                .in(kCommon),
            Row("max_joints", "N", &L::max_joints,
                "At most N joints: others are merged into their parents, those that matter least first (default: all "
                "stay)")
                .from(1, 65535)
                .in(kCommon),
            Row("fps", "F", &L::fps, "Samples of the clips per second (default: 30)").above(0).in(kFrames)};
}

nlohmann::ordered_json skinErrorJson(const measure::SkinError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}, {"normals", error.normals}};
}

/// The error over the clips or, without any, over the range of motion; and that over the range of motion.
nlohmann::ordered_json limitErrorJson(const verbs::LimitError& error) {
    nlohmann::ordered_json json = skinErrorJson(error.clips ? *error.clips : error.range);
    json["range_of_motion"] = skinErrorJson(error.range);
    return json;
}

std::string limitErrorLine(const char* label, const verbs::LimitError& error) {
    std::string line = fmt::format("  {:<10}", label);
    if (error.clips)
        line += fmt::format("  clips: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}", error.clips->e_rms,
                            error.clips->normals, error.clips->max);
    return line + fmt::format("  range of motion: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}\n", error.range.e_rms,
                              error.range.normals, error.range.max);
}

void reportLimit(Run& run, const Character& given, const LimitResult& made) {
    const Character& character = made.character;
    reportWritten(character, run);
    run.result["influences_before"] = maxInfluences(given.weights);
    run.result["vertices_solved"] = made.vertices_solved;
    run.result["joints_removed"] = made.joints_removed;
    run.result["merged"] = nlohmann::ordered_json::array();
    std::string text;
    for (const MergedJoint& joint : made.merged) {
        run.result["merged"].push_back({{"name", joint.name}, {"into", joint.into}, {"rms", joint.rms}});
        text += fmt::format("  {} merged into {}: RMS {:.3g}\n", oneLine(joint.name), oneLine(joint.into), joint.rms);
    }
    run.result.update(limitErrorJson(made.solved));
    run.result["cut"] = limitErrorJson(made.cut);
    text += limitErrorLine("cut", made.cut) + limitErrorLine("solved", made.solved);
    run.print(text);
    run.print(fmt::format("{}: {} of {} vertices got new weights: at most {} joints per vertex (before: {}), {}\n",
                          oneLine(run.outputName()), made.vertices_solved, character.mesh.vertexCount(),
                          maxInfluences(character.weights), maxInfluences(given.weights),
                          counted(boneCount(character), "joint", "joints")));
}

void runLimit(Run& run) {
    auto request = run.read(limitRows());
    run.stage("load");
    const CharacterRef character = boundIfBare(run, "character", run.character("character"));
    request.range = run.limits(character->skeleton).value_or(rig::RangeOfMotion());
    run.stage("limit");
    LimitResult made = aboutFile(run.nameOf("character"), [&] { return limit(*character, request, run.progress()); });
    run.stage("write");
    reportLimit(run, *character, made);
    run.save(std::move(made.character));
}

}  // namespace

Verb limitVerb() {
    return {.name = "limit",
            .summary = "Reduces the joints per vertex, or all joints, and solves for the weights that keep the motion",
            .example = "pelt limit hero.glb --influences 4 --max-joints 64 -o game.glb",
            .inputs = {characterInput(), limitsInput(), clipsInput()},
            .options = optionInfos(limitRows()),
            .outputs = {characterOutput()},
            .run = runLimit};
}

}  // namespace pelt::verbs
