// pelt clean: a character without what does not change its motion.
#include <fmt/format.h>
#include <pelt/verbs/clean.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

OptionTable<CleanRequest> cleanRows() {
    using C = CleanRequest;
    using Row = OptionRow<C>;
    return {
        Row("threshold", "W", &C::threshold, "Remove weights below W (default: 0.0001)").from(0, 0.5).in(kCommon),
        Row("unused_joints", "", &C::unused_joints,
            "Also take joints that move no vertex out of the skin; their nodes stay")
            .in(kCommon),
        Row("fps", "F", &C::fps, "Samples per second when the result is checked (default: 30)").above(0).in(kFrames)};
}

void reportClean(Run& run, const CleanRequest& request, const CleanResult& made) {
    const double relative = made.diagonal > 0 ? made.max / made.diagonal : 0;
    reportWritten(made.character, run);
    run.result["weights"] = made.weights;
    run.result["weights_removed"] = made.weights_removed;
    run.result["vertices_kept"] = made.vertices_kept;
    run.result["keys"] = made.keys;
    run.result["keys_removed"] = made.keys_removed;
    run.result["clips_kept"] = made.clips_kept;
    run.result["joints_removed"] = made.joints_removed;
    run.result["rms"] = made.rms;
    run.result["max"] = made.max;
    run.result["max_of_diagonal"] = relative;
    std::string text = fmt::format("{}: removed {} of {} weights and {} of {} keys", oneLine(run.outputName()),
                                   made.weights_removed, made.weights, made.keys_removed, made.keys);
    if (request.unused_joints)
        text += fmt::format(", and {} without skin", counted(made.joints_removed.size(), "joint", "joints"));
    if (made.vertices_kept > 0)
        text += fmt::format("; {} kept small weights that matter", counted(made.vertices_kept, "vertex", "vertices"));
    run.print(
        fmt::format("{}; no vertex moves by more than {:.2g} of the diagonal over the clips and the range of motion\n",
                    text, relative));
}

void runClean(Run& run) {
    const auto request = run.read(cleanRows());
    run.stage("load");
    const CharacterRef character = run.character("character");
    run.stage("clean");
    CleanResult made = aboutFile(run.nameOf("character"), [&] { return clean(*character, request, run.progress()); });
    run.stage("write");
    reportClean(run, request, made);
    run.save(std::move(made.character));
}

}  // namespace

Verb cleanVerb() {
    return {.name = "clean",
            .summary = "Removes what does not change the motion: tiny weights, keys that repeat their neighbors",
            .example = "pelt clean hero.glb -o clean.glb",
            .inputs = {characterInput(), clipsInput()},
            .options = optionInfos(cleanRows()),
            .outputs = {characterOutput()},
            .run = runClean};
}

}  // namespace pelt::verbs
