#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/pipeline/decompose.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBones = 65535;    ///< the largest index in glTF
constexpr std::size_t kMostAutoBones = 128;  ///< above this, engines need more than one draw call for the skin
constexpr double kDefaultTolerance = 3;

struct DecomposeOptions {
    std::vector<fs::path> inputs;
    fs::path output;
    std::string bones = "20", kind = "rigid", rest_correction = "on";
    int influences = 4, eigenskin = 0;
    double tolerance = kDefaultTolerance;
    bool skeleton = false;
    std::optional<fs::path> rest, mesh, keep_motion, keep_weights;
    fit::DecomposeOptions solver;
    pipeline::Sampling sampling;
    CLI::Option *bones_option = nullptr, *tolerance_option = nullptr;

    bool searches() const { return bones == "auto" || (bones_option->count() == 0 && tolerance_option->count() > 0); }
    std::vector<fs::path> allInputs() const {
        std::vector<fs::path> all = inputs;
        for (const auto& file : {rest, mesh, keep_motion, keep_weights})
            if (file) all.push_back(*file);
        return all;
    }
};

std::size_t parseBones(const std::string& text) {
    std::int64_t count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc() || end != text.data() + text.size() || count < 1 || count > std::int64_t(kMostBones))
        throw Error::badUsage(fmt::format("--bones {}: write a number from 1 to {}, or auto", text, kMostBones));
    return std::size_t(count);
}

pipeline::DecomposeRequest requestOf(const DecomposeOptions& options) {
    pipeline::DecomposeRequest request;
    request.solver = options.solver;
    request.solver.bones = options.searches() ? kMostAutoBones : parseBones(options.bones);
    request.solver.influences = std::size_t(options.influences);
    request.solver.kind = options.kind == "flexible" ? fit::BoneKind::flexible : fit::BoneKind::rigid;
    request.solver.correct_rest = options.rest_correction == "on";
    if (options.searches()) request.tolerance = options.tolerance;
    request.skeleton = options.skeleton;
    request.eigenskin = std::size_t(options.eigenskin);
    return request;
}

/// The stem of the file; for a folder or a pattern of files in a folder, the folder's name.
std::string clipName(const fs::path& input) {
    const bool pattern = input.filename().string().find_first_of("*?[") != std::string::npos;
    std::error_code fault;
    fs::path named = input.lexically_normal();
    if (!named.has_filename() || (pattern && !fs::exists(input, fault))) named = named.parent_path();
    const std::string stem = fs::is_directory(input, fault) ? named.filename().string() : named.stem().string();
    return stem.empty() || stem == "." || stem == ".." || stem == "-" ? "sequence" : stem;
}

/// The opened inputs, each with the name of its clip.
struct Sequences {
    std::vector<std::unique_ptr<MeshSequence>> opened;
    std::vector<pipeline::NamedSequence> named;
};

Sequences openInputs(Session& session, const DecomposeOptions& options) {
    Sequences sequences;
    std::set<std::string> taken;
    for (const fs::path& input : options.inputs) {
        sequences.opened.push_back(openSequence(session, input, options.sampling, {}));
        MeshSequence& frames = *sequences.opened.back();
        const MeshSequence& first = *sequences.opened.front();
        if (frames.vertexCount() != first.vertexCount())
            throw Error::badInput(
                {input.string()},
                fmt::format("has {} vertices, but {} has {}; all sequences must have the same vertices",
                            frames.vertexCount(), options.inputs[0].string(), first.vertexCount()));
        const std::string stem = clipName(input);
        std::string name = stem;
        for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{}_{}", stem, copy);
        sequences.named.push_back({name, &frames});
    }
    return sequences;
}

Mesh loadFitting(const fs::path& file, const DecomposeOptions& options, const MeshSequence& frames) {
    Mesh mesh = pipeline::loadMeshFor(file, frames.vertexCount());
    if (mesh.vertexCount() != frames.vertexCount())
        throw Error::badInput({file.string()},
                              fmt::format("has {} vertices, but the frames of {} have {}", mesh.vertexCount(),
                                          options.inputs[0].string(), frames.vertexCount()));
    return mesh;
}

