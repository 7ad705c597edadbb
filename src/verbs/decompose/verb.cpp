// pelt decompose: bones, weights and clips from mesh sequences alone.
#include <fmt/format.h>
#include <pelt/verbs/decompose.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "decompose_report.h"
#include "verbs/run/common_options.h"

namespace pelt::verbs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBones = 65535;    ///< the largest index in glTF
constexpr std::size_t kMostAutoBones = 128;  ///< above this, engines need more than one draw call for the skin
constexpr double kDefaultTolerance = 3;

struct DecomposeOptions {
    std::optional<std::string> bones;
    std::optional<double> tolerance;
    fit::BoneKind kind = fit::BoneKind::rigid;
    std::size_t influences = 4, seed = 0, eigenskin = 0;
    int iterations = fit::DecomposeOptions().max_iterations;
    double smoothness = fit::DecomposeOptions().smoothness;
    bool rest_correction = true, skeleton = false;

    bool searches() const { return bones ? *bones == "auto" : tolerance.has_value(); }
};

OptionTable<DecomposeOptions> decomposeRows() {
    using D = DecomposeOptions;
    using Row = OptionRow<D>;
    return {
        Row("bones", "N|auto", &D::bones,
            "Number of bones (default: 20, or the number of kept joints); auto: the fewest, up to 128, that reach "
            "--tolerance")
            .in(kCommon),
        Row("tolerance", "E", &D::tolerance,
            "The E_RMS to reach (default with --bones auto: 3); without --bones it implies auto. Exit status 4 if a "
            "given tolerance is missed")
            .from(0)
            .in(kCommon),
        Row("influences", "K", &D::influences, "At most K bones per vertex, 0 for any number (default: 4)")
            .from(0, double(kMostBones)),
        Row("bones_kind", "rigid|flexible", &D::kind,
            "rigid: bones rotate and translate; flexible: they also stretch and shear (default: rigid)"),
        Row("iterations", "N", &D::iterations, "At most N iterations of weights and bones (default: 100)")
            .from(0, 1000000),
        Row("smoothness", "S", &D::smoothness,
            "Weight of edges in the objective, from 0 to below 1: larger values give smoother surfaces, smaller ones "
            "a smaller E_RMS (default: 0.87)")
            .below(0, 1),
        Row("rest_correction", "on|off", &D::rest_correction,
            "Adjust the rest pose to the bones at the end (default: on)"),
        Row("seed", "N", &D::seed, "Seed of a random start; 0: deterministic (default: 0)"),
        Row("skeleton", "", &D::skeleton,
            "Compute joints where bones rotate about a common center, and a hierarchy (default: all bones are roots)")
            .in(kCommon),
        Row("eigenskin", "R", &D::eigenskin, "Add R corrective morph targets, with weights in the clips (default: 0)")
            .from(0, 65535),
    };
}

std::size_t parseBones(const std::string& text) {
    std::int64_t count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc() || end != text.data() + text.size() || count < 1 || count > std::int64_t(kMostBones))
        throw Error::badUsage(fmt::format("`bones` {}: write a number from 1 to {}, or auto", text, kMostBones));
    return std::size_t(count);
}

