#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/io/character_file.h>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct BindOptions {
    std::filesystem::path input, output;
    std::string method = "rigid";
    std::size_t influences = 0;
};

void runBind(Session& session, const BindOptions& options) {
    checkOutput(options.output, OutputKind::character, {options.input});
    session.stage("load");
    Character character = session.loadCharacter(options.input);
    const bool had_weights = !character.weights.empty();
    session.stage("bind");
    aboutFile(options.input, [&] {
        if (character.skeleton.joints.empty()) throw Error::badInput("has no joints to bind the mesh to");
        character.weights = fit::bindRigid(character.mesh, character.skeleton, character.weights, session.progress());
    });
    character.ddm = nullptr;  // made from the skin that these weights replace
    session.stage("write");
    io::saveCharacter(character, options.output);

    const std::size_t bones = listJoints(character.skeleton).entries.size();
    session.result["method"] = options.method;
    session.result["from"] = had_weights ? "weights" : "nearest bone";
    session.result["output"] = options.output.string();
    session.result["vertices"] = character.mesh.vertexCount();
    session.result["triangles"] = character.mesh.triangles.size();
    session.result["bones"] = bones;
    session.result["max_influences"] = maxInfluences(character.weights);
    session.print(fmt::format("{}: {} vertices bound to {} joints, each to {}\n", oneLine(options.output.string()),
                              character.mesh.vertexCount(), bones,
                              had_weights ? "its heaviest" : "its nearest bone segment"));
}

}  // namespace

void addBind(CLI::App& app, Session& session) {
    const auto options = std::make_shared<BindOptions>();
    CLI::App* verb = session.addVerb(app, "bind", "Gives the mesh weights for its skeleton",
                                     "pelt bind character.glb --method rigid -o bound.glb",
                                     [&session, options] { runBind(session, *options); });
    verb->add_option("character", options->input, "A character: .glb .gltf .fbx .dae")->required()->type_name("CHAR");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf");
    verb->add_option("--method", options->method,
                     "rigid: each vertex to its heaviest joint; without weights, to the nearest bone segment")
        ->check(CLI::IsMember({"rigid"}))
        ->type_name("rigid");
    verb->add_option("--influences", options->influences, "At most K joints a vertex, 0 for all (rigid always has one)")
        ->type_name("K");
}

}  // namespace pelt::cli
