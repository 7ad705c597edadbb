#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/ddm.h>

#include <algorithm>
#include <numeric>

#include "joint_list.h"
#include "option_flags.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kViewerInfluences = 4;  ///< the number of joints that every glTF viewer supports

struct MushOptions {
    std::filesystem::path input, output;
    OptionFlags flags;
};

void report(Session& session, const MushOptions& options, const Character& character,
            const pipeline::MushReport& told) {
    const DdmPayload& payload = *character.ddm;
    const std::size_t bones = listJoints(character.skeleton).entries.size();
    const double mean =
        double(payload.rows.joints.size()) / double(std::max<std::size_t>(payload.rows.vertexCount(), 1));
    session.result["variant"] = wordOf(payload.variant);
    session.result["output"] = options.output.string();
    session.result["vertices"] = character.mesh.vertexCount();
    session.result["triangles"] = character.mesh.triangles.size();
    session.result["bones"] = bones;
    session.result["influences"] = told.influences;
    session.result["mean_influences"] = mean;
    session.result["influences_capped"] = told.capped;
    session.result["expected_error"] = payload.expected_error;
    session.result["trials"] = nlohmann::ordered_json::array();
    for (const auto& trial : told.trials)
        session.result["trials"].push_back({{"influences", trial.influences}, {"error", trial.error}});
    session.print(
        fmt::format("{}: {} vertices on {} joints, {}, at most {} joints per vertex ({:.2f} on average); RMS error of "
                    "pruning {:.1e} of the bounding-box diagonal\n",
                    oneLine(options.output.string()), character.mesh.vertexCount(), bones, wordOf(payload.variant),
                    told.influences, mean, payload.expected_error));
    if (told.capped)
        session.print(
            fmt::format("  an error of 1e-4 would need more than {} joints per vertex; --influences K keeps K of them, "
                        "--influences 0 all\n",
                        told.influences));
}

void runMush(Session& session, MushOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input}));
    session.stage("load");
    Character character = session.loadCharacter(options.input);
    // A mushed file is mushed again from its original bind, with its stored settings unless options override them.
    DdmSettings settings = character.ddm ? character.ddm->settings : DdmSettings{};
    pipeline::MushTarget target;
    if (character.ddm) target = {character.ddm->variant, character.ddm->encoding};
    setOptions(settings, ddmFields(), options.flags.given());
    setOptions(target, pipeline::mushFields(), options.flags.given());

    session.stage("prepare");
    pipeline::MushReport told;
    aboutFile(options.input, [&] {
        DdmPayload payload = pipeline::mush(character, settings, target, session.progress(), &told);
        character.weights = lowerToHeaviest(deform::plainWeights(payload.rows), kViewerInfluences);
        character.ddm = std::make_shared<const DdmPayload>(std::move(payload));
    });
    session.stage("write");
    session.saveCharacter(character, options.output);
    report(session, options, character, told);
}

}  // namespace

void addMush(CLI::App& app, Session& session) {
    const auto options = std::make_shared<MushOptions>();
    CLI::App* verb = session.addVerb(
        app, "mush", "Precomputes Direct Delta Mush (smooth skin from a rigid bind) and stores it in the file",
        "pelt mush character.glb -o mushed.glb", [&session, options] { runMush(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    options->flags.addTo(*verb, optionInfos(pipeline::mushFields()), "Options");
    addClipsOption(*verb, session);
    options->flags.addTo(*verb, optionInfos(ddmFields()), "Direct Delta Mush");
}

}  // namespace pelt::cli
