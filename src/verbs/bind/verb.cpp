// pelt bind: skin weights for a mesh and its skeleton.
#include <fmt/format.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/bind/smooth_bind.h>
#include <pelt/io/tet_file.h>
#include <pelt/methods/ddm.h>
#include <pelt/verbs/transfer.h>

#include <algorithm>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

enum class BindMethod { smooth, rigid, bbw };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::BindMethod>[] = {"smooth", "rigid", "bbw"};

namespace pelt::verbs {
namespace {

struct BindOptions {
    BindMethod method = BindMethod::smooth;
    std::size_t influences = 4, lattice = bind::BiharmonicOptions().target_tets;
    std::vector<std::string> joints, exclude_joints;

    bind::BindOptions choice(const Skeleton& skeleton) const {
        return methods::bindOptions(skeleton, joints, exclude_joints);
    }
};

OptionTable<BindOptions> bindRows() {
    using B = BindOptions;
    using Row = OptionRow<B>;
    return {
        Row("method", "smooth|rigid|bbw", &B::method,
            "smooth: the weights that an artist would probably paint (default). rigid: one joint per vertex, the "
            "heaviest or, without weights, that of the nearest bone. bbw: bounded biharmonic weights")
            .in(kCommon),
        Row("influences", "K", &B::influences,
            "At most K joints per vertex, 0 for all (default: 4; rigid always uses one)")
            .in(kCommon),
        Row("joints", "A,B", &B::joints, "Bind to these joints only, even if they look like controls")
            .type(OptionType::joints)
            .separatedBy(',')
            .in(kCommon),
        Row("exclude_joints", "A,B", &B::exclude_joints, "Bind to all joints but these")
            .type(OptionType::joints)
            .separatedBy(',')
            .in(kCommon),
        Row("lattice", "N", &B::lattice,
            "For bbw without --tets: approximate number of tetrahedra of the lattice (default: 20000)")
            .from(100, 5000000),
    };
}

/// A description of the method, for the end of the text report.
std::string bindRigidly(Run& run, const BindOptions& options, Character& character) {
    const bool had_weights = !character.weights.empty();
    aboutFile(run.nameOf("character"), [&] {
        character.weights = bind::bindRigid(character.mesh, character.skeleton, character.weights,
                                            options.choice(character.skeleton), run.progress());
    });
    run.result["from"] = had_weights ? "weights" : "nearest bone";
    return had_weights ? "each vertex to its heaviest joint" : "each vertex to its nearest bone";
}

std::string bindSmoothly(Run& run, const BindOptions& options, Character& character) {
    constexpr float kCloseCall = 0.75f;
    bind::SmoothBind bound = aboutFile(run.nameOf("character"), [&] {
        return bind::bindSmooth(character.mesh, character.skeleton, options.influences,
                                options.choice(character.skeleton), run.progress());
    });
    const auto close =
        std::count_if(bound.confidence.begin(), bound.confidence.end(), [](float sure) { return sure < kCloseCall; });
    character.weights = std::move(bound.weights);
    std::erase_if(character.mesh.attributes, [](const VertexAttribute& a) { return a.name == kConfidence; });
    character.mesh.attributes.push_back({kConfidence, std::move(bound.confidence)});
    run.result["from"] = bound.rigid ? "nearest bone" : "network";
    run.result["close_calls"] = close;
    if (bound.rigid)
        return "each vertex to its nearest bone: the mesh is made of rigid pieces, or lies beside its joints";
    return fmt::format("smoothly; {} were close calls", close);
}

std::string bindBiharmonically(Run& run, const BindOptions& options, Character& character) {
    TetMesh tets;
    bind::BiharmonicOptions solver;
    solver.target_tets = options.lattice;
    if (run.has("tets")) {
        tets = io::loadTets(run.nameOf("tets"));
        solver.tets = &tets;
    }
    const bind::BiharmonicBind bound = aboutFile(run.nameOf("character"), [&] {
        solver.bind = options.choice(character.skeleton);
        return bind::bindBiharmonic(character.mesh, character.skeleton, options.influences, solver, run.progress());
    });
    character.weights = bound.weights;
    if (!bound.converged)
        run.warn(run.nameOf("character"),
                 "the weights are close to the optimum, but the solver stopped before it converged");
    const bool volume = bound.domain == bind::BiharmonicDomain::volume;
    run.result["from"] = volume ? "volume" : "surface";
    run.result["handles"] = bound.bones;
    run.result["converged"] = bound.converged;
    run.result["domain_vertices"] = bound.domain_vertices;
    if (volume) run.result["tets"] = bound.domain_tets;
    return fmt::format("with bounded biharmonic weights of {} bones, solved on {}", bound.bones,
                       volume ? fmt::format("{} tetrahedra", bound.domain_tets) : "the surface");
}

/// The number of joints that have vertices.
std::size_t jointsWithSkin(const rig::JointList& joints, const SkinWeights& weights) {
    std::vector<bool> used(joints.entries.size(), false);
    for (std::size_t i = 0; i < weights.joints.size(); ++i)
        if (weights.weights[i] > 0) used[joints.of_slot[weights.joints[i]]] = true;
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

void reportBind(Run& run, const BindOptions& options, const Character& character, const std::string& how) {
    const rig::JointList joints = rig::listJoints(character.skeleton);
    const std::size_t bones = joints.entries.size(), used = jointsWithSkin(joints, character.weights);
    run.result["method"] = wordOf(options.method);
    run.result["output"] = run.outputName();
    run.result["vertices"] = character.mesh.vertexCount();
    run.result["triangles"] = character.mesh.triangles.size();
    run.result["bones"] = bones;
    run.result["joints_with_skin"] = used;
    run.result["max_influences"] = maxInfluences(character.weights);
    run.print(fmt::format("{}: {} vertices bound to {} joints, {}\n", oneLine(run.outputName()),
                          character.mesh.vertexCount(),
                          used == bones ? fmt::format("{}", bones) : fmt::format("{} of {}", used, bones), how));
}

void runBind(Run& run) {
    const auto options = run.read(bindRows());
    if (run.has("tets") && options.method != BindMethod::bbw) throw Error::badUsage("--tets is for --method bbw");
    run.stage("load");
    Character character = run.ownCharacter("character");
    if (character.skeleton.joints.empty())
        throw Error::badInput({run.nameOf("character")}, "has no joints to bind the mesh to");
    run.stage("bind");
    const auto bind = options.method == BindMethod::smooth  ? bindSmoothly
                      : options.method == BindMethod::rigid ? bindRigidly
                                                            : bindBiharmonically;
    for (VertexAttribute& map : character.mesh.attributes)  // of the weights that are replaced; only smooth is unsure
        if (map.name == kConfidence) std::fill(map.values.begin(), map.values.end(), 1.0f);
    const std::string how = bind(run, options, character);
    character.ddm = nullptr;  // made from the skin that these weights replace
    run.stage("write");
    reportBind(run, options, character, how);
    run.save(std::move(character));
}

}  // namespace

Verb bindVerb() {
    return {.name = "bind",
            .summary = "Computes skin weights for a mesh and its skeleton",
            .example = "pelt bind character.glb -o bound.glb",
            .inputs = {characterInput(),
                       {.name = "tets",
                        .kind = Kind::tets,
                        .values = "F.mesh",
                        .summary = "For bbw: the volume to solve on, a .mesh file with tetrahedra (default: a lattice "
                                   "around the mesh)",
                        .required = false},
                       clipsInput()},
            .options = optionInfos(bindRows()),
            .outputs = {characterOutput()},
            .run = runBind};
}

}  // namespace pelt::verbs
