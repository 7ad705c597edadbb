// pelt deform: deforms a character over a clip and writes the vertices of every frame.
#include <fmt/format.h>
#include <pelt/rig/props.h>

#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct DeformOptions {
    std::string method = "lbs";
    float weld = 0;
};

OptionTable<DeformOptions> deformRows() {
    using Row = OptionRow<DeformOptions>;
    return {
        Row("method", "METHOD", &DeformOptions::method, "The deformer (default: lbs); see Methods below")
            .choices(methodNames())
            .noun("method")
            .in(kCommon),
        Row("weld", "TOL", &DeformOptions::weld,
            "Treat vertices within this distance as one, for normals and smoothing (default: 0)")
            .from(0),
    };
}

std::vector<OptionInfo> deformInfos() {
    const std::vector<OptionInfo> own =
        joined(joined(common(optionInfos(samplingRows()), {"clip", "frames"}), optionInfos(propsRows())),
               optionInfos(deformRows()));
    return joined(own, methodInfos(own));
}

/// One of the sequences that are written, and its values in the current frame.
struct FrameOutput {
    std::string_view name;
    std::vector<Vec3f> values;
    std::unique_ptr<io::SequenceWriter> writer{};
};

/// Evaluates and writes frame by frame through one pair of buffers.
void writeFrames(Run& run, const Character& character, methods::CharacterSampler& sampler) {
    const std::size_t frames = sampler.frameCount(), vertices = sampler.vertexCount();
    const Mesh whole = rig::wholeMesh(character);
    const io::SequenceInfo info{frames, vertices, sampler.frameSeconds(), &whole};
    run.lap("evaluate");
    FrameOutput outputs[] = {{"output", std::vector<Vec3f>(vertices)}, {"normals", {}}, {"tangents", {}}};
    auto& [positions, normals, tangents] = outputs;
    for (FrameOutput* more : {&normals, &tangents})
        if (run.wants(more->name, Kind::numbers)) more->values.resize(vertices);
    run.lap("write");
    for (FrameOutput& output : outputs)
        if (&output == &positions || !output.values.empty()) output.writer = run.open(output.name, info);
    const Progress progress = run.progress();
    for (std::size_t frame = 0; frame < frames; ++frame) {
        progress.report("deform", static_cast<double>(frame) / static_cast<double>(frames));
        run.lap("evaluate");
        sampler.evaluate(frame, positions.values, normals.values, tangents.values);
        run.lap("write");
        for (const FrameOutput& output : outputs)
            if (output.writer) output.writer->write(output.values);
    }
    run.stage("write");
    for (const FrameOutput& output : outputs)
        if (output.writer) output.writer->finish();
}

/// `weld` is for normals too.
void warnOfIdleOptions(Run& run, const methods::Method& method) {
    std::vector<std::string> idle = methods::optionsNotOf(method, run.methodOptions());
    if (run.has("base") && !method.traits.over_others) idle.push_back("base");
    for (const std::string& name : idle)
        if (name != "weld")
            run.warn(run.nameOf("character"), fmt::format("`{}` has no effect on {}", name, method.name));
}

void reportDeform(Run& run, const Character& character, const methods::CharacterSampler& sampler,
                  const methods::Method& method, double fps) {
    run.result["method"] = method.name;
    run.result["clip"] = sampler.clip() ? nlohmann::ordered_json(sampler.clip()->name) : nullptr;
    run.result["fps"] = fps;
    run.result["output"] = run.outputName();
    run.result["frames"] = sampler.frameCount();
    run.result["vertices"] = sampler.vertexCount();
    run.result["triangles"] = character.mesh.triangles.size() + character.props.mesh.triangles.size();
    run.result["bones"] = boneCount(character);
    run.print(fmt::format("{}: {} of {} vertices ({})\n", oneLine(run.outputName()),
                          counted(sampler.frameCount(), "frame", "frames"), sampler.vertexCount(), method.name));
}

void runDeform(Run& run) {
    const auto options = run.read(deformRows());
    const methods::Sampling sampling = readSampling(run, samplingRows());
    run.needs("limits", "clip");
    const methods::Method& method = methods::findMethod(options.method);
    run.stage("load");
    CharacterRef character = run.character("character", sampling.clip);
    if (!sampling.bind_pose) character = boundIfBare(run, "character", std::move(character));
    const std::string& file = run.nameOf("character");
    if (run.wants("tangents", Kind::numbers) && character->mesh.tangents.empty())
        throw Error::badInput({oneLine(file)},
                              "has no tangents for `tangents` (TANGENT in every primitive); export it with tangents");
    warnOfIdleOptions(run, method);
    methods::MethodOptions choices = run.methodOptions();
    std::unique_ptr<MeshSequence> base = baseMeshes(run, method, *character, choices);
    if (base && sampling.bind_pose) throw Error::badUsage("`bind_pose` excludes `base`");
    run.stage("prepare");
    const auto sampler = aboutFile(file, [&] {
        auto made = std::make_unique<methods::CharacterSampler>(*character, method, sampling, run.progress(), choices);
        if (base) made->setBase(std::move(base));
        return made;
    });
    if (sampler->clip() && sampler->clip()->channels.empty())
        run.warn(file, fmt::format("clip '{}' moves no joint and no morph target: all frames are the same",
                                   sampler->clip()->name));
    if (run.wants("normals", Kind::numbers) && character->mesh.normals.empty())
        sampler->setRestNormals(methods::restNormals(character->mesh, options.weld));
    writeFrames(run, *character, *sampler);
    reportDeform(run, *character, *sampler, method, sampling.fps);
}

std::string listedMethods() {
    std::string text = "Methods:\n";
    for (const methods::Method& method : methods::all())
        text += fmt::format("  {:<16}{}\n", method.name, method.summary);
    return text;
}

}  // namespace

Verb deformVerb() {
    return {.name = "deform",
            .summary = "Deforms a character over a clip and writes the vertices of every frame",
            .example = "pelt deform character.glb --method dqs --clip walk -o walk.npy",
            .inputs = {characterInput(), clipsInput(), limitsInput(),
                       meshesInput("base", "A sequence that dm and dm-tangent smooth, with one mesh per sample")},
            .options = deformInfos(),
            .outputs = {{.name = "output",
                         .kinds = {Kind::poses},
                         .values = "FILE",
                         .summary = "The sequence to write: .npy (frames, vertices, 3), .pc2, .mdd, .glb (morph "
                                    "targets), .obj or .ply for a single frame, a name without extension for a folder "
                                    "of .obj, or - for .npy on standard output",
                         .group = kCommon},
                        {.name = "normals",
                         .kinds = {Kind::numbers},
                         .values = "N.npy",
                         .summary = "Also write unit normals (frames, vertices, 3)",
                         .required = false},
                        {.name = "tangents",
                         .kinds = {Kind::numbers},
                         .values = "T.npy",
                         .summary = "Also write the directions of the tangents, unit length (frames, vertices, 3)",
                         .required = false}},
            .run = runDeform,
            .notes = listedMethods()};
}

}  // namespace pelt::verbs
