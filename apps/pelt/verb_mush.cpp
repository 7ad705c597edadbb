#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/ddm.h>

#include <algorithm>
#include <numeric>

#include "ddm_options.h"
#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kViewerInfluences = 4;  ///< what every glTF viewer blends

struct MushOptions {
    std::filesystem::path input, output;
    std::string variant = "v0", payload = "float";
    float weld = 0;
    CLI::Option *variant_option = nullptr, *payload_option = nullptr, *weld_option = nullptr;
    DdmFlags flags;
};

void report(Session& session, const MushOptions& options, const Character& character,
            const pipeline::MushReport& told) {
    const DdmPayload& payload = *character.ddm;
    const std::size_t bones = listJoints(character.skeleton).entries.size();
    const double mean =
        double(payload.rows.joints.size()) / double(std::max<std::size_t>(payload.rows.vertexCount(), 1));
    session.result["variant"] = options.variant;
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
        fmt::format("{}: {} vertices on {} joints, {}, at most {} joints a vertex ({:.2f} on average), "
                    "pruning moves it by {:.1e} of its diagonal\n",
                    oneLine(options.output.string()), character.mesh.vertexCount(), bones, options.variant,
                    told.influences, mean, payload.expected_error));
    if (told.capped)
        session.print(
            fmt::format("  more than {} joints a vertex would be needed for 1e-4; --influences K keeps K of them, "
                        "0 all\n",
                        told.influences));
}

void runMush(Session& session, MushOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input}));
    session.stage("load");
    Character character = session.loadCharacter(options.input);
    // A mushed file is mushed again from its original bind, with what it was mushed with unless options say otherwise.
    DdmSettings settings = character.ddm ? character.ddm->settings : DdmSettings{};
    options.flags.apply(settings);
    if (options.weld_option->count() > 0) settings.weld = options.weld;
    if (character.ddm && options.variant_option->count() == 0)
        options.variant = fmt::format("v{}", int(character.ddm->variant));
    if (character.ddm && options.payload_option->count() == 0)
        options.payload = character.ddm->encoding == DdmEncoding::q16 ? "q16" : "float";

    session.stage("prepare");
    pipeline::MushReport told;
    aboutFile(options.input, [&] {
        const pipeline::MushTarget target{DdmVariant(options.variant[1] - '0'),
                                          options.payload == "q16" ? DdmEncoding::q16 : DdmEncoding::float32};
        DdmPayload payload = pipeline::mush(character, settings, target, session.progress(), &told);
        character.weights = lowerToHeaviest(deform::plainWeights(payload.rows), kViewerInfluences);
        character.ddm = std::make_shared<const DdmPayload>(std::move(payload));
    });
    session.stage("write");
    io::saveCharacter(character, options.output);
    report(session, options, character, told);
}

}  // namespace

void addMush(CLI::App& app, Session& session) {
    const auto options = std::make_shared<MushOptions>();
    CLI::App* verb =
        session.addVerb(app, "mush", "Direct Delta Mush: smooth skin from a rigid bind, stored in the file",
                        "pelt mush character.glb -o mushed.glb", [&session, options] { runMush(session, *options); });
    verb->add_option("character", options->input, "A character: .glb .gltf .vrm .fbx .dae")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf");
    options->variant_option = verb->add_option("--variant", options->variant,
                                               "Which run time the file asks for (default: v0, the full model)")
                                  ->check(CLI::IsMember({"v0", "v1", "v2", "v3", "v4", "v5"}))
                                  ->type_name("v0..v5");
    options->payload_option = verb->add_option("--payload", options->payload, "How numbers are stored (default: float)")
                                  ->check(CLI::IsMember({"float", "q16"}))
                                  ->type_name("float|q16");
    options->weld_option =
        verb->add_option("--weld", options->weld, "Vertices no farther apart than this are one (default: 0)")
            ->check(zeroOrMore())
            ->type_name("TOL");
    addClipsOption(*verb, session);
    options->flags.addTo(*verb);
}

}  // namespace pelt::cli
