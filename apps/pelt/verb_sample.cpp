#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>
#include <pelt/io/character_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/scenes/scenes.h>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kMostVertices = 20'000'000;

struct SampleOptions {
    std::string name;
    std::filesystem::path output;
    std::optional<std::filesystem::path> examples;
    std::size_t resolution = 0;
    std::string skin = "rigid";
    bool list = false;
};

void listSamples(Session& session) {
    session.result["samples"] = nlohmann::ordered_json::array();
    for (const scenes::Scene& scene : scenes::all()) {
        session.result["samples"].push_back(scene.name);
        session.print(
            fmt::format("{:<14} {} (about {} vertices)\n", scene.name, scene.summary, scene.default_resolution));
    }
}

const scenes::Scene& findScene(const std::string& name) {
    if (const scenes::Scene* scene = scenes::find(name)) return *scene;
    std::vector<std::string> names;
    for (const scenes::Scene& scene : scenes::all()) names.emplace_back(scene.name);
    throw Error::badUsage(
        fmt::format("no sample '{}'{}; there are {}", name, didYouMean(name, names), fmt::join(names, ", ")));
}

/// The shapes of the sample along its first clip, as examples for fitting.
void writeExamples(Session& session, const SampleOptions& options, const Character& character) {
    const auto frames =
        scenes::armExamples(options.resolution == 0 ? findScene("arm").default_resolution : options.resolution);
    const auto writer = session.createSequence(
        *options.examples, {frames->frameCount(), frames->vertexCount(), frames->frameSeconds(), &character.mesh});
    std::vector<Vec3f> frame(frames->vertexCount());
    for (std::size_t f = 0; f < frames->frameCount(); ++f) {
        frames->readFrame(f, frame);
        writer->write(frame);
    }
    writer->finish();
    session.result["examples"] = options.examples->string();
    session.result["frames"] = frames->frameCount();
}

void runSample(Session& session, const SampleOptions& options) {
    if (options.list) return listSamples(session);
    if (options.name.empty()) throw Error::badUsage("sample: name one of the samples; pelt sample --list shows them");
    const scenes::Scene& scene = findScene(options.name);
    if (options.output.empty()) throw Error::badUsage("sample: -o FILE.glb is missing; see pelt sample --help");
    checkOutput(options.output, OutputKind::character, {});
    if (options.examples && options.name != "arm")
        throw Error::badUsage(fmt::format("--examples: sample '{}' has none; arm has", options.name));
    if (options.examples) checkOutput(*options.examples, OutputKind::sequence, {options.output});

    session.stage("generate");
    Character character = scene.make(options.resolution, session.progress());
    if (options.skin == "smooth") character.weights = scenes::smoothWeights(character);
    session.stage("write");
    session.saveCharacter(character, options.output);
    if (options.examples) writeExamples(session, options, character);

    const std::size_t bones = listJoints(character.skeleton).entries.size();
    session.result["sample"] = scene.name;
    session.result["output"] = options.output.string();
    session.result["vertices"] = character.mesh.vertexCount();
    session.result["triangles"] = character.mesh.triangles.size();
    session.result["bones"] = bones;
    session.result["max_influences"] = maxInfluences(character.weights);
    session.print(fmt::format("{}: {} vertices, {} triangles, {} joints, {}\n", oneLine(options.output.string()),
                              character.mesh.vertexCount(), character.mesh.triangles.size(), bones,
                              counted(character.clips.size(), "clip", "clips")));
}

}  // namespace

void addSample(CLI::App& app, Session& session) {
    const auto options = std::make_shared<SampleOptions>();
    CLI::App* verb = session.addVerb(
        app, "sample", "Writes a built-in character, rigged and animated, to experiment with",
        "pelt sample biped --resolution 55000 -o biped.glb", [&session, options] { runSample(session, *options); });
    verb->add_option("name", options->name, "The name of the sample; --list shows all names")->type_name("NAME");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output")
        ->required(false);
    verb->add_option("--resolution", options->resolution,
                     "Approximate number of vertices (default: depends on the sample)")
        ->check(CLI::Range(std::size_t(1), kMostVertices))
        ->type_name("N");
    verb->add_option("--skin", options->skin,
                     "rigid: one joint per vertex (default); smooth: up to 4 joints per vertex, blended")
        ->check(CLI::IsMember({"rigid", "smooth"}))
        ->type_name("rigid|smooth");
    verb->add_option("--examples", options->examples,
                     "With arm: also write the shapes of a muscular arm along its first clip, 30 per second, as "
                     "examples for pelt fit")
        ->type_name("SEQ");
    verb->add_flag("--list", options->list, "List the samples");
}

}  // namespace pelt::cli
