// pelt pose: poses a character from a few handles.
#include <fmt/format.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/pose_options.h>
#include <pelt/version.h>

#include "handles_file.h"
#include "pose_handles.h"
#include "solve/pose_plain.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct PoseOptions {
    std::string method = "lbs";
    std::optional<int> iterations;
    std::size_t influences = 8;
    std::optional<double> max_error;
    bool unreduced = false, no_cache = false;
};

OptionTable<PoseOptions> poseRows() {
    using P = PoseOptions;
    using Row = OptionRow<P>;
    return {
        Row("iterations", "N", &P::iterations,
            "At most N iterations per frame (default: until convergence, at most 10000 in the first frame and 3000 in "
            "the others)")
            .from(1, 1000000),
        Row("method", "METHOD", &P::method, "The deformer of a sequence (default: lbs, with all weights of the rig)")
            .choices(methodNames())
            .noun("method")
            .in(kCommon),
        Row("unreduced", "", &P::unreduced, "Continue with all vertices free, without the rig; slow, for comparison"),
        Row("influences", "K", &P::influences,
            "With --free, a file has at most K joints per vertex, 0 for any number (default: 8)")
            .from(0, 65535),
        Row("max_error", "E", &P::max_error,
            "With --free, the E_RMS of a file relative to the free pose; exit status 4 if it is missed")
            .from(0),
        Row("no_cache", "", &P::no_cache, "Do not read or write prepared data in the user's cache folder")
            .programOnly(),
    };
}

nlohmann::ordered_json placesOf(std::span<const PoseHandle> handles, const PoseResult& posed) {
    auto places = nlohmann::ordered_json::array();
    const auto numbers = [](const Vec3d& v) { return nlohmann::ordered_json{v.x, v.y, v.z}; };
    for (const HandlePlace& place : posed.places) {
        const PoseHandle& handle = handles[place.handle];
        nlohmann::ordered_json row{{"handle", handle.number.value_or(place.handle)}};
        if (handle.kind == PoseHandle::Kind::joint) row["joint"] = handle.joint;
        if (!handle.name.empty()) row["name"] = handle.name;
        row["start"] = numbers(place.start);
        row["target"] = numbers(place.target);
        row["posed"] = numbers(place.posed);
        row["missed"] = place.missed();
        places.push_back(std::move(row));
    }
    return places;
}

/// Makes the clip the character's first one, or writes the frames of a sequence as they are computed.
PoseResult poseAs(Run& run, bool as_clip, const PoseRequest& request, std::span<const PoseHandle> handles,
                  Character& character) {
    const Mesh whole = as_clip ? Mesh{} : rig::wholeMesh(character);
    const io::SequenceInfo info{frameCount(handles, request), whole.vertexCount(), 1 / request.fps, &whole};
    std::unique_ptr<io::SequenceWriter> writer;
    PoseWanted wanted;
    wanted.clip = as_clip;
    wanted.measure = true;
    if (!as_clip)
        wanted.sequence = [&](std::span<const Vec3f> frame) {
            if (!writer) writer = run.open("output", info);
            writer->write(frame);
        };
    const PoseResult result = aboutFile(
        run.nameOf("character"), [&] { return poseCharacter(character, handles, request, wanted, run.progress()); });
    if (writer) writer->finish();
    return result;
}

/// Whether a file holds the free pose itself.
bool isPlain(const PoseRequest& request) { return request.free && !request.limits; }

/// The free pose as joints that stretch and shear, and weights that any viewer plays.
PoseResult poseFreely(Run& run, const PoseRequest& request, std::size_t influences, std::span<const PoseHandle> handles,
                      Character& character) {
    FreePoses poses;
    poses.times = frameTimes(handles, request.fps);
    poses.as_blended = request.rig.extra_weights == 0 && !request.unreduced;
    PoseWanted wanted;
    wanted.sequence = [&](std::span<const Vec3f> frame) {
        poses.positions.insert(poses.positions.end(), frame.begin(), frame.end());
    };
    wanted.joints = [&](std::span<const Affine3d> joints) {
        poses.joints.insert(poses.joints.end(), joints.begin(), joints.end());
    };
    return aboutFile(run.nameOf("character"), [&] {
        PoseResult result = poseCharacter(character, handles, request, wanted, run.progress());
        PlainPose plain = plainPose(character, poses, influences, run.progress());
        result.clip_error = std::move(plain.error);
        character = std::move(plain.character);
        return result;
    });
}

