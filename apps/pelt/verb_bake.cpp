#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/bake.h>

#include <algorithm>

#include "joint_limits.h"
#include "joint_list.h"
#include "option_flags.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct BakeOptions {
    std::filesystem::path input, output;
    std::string from = "ddm";
    int influences = 4, helpers = 0, virtual_joints = 0;
    double max_error = 0;
    std::vector<std::string> locked;
    float weld = 0;
    pipeline::Sampling sampling;
    CLI::Option *max_error_option = nullptr, *weld_option = nullptr;
    OptionFlags flags;

    bool fromSequence() const {
        const auto all = pipeline::methods();
        return std::none_of(all.begin(), all.end(), [&](const pipeline::Method& m) { return m.name == from; });
    }
};

/// A word that is neither a method nor a file may be a misspelling of either.
void checkFrom(const BakeOptions& options) {
    std::error_code fault;
    const bool pattern = options.from.find_first_of("*?[/.\\") != std::string::npos;
    if (!options.fromSequence() || pattern || std::filesystem::exists(options.from, fault)) return;
    throw Error::badUsage(fmt::format("--from {}: neither a file nor a method{}; the methods are {}", options.from,
                                      didYouMean(options.from, methodNames()), fmt::join(methodNames(), ", ")));
}

Character loadBaked(Session& session, const BakeOptions& options) {
    if (options.sampling.clip == rig::kRangeClip) return session.loadCharacter(options.input, options.sampling.clip);
    return session.loadCharacter(options.input);
}

pipeline::BakeRequest bakeRequest(const Session& session, const BakeOptions& options, const Character& character) {
    pipeline::BakeRequest request;
    request.sampling = options.sampling;
    request.influences = std::size_t(options.influences);
    request.helpers = std::size_t(options.helpers);
    request.virtual_joints = std::size_t(options.virtual_joints);
    request.locked = options.locked;
    request.weld = options.weld;
    if (session.limits)
        request.range = readJointLimits(session.readJson(*session.limits), *session.limits, character.skeleton);
    if (options.max_error_option->count() > 0) request.max_error = options.max_error;
    request.method_options = options.flags.given();
    if (options.weld_option->count() > 0) request.method_options["weld"] = {fmt::format("{}", options.weld)};
    return request;
}

nlohmann::ordered_json bakeErrorJson(const pipeline::BakeError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}, {"normals", error.normals}};
}

void reportHelpers(Session& session, const Character& character, const pipeline::BakeResult& made) {
    nlohmann::ordered_json& list = session.result["helpers"] = nlohmann::ordered_json::array();
    const Skeleton& skeleton = made.character.skeleton;
    for (const std::uint32_t slot : made.helpers)
        for (std::size_t d = character.driven.size(); d < made.character.driven.size(); ++d) {
            const rig::DrivenJoint& driven = made.character.driven[d];
            if (driven.node != skeleton.joints[slot].node) continue;
            list.push_back({{"name", skeleton.nodes[driven.node].name},
                            {"kind", rig::kDriverKinds[std::size_t(driven.kind)]},
                            {"driver", skeleton.nodes[driven.driver].name}});
        }
}

void report(Session& session, const BakeOptions& options, const Character& character,
            const pipeline::BakeResult& made) {
    nlohmann::ordered_json& result = session.result;
    const pipeline::BakeCandidate& chosen = made.candidates[made.chosen];
    result["from"] = options.from;
    result["output"] = options.output.string();
    result["vertices"] = character.mesh.vertexCount();
    result["triangles"] = character.mesh.triangles.size();
    result["bones"] = listJoints(made.character.skeleton).entries.size();
    result["influences"] = maxInfluences(made.character.weights);
    result.update(bakeErrorJson(chosen.main()));
    if (chosen.range) result["range_of_motion"] = bakeErrorJson(*chosen.range);
    result["chosen"] = chosen.name;
    result["virtual"] = chosen.virtual_joints;
    result["candidates"] = nlohmann::ordered_json::array();
    std::string table;
    for (const pipeline::BakeCandidate& candidate : made.candidates) {
        nlohmann::ordered_json row = {{"name", candidate.name}, {"helpers", candidate.helpers}};
        if (candidate.virtual_joints > 0) row["virtual"] = candidate.virtual_joints;
        row.update(bakeErrorJson(candidate.main()));
        if (candidate.range) row["range_of_motion"] = bakeErrorJson(*candidate.range);
        result["candidates"].push_back(std::move(row));
        const std::string label = candidate.name == "helpers" ? counted(candidate.helpers, "helper", "helpers")
                                  : candidate.name == "virtual"
                                      ? counted(candidate.virtual_joints, "virtual joint", "virtual joints")
                                  : candidate.name == "v5"    ? "weights of v5"
                                  : candidate.name == "given" ? "weights of the file"
                                                              : "baked weights";
        table += fmt::format("  {:<20}", label);
        if (candidate.clip)
            table += fmt::format("  clip: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}", candidate.clip->e_rms,
                                 candidate.clip->normals, candidate.clip->max);
        if (candidate.range)
            table += fmt::format("  range of motion: E_RMS {:<8.4g} normals {:<6.3g}° max {:<8.4g}",
                                 candidate.range->e_rms, candidate.range->normals, candidate.range->max);
        table += &candidate == &chosen ? "  <- written\n" : "\n";
    }
    reportHelpers(session, character, made);
    session.print(table);
    const std::string added =
        chosen.virtual_joints > 0 ? " and " + counted(chosen.virtual_joints, "virtual joint", "virtual joints")
        : made.helpers.empty()    ? ""
                                  : " and " + counted(made.helpers.size(), "helper joint", "helper joints");
    session.print(fmt::format(
        "{}: {} vertices, {} baked with at most {} joints per vertex{}: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}\n",
        oneLine(options.output.string()), character.mesh.vertexCount(), oneLine(options.from),
        maxInfluences(made.character.weights), added, chosen.main().e_rms, chosen.main().rms, chosen.main().max));
}

