#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/pipeline/clean.h>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct CleanOptions {
    std::filesystem::path input, output;
    pipeline::CleanRequest request;
};

void reportClean(Session& session, const CleanOptions& options, const pipeline::CleanResult& made) {
    const Character& character = made.character;
    const double relative = made.diagonal > 0 ? made.max / made.diagonal : 0;
    nlohmann::ordered_json& result = session.result;
    reportWritten(character, options.output, result);
    result["weights"] = made.weights;
    result["weights_removed"] = made.weights_removed;
    result["vertices_kept"] = made.vertices_kept;
    result["keys"] = made.keys;
    result["keys_removed"] = made.keys_removed;
    result["clips_kept"] = made.clips_kept;
    result["joints_removed"] = made.joints_removed;
    result["rms"] = made.rms;
    result["max"] = made.max;
    result["max_of_diagonal"] = relative;
    std::string text = fmt::format("{}: removed {} of {} weights and {} of {} keys", oneLine(options.output.string()),
                                   made.weights_removed, made.weights, made.keys_removed, made.keys);
    if (options.request.unused_joints)
        text += fmt::format(", and {} without skin", counted(made.joints_removed.size(), "joint", "joints"));
    if (made.vertices_kept > 0)
        text += fmt::format("; {} kept small weights that matter", counted(made.vertices_kept, "vertex", "vertices"));
    session.print(
        fmt::format("{}; no vertex moves by more than {:.2g} of the diagonal over the clips and the range of motion\n",
                    text, relative));
}

void runClean(Session& session, const CleanOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input}));
    session.stage("load");
    const Character character = session.loadCharacter(options.input);
    session.stage("clean");
    const pipeline::CleanResult made =
        aboutFile(options.input, [&] { return pipeline::clean(character, options.request, session.progress()); });
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    reportClean(session, options, made);
}

}  // namespace

void addClean(CLI::App& app, Session& session) {
    const auto options = std::make_shared<CleanOptions>();
    CLI::App* verb = session.addVerb(
        app, "clean", "Removes what does not change the motion: tiny weights, keys that repeat their neighbors",
        "pelt clean hero.glb -o clean.glb", [&session, options] { runClean(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option("--threshold", options->request.threshold, "Remove weights below W (default: 0.0001)")
        ->check(CLI::Range(0.0, 0.5))
        ->type_name("W");
    verb->add_flag("--unused-joints", options->request.unused_joints,
                   "Also take joints that move no vertex out of the skin; their nodes stay");
    verb->add_option("--fps", options->request.fps, "Samples per second when the result is checked (default: 30)")
        ->check(aboveZero())
        ->type_name("F");
    addClipsOption(*verb, session);
}

}  // namespace pelt::cli
