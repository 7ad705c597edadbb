#include <fmt/format.h>
#include <pelt/io/atomic_file.h>
#include <pelt/pipeline/pack.h>
#include <pelt/version.h>

#include "joint_list.h"
#include "option_flags.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct PackOptions {
    std::filesystem::path input, output;
    std::string method;
    OptionFlags flags;
};

void runPack(Session& session, const PackOptions& options) {
    if (!options.method.empty()) pipeline::findMethod(options.method);
    checkOutput(options.output, OutputKind::rig, {options.input});
    session.stage("load");
    const Character character = session.loadCharacter(options.input);
    const bool mushed = character.ddm != nullptr;
    const pipeline::Method& method = pipeline::findMethod(!options.method.empty() ? options.method
                                                          : mushed                ? "ddm"
                                                                                  : "lbs");
    session.stage("pack");
    const AlignedBytes bytes = aboutFile(options.input, [&] {
        return pipeline::packCharacter(character, method, options.flags.given(), session.progress());
    });
    session.stage("write");
    io::AtomicFile file(options.output);
    file.write(bytes);
    file.commit();

    session.result["output"] = options.output.string();
    session.result["method"] = method.name;
    session.result["version"] = kRigVersion;
    session.result["bytes"] = bytes.size();
    session.result["vertices"] = character.mesh.vertexCount();
    session.result["bones"] = listJoints(character.skeleton).entries.size();
    session.result["driven_joints"] = character.driven.size();
    session.result["morph_targets"] = character.mesh.morphs.size();
    session.print(fmt::format("{}: {} vertices packed for {}, {:.1f} MB\n", oneLine(options.output.string()),
                              character.mesh.vertexCount(), method.name, double(bytes.size()) / 1e6));
}

}  // namespace

void addPack(CLI::App& app, Session& session) {
    const auto options = std::make_shared<PackOptions>();
    CLI::App* verb =
        session.addVerb(app, "pack", "Writes a character as a binary rig for engines that link pelt::runtime",
                        "pelt pack mushed.glb -o hero.peltrig", [&session, options] { runPack(session, *options); });
    verb->add_option("character", options->input, "A character: .glb .gltf .vrm .fbx .dae")
        ->required()
        ->type_name("CHAR");
    addOutputOption(*verb, options->output, "The rig to write, .peltrig");
    verb->add_option("--method", options->method,
                     "A method of deform, except dm and dm-tangent (default: ddm for a mushed file, otherwise lbs)")
        ->type_name("METHOD");
    options->flags.addMethodOptions(*verb);
}

}  // namespace pelt::cli
