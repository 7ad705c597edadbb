// pelt fit: a skin from example poses.
#include <fmt/format.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/sequence_file.h>
#include <pelt/verbs/fit.h>

#include <algorithm>

#include "given_normals.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

enum class ExtraJoints { none, rotation, scale, all };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::ExtraJoints>[] = {"none", "rotation", "scale", "all"};

namespace pelt::verbs {
namespace {

using FitJson = nlohmann::ordered_json;

/// The number of joints considered per vertex in addition to those it may keep: extra joints move similarly, so the
/// most rigid ones are not always the best.
constexpr std::size_t kMoreCandidates = 8;

constexpr double kDoubtful = 0.3;  ///< fraction of the examples' motion: above this, the poses are probably wrong

struct FitOptions {
    std::size_t influences = 4, rotations = 1, max_extra_joints = 16, helpers = 0;
    ExtraJoints extra_joints = ExtraJoints::all;
    std::vector<std::string> drivers;
    double scale_k = 8, normals_weight = 0.5;
    bool signed_weights = false, validate = false;

    FitRequest request() const {
        FitRequest request;
        request.solver.influences = influences;
        if (influences > 0) request.solver.candidates = influences + kMoreCandidates;
        request.drivers = drivers;
        const bool all = extra_joints == ExtraJoints::all;
        request.rotations = all || extra_joints == ExtraJoints::rotation ? rotations : 0;
        request.scales = all || extra_joints == ExtraJoints::scale;
        request.k = scale_k;
        request.helpers = helpers;
        request.most_extra = extra_joints == ExtraJoints::none && helpers == 0 ? 0 : max_extra_joints;
        request.normals_weight = normals_weight;
        request.signed_weights = signed_weights;
        request.validate = validate;
        return request;
    }
};

OptionTable<FitOptions> fitRows() {
    using F = FitOptions;
    using Row = OptionRow<F>;
    return {
        Row("influences", "K", &F::influences, "At most K joints per vertex, 0 for any number (default: 4)")
            .from(0, 65535)
            .in(kCommon),
        Row("extra_joints", "none|rotation|scale|all", &F::extra_joints,
            "Kinds of driven joints that may be added: half-way rotations, scales by the angle (default: all)"),
        Row("max_extra_joints", "N", &F::max_extra_joints,
            "Add at most N extra joints, those that reduce the error most (default: 16)")
            .from(0, 60000)
            .in(kCommon),
        Row("helpers", "N", &F::helpers,
            "Also try N joints learned from the examples, driven by nearby rotations (default: 0)")
            .from(0, 1000)
            .in(kCommon),
        Row("rotations", "N", &F::rotations,
            "Half-way joints per driver; N joints divide its rotation evenly (default: 1)")
            .from(1, 100),
        Row("scale_k", "K", &F::scale_k, "Scale of a folded limb: 1 + k (default: 8)"),
        Row("drivers", "A,B", &F::drivers, "Joints that may get extra joints (default: all)")
            .type(OptionType::joints)
            .separatedBy(','),
        Row("normals_weight", "W", &F::normals_weight,
            "Weight of the normals: an error of 1 in a unit normal counts as much as a distance of W mean edges "
            "(default: 0.5)")
            .from(0),
        Row("signed", "", &F::signed_weights,
            "Also store weights of any sign, which fit better: Pelt plays them (method ddm), other programs the plain "
            "skin")
            .in(kCommon),
        Row("validate", "", &F::validate,
            "Cross-validate: also fit without each example in turn and report the error at that example")
            .in(kCommon),
    };
}

OptionTable<methods::Sampling> fitSamplingRows() { return samplingRows(true, false); }

void warnOfMorphs(Run& run, const FitResult& made) {
    const Character& character = made.character;
    for (const double t : made.times)
        for (const float weight : rig::morphWeights(character.mesh, &character.clips[made.clip], t))
            if (weight != 0)
                return run.warn(run.nameOf("character"),
                                "its morph targets play on top of the fitted skin, which was fitted without them; "
                                "remove their keys if the examples already contain them");
}

void warnOfDoubt(Run& run, const FitResult& made) {
    if (made.unexplained > kDoubtful)
        run.warn(run.nameOf("examples"), fmt::format("the skin does not explain {:.0f} % of the motion; does the "
                                                     "skeleton have the poses of the examples?",
                                                     100 * made.unexplained));
}

/// The examples as the affine weights reproduce them.
geometry::SequenceError writeSequence(Run& run, const FitResult& made, MeshSequence& examples, const Mesh& rest,
                                      double fps) {
    const std::size_t frames = made.times.size(), vertices = rest.vertexCount();
    std::vector<Vec3f> all(frames * vertices);
    run.stage("write");
    const auto writer = run.open("output", {frames, vertices, 1 / fps, &rest});
    for (std::size_t e = 0; e < frames; ++e) {
        const std::span<Vec3f> frame = std::span(all).subspan(e * vertices, vertices);
        playAffine(made, e, frame);
        writer->write(frame);
    }
    run.stage("measure");
    const geometry::SequenceError error =
        geometry::compareSequences(*makeSequence(std::move(all), vertices), examples, rest.positions);
    run.stage("write");
    writer->finish();
    return error;
}

FitJson orNull(const std::optional<double>& value) { return value ? FitJson(*value) : FitJson(nullptr); }

struct RankCounts {
    std::size_t weights = 0, rest = 0;
};

RankCounts countDeficient(const FitResult& made) {
    RankCounts counts;
    for (const std::uint32_t w : made.weld.welded) {
        counts.weights += (made.convex.rank_deficient[w] & fit::kWeightsOpen) != 0;
        counts.rest += (made.convex.rank_deficient[w] & fit::kRestOpen) != 0;
    }
    return counts;
}

FitJson errorJson(const geometry::SequenceError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}};
}