/// --rest as it is; the faces of --mesh in the pose of the first frame; otherwise those of the first sequence.
Mesh restMesh(const DecomposeOptions& options, const Sequences& sequences) {
    MeshSequence& first = *sequences.opened.front();
    Mesh rest;
    if (options.rest) {
        rest = loadFitting(*options.rest, options, first);
    } else if (options.mesh) {
        rest = loadFitting(*options.mesh, options, first);
        first.readFrame(0, rest.positions);
    } else if (first.mesh()) {
        rest = *first.mesh();
    }
    if (!rest.triangles.empty()) return rest;
    const fs::path& file = options.rest ? *options.rest : options.mesh ? *options.mesh : options.inputs[0];
    throw Error::badInput(
        {file.string()},
        "has no faces, which a skin needs; give a rest pose with faces with --rest R, or faces only with --mesh M");
}

void keepWhatIsAsked(Session& session, const DecomposeOptions& options, const Sequences& sequences,
                     pipeline::DecomposeRequest& request) {
    if (options.keep_motion) {
        const Character character = session.loadCharacter(*options.keep_motion);
        aboutFile(*options.keep_motion, [&] { pipeline::keepMotion(request, character, sequences.named); });
    }
    if (options.keep_weights) {
        const Character character = session.loadCharacter(*options.keep_weights);
        aboutFile(*options.keep_weights,
                  [&] { pipeline::keepWeights(request, character, sequences.opened.front()->vertexCount()); });
    }
    const std::size_t kept = request.kept.joints.size();
    if (kept > 0 && options.bones_option->count() == 0 && !options.searches()) request.solver.bones = kept;
    if (request.solver.bones < kept)
        throw Error::badUsage(
            fmt::format("--bones {} is fewer than the {} kept joints; ask for at least as many", options.bones, kept));
}

using Json = nlohmann::ordered_json;

Json jsonOf(const Vec3d& v) { return Json::array({v.x, v.y, v.z}); }

void reportBones(Session& session, const pipeline::DecomposeResult& made) {
    Json& result = session.result;
    result["spheres"] = Json::array();
    for (const geometry::Sphere& sphere : made.spheres)
        result["spheres"].push_back({{"center", jsonOf(sphere.center)}, {"radius", sphere.radius}});
    if (made.links.empty()) return;
    result["joints"] = Json::array();
    for (std::size_t b = 0; b < made.links.size(); ++b)
        result["joints"].push_back({{"name", rig::jointName(made.character.skeleton, b)},
                                    {"parent", made.links[b].parent},
                                    {"center", jsonOf(made.links[b].center)},
                                    {"error", made.links[b].error}});
}

void reportSolve(Session& session, const pipeline::DecomposeResult& made) {
    Json& result = session.result;
    if (made.eigenskin) {
        result["eigenskin"] = made.eigenskin->rank;
        result["e_rms_without_eigenskin"] = made.decomposition.e_rms;
        result["e_rms_world_eigenskin"] = made.eigenskin->world_e_rms;
    }
    result["steps"] = Json::array();
    for (const fit::DecomposeStep& step : made.decomposition.steps)
        result["steps"].push_back({{"name", step.name}, {"e_rms", step.e_rms}});
    result["reinitialised"] = made.decomposition.reinitialised;
    if (!made.trials.empty()) {
        result["trials"] = Json::array();
        for (const fit::BoneCountTrial& trial : made.trials)
            result["trials"].push_back({{"bones", trial.bones}, {"e_rms", trial.e_rms}});
    }
    result["compression"] = {{"ratio", made.compression.ratio()},
                             {"stored_numbers", made.compression.stored_numbers},
                             {"input_numbers", made.compression.input_numbers}};
}

