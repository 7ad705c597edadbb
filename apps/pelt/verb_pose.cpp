#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/pose.h>
#include <pelt/rig/props.h>
#include <pelt/version.h>

#include <algorithm>

#include "handles_file.h"
#include "joint_limits.h"
#include "outputs.h"
#include "streams.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

struct PoseOptions {
    std::filesystem::path input, handles, output;
    std::optional<std::string> energy;
    std::string method = "lbs";
    std::optional<std::size_t> clusters;
    std::size_t extra_weights = 0;
    std::string extra_kind = "modes";
    std::optional<int> iterations;
    double fps = 30;
    bool keep_lengths = false, free = false, unreduced = false, no_cache = false;
    std::optional<std::string> clip;
    std::optional<double> at;
    std::optional<std::filesystem::path> limits;
};

bool writesClip(const PoseOptions& options) {
    const std::string extension = pipeline::extensionOf(options.output);
    return extension == ".glb" || extension == ".gltf" || isStandardStream(options.output);
}

constexpr std::pair<const char*, pose::Energy> kEnergies[] = {{"spokes", pose::Energy::spokes},
                                                              {"spokes-and-rims", pose::Energy::spokes_and_rims},
                                                              {"triangles", pose::Energy::triangles},
                                                              {"tets", pose::Energy::tets}};

pose::Energy energyOf(const std::string& name) {
    return std::find_if(std::begin(kEnergies), std::end(kEnergies), [&](const auto& e) { return e.first == name; })
        ->second;
}

const char* nameOf(pose::Energy energy) {
    return std::find_if(std::begin(kEnergies), std::end(kEnergies), [&](const auto& e) { return e.second == energy; })
        ->first;
}

Character loadPosed(Session& session, const std::filesystem::path& path) {
    if (session.kindOf(path) == pipeline::FileKind::character) return session.loadCharacter(path);
    Character character;
    character.mesh = io::loadMesh(path);
    return character;
}

nlohmann::ordered_json placesOf(std::span<const pipeline::PoseHandle> handles, const pipeline::PoseResult& posed) {
    auto places = nlohmann::ordered_json::array();
    const auto numbers = [](const Vec3d& v) { return nlohmann::ordered_json{v.x, v.y, v.z}; };
    for (const pipeline::HandlePlace& place : posed.places) {
        const pipeline::PoseHandle& handle = handles[place.handle];
        nlohmann::ordered_json row{{"handle", handle.number.value_or(place.handle)}};
        if (handle.kind == pipeline::PoseHandle::Kind::joint) row["joint"] = handle.joint;
        row["start"] = numbers(place.start);
        row["target"] = numbers(place.target);
        row["posed"] = numbers(place.posed);
        row["missed"] = place.missed();
        places.push_back(std::move(row));
    }
    return places;
}

/// Frames are written to the file as they are computed.
pipeline::PoseResult poseSequence(Session& session, const PoseOptions& options, const pipeline::PoseRequest& request,
                                  std::span<const pipeline::PoseHandle> handles, Character& character) {
    const Mesh whole = rig::wholeMesh(character);
    const io::SequenceInfo info{pipeline::frameCount(handles, request), whole.vertexCount(), 1 / options.fps, &whole};
    std::unique_ptr<io::SequenceWriter> writer;
    pipeline::PoseWanted wanted;
    wanted.measure = true;
    wanted.sequence = [&](std::span<const Vec3f> frame) {
        if (!writer) writer = session.createSequence(options.output, info);
        writer->write(frame);
    };
    const pipeline::PoseResult posed = aboutFile(options.input, [&] {
        return pipeline::poseCharacter(character, handles, request, wanted, session.progress());
    });
    if (writer) writer->finish();
    return posed;
}

/// Makes the clip the character's first one.
pipeline::PoseResult poseClip(Session& session, const PoseOptions& options, const pipeline::PoseRequest& request,
                              std::span<const pipeline::PoseHandle> handles, Character& character) {
    pipeline::PoseWanted wanted;
    wanted.clip = wanted.measure = true;
    return aboutFile(options.input,
                     [&] { return pipeline::poseCharacter(character, handles, request, wanted, session.progress()); });
}