void reportSigned(Run& run, const FitResult& made, const geometry::SequenceError& error) {
    run.result["signed"] = errorJson(error);
    run.result["signed"]["influences"] = maxInfluences(deform::signedWeights(made.character.ddm->rows));
    run.print(fmt::format("  stored with weights of any sign    {:.4g}: E_RMS {:.4g}, max {:.4g}\n", error.rms,
                          error.e_rms, error.max));
    if (!made.signed_validation) return;
    const fit::ExampleValidation& validation = *made.signed_validation;
    run.result["signed"]["validation"] = {
        {"rms", validation.rms}, {"max", validation.max}, {"normals_degrees", orNull(validation.normals_degrees)}};
    run.print(fmt::format("    cross-validation: RMS {:.4g}, max {:.4g}\n", validation.rms, validation.max));
}

void reportValidation(Run& run, const FitResult& made) {
    const fit::ExampleValidation& validation = *made.validation;
    FitJson joints = FitJson::array(), frames = FitJson::array();
    std::string text = fmt::format("  cross-validation: RMS {:.4g}, max {:.4g}; by the heaviest joint of a vertex:\n",
                                   validation.rms, validation.max);
    for (std::size_t j = 0; j < validation.joint_rms.size(); ++j) {
        const std::string& name = rig::jointName(made.character.skeleton, j);
        joints.push_back({{"name", name}, {"rms", validation.joint_rms[j]}});
        if (validation.joint_rms[j] > 0) text += fmt::format("    {:<24} {:.4g}\n", name, validation.joint_rms[j]);
    }
    for (const double rms : validation.example_rms) frames.push_back({{"rms", rms}});
    run.result["validation"] = {{"rms", validation.rms},
                                {"max", validation.max},
                                {"normals_degrees", orNull(validation.normals_degrees)},
                                {"joints", std::move(joints)},
                                {"frames", std::move(frames)}};
    run.print(text);
}

void reportFitJson(Run& run, const FitResult& made, const geometry::SequenceError& error, bool convex) {
    const RankCounts deficient = countDeficient(made);
    FitJson& result = run.result;
    result["output"] = run.outputName();
    result["clip"] = made.character.clips[made.clip].name;
    result["vertices"] = made.character.mesh.vertexCount();
    result["triangles"] = made.character.mesh.triangles.size();
    result["frames"] = made.times.size();
    result["bones"] = boneCount(made.character);
    result["influences"] = maxInfluences(made.character.weights);
    result["weights"] = convex ? "convex" : "affine";
    result["rms"] = error.rms;
    result["max"] = error.max;
    result["e_rms"] = error.e_rms;
    result["normals"] = made.normals_given ? "given" : "recomputed";
    result["normals_degrees"] = orNull(made.convex.normals_degrees);
    result["rms_own_weights"] = orNull(made.rms_own);
    result["rms_without_extra_joints"] = made.plain.rms;
    result["rms_convex"] = made.convex.rms;
    result["rms_affine"] = made.affine.rms;
    result["rms_sample"] = made.rms_looked_at;
    result["extra_joints"] = FitJson::array();
    for (const ExtraJoint& joint : made.extra)
        result["extra_joints"].push_back({{"name", joint.name},
                                          {"driver", joint.driver},
                                          {"kind", rig::kDriverKinds[std::size_t(joint.kind)]},
                                          {"rms", joint.rms}});
    result["rank_deficient"] = {{"weights", deficient.weights}, {"rest", deficient.rest}};
}