void report(Session& session, const DecomposeOptions& options, const Sequences& sequences,
            const pipeline::DecomposeResult& made, const geometry::SequenceError& error) {
    const fit::Decomposition& decomposition = made.decomposition;
    Json& result = session.result;
    result["output"] = options.output.string();
    result["vertices"] = made.character.mesh.vertexCount();
    result["triangles"] = made.character.mesh.triangles.size();
    result["frames"] = decomposition.frames;
    result["clips"] = Json::array();
    for (const pipeline::NamedSequence& sequence : sequences.named)
        result["clips"].push_back({{"name", sequence.name}, {"frames", sequence.frames->frameCount()}});
    result["bones"] = decomposition.bones;
    result["bones_kind"] = options.kind;
    result["influences"] = maxInfluences(made.character.weights);
    result["rms"] = error.rms;
    result["max"] = error.max;
    result["e_rms"] = error.e_rms;
    if (error.normals) result["normals"] = {{"mean", error.normals->mean}, {"p99", error.normals->p99}};
    reportSolve(session, made);
    reportBones(session, made);
    const std::string normals = error.normals
                                    ? fmt::format(", face normals off by {:.2g}° on average, 99 % by at most {:.3g}°",
                                                  error.normals->mean, error.normals->p99)
                                    : "";
    session.print(fmt::format(
        "{}: {} of {} vertices on {}, at most {} per vertex: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}{}, compression "
        "{:.1f}\n",
        oneLine(options.output.string()), counted(decomposition.frames, "frame", "frames"),
        made.character.mesh.vertexCount(), counted(decomposition.bones, "bone", "bones"),
        maxInfluences(made.character.weights), error.e_rms, error.rms, error.max, normals, made.compression.ratio()));
}

/// Only a re-initialization may increase the error; otherwise a warning is given.
void checkSteps(Session& session, const DecomposeOptions& options, const std::vector<fit::DecomposeStep>& steps) {
    constexpr double kRounding = 1e-6, kFloat = 1e-4;  ///< of the error; of single precision, in E_RMS
    for (std::size_t s = 1; s < steps.size(); ++s) {
        if (steps[s].name == "reinitialise" || steps[s].e_rms <= steps[s - 1].e_rms * (1 + kRounding) + kFloat)
            continue;
        session.warn(options.output,
                     fmt::format("step {} ({}) raised E_RMS from {:.6g} to {:.6g}; please report the sequence", s,
                                 steps[s].name, steps[s - 1].e_rms, steps[s].e_rms));
        return;
    }
}

/// A tolerance given by the user is a requirement; the default one is only a goal.
void checkTolerance(Session& session, const DecomposeOptions& options, double e_rms) {
    if (e_rms <= options.tolerance) return;
    const std::string fault = fmt::format("E_RMS {:.4g} is above the tolerance {:.4g}", e_rms, options.tolerance);
    if (options.tolerance_option->count() > 0)
        session.missGate(fmt::format("{}: {}", options.output.string(), fault));
    else if (options.searches())
        session.warn(options.output, fault + fmt::format(", which even {} bones do not reach", kMostAutoBones));
}

void runDecompose(Session& session, const DecomposeOptions& options) {
    pipeline::DecomposeRequest request = requestOf(options);
    checkOutput(options.output, OutputKind::character, options.allInputs());
    session.stage("load");
    const Sequences sequences = openInputs(session, options);
    const Mesh rest = restMesh(options, sequences);
    keepWhatIsAsked(session, options, sequences, request);

    session.stage("decompose");
    const pipeline::DecomposeResult made = pipeline::decompose(rest, sequences.named, request, session.progress());
    session.stage("measure");
    const geometry::SequenceError error =
        pipeline::measureClips(made.character, sequences.named, rest.positions, session.progressPart("measure", 0, 1));
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    report(session, options, sequences, made, error);
    checkSteps(session, options, made.decomposition.steps);
    checkTolerance(session, options, error.e_rms);
}

