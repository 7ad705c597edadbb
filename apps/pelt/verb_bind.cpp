#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/bounded_biharmonic.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/io/character_file.h>
#include <pelt/io/tet_file.h>
#include <pelt/pipeline/ddm.h>

#include <algorithm>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct BindOptions {
    std::filesystem::path input, output, tets;
    std::string method = "rigid";
    std::size_t influences = 4, lattice = fit::BiharmonicOptions().target_tets;
    std::vector<std::string> joints, exclude_joints;

    fit::BindOptions choice(const Skeleton& skeleton) const {
        return pipeline::bindOptions(skeleton, joints, exclude_joints);
    }
};

/// A description of the method, for the end of the text report.
std::string bindRigidly(Session& session, const BindOptions& options, Character& character) {
    const bool had_weights = !character.weights.empty();
    aboutFile(options.input, [&] {
        character.weights = fit::bindRigid(character.mesh, character.skeleton, character.weights,
                                           options.choice(character.skeleton), session.progress());
    });
    session.result["from"] = had_weights ? "weights" : "nearest bone";
    return had_weights ? "each vertex to its heaviest joint" : "each vertex to its nearest bone";
}

std::string bindSmoothly(Session& session, const BindOptions& options, Character& character) {
    TetMesh tets;
    fit::BiharmonicOptions solver;
    solver.target_tets = options.lattice;
    if (!options.tets.empty()) {
        tets = io::loadTets(options.tets);
        solver.tets = &tets;
    }
    const fit::BiharmonicBind bind = aboutFile(options.input, [&] {
        solver.bind = options.choice(character.skeleton);
        return fit::bindBiharmonic(character.mesh, character.skeleton, options.influences, solver, session.progress());
    });
    character.weights = bind.weights;
    if (!bind.converged)
        session.warn(options.input, "the weights are close to the optimum, but the solver stopped before it converged");
    const bool volume = bind.domain == fit::BiharmonicDomain::volume;
    session.result["from"] = volume ? "volume" : "surface";
    session.result["handles"] = bind.bones;
    session.result["converged"] = bind.converged;
    session.result["domain_vertices"] = bind.domain_vertices;
    if (volume) session.result["tets"] = bind.domain_tets;
    return fmt::format("with bounded biharmonic weights of {} bones, solved on {}", bind.bones,
                       volume ? fmt::format("{} tetrahedra", bind.domain_tets) : "the surface");
}

/// The number of joints that have vertices.
std::size_t jointsWithSkin(const JointList& joints, const SkinWeights& weights) {
    std::vector<bool> used(joints.entries.size(), false);
    for (std::size_t i = 0; i < weights.joints.size(); ++i)
        if (weights.weights[i] > 0) used[joints.of_slot[weights.joints[i]]] = true;
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

void runBind(Session& session, const BindOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.input, options.tets}));
    if (!options.tets.empty() && options.method != "bbw") throw Error::badUsage("--tets is for --method bbw");
    session.stage("load");
    Character character = session.loadCharacter(options.input);
    if (character.skeleton.joints.empty())
        throw Error::badInput({options.input.string()}, "has no joints to bind the mesh to");
    session.stage("bind");
    const std::string how =
        options.method == "bbw" ? bindSmoothly(session, options, character) : bindRigidly(session, options, character);
    character.ddm = nullptr;  // made from the skin that these weights replace
    session.stage("write");
    session.saveCharacter(character, options.output);

    const JointList joints = listJoints(character.skeleton);
    const std::size_t bones = joints.entries.size(), used = jointsWithSkin(joints, character.weights);
    session.result["method"] = options.method;
    session.result["output"] = options.output.string();
    session.result["vertices"] = character.mesh.vertexCount();
    session.result["triangles"] = character.mesh.triangles.size();
    session.result["bones"] = bones;
    session.result["joints_with_skin"] = used;
    session.result["max_influences"] = maxInfluences(character.weights);
    session.print(fmt::format("{}: {} vertices bound to {} joints, {}\n", oneLine(options.output.string()),
                              character.mesh.vertexCount(),
                              used == bones ? fmt::format("{}", bones) : fmt::format("{} of {}", used, bones), how));
}

}  // namespace

void addBind(CLI::App& app, Session& session) {
    const auto options = std::make_shared<BindOptions>();
    CLI::App* verb = session.addVerb(app, "bind", "Computes skin weights for a mesh and its skeleton",
                                     "pelt bind character.glb --method bbw -o bound.glb",
                                     [&session, options] { runBind(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    addClipsOption(*verb, session);
    verb->add_option("--method", options->method,
                     "rigid: one joint per vertex, the heaviest or, without weights, that of the nearest bone "
                     "(default). bbw: smooth bounded biharmonic weights")
        ->check(CLI::IsMember({"rigid", "bbw"}))
        ->type_name("rigid|bbw");
    verb->add_option("--joints", options->joints, "Bind to these joints only, even if they look like controls")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    verb->add_option("--exclude-joints", options->exclude_joints, "Bind to all joints but these")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    verb->add_option("--influences", options->influences,
                     "At most K joints per vertex, 0 for all (default: 4; rigid always uses one)")
        ->check(zeroOrMore())
        ->type_name("K");
    verb->add_option(
            "--tets", options->tets,
            "For bbw: the volume to solve on, a .mesh file with tetrahedra (default: a lattice around the mesh)")
        ->type_name("F.mesh");
    verb->add_option("--lattice", options->lattice,
                     "For bbw without --tets: approximate number of tetrahedra of the lattice (default: 50000)")
        ->check(CLI::Range(std::size_t(100), std::size_t(5000000)))
        ->capture_default_str()
        ->type_name("N");
}

}  // namespace pelt::cli