void reportPose(Session& session, const PoseOptions& options, pose::Energy kind, const Character& character,
                std::span<const pipeline::PoseHandle> handles, const pipeline::PoseResult& posed) {
    const std::size_t vertices = character.mesh.vertexCount();
    auto& result = session.result;
    result["output"] = options.output.string();
    result["method"] = options.method;
    result["vertices"] = vertices;
    result["triangles"] = character.mesh.triangles.size();
    result["frames"] = posed.frames;
    result["bones"] = posed.handles;
    result["extra_weights"] = posed.extra_weights;
    result["clusters"] = posed.clusters;
    result["energy_kind"] = nameOf(kind);
    result["converged"] = posed.converged;
    result["energy"] = posed.energies;
    result["frame_energy"] = posed.frame_energies;
    const double energy = posed.energies.empty() ? 0 : posed.energies.back();
    std::string text =
        fmt::format("{}: {} of {} vertices on {}, energy {:.6g} after {}\n", oneLine(options.output.string()),
                    counted(posed.frames, "frame", "frames"), vertices, counted(posed.handles, "joint", "joints"),
                    energy, counted(posed.energies.size(), "iteration", "iterations"));
    if (!posed.converged && !options.unreduced && !posed.rigid)
        text += "not converged: more --iterations would change the pose further\n";
    result["rigid"] = posed.rigid || writesClip(options);
    if (writesClip(options) || posed.rigid) {
        result["rms"] = posed.clip_error.rms;
        result["max"] = posed.clip_error.max;
        result["e_rms"] = posed.clip_error.e_rms;
        result["missed"] = posed.missed;
        result["places"] = placesOf(handles, posed);
        text += fmt::format(
            "distance of the rigid joints from the free pose: RMS {:.4g}, max {:.4g}, E_RMS {:.4g}; targets missed by "
            "at most {:.4g}\n",
            posed.clip_error.rms, posed.clip_error.max, posed.clip_error.e_rms, posed.missed);
    }
    session.print(text);
}

void runPose(Session& session, const PoseOptions& options) {
    std::vector<std::filesystem::path> inputs{options.input, options.handles};
    if (options.limits) inputs.push_back(*options.limits);
    pipeline::findMethod(options.method);
    checkOutput(options.output, writesClip(options) ? OutputKind::character : OutputKind::sequence,
                session.allInputs(inputs));
    session.stage("load");
    const std::vector<pipeline::PoseHandle> handles = readHandles(session.readJson(options.handles), options.handles);
    Character character = loadPosed(session, options.input);
    pipeline::PoseRequest request;
    request.rig.energy = options.energy ? energyOf(*options.energy) : pipeline::energyFor(character);
    request.rig.clusters = options.clusters;
    request.rig.extra_weights = options.extra_weights;
    request.rig.extra_kind = options.extra_kind == "modes" ? pose::ExtraKind::modes : pose::ExtraKind::bumps;
    request.iterations = options.iterations;
    request.fps = options.fps;
    request.method = options.method;
    request.keep_lengths = options.keep_lengths;
    request.free = options.free;
    request.clip = options.clip;
    request.at = options.at;
    request.unreduced = options.unreduced;
    if (options.limits)
        request.limits = readJointLimits(session.readJson(*options.limits), *options.limits, character.skeleton);

    std::optional<pipeline::PreparationCache> cache;
    const auto folder = pipeline::userCacheFolder();
    if (folder && !options.no_cache) cache.emplace(*folder, "pelt " PELT_VERSION);
    request.cache = cache ? &*cache : nullptr;

    aboutFile(options.handles, [&] { pipeline::checkHandles(character, handles); });
    session.stage("pose");
    const auto pose = writesClip(options) ? poseClip : poseSequence;
    const pipeline::PoseResult posed = pose(session, options, request, handles, character);
    session.stage("write");
    if (writesClip(options)) session.saveCharacter(character, options.output);
    reportPose(session, options, request.rig.energy, character, handles, posed);
}