void addSolverOptions(CLI::App& verb, DecomposeOptions& options) {
    options.bones_option = verb.add_option("--bones", options.bones,
                                           fmt::format("Number of bones (default: 20, or the number of kept joints); "
                                                       "auto: the fewest, up to {}, that reach --tolerance",
                                                       kMostAutoBones))
                               ->type_name("N|auto");
    options.tolerance_option =
        verb.add_option("--tolerance", options.tolerance,
                        fmt::format("The E_RMS to reach (default with --bones auto: {}); without --bones it implies "
                                    "auto. Exit status 4 if a given tolerance is missed",
                                    kDefaultTolerance))
            ->check(zeroOrMore())
            ->type_name("E");
    verb.add_option("--influences", options.influences, "At most K bones per vertex, 0 for any number (default: 4)")
        ->check(CLI::Range(0, int(kMostBones)))
        ->type_name("K");
    verb.add_option("--bones-kind", options.kind,
                    "rigid: bones rotate and translate; flexible: they also stretch and shear (default: rigid)")
        ->check(CLI::IsMember({"rigid", "flexible"}))
        ->type_name("rigid|flexible");
    verb.add_option(
            "--iterations", options.solver.max_iterations,
            fmt::format("At most N iterations of weights and bones (default: {})", options.solver.max_iterations))
        ->check(CLI::Range(0, 1000000))
        ->type_name("N");
    verb.add_option("--smoothness", options.solver.smoothness,
                    "Weight of edges in the objective, from 0 to below 1: larger values give smoother surfaces, "
                    "smaller ones a smaller E_RMS (default: 0.87)")
        ->check(zeroOrMore())
        ->type_name("S");
    verb.add_option("--rest-correction", options.rest_correction,
                    "Adjust the rest pose to the bones at the end (default: on)")
        ->check(CLI::IsMember({"on", "off"}))
        ->type_name("on|off");
    verb.add_option("--seed", options.solver.seed, "Seed of a random start; 0: deterministic (default: 0)")
        ->type_name("N");
}

}  // namespace

void addDecompose(CLI::App& app, Session& session) {
    const auto options = std::make_shared<DecomposeOptions>();
    CLI::App* verb =
        session.addVerb(app, "decompose", "Computes bones, weights and clips from mesh sequences alone (SSDR)",
                        "pelt decompose cloth.npy --rest cloth.obj --bones 24 -o cloth.glb",
                        [&session, options] { runDecompose(session, *options); });
    verb->add_option("sequence", options->inputs,
                     "Sequences of the same mesh, each becomes a clip: .npy .pc2 .mdd, a folder or quoted pattern of "
                     ".obj or .ply, or a character (its skin or morph targets are sampled)")
        ->required()
        ->type_name("SEQ…");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option("--rest", options->rest,
                     "A mesh: rest pose and faces (default: those of the first sequence, or its first frame)")
        ->type_name("R");
    verb->add_option("--mesh", options->mesh, "A mesh: faces only; the first frame is the rest pose")
        ->type_name("M")
        ->excludes("--rest");
    addSolverOptions(*verb, *options);
    verb->add_flag(
        "--skeleton", options->skeleton,
        "Compute joints where bones rotate about a common center, and a hierarchy (default: all bones are roots)");
    verb->add_option("--eigenskin", options->eigenskin,
                     "Add R corrective morph targets, with weights in the clips (default: 0)")
        ->check(CLI::Range(0, 65535))
        ->type_name("R");
    verb->add_option(
            "--keep-motion", options->keep_motion,
            "A character whose joints, hierarchy and clips are kept: only weights and additional bones are solved for")
        ->type_name("CHAR");
    verb->add_option(
            "--keep-weights", options->keep_weights,
            "A character whose weights are kept: the motion of its joints is solved for, unless it is kept too")
        ->type_name("CHAR");
    addSamplingOptions(*verb, session, options->sampling, true);
    addLimitsOption(*verb, session);
    addPropsOption(*verb, session);
}

}  // namespace pelt::cli
