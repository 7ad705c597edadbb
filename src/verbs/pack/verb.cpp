// pelt pack: a character as a binary rig for engines.
#include <fmt/format.h>
#include <pelt/methods/pack.h>
#include <pelt/version.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct PackOptions {
    std::optional<std::string> method;
};

OptionTable<PackOptions> packRows() {
    return {OptionRow<PackOptions>(
                "method", "METHOD", &PackOptions::method,
                "A method of deform, except dm and dm-tangent (default: ddm for a mushed or fitted file, "
                "otherwise lbs)")
                .choices(methodNames())
                .noun("method")
                .in(kCommon)};
}

void reportPack(Run& run, const Character& character, std::string_view method, std::size_t bytes) {
    run.result["output"] = run.outputName();
    run.result["method"] = method;
    run.result["version"] = kRigVersion;
    run.result["bytes"] = bytes;
    run.result["vertices"] = character.mesh.vertexCount();
    run.result["bones"] = boneCount(character);
    run.result["driven_joints"] = character.driven.size();
    run.result["morph_targets"] = character.mesh.morphs.size();
    run.print(fmt::format("{}: {} vertices packed for {}, {:.1f} MB\n", oneLine(run.outputName()),
                          character.mesh.vertexCount(), method, double(bytes) / 1e6));
}

void runPack(Run& run) {
    const auto options = run.read(packRows());
    run.stage("load");
    const CharacterRef character = run.character("character");
    const methods::Method& method = methods::findMethod(options.method.value_or(character->ddm ? "ddm" : "lbs"));
    run.stage("pack");
    const AlignedBytes bytes = aboutFile(run.nameOf("character"), [&] {
        return methods::packCharacter(*character, method, run.methodOptions(), run.progress());
    });
    run.stage("write");
    run.save(bytes);
    reportPack(run, *character, method.name, bytes.size());
}

}  // namespace

Verb packVerb() {
    const std::vector<OptionInfo> own = optionInfos(packRows());
    return {.name = "pack",
            .summary = "Writes a character as a binary rig for engines that link pelt::runtime",
            .example = "pelt pack mushed.glb -o hero.peltrig",
            .inputs = {characterInput("A character: .glb .gltf .vrm .fbx .dae")},
            .options = joined(own, methodInfos(own)),
            .outputs = {{.name = "output",
                         .kinds = {Kind::rig},
                         .values = "FILE",
                         .summary = "The rig to write, .peltrig",
                         .group = kCommon}},
            .run = runPack};
}

}  // namespace pelt::verbs