void runBake(Session& session, const BakeOptions& options) {
    checkFrom(options);
    std::vector<std::filesystem::path> inputs{options.input};
    if (options.fromSequence()) inputs.emplace_back(options.from);
    checkOutput(options.output, OutputKind::character, session.allInputs(inputs));
    session.stage("load");
    const Character character = loadBaked(session, options);
    pipeline::BakeRequest request = bakeRequest(session, options, character);
    std::unique_ptr<MeshSequence> sequence;
    if (options.fromSequence()) {
        sequence = pipeline::withoutProps(openSequence(session, options.from, {}, {}, false), character);
        request.sequence = sequence.get();
    } else {
        request.method = options.from;
    }
    session.stage("bake");
    const pipeline::BakeResult made =
        aboutFile(options.input, [&] { return pipeline::bake(character, request, session.progress()); });
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    report(session, options, character, made);
    const double reached = made.candidates[made.chosen].main().e_rms;
    if (request.max_error && reached > *request.max_error)
        session.missGate(fmt::format("{}: E_RMS {:.4g} is above --max-error {:.4g}; allow more {} or --influences",
                                     options.output.string(), reached, *request.max_error,
                                     request.virtual_joints > 0 ? "--virtual" : "--helpers"));
}

}  // namespace

void addBake(CLI::App& app, Session& session) {
    const auto options = std::make_shared<BakeOptions>();
    CLI::App* verb = session.addVerb(
        app, "bake", "Bakes any deformer, or a deformed sequence, to plain skin weights for every engine",
        "pelt bake mushed.glb --from ddm --helpers 8 -o baked.glb",
        [&session, options] { runBake(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option(
            "--from", options->from,
            "What to bake: a method of pelt deform, or a sequence with one mesh per sample of the clip (default: "
            "ddm)")
        ->type_name("METHOD|SEQ");
    verb->add_option("--influences", options->influences, "At most K joints per vertex, 0 for any number (default: 4)")
        ->check(CLI::Range(0, 65535))
        ->type_name("K");
    verb->add_option("--helpers", options->helpers,
                     "Add at most N helper joints, driven by other joints, where the error is largest (default: 0)")
        ->check(CLI::Range(0, 1000))
        ->type_name("N");
    verb->add_option(
            "--virtual", options->virtual_joints,
            "Add at most N virtual joints, which move as vertices of Direct Delta Mush do, instead of helpers: "
            "its look at the price of plain skinning")
        ->check(CLI::Range(1, 65535))
        ->type_name("N");
    verb->add_option(
            "--limits", session.limits,
            "How far joints bend and twist in the range of motion, in degrees (default: bend 90, twist 60, in both "
            "directions): {\"default\": "
            "{\"bend\": 90, \"twist\": 60}, \"joints\": {\"knee\": {\"bend\": [0, 140]}}}")
        ->type_name("F.json");
    options->max_error_option =
        verb->add_option(
                "--max-error", options->max_error,
                "The E_RMS to reach, with as few helpers or virtual joints as possible; exit status 4 if it is missed")
            ->check(zeroOrMore())
            ->type_name("E");
    verb->add_option("--lock", options->locked, "A joint whose weights are kept; may be repeated")
        ->allow_extra_args(false)
        ->type_name("JOINT");
    options->weld_option =
        verb->add_option("--weld", options->weld, "Treat vertices within this distance as one (default: 0)")
            ->check(zeroOrMore())
            ->type_name("TOL");
    addSamplingOptions(*verb, session, options->sampling, true);
    options->flags.addMethodOptions(*verb);
}

}  // namespace pelt::cli
