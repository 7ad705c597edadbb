#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/sequence_file.h>
#include <pelt/rig/props.h>

#include "joint_list.h"
#include "option_flags.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct DeformOptions {
    std::filesystem::path input, output;
    std::string method = "lbs";
    pipeline::Sampling sampling;
    std::optional<std::filesystem::path> normals, tangents;
    float weld = 0;
    CLI::Option* weld_option = nullptr;
    OptionFlags flags;
};

void checkOutputs(const Session& session, const DeformOptions& options) {
    const std::vector<std::filesystem::path> inputs = session.allInputs({options.input});
    checkOutput(options.output, OutputKind::poses, inputs);
    std::vector<std::pair<std::string, std::filesystem::path>> files = {{"-o", options.output}};
    if (options.normals) files.emplace_back("--normals", *options.normals);
    if (options.tangents) files.emplace_back("--tangents", *options.tangents);
    for (std::size_t b = 1; b < files.size(); ++b) {
        checkOutput(files[b].second, OutputKind::numbers, inputs);
        for (std::size_t a = 0; a < b; ++a)
            if (std::filesystem::absolute(files[a].second).lexically_normal() ==
                std::filesystem::absolute(files[b].second).lexically_normal())
                throw Error::badUsage(
                    fmt::format("{} and {} name the same file; choose two", files[b].first, files[a].first));
    }
}

/// Evaluates and writes frame by frame through one pair of buffers.
void writeFrames(Session& session, const DeformOptions& options, const Character& character,
                 pipeline::CharacterSampler& sampler) {
    const std::size_t frames = sampler.frameCount(), vertices = sampler.vertexCount();
    const Mesh whole = rig::wholeMesh(character);
    const io::SequenceInfo info{frames, vertices, sampler.frameSeconds(), &whole};
    session.lap("evaluate");
    std::vector<Vec3f> positions(vertices), normals(options.normals ? vertices : 0),
        tangents(options.tangents ? vertices : 0);
    session.lap("write");
    std::vector<std::pair<std::unique_ptr<io::SequenceWriter>, const std::vector<Vec3f>*>> writers;
    writers.emplace_back(session.createSequence(options.output, info), &positions);
    if (options.normals) writers.emplace_back(session.createSequence(*options.normals, info), &normals);
    if (options.tangents) writers.emplace_back(session.createSequence(*options.tangents, info), &tangents);
    const Progress progress = session.progress();
    for (std::size_t frame = 0; frame < frames; ++frame) {
        progress.report("deform", static_cast<double>(frame) / static_cast<double>(frames));
        session.lap("evaluate");
        sampler.evaluate(frame, positions, normals, tangents);
        session.lap("write");
        for (const auto& [writer, frame_values] : writers) writer->write(*frame_values);
    }
    session.stage("write");
    for (const auto& [writer, frame_values] : writers) writer->finish();
}

pipeline::MethodOptions methodOptions(const DeformOptions& options) {
    pipeline::MethodOptions given = options.flags.given();
    if (options.weld_option->count() > 0) given["weld"] = {fmt::format("{}", options.weld)};
    return given;
}

/// --weld is for normals too.
void warnOfIdleOptions(Session& session, const DeformOptions& options, const pipeline::Method& method) {
    for (const std::string& name : pipeline::optionsNotOf(method, options.flags.given()))
        session.warn(options.input, fmt::format("{} has no effect on {}", flagOf(name), method.name));
}

void runDeform(Session& session, const DeformOptions& options) {
    const pipeline::Method& method = pipeline::findMethod(options.method);
    checkOutputs(session, options);
    session.stage("load");
    const Character character = session.loadCharacter(options.input, options.sampling.clip);
    if (options.tangents && character.mesh.tangents.empty())
        throw Error::badInput({oneLine(options.input.string())},
                              "has no tangents for --tangents (TANGENT in every primitive); export it "
                              "with tangents");
    warnOfIdleOptions(session, options, method);
    session.stage("prepare");
    auto sampler = aboutFile(options.input, [&] {
        return std::make_unique<pipeline::CharacterSampler>(character, method, options.sampling, session.progress(),
                                                            methodOptions(options));
    });
    if (sampler->clip() && sampler->clip()->channels.empty())
        session.warn(options.input, fmt::format("clip '{}' moves no joint and no morph target: all frames are the same",
                                                sampler->clip()->name));
    if (options.normals && character.mesh.normals.empty())
        sampler->setRestNormals(pipeline::restNormals(character.mesh, options.weld));
    writeFrames(session, options, character, *sampler);

    session.result["method"] = method.name;
    session.result["clip"] = sampler->clip() ? nlohmann::ordered_json(sampler->clip()->name) : nullptr;
    session.result["fps"] = options.sampling.fps;
    session.result["output"] = options.output.string();
    session.result["frames"] = sampler->frameCount();
    session.result["vertices"] = sampler->vertexCount();
    session.result["triangles"] = character.mesh.triangles.size() + character.props.mesh.triangles.size();
    session.result["bones"] = listJoints(character.skeleton).entries.size();
    session.print(fmt::format("{}: {} of {} vertices ({})\n", oneLine(options.output.string()),
                              counted(sampler->frameCount(), "frame", "frames"), sampler->vertexCount(), method.name));
}

}  // namespace

void addDeform(CLI::App& app, Session& session) {
    const auto options = std::make_shared<DeformOptions>();
    CLI::App* verb =
        session.addVerb(app, "deform", "Deforms a character over a clip and writes the vertices of every frame",
                        "pelt deform character.glb --method dqs --clip walk -o walk.npy",
                        [&session, options] { runDeform(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(
        *verb, options->output,
        "The sequence to write: .npy (frames, vertices, 3), .pc2, .mdd, .glb (morph targets), .obj or .ply for a "
        "single frame, a name without extension for a folder of .obj, or - for .npy on standard output");
    verb->add_option("--method", options->method, "The deformer (default: lbs); see Methods below")
        ->type_name("METHOD");
    std::string methods;
    for (const pipeline::Method& method : pipeline::methods())
        methods += fmt::format("  {:<16}{}\n", method.name, method.summary);
    verb->footer("Methods:\n" + methods + "\n" + verb->get_footer());
    addSamplingOptions(*verb, session, options->sampling, true);
    addLimitsOption(*verb, session);
    addPropsOption(*verb, session);
    verb->add_option("--normals", options->normals, "Also write unit normals (frames, vertices, 3)")
        ->type_name("N.npy");
    verb->add_option("--tangents", options->tangents,
                     "Also write the directions of the tangents, unit length (frames, vertices, 3)")
        ->type_name("T.npy");
    options->weld_option =
        verb->add_option("--weld", options->weld,
                         "Treat vertices within this distance as one, for normals and smoothing (default: 0)")
            ->check(zeroOrMore())
            ->type_name("TOL");
    options->flags.addMethodOptions(*verb);
}

}  // namespace pelt::cli
