#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/pipeline/limit.h>

#include "joint_limits.h"
#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct LimitOptions {
    std::filesystem::path input, output;
    int influences = 4, max_joints = 0;
    double fps = 30;
};

nlohmann::ordered_json skinErrorJson(const pipeline::SkinError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}, {"normals", error.normals}};
}

/// The error over the clips or, without any, over the range of motion; and that over the range of motion.
nlohmann::ordered_json limitErrorJson(const pipeline::LimitError& error) {
    nlohmann::ordered_json json = skinErrorJson(error.clips ? *error.clips : error.range);
    json["range_of_motion"] = skinErrorJson(error.range);
    return json;
}

std::string limitErrorLine(const char* label, const pipeline::LimitError& error) {
    std::string line = fmt::format("  {:<10}", label);
    if (error.clips)
        line += fmt::format("  clips: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}", error.clips->e_rms,
                            error.clips->normals, error.clips->max);
    return line + fmt::format("  range of motion: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}\n", error.range.e_rms,
                              error.range.normals, error.range.max);
}

void reportLimit(Session& session, const LimitOptions& options, const Character& given,
                 const pipeline::LimitResult& made) {
    const Character& character = made.character;
    nlohmann::ordered_json& result = session.result;
    reportWritten(character, options.output, result);
    result["influences_before"] = maxInfluences(given.weights);
    result["vertices_solved"] = made.vertices_solved;
    result["joints_removed"] = made.joints_removed;
    result["merged"] = nlohmann::ordered_json::array();
    std::string text;
    for (const pipeline::MergedJoint& joint : made.merged) {
        result["merged"].push_back({{"name", joint.name}, {"into", joint.into}, {"rms", joint.rms}});
        text += fmt::format("  {} merged into {}: RMS {:.3g}\n", oneLine(joint.name), oneLine(joint.into), joint.rms);
    }
    result.update(limitErrorJson(made.solved));
    result["cut"] = limitErrorJson(made.cut);
    text += limitErrorLine("cut", made.cut) + limitErrorLine("solved", made.solved);
    session.print(text);
    session.print(fmt::format("{}: {} of {} vertices got new weights: at most {} joints per vertex (before: {}), {}\n",
                              oneLine(options.output.string()), made.vertices_solved, character.mesh.vertexCount(),
                              maxInfluences(character.weights), maxInfluences(given.weights),
                              counted(listJoints(character.skeleton).entries.size(), "joint", "joints")));
}

void runLimit(Session& session, const LimitOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input}));
    session.stage("load");
    const Character character = session.loadCharacter(options.input);
    pipeline::LimitRequest request;
    request.influences = std::size_t(options.influences);
    request.max_joints = std::size_t(options.max_joints);
    request.fps = options.fps;
    if (session.limits)
        request.range = readJointLimits(session.readJson(*session.limits), *session.limits, character.skeleton);
    session.stage("limit");
    const pipeline::LimitResult made =
        aboutFile(options.input, [&] { return pipeline::limit(character, request, session.progress()); });
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    reportLimit(session, options, character, made);
}

}  // namespace

void addLimit(CLI::App& app, Session& session) {
    const auto options = std::make_shared<LimitOptions>();
    CLI::App* verb = session.addVerb(
        app, "limit", "Reduces the joints per vertex, or all joints, and solves for the weights that keep the motion",
        "pelt limit hero.glb --influences 4 --max-joints 64 -o game.glb",
        [&session, options] { runLimit(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option("--influences", options->influences, "At most K joints per vertex, 0 for any number (default: 4)")
        ->check(CLI::Range(0, 65535))
        ->type_name("K");
    verb->add_option("--max-joints", options->max_joints,
                     "At most N joints: others are merged into their parents, those that matter least first (default: "
                     "all stay)")
        ->check(CLI::Range(1, 65535))
        ->type_name("N");
    verb->add_option("--limits", session.limits,
                     "How far joints bend and twist in the range of motion; the format is that of bake --limits")
        ->type_name("F.json");
    verb->add_option("--fps", options->fps, "Samples of the clips per second (default: 30)")
        ->check(aboveZero())
        ->type_name("F");
    addClipsOption(*verb, session);
}

}  // namespace pelt::cli
