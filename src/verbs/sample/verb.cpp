// pelt sample: a built-in character.
#include <fmt/format.h>
#include <pelt/scenes/scenes.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

enum class SampleSkin { rigid, smooth };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::SampleSkin>[] = {"rigid", "smooth"};

namespace pelt::verbs {
namespace {

constexpr double kMostVertices = 20'000'000;

struct SampleOptions {
    std::string name;
    bool list = false;
    std::optional<std::size_t> resolution;
    SampleSkin skin = SampleSkin::rigid;
};

std::span<const std::string_view> sampleNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const scenes::Scene& scene : scenes::all()) all.push_back(scene.name);
        return all;
    }();
    return names;
}

OptionTable<SampleOptions> sampleRows() {
    using S = SampleOptions;
    using Row = OptionRow<S>;
    return {
        Row("name", "NAME", &S::name, "The name of the sample; --list shows all names")
            .choices(sampleNames())
            .noun("sample")
            .positional(),
        Row("list", "", &S::list, "List the samples").in(kCommon).programOnly(),
        Row("resolution", "N", &S::resolution, "Approximate number of vertices (default: depends on the sample)")
            .from(1, kMostVertices)
            .in(kCommon),
        Row("skin", "rigid|smooth", &S::skin,
            "rigid: one joint per vertex (default); smooth: up to 4 joints per vertex, blended")
            .in(kCommon),
    };
}

void listSamples(Run& run) {
    run.result["samples"] = nlohmann::ordered_json::array();
    for (const scenes::Scene& scene : scenes::all()) {
        run.result["samples"].push_back(scene.name);
        run.print(fmt::format("{:<14} {} (about {} vertices)\n", scene.name, scene.summary, scene.default_resolution));
    }
}

/// The shapes of the sample along its first clip, as examples for fitting.
void writeExamples(Run& run, const scenes::Scene& scene, const SampleOptions& options, const Mesh& mesh) {
    const auto frames = scenes::armExamples(options.resolution.value_or(scene.default_resolution));
    const auto writer =
        run.open("examples", {frames->frameCount(), frames->vertexCount(), frames->frameSeconds(), &mesh});
    std::vector<Vec3f> frame(frames->vertexCount());
    for (std::size_t f = 0; f < frames->frameCount(); ++f) {
        frames->readFrame(f, frame);
        writer->write(frame);
    }
    writer->finish();
    run.result["examples"] = run.outputName("examples");
    run.result["frames"] = frames->frameCount();
}

void reportSample(Run& run, const scenes::Scene& scene, const Character& character) {
    const std::size_t bones = boneCount(character);
    run.result["sample"] = scene.name;
    run.result["output"] = run.outputName();
    run.result["vertices"] = character.mesh.vertexCount();
    run.result["triangles"] = character.mesh.triangles.size();
    run.result["bones"] = bones;
    run.result["max_influences"] = maxInfluences(character.weights);
    run.print(fmt::format("{}: {} vertices, {} triangles, {} joints, {}\n", oneLine(run.outputName()),
                          character.mesh.vertexCount(), character.mesh.triangles.size(), bones,
                          counted(character.clips.size(), "clip", "clips")));
}

void runSample(Run& run) {
    const auto options = run.read(sampleRows());
    if (options.list) return listSamples(run);
    if (options.name.empty()) throw Error::badUsage("sample: name one of the samples; `list` shows them");
    const scenes::Scene& scene = *scenes::find(options.name);
    if (!run.wants("output", Kind::character))
        throw Error::badUsage("sample: `output` FILE.glb is missing; see pelt sample --help");
    const bool with_examples = run.wants("examples", Kind::sequence);
    if (with_examples && options.name != "arm")
        throw Error::badUsage(fmt::format("`examples`: sample '{}' has none; arm has", options.name));

    run.stage("generate");
    Character character = scene.make(options.resolution.value_or(0), run.progress());
    if (options.skin == SampleSkin::smooth) character.weights = scenes::smoothWeights(character);
    run.stage("write");
    if (with_examples) writeExamples(run, scene, options, character.mesh);
    reportSample(run, scene, character);
    run.save(std::move(character));
}

Output optionalCharacter() {
    Output output = characterOutput();
    output.required = false;  // a list makes none
    return output;
}

}  // namespace

Verb sampleVerb() {
    return {.name = "sample",
            .summary = "Writes a built-in character, rigged and animated, to experiment with",
            .example = "pelt sample biped --resolution 55000 -o biped.glb",
            .options = optionInfos(sampleRows()),
            .outputs = {optionalCharacter(),
                        {.name = "examples",
                         .kinds = {Kind::sequence},
                         .values = "SEQ",
                         .summary = "With arm: also write the shapes of a muscular arm along its first clip, 30 per "
                                    "second, as examples for pelt fit",
                         .required = false}},
            .run = runSample};
}

}  // namespace pelt::verbs
