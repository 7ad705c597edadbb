#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/fit.h>

#include <algorithm>
#include <map>

#include "joint_list.h"
#include "outputs.h"
#include "streams.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;
using FitJson = nlohmann::ordered_json;

/// The number of joints considered per vertex in addition to those it may keep: extra joints move similarly, so the
/// most rigid ones are not always the best.
constexpr std::size_t kMoreCandidates = 8;

constexpr double kDoubtful = 0.3;  ///< fraction of the examples' motion: above this, the poses are probably wrong

struct FitOptions {
    fs::path character, examples, output;
    int influences = 4, rotations = 1, most_extra = 16;
    std::string extra = "all";
    std::vector<std::string> drivers;
    double k = 8, normals_weight = 0;
    bool validate = false;
    pipeline::Sampling sampling;

    bool writesCharacter() const {
        const std::string extension = pipeline::extensionOf(output);
        return extension == ".glb" || extension == ".gltf" || isStandardStream(output);
    }
};

pipeline::FitRequest fitRequest(const FitOptions& options) {
    pipeline::FitRequest request;
    request.solver.influences = std::size_t(options.influences);
    if (options.influences > 0) request.solver.candidates = request.solver.influences + kMoreCandidates;
    request.drivers = options.drivers;
    const bool rotations = options.extra == "rotation" || options.extra == "all";
    request.rotations = rotations ? std::size_t(options.rotations) : 0;
    request.scales = options.extra == "scale" || options.extra == "all";
    request.k = options.k;
    request.most_extra = options.extra == "none" ? 0 : std::size_t(options.most_extra);
    request.normals_weight = options.normals_weight;
    request.validate = options.validate;
    return request;
}

/// Poses are sampled as the options say; examples given as a character are sampled at the same rate.
std::unique_ptr<MeshSequence> openExamples(Session& session, const FitOptions& options) {
    pipeline::Sampling sampling;
    sampling.fps = options.sampling.fps;
    return openSequence(session, options.examples, sampling, {}, false);
}

void warnOfMorphs(Session& session, const FitOptions& options, const pipeline::FitResult& made) {
    const Character& character = made.character;
    for (const double t : made.times)
        for (const float weight : rig::morphWeights(character.mesh, &character.clips[made.clip], t))
            if (weight != 0)
                return session.warn(options.character,
                                    "its morph targets play on top of the fitted skin, which was fitted without them; "
                                    "remove their keys if the examples already contain them");
}

geometry::SequenceError writeSequence(Session& session, const FitOptions& options, const pipeline::FitResult& made,
                                      MeshSequence& examples, const Mesh& rest) {
    const std::size_t frames = made.times.size(), vertices = rest.vertexCount();
    std::vector<Vec3f> all(frames * vertices);
    session.stage("write");
    const auto writer = session.createSequence(options.output, {frames, vertices, 1 / options.sampling.fps, &rest});
    for (std::size_t e = 0; e < frames; ++e) {
        const std::span<Vec3f> frame = std::span(all).subspan(e * vertices, vertices);
        pipeline::playAffine(made, e, frame);
        writer->write(frame);
    }
    session.stage("measure");
    const geometry::SequenceError error =
        geometry::compareSequences(*makeSequence(std::move(all), vertices), examples, rest.positions);
    session.stage("write");
    writer->finish();
    return error;
}

struct RankCounts {
    std::size_t weights = 0, rest = 0;
};

RankCounts countDeficient(const pipeline::FitResult& made) {
    RankCounts counts;
    for (const std::uint32_t w : made.weld.welded) {
        counts.weights += (made.convex.rank_deficient[w] & fit::kWeightsOpen) != 0;
        counts.rest += (made.convex.rank_deficient[w] & fit::kRestOpen) != 0;
    }
    return counts;
}

void reportValidation(Session& session, const pipeline::FitResult& made) {
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
    session.result["validation"] = {
        {"rms", validation.rms}, {"max", validation.max}, {"joints", std::move(joints)}, {"frames", std::move(frames)}};
    session.print(text);
}