void addEnergyOptions(CLI::App& verb, PoseOptions& options) {
    verb.add_option("--energy", options.energy,
                    "The edge sets that stay rigid: edges around a vertex, those and the opposite edges, triangles, or "
                    "tetrahedra of a lattice around the mesh (default: spokes-and-rims; tets if parts of the mesh "
                    "share no joint)")
        ->check(CLI::IsMember({"spokes", "spokes-and-rims", "triangles", "tets"}))
        ->type_name("spokes|spokes-and-rims|triangles|tets");
    verb.add_option("--clusters", options.clusters,
                    "Number of rotations, shared by edges with similar weights (default: depends on the number of "
                    "joints); 0: no sharing")
        ->check(zeroOrMore())
        ->type_name("N");
    verb.add_option("--extra-weights", options.extra_weights,
                    "Number of additional weight functions that let the skin bend between joints (default: 0)")
        ->check(CLI::Range(0, 1000))
        ->type_name("N");
    verb.add_option("--extra-kind", options.extra_kind,
                    "The kind of these functions: the smoothest functions on the shape, or B-splines in weight space "
                    "(default: modes)")
        ->check(CLI::IsMember({"modes", "bumps"}))
        ->type_name("modes|bumps");
    verb.add_option("--iterations", options.iterations,
                    "At most N iterations per frame (default: until convergence, at most 10000 in the first frame and "
                    "3000 in the others)")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
}

}  // namespace

void addPose(CLI::App& app, Session& session) {
    const auto options = std::make_shared<PoseOptions>();
    CLI::App* verb =
        session.addVerb(app, "pose", "Poses a character from a few handles; the rest of the body follows (FAST)",
                        "pelt pose character.glb --handles drag.json -o posed.glb",
                        [&session, options] { runPose(session, *options); });
    verb->add_option("character", options->input, "A character, or a mesh that is constrained by points and regions")
        ->required()
        ->type_name("CHAR");
    verb->add_option("--handles", options->handles, "The handles: joints, points and regions with their targets")
        ->required()
        ->type_name("H.json");
    addOutputOption(*verb, options->output,
                    "A clip (.glb, .gltf, or - for .glb on standard output) or a sequence (.npy .pc2 .mdd, a folder). "
                    "Joints are rigid, unless the handles or --free ask for the free pose in a sequence");
    addEnergyOptions(*verb, *options);
    verb->add_option("--method", options->method,
                     "The deformer of a sequence (default: lbs, with all weights of the rig)")
        ->type_name("METHOD");
    verb->add_option("--clip", options->clip, "Start from this clip instead of the rest pose of the nodes")
        ->type_name("NAME|INDEX");
    verb->add_option("--at", options->at, "The time in that clip, in seconds (default: its first key)")->type_name("T");
    verb->add_option("--fps", options->fps, "Frames per second between keyed targets (default: 30)")
        ->check(aboveZero())
        ->type_name("F");
    verb->add_flag("--free", options->free,
                   "Write the free pose of a sequence: joints may stretch and shear to bend the skin less");
    addPropsOption(*verb, session);
    addClipsOption(*verb, session);
    verb->add_flag("--keep-lengths", options->keep_lengths,
                   "Write a sequence with rigid joints whose bones keep their lengths, whatever the handles are")
        ->excludes("--free");
    verb->add_flag("--unreduced", options->unreduced,
                   "Continue with all vertices free, without the rig; slow, for comparison");
    verb->add_flag("--no-cache", options->no_cache, "Do not read or write prepared data in the user's cache folder");
    verb->add_option("--limits", options->limits,
                     "How far joints may bend and twist, in degrees; the format is that of bake --limits. Implies "
                     "--keep-lengths")
        ->type_name("F.json");
}

}  // namespace pelt::cli
