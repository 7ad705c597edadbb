#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/pipeline/mirror.h>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct MirrorOptions {
    std::filesystem::path input, output;
    std::string axis, from = "left";

    pipeline::MirrorRequest request() const {
        pipeline::MirrorRequest made;
        if (!axis.empty()) made.axis = axis[0] - 'x';
        made.from = from == "left" ? rig::Side::left : rig::Side::right;
        return made;
    }
};

void reportMirror(Session& session, const MirrorOptions& options, const pipeline::MirrorResult& made) {
    const Character& character = made.character;
    nlohmann::ordered_json& result = session.result;
    const std::string axis(1, "xyz"[made.plane.axis]);
    reportWritten(character, options.output, result);
    result["axis"] = axis;
    result["place"] = made.plane.place;
    result["from"] = options.from;
    result["joint_pairs"] = made.pairs;
    result["joint_pairs_by_name"] = made.pairs_by_name;
    result["lonely_joints"] = made.lonely_joints;
    result["copied"] = made.copied;
    result["interpolated"] = made.interpolated;
    result["middle"] = made.middle;
    result["unmatched"] = made.unmatched;
    result["changed"] = made.changed;
    result["mean_change"] = made.mean_change;
    result["maps"] = made.maps;
    session.print(fmt::format(
        "{}: mirrored from the {} across {} = {:.4g} with {}; {} changed: {} copied, {} interpolated, {} in the "
        "middle{}\n",
        oneLine(options.output.string()), options.from, axis, made.plane.place,
        counted(made.pairs, "pair of joints", "pairs of joints"), counted(made.changed, "vertex", "vertices"),
        made.copied, made.interpolated, made.middle,
        made.unmatched > 0 ? fmt::format("; {} without a counterpart kept theirs", made.unmatched) : ""));
}

void runMirror(Session& session, const MirrorOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input}));
    session.stage("load");
    const Character character = session.loadCharacter(options.input);
    session.stage("mirror");
    const pipeline::MirrorResult made =
        aboutFile(options.input, [&] { return pipeline::mirror(character, options.request(), session.progress()); });
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    reportMirror(session, options, made);
}

}  // namespace

void addMirror(CLI::App& app, Session& session) {
    const auto options = std::make_shared<MirrorOptions>();
    CLI::App* verb = session.addVerb(
        app, "mirror", "Gives one side of a character the weights, maps and settings of the other",
        "pelt mirror hero.glb --from left -o symmetric.glb", [&session, options] { runMirror(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option("--from", options->from, "The side to copy (default: left)")
        ->check(CLI::IsMember({"left", "right"}))
        ->type_name("left|right");
    verb->add_option("--axis", options->axis,
                     "The axis from one side to the other in the bind pose (default: that of the joints' pairs)")
        ->check(CLI::IsMember({"x", "y", "z"}))
        ->type_name("x|y|z");
    addClipsOption(*verb, session);
}

}  // namespace pelt::cli