void reportPose(Run& run, const PoseRequest& request, bool as_clip, const Character& character,
                std::span<const PoseHandle> handles, const PoseResult& posed) {
    const std::size_t vertices = character.mesh.vertexCount();
    auto& result = run.result;
    result["output"] = run.outputName();
    result["method"] = request.method;
    result["vertices"] = vertices;
    result["triangles"] = character.mesh.triangles.size();
    result["frames"] = posed.frames;
    result["bones"] = posed.handles;
    result["extra_weights"] = posed.extra_weights;
    result["clusters"] = posed.clusters;
    result["energy_kind"] = wordOf(request.rig.energy);
    result["flat"] = posed.flat;
    result["converged"] = posed.converged;
    result["energy"] = posed.energies;
    result["frame_energy"] = posed.frame_energies;
    const double energy = posed.energies.empty() ? 0 : posed.energies.back();
    std::string text =
        fmt::format("{}: {} of {} vertices on {}, energy {:.6g} after {}\n", oneLine(run.outputName()),
                    counted(posed.frames, "frame", "frames"), vertices, counted(posed.handles, "joint", "joints"),
                    energy, counted(posed.energies.size(), "iteration", "iterations"));
    if (!posed.converged && !request.unreduced && !posed.rigid)
        text += "not converged: more `iterations` would change the pose further\n";
    const bool plain = as_clip && isPlain(request), rigid = !plain && (posed.rigid || as_clip);
    result["rigid"] = rigid;
    if (plain || rigid) {
        result["rms"] = posed.clip_error.rms;
        result["max"] = posed.clip_error.max;
        result["e_rms"] = posed.clip_error.e_rms;
    }
    if (plain) {
        result["influences"] = maxInfluences(character.weights);
        text += fmt::format("distance of the file from the free pose: RMS {:.4g}, max {:.4g}, E_RMS {:.4g}\n",
                            posed.clip_error.rms, posed.clip_error.max, posed.clip_error.e_rms);
    }
    if (rigid) {
        result["missed"] = posed.missed;
        result["places"] = placesOf(handles, posed);
        // A bent joint is far from the free pose by its nature: only who asked for that one wants to know.
        text += fmt::format("targets missed by at most {:.4g}\n", posed.missed);
        if (request.free)
            text += fmt::format(
                "distance of the rigid joints from the free pose: RMS {:.4g}, max {:.4g}, E_RMS "
                "{:.4g}\n",
                posed.clip_error.rms, posed.clip_error.max, posed.clip_error.e_rms);
    }
    run.print(text);
}

PoseRequest requestOf(Run& run, const PoseOptions& options, const Character& character) {
    PoseRequest request = run.read(poserRows()).request(character);
    request.iterations = options.iterations;
    request.method = options.method;
    request.unreduced = options.unreduced;
    request.limits = run.limits(character.skeleton);
    return request;
}

void runPose(Run& run) {
    const auto options = run.read(poseRows());
    run.excludes("keep_lengths", "free");
    run.needs("max_error", "free");
    run.needs("influences", "free");
    const bool as_clip = run.wants("output", Kind::character);
    run.stage("load");
    const std::string& handles_name = run.nameOf("handles");
    const std::vector<PoseHandle> handles = readHandles(run.json(run.given("handles")), handles_name);
    Character character = run.ownCharacterOrMesh("character");
    PoseRequest request = requestOf(run, options, character);
    std::optional<PreparationCache> cache;
    const auto folder = userCacheFolder();
    if (folder && run.usesCache() && !options.no_cache) cache.emplace(*folder, "pelt " PELT_VERSION);
    request.cache = cache ? &*cache : nullptr;

    aboutFile(handles_name, [&] { checkHandles(character, handles); });
    run.stage("pose");
    const PoseResult result = as_clip && isPlain(request)
                                  ? poseFreely(run, request, options.influences, handles, character)
                                  : poseAs(run, as_clip, request, handles, character);
    run.stage("write");
    reportPose(run, request, as_clip, character, handles, result);
    if (as_clip) run.save(std::move(character));
    if (options.max_error && as_clip && result.clip_error.e_rms > *options.max_error)
        run.missGate(fmt::format("{}: E_RMS {:.4g} is above `max_error` {:.4g}", run.outputName(),
                                 result.clip_error.e_rms, *options.max_error));
}

}  // namespace

Verb poseVerb() {
    return {
        .name = "pose",
        .summary = "Poses a skeleton by turning bones, from a few handles; a mesh, or with --free, by bending it",
        .example = "pelt pose character.glb --handles drag.json -o posed.glb",
        .inputs = {characterInput("A character, or a mesh that is constrained by points, regions and segments"),
                   {.name = "handles",
                    .kind = Kind::handles,
                    .values = "H.json",
                    .summary = "The handles: joints, points, regions and segments with their targets",
                    .group = kCommon,
                    .flag = true},
                   clipsInput(),
                   limitsInput("How far joints may bend and twist, in degrees; the format is that of bake "
                               "--limits. Implies --keep-lengths")},
        .options = joined(joined(optionInfos(poserRows()), optionInfos(poseRows())), optionInfos(propsRows())),
        .outputs = {{.name = "output",
                     .kinds = {Kind::character, Kind::sequence},
                     .values = "FILE",
                     .summary = "A clip (.glb, .gltf, .fbx, or - for .glb on standard output) or a sequence (.npy .pc2 "
                                ".mdd, a folder). Joints are rigid, unless --free or, in a sequence, the handles "
                                "ask for the free pose",
                     .group = kCommon}},
        .run = runPose};
}

}  // namespace pelt::verbs