void reportFitJson(Session& session, const FitOptions& options, const pipeline::FitResult& made,
                   const geometry::SequenceError& error) {
    const RankCounts deficient = countDeficient(made);
    FitJson& result = session.result;
    result["output"] = options.output.string();
    result["clip"] = made.character.clips[made.clip].name;
    result["vertices"] = made.character.mesh.vertexCount();
    result["triangles"] = made.character.mesh.triangles.size();
    result["frames"] = made.times.size();
    result["bones"] = listJoints(made.character.skeleton).entries.size();
    result["influences"] = maxInfluences(made.character.weights);
    result["weights"] = options.writesCharacter() ? "convex" : "affine";
    result["rms"] = error.rms;
    result["max"] = error.max;
    result["e_rms"] = error.e_rms;
    result["rms_own_weights"] = made.rms_own ? FitJson(*made.rms_own) : FitJson(nullptr);
    result["rms_without_extra_joints"] = made.plain.rms;
    result["rms_convex"] = made.convex.rms;
    result["rms_affine"] = made.affine.rms;
    result["rms_sample"] = made.rms_looked_at;
    result["extra_joints"] = FitJson::array();
    for (const pipeline::ExtraJoint& joint : made.extra)
        result["extra_joints"].push_back({{"name", joint.name},
                                          {"driver", joint.driver},
                                          {"kind", rig::kDriverKinds[std::size_t(joint.kind)]},
                                          {"rms", joint.rms}});
    result["rank_deficient"] = {{"weights", deficient.weights}, {"rest", deficient.rest}};
}

void reportFit(Session& session, const FitOptions& options, const pipeline::FitResult& made,
               const geometry::SequenceError& error) {
    reportFitJson(session, options, made, error);
    const RankCounts deficient = countDeficient(made);
    session.print(fmt::format(
        "{}: {} of {} vertices on {} ({} extra), at most {} per vertex: E_RMS {:.4g}, RMS {:.4g}, max {:.4g}\n",
        oneLine(options.output.string()), counted(made.times.size(), "pose", "poses"),
        made.character.mesh.vertexCount(),
        counted(listJoints(made.character.skeleton).entries.size(), "joint", "joints"), made.extra.size(),
        maxInfluences(made.character.weights), error.e_rms, error.rms, error.max));
    if (made.rms_own) session.print(fmt::format("  RMS with the original weights      {:.4g}\n", *made.rms_own));
    session.print(fmt::format("  fitted, without extra joints       {:.4g}\n", made.plain.rms));
    session.print(fmt::format("  fitted, with {:<3} extra             {:.4g}\n", made.extra.size(), made.convex.rms));
    session.print(
        fmt::format("  with weights that may be negative  {:.4g} (cost of convexity: {:.0f} %)\n", made.affine.rms,
                    made.affine.rms > 0 ? std::max(0.0, 100 * (made.convex.rms / made.affine.rms - 1)) : 0.0));
    if (!made.extra.empty())
        session.print(fmt::format(
            "  extra joints, and the RMS over a sample of the vertices after adding each ({:.4g} without any):\n",
            made.rms_looked_at));
    for (const pipeline::ExtraJoint& joint : made.extra)
        session.print(fmt::format("    {:<24} {:<8} follows {:<16} {:.4g}\n", joint.name,
                                  rig::kDriverKinds[std::size_t(joint.kind)], joint.driver, joint.rms));
    if (deficient.weights + deficient.rest > 0)
        session.print(fmt::format("  not determined by the examples: the weights of {}, the rest position of {}\n",
                                  counted(deficient.weights, "vertex", "vertices"),
                                  counted(deficient.rest, "vertex", "vertices")));
    if (made.validation) reportValidation(session, made);
}

