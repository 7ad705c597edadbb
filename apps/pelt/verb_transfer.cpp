#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>
#include <pelt/pipeline/transfer.h>

#include "joint_list.h"
#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

using fit::TransferOrigin;
using pipeline::TransferSkeleton;

struct TransferOptions {
    std::filesystem::path from, to, output;
    fit::TransferOptions transfer;
    bool nearest = false;
};

Character loadTarget(Session& session, const std::filesystem::path& path) {
    if (session.kindOf(path) != pipeline::FileKind::mesh) {
        std::vector<std::filesystem::path> kept;
        std::swap(kept, session.clips);  // clips are added to FROM
        Character character = session.loadCharacter(path);
        std::swap(kept, session.clips);
        return character;
    }
    Character character;
    character.mesh = io::loadMesh(path);
    return character;
}

const char* skeletonWord(TransferSkeleton skeleton) {
    return skeleton == TransferSkeleton::given ? "given" : skeleton == TransferSkeleton::kept ? "kept" : "replaced";
}

void report(Session& session, const TransferOptions& options, const Character& from,
            const pipeline::TransferResult& made) {
    nlohmann::ordered_json& result = session.result;
    const fit::TransferredWeights& transferred = made.transferred;
    const std::size_t vertices = made.character.mesh.vertexCount();
    const std::size_t copied = transferred.count(TransferOrigin::copied);
    const std::size_t filled = transferred.count(TransferOrigin::filled);
    const std::size_t rigid = transferred.count(TransferOrigin::rigid);
    result["output"] = options.output.string();
    result["vertices"] = vertices;
    result["triangles"] = made.character.mesh.triangles.size();
    result["bones"] = listJoints(made.character.skeleton).entries.size();
    result["copied"] = copied;
    result["filled"] = filled;
    result["rigid"] = rigid;
    result["rigid_pieces"] = transferred.rigid_pieces;
    result["skeleton"] = skeletonWord(made.skeleton);
    result["clips"] = made.character.clips.size();
    result["max_influences"] = maxInfluences(made.character.weights);
    if (made.skeleton == TransferSkeleton::replaced)
        session.warn(options.to,
                     fmt::format("its skeleton has no joint '{}'; the result has the skeleton of {} instead",
                                 made.missing_joint, options.from.string()));
    if (from.ddm)
        session.warn(options.from,
                     "is mushed; its plain weights were transferred: run pelt mush on the result to smooth that too");
    std::string pieces;
    if (rigid > 0)
        pieces = fmt::format(", {} in {}", rigid, counted(transferred.rigid_pieces, "rigid piece", "rigid pieces"));
    session.print(fmt::format("{}: {} vertices: {} copied, {} filled{}; at most {} joints per vertex\n",
                              oneLine(options.output.string()), vertices, copied, filled, pieces,
                              maxInfluences(made.character.weights)));
}

void runTransfer(Session& session, const TransferOptions& options) {
    checkOutput(options.output, OutputKind::character, session.allInputs({options.from, options.to}));
    session.stage("load");
    const Character from = session.loadCharacter(options.from);
    if (from.skeleton.joints.empty() || from.weights.empty())
        throw Error::badInput({options.from.string()}, "has no skin to transfer; bind it first: pelt bind");
    const Character to = loadTarget(session, options.to);
    session.stage("transfer");
    fit::TransferOptions settings = options.transfer;
    settings.fill = !options.nearest;
    const pipeline::TransferResult made =
        aboutFile(options.to, [&] { return pipeline::transfer(from, to, settings, session.progress()); });
    session.stage("write");
    session.saveCharacter(made.character, options.output);
    report(session, options, from, made);
}

}  // namespace

void addTransfer(CLI::App& app, Session& session) {
    const auto options = std::make_shared<TransferOptions>();
    CLI::App* verb = session.addVerb(
        app, "transfer", "Gives a mesh the skin of another: clothes, hair, another topology, a level of detail",
        "pelt transfer body.glb jacket.obj -o jacket.glb", [&session, options] { runTransfer(session, *options); });
    verb->add_option("from", options->from, "A character with a skin: .glb .gltf .vrm .fbx .dae, or - for .glb")
        ->required()
        ->type_name("FROM");
    verb->add_option("to", options->to,
                     "The mesh that gets it, in the same place and pose: a character file, .obj .ply .off")
        ->required()
        ->type_name("TO");
    addOutputOption(*verb, options->output, "The character to write, .glb or .gltf, or - for .glb on standard output");
    verb->add_option("--distance", options->transfer.distance,
                     "How far a vertex may be from the skin that it copies, as a fraction of the skin's diagonal "
                     "(default: 0.05)")
        ->check(aboveZero())
        ->type_name("D");
    verb->add_option("--angle", options->transfer.angle,
                     "How much its normal may differ from the skin's, in degrees (default: 30)")
        ->check(CLI::Range(0.1, 180.0))
        ->type_name("A");
    verb->add_option("--influences", options->transfer.influences,
                     "At most K joints per vertex (default: as many as FROM has)")
        ->check(zeroOrMore())
        ->type_name("K");
    verb->add_flag("--nearest", options->nearest,
                   "Copy the nearest point's weights everywhere and fill nothing, for comparison");
    addClipsOption(*verb, session);
}

}  // namespace pelt::cli