DecomposeRequest requestOf(const DecomposeOptions& options) {
    DecomposeRequest request;
    request.solver.bones = options.searches() ? kMostAutoBones : parseBones(options.bones.value_or("20"));
    request.solver.influences = options.influences;
    request.solver.kind = options.kind;
    request.solver.max_iterations = options.iterations;
    request.solver.smoothness = options.smoothness;
    request.solver.correct_rest = options.rest_correction;
    request.solver.seed = options.seed;
    if (options.searches()) request.tolerance = options.tolerance.value_or(kDefaultTolerance);
    request.skeleton = options.skeleton;
    request.eigenskin = options.eigenskin;
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

Sequences openInputs(Run& run) {
    const methods::Sampling sampling = readSampling(run, samplingRows());
    Sequences sequences;
    std::set<std::string> taken;
    for (const Given& input : run.allGiven("sequence")) {
        sequences.opened.push_back(run.sequence(input, sampling));
        MeshSequence& frames = *sequences.opened.back();
        const MeshSequence& first = *sequences.opened.front();
        if (frames.vertexCount() != first.vertexCount())
            throw Error::badInput(
                {input.name}, fmt::format("has {} vertices, but {} has {}; all sequences must have the same vertices",
                                          frames.vertexCount(), run.nameOf("sequence"), first.vertexCount()));
        const std::string stem = clipName(input.name);
        std::string name = stem;
        for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{}_{}", stem, copy);
        sequences.named.push_back({name, &frames});
    }
    return sequences;
}

Mesh fittingMesh(Run& run, std::string_view input, const MeshSequence& frames) {
    Mesh mesh = run.meshFor(run.given(input), frames.vertexCount());
    if (mesh.vertexCount() != frames.vertexCount())
        throw Error::badInput({run.nameOf(input)},
                              fmt::format("has {} vertices, but the frames of {} have {}", mesh.vertexCount(),
                                          run.nameOf("sequence"), frames.vertexCount()));
    return mesh;
}

/// `rest` as it is; the faces of `mesh` in the pose of the first frame; otherwise those of the first sequence.
Mesh restMesh(Run& run, const Sequences& sequences) {
    MeshSequence& first = *sequences.opened.front();
    Mesh rest;
    std::string_view source = "sequence";
    if (run.has("rest")) {
        rest = fittingMesh(run, source = "rest", first);
    } else if (run.has("mesh")) {
        rest = fittingMesh(run, source = "mesh", first);
        first.readFrame(0, rest.positions);
    } else if (first.mesh()) {
        rest = *first.mesh();
    }
    if (!rest.triangles.empty()) return rest;
    throw Error::badInput(
        {run.nameOf(source)},
        "has no faces, which a skin needs; give a rest pose with faces with `rest` R, or faces only with `mesh` M");
}

void keepWhatIsAsked(Run& run, const DecomposeOptions& options, const Sequences& sequences, DecomposeRequest& request) {
    if (run.has("keep_motion")) {
        const CharacterRef character = run.character("keep_motion");
        aboutFile(run.nameOf("keep_motion"), [&] { keepMotion(request, *character, sequences.named); });
    }
    if (run.has("keep_weights")) {
        const CharacterRef character = run.character("keep_weights");
        aboutFile(run.nameOf("keep_weights"),
                  [&] { keepWeights(request, *character, sequences.opened.front()->vertexCount()); });
    }
    const std::size_t kept = request.kept.joints.size();
    if (kept > 0 && !options.bones && !options.searches()) request.solver.bones = kept;
    if (request.solver.bones < kept)
        throw Error::badUsage(fmt::format("`bones` {} is fewer than the {} kept joints; ask for at least as many",
                                          options.bones.value_or("20"), kept));
}

/// Only a re-initialization may increase the error; otherwise a warning is given.
void checkSteps(Run& run, const std::vector<fit::DecomposeStep>& steps) {
    constexpr double kRounding = 1e-6, kFloat = 1e-4;  ///< of the error; of single precision, in E_RMS
    for (std::size_t s = 1; s < steps.size(); ++s) {
        if (steps[s].name == "reinitialize" || steps[s].e_rms <= steps[s - 1].e_rms * (1 + kRounding) + kFloat)
            continue;
        return run.warn(run.outputName(),
                        fmt::format("step {} ({}) raised E_RMS from {:.6g} to {:.6g}; please report the sequence", s,
                                    steps[s].name, steps[s - 1].e_rms, steps[s].e_rms));
    }
}

/// A tolerance given by the user is a requirement; the default one is only a goal.
void checkTolerance(Run& run, const DecomposeOptions& options, double e_rms) {
    const double tolerance = options.tolerance.value_or(kDefaultTolerance);
    if (e_rms <= tolerance) return;
    const std::string fault = fmt::format("E_RMS {:.4g} is above the tolerance {:.4g}", e_rms, tolerance);
    if (options.tolerance)
        run.missGate(fmt::format("{}: {}", run.outputName(), fault));
    else if (options.searches())
        run.warn(run.outputName(), fault + fmt::format(", which even {} bones do not reach", kMostAutoBones));
}

void runDecompose(Run& run) {
    const auto options = run.read(decomposeRows());
    run.excludes("mesh", "rest");
    run.needs("limits", "clip");
    DecomposeRequest request = requestOf(options);
    run.stage("load");
    const Sequences sequences = openInputs(run);
    const Mesh rest = restMesh(run, sequences);
    keepWhatIsAsked(run, options, sequences, request);

    run.stage("decompose");
    DecomposeResult made = decompose(rest, sequences.named, request, run.progress());
    run.stage("measure");
    const geometry::SequenceError error =
        measureClips(made.character, sequences.named, rest.positions, run.progressPart("measure", 0, 1));
    run.stage("write");
    reportDecompose(run, options.kind, sequences, made, error);
    run.save(std::move(made.character));
    checkSteps(run, made.decomposition.steps);
    checkTolerance(run, options, error.e_rms);
}

Input keptInput(std::string_view name, std::string_view summary) {
    return {.name = name, .kind = Kind::character, .values = "CHAR", .summary = summary, .required = false};
}

}  // namespace

Verb decomposeVerb() {
    return {
        .name = "decompose",
        .summary = "Computes bones, weights and clips from mesh sequences alone (SSDR)",
        .example = "pelt decompose cloth.npy --rest cloth.obj --bones 24 -o cloth.glb",
        .inputs = {{.name = "sequence",
                    .kind = Kind::sequence,
                    .values = "SEQ…",
                    .summary = "Sequences of the same mesh, each becomes a clip: .npy .pc2 .mdd, a folder or quoted "
                               "pattern of .obj or .ply, or a character (its skin or morph targets are sampled)",
                    .many = true},
                   {.name = "rest",
                    .kind = Kind::mesh,
                    .values = "R",
                    .summary = "A mesh: rest pose and faces (default: those of the first sequence, or its first frame)",
                    .required = false,
                    .group = kCommon},
                   {.name = "mesh",
                    .kind = Kind::mesh,
                    .values = "M",
                    .summary = "A mesh: faces only; the first frame is the rest pose",
                    .required = false},
                   keptInput("keep_motion",
                             "A character whose joints, hierarchy and clips are kept: only weights and additional "
                             "bones are solved for"),
                   keptInput("keep_weights",
                             "A character whose weights are kept: the motion of its joints is solved for, unless it "
                             "is kept too"),
                   clipsInput(),
                   limitsInput()},
        .options = joined(joined(optionInfos(decomposeRows()), optionInfos(samplingRows())), optionInfos(propsRows())),
        .outputs = {characterOutput()},
        .run = runDecompose};
}

}  // namespace pelt::verbs