void runFit(Session& session, const FitOptions& options) {
    checkOutput(options.output, options.writesCharacter() ? OutputKind::character : OutputKind::sequence,
                session.allInputs({options.character, options.examples}));
    session.stage("load");
    Character character = session.loadCharacter(options.character, options.sampling.clip);
    const auto examples = pipeline::withoutProps(openExamples(session, options), character);
    const Mesh rest = character.mesh;
    session.stage("fit");
    const pipeline::FitResult made = aboutFile(options.character, [&] {
        return pipeline::fitCharacter(std::move(character), *examples, options.sampling, fitRequest(options),
                                      session.progress());
    });
    warnOfMorphs(session, options, made);
    if (made.unexplained > kDoubtful)
        session.warn(
            options.examples,
            fmt::format(
                "the skin does not explain {:.0f} % of the motion; does the skeleton have the poses of the examples?",
                100 * made.unexplained));
    geometry::SequenceError error;
    if (options.writesCharacter()) {
        session.stage("measure");
        error = pipeline::measureFit(made, *examples, rest.positions);
        session.stage("write");
        session.saveCharacter(made.character, options.output);
    } else {
        error = writeSequence(session, options, made, *examples, rest);
    }
    reportFit(session, options, made, error);
}

void addExtraJointOptions(CLI::App& verb, FitOptions& options) {
    verb.add_option("--extra-joints", options.extra,
                    "Kinds of driven joints that may be added: half-way rotations, scales by the angle (default: all)")
        ->check(CLI::IsMember({"none", "rotation", "scale", "all"}))
        ->type_name("none|rotation|scale|all");
    verb.add_option("--max-extra-joints", options.most_extra,
                    "Add at most N extra joints, those that reduce the error most (default: 16)")
        ->check(CLI::Range(0, 60000))
        ->type_name("N");
    verb.add_option("--rotations", options.rotations,
                    "Half-way joints per driver; N joints divide its rotation evenly (default: 1)")
        ->check(CLI::Range(1, 100))
        ->type_name("N");
    verb.add_option("--scale-k", options.k, "Scale of a folded limb: 1 + k (default: 8)")->type_name("K");
    verb.add_option("--drivers", options.drivers, "Joints that may get extra joints (default: all)")
        ->delimiter(',')
        ->type_name("A,B");
}

}  // namespace

void addFit(CLI::App& app, Session& session) {
    const auto options = std::make_shared<FitOptions>();
    CLI::App* verb =
        session.addVerb(app, "fit", "Fits a skin to example poses: weights, rest pose, extra joints (Mohr & Gleicher)",
                        "pelt fit arm.glb sculpted.npy --influences 6 -o fitted.glb",
                        [&session, options] { runFit(session, *options); });
    verb->add_option("character", options->character,
                     "A character; the samples of its clip are the poses, one per example. Its weights are not used")
        ->required()
        ->type_name("CHAR");
    verb->add_option("examples", options->examples,
                     "The meshes in those poses: .npy .pc2 .mdd, a folder or quoted pattern of .obj or .ply, or a "
                     "character (its skin or morph targets are sampled)")
        ->required()
        ->type_name("EXAMPLES");
    addOutputOption(*verb, options->output,
                    "The fitted character, .glb or .gltf, or - for .glb on standard output; or a sequence (.npy .pc2 "
                    ".mdd, a folder of .obj): the examples reproduced with weights that may be negative");
    verb->add_option("--influences", options->influences, "At most K joints per vertex, 0 for any number (default: 4)")
        ->check(CLI::Range(0, 65535))
        ->type_name("K");
    addExtraJointOptions(*verb, *options);
    verb->add_option("--normals-weight", options->normals_weight,
                     "Weight of the normals: an error of 1 in a unit normal counts as much as a distance of W mean "
                     "edges (default: 0)")
        ->check(zeroOrMore())
        ->type_name("W");
    verb->add_flag("--validate", options->validate,
                   "Cross-validate: also fit without each example in turn and report the error at that example");
    addSamplingOptions(*verb, session, options->sampling, true);
    addLimitsOption(*verb, session);
    verb->remove_option(verb->get_option("--bind-pose"));
}

}  // namespace pelt::cli
