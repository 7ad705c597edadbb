// pelt transfer: the skin of a character for another mesh.
#include <fmt/format.h>
#include <pelt/verbs/transfer.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct NearestOption {
    bool nearest = false;
};

OptionTable<bind::TransferOptions> transferRows() {
    using T = bind::TransferOptions;
    using Row = OptionRow<T>;
    return {Row("distance", "D", &T::distance,
                "How far a vertex may be from the skin that it copies, as a fraction of the skin's diagonal (default: "
                "0.05)")
                .above(0)
                .in(kCommon),
            Row("angle", "A", &T::angle, "How much its normal may differ from the skin's, in degrees (default: 30)")
                .from(0.1, 180)
                .unit("degrees")
                .in(kCommon),
            Row("influences", "K", &T::influences, "At most K joints per vertex (default: as many as FROM has)")
                .in(kCommon)};
}

OptionTable<NearestOption> nearestRows() {
    return {OptionRow<NearestOption>("nearest", "", &NearestOption::nearest,
                                     "Copy the nearest point's weights everywhere and fill nothing, for comparison")};
}

void reportTransfer(Run& run, const Character& from, const TransferResult& made) {
    using bind::TransferOrigin;
    const bind::TransferredWeights& transferred = made.transferred;
    const std::size_t vertices = made.character.mesh.vertexCount();
    const std::size_t copied = transferred.count(TransferOrigin::copied);
    const std::size_t filled = transferred.count(TransferOrigin::filled);
    const std::size_t rigid = transferred.count(TransferOrigin::rigid);
    run.result["output"] = run.outputName();
    run.result["vertices"] = vertices;
    run.result["triangles"] = made.character.mesh.triangles.size();
    run.result["bones"] = boneCount(made.character);
    run.result["copied"] = copied;
    run.result["filled"] = filled;
    run.result["rigid"] = rigid;
    run.result["rigid_pieces"] = transferred.rigid_pieces;
    run.result["skeleton"] = wordOf(made.skeleton);
    run.result["clips"] = made.character.clips.size();
    run.result["max_influences"] = maxInfluences(made.character.weights);
    if (made.skeleton == TransferSkeleton::replaced)
        run.warn(run.nameOf("to"), fmt::format("its skeleton has no joint '{}'; the result has the skeleton of {} "
                                               "instead",
                                               made.missing_joint, run.nameOf("from")));
    if (rig::mushOf(from))
        run.warn(run.nameOf("from"),
                 "is mushed; its plain weights were transferred: run pelt mush on the result to smooth that too");
    std::string pieces;
    if (rigid > 0)
        pieces = fmt::format(", {} in {}", rigid, counted(transferred.rigid_pieces, "rigid piece", "rigid pieces"));
    run.print(fmt::format("{}: {} vertices: {} copied, {} filled{}; at most {} joints per vertex\n",
                          oneLine(run.outputName()), vertices, copied, filled, pieces,
                          maxInfluences(made.character.weights)));
}

void runTransfer(Run& run) {
    auto options = run.read(transferRows());
    options.fill = !run.read(nearestRows()).nearest;
    run.stage("load");
    const CharacterRef from = run.character("from");
    if (from->skeleton.joints.empty() || from->weights.empty())
        throw Error::badInput({run.nameOf("from")}, "has no skin to transfer; bind it first: pelt bind");
    const CharacterRef to = run.characterOrMesh("to", false);
    run.stage("transfer");
    TransferResult made = aboutFile(run.nameOf("to"), [&] { return transfer(*from, *to, options, run.progress()); });
    run.stage("write");
    reportTransfer(run, *from, made);
    run.save(std::move(made.character));
}

}  // namespace

Verb transferVerb() {
    return {.name = "transfer",
            .summary = "Gives a mesh the skin of another: clothes, hair, another topology, a level of detail",
            .example = "pelt transfer body.glb jacket.obj -o jacket.glb",
            .inputs = {{.name = "from",
                        .kind = Kind::character,
                        .values = "FROM",
                        .summary = "A character with a skin: .glb .gltf .vrm .fbx .dae, or - for .glb"},
                       {.name = "to",
                        .kind = Kind::any,
                        .values = "TO",
                        .summary = "The mesh that gets it, in the same place and pose: a character file, .obj .ply "
                                   ".off"},
                       clipsInput()},
            .options = joined(optionInfos(transferRows()), optionInfos(nearestRows())),
            .outputs = {characterOutput()},
            .run = runTransfer};
}

}  // namespace pelt::verbs