void reportFit(Run& run, const FitResult& made, const geometry::SequenceError& error, bool convex) {
    reportFitJson(run, made, error, convex);
    const RankCounts deficient = countDeficient(made);
    run.print(fmt::format(
        "{}: {} of {} vertices on {} ({} extra), at most {} per vertex: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}\n",
        oneLine(run.outputName()), counted(made.times.size(), "pose", "poses"), made.character.mesh.vertexCount(),
        counted(boneCount(made.character), "joint", "joints"), made.extra.size(), maxInfluences(made.character.weights),
        error.e_rms, error.rms, error.max));
    if (made.rms_own) run.print(fmt::format("  RMS with the original weights      {:.4g}\n", *made.rms_own));
    run.print(fmt::format("  fitted, without extra joints       {:.4g}\n", made.plain.rms));
    run.print(fmt::format("  fitted, with {:<3} extra             {:.4g}\n", made.extra.size(), made.convex.rms));
    run.print(fmt::format("  with weights that may be negative  {:.4g} (cost of convexity: {:.0f} %)\n",
                          made.affine.rms,
                          made.affine.rms > 0 ? std::max(0.0, 100 * (made.convex.rms / made.affine.rms - 1)) : 0.0));
    if (!made.extra.empty())
        run.print(fmt::format(
            "  extra joints, and the RMS over a sample of the vertices after adding each ({:.4g} without any):\n",
            made.rms_looked_at));
    for (const ExtraJoint& joint : made.extra)
        run.print(fmt::format("    {:<24} {:<8} follows {:<16} {:.4g}\n", joint.name,
                              rig::kDriverKinds[std::size_t(joint.kind)], joint.driver, joint.rms));
    if (deficient.weights + deficient.rest > 0)
        run.print(fmt::format("  not determined by the examples: the weights of {}, the rest position of {}\n",
                              counted(deficient.weights, "vertex", "vertices"),
                              counted(deficient.rest, "vertex", "vertices")));
    if (made.validation) reportValidation(run, made);
}

void runFit(Run& run) {
    const auto options = run.read(fitRows());
    const methods::Sampling sampling = readSampling(run, fitSamplingRows());
    run.needs("limits", "clip");
    const bool convex = run.wants("output", Kind::character);
    if (options.signed_weights && !convex)
        throw Error::badUsage("`signed` is about a character; a sequence has weights of any sign anyway");
    run.stage("load");
    Character character = run.ownCharacter("character", sampling.clip);
    // Poses are sampled as the options say; examples given as a character are sampled at the same rate.
    methods::Sampling rate;
    rate.fps = sampling.fps;
    const auto examples = methods::withoutProps(run.sequence(run.given("examples"), rate, {}, false), character);
    const Mesh rest = character.mesh;
    const Clip* const moving = sampling.clip ? nullptr : methods::movingClip(character, sampling);
    if (moving && moving != character.clips.data())
        run.warn(run.nameOf("character"), fmt::format("clip '{}' stands still and does not count: the poses are those "
                                                      "of '{}'",
                                                      character.clips.front().name, moving->name));
    FitRequest request = options.request();
    std::unique_ptr<MeshSequence> normals;
    if (run.has("normals")) {
        normals = methods::withoutProps(run.sequence(run.given("normals"), rate, {}, false), character);
        checkNormals(run, *normals);
    }
    request.normals = normals.get();
    run.stage("fit");
    FitResult made = aboutFile(run.nameOf("character"), [&] {
        return fitCharacter(std::move(character), *examples, sampling, request, run.progress());
    });
    warnOfMorphs(run, made);
    warnOfDoubt(run, made);
    if (!convex) return reportFit(run, made, writeSequence(run, made, *examples, rest, sampling.fps), convex);
    run.stage("measure");
    const geometry::SequenceError error = measureFit(made, *examples, rest.positions);
    std::optional<geometry::SequenceError> signed_error;
    if (options.signed_weights) signed_error = measureFit(made, *examples, rest.positions, "ddm");
    run.stage("write");
    reportFit(run, made, error, convex);
    if (signed_error) reportSigned(run, made, *signed_error);
    run.save(std::move(made.character));
}

}  // namespace

Verb fitVerb() {
    return {.name = "fit",
            .summary = "Fits a skin to example poses: weights, rest pose, extra joints (Mohr & Gleicher)",
            .example = "pelt fit arm.glb sculpted.npy --influences 6 -o fitted.glb",
            .inputs = {characterInput("A character; the samples of its clip are the poses, one per example. Its "
                                      "weights are not used"),
                       {.name = "examples",
                        .kind = Kind::sequence,
                        .values = "EXAMPLES",
                        .summary = "The meshes in those poses: .npy .pc2 .mdd, a folder or quoted pattern of .obj or "
                                   ".ply, or a character (its skin or morph targets are sampled)"},
                       {.name = "normals",
                        .kind = Kind::sequence,
                        .values = "N.npy",
                        .summary = "Unit normals of the examples (frames, vertices, 3), which otherwise are their own "
                                   "or, if they have none, recomputed",
                        .required = false},
                       clipsInput(),
                       limitsInput()},
            .options = joined(optionInfos(fitRows()), optionInfos(fitSamplingRows())),
            .outputs = {{.name = "output",
                         .kinds = {Kind::character, Kind::sequence},
                         .values = "FILE",
                         .summary = "The fitted character, .glb, .gltf or .fbx, or - for .glb on standard output; or a "
                                    "sequence (.npy .pc2 .mdd, a folder of .obj): the examples reproduced with "
                                    "weights that may be negative",
                         .group = kCommon}},
            .run = runFit};
}

}  // namespace pelt::verbs
