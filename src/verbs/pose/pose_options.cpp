// Options of posing: those of `pelt pose` and of a live poser.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pelt/verbs/pose_options.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "handles_file.h"
#include "io/json/json_file.h"
#include "verbs/run/common_options.h"
#include "verbs/run/joint_limits.h"

namespace pelt::verbs {

PoseRequest PoserOptions::request(const Character& character) const {
    PoseRequest request;
    request.rig.energy = energy.value_or(pose::Energy::spokes_and_rims);
    if (!energy) request.rig.energy = energyFor(character);
    request.rig.clusters = clusters;
    request.rig.extra_weights = extra_weights;
    request.rig.extra_kind = extra_kind;
    request.flat = flat;
    request.free = free;
    request.keep_lengths = keep_lengths;
    request.clip = clip;
    request.at = at;
    request.fps = fps;
    return request;
}

OptionTable<PoserOptions> poserRows() {
    using P = PoserOptions;
    using Row = OptionRow<P>;
    return {
        Row("energy", "spokes|spokes-and-rims|triangles|tets", &P::energy,
            "The edge sets that stay rigid: edges around a vertex, those and the opposite edges, triangles, or "
            "tetrahedra of a lattice around the mesh (default: spokes-and-rims; tets if parts of the mesh share no "
            "joint)"),
        Row("clusters", "N", &P::clusters,
            "Number of rotations, shared by edges with similar weights (default: depends on the number of joints); 0: "
            "no sharing"),
        Row("extra_weights", "N", &P::extra_weights,
            "Number of additional weight functions that let the skin bend between joints (default: 0)")
            .from(0, 1000),
        Row("extra_kind", "modes|bumps", &P::extra_kind,
            "The kind of these functions: the smoothest functions on the shape, or B-splines in weight space "
            "(default: modes)"),
        Row("clip", "NAME|INDEX", &P::clip, "Start from this clip instead of the rest pose of the nodes")
            .type(OptionType::clip)
            .in(kCommon),
        Row("at", "T", &P::at, "The time in that clip, in seconds (default: its first key)")
            .unit("seconds")
            .in(kCommon),
        Row("fps", "F", &P::fps, "Frames per second between keyed targets (default: 30)").above(0).in(kFrames),
        Row("free", "", &P::free,
            "Write the free pose of FAST, as for a mesh without joints: joints may stretch and shear to bend the skin "
            "less; in a file, they are nested nodes. A skeleton is otherwise posed by another solver, which turns its "
            "joints and keeps the lengths of bones"),
        Row("flat", "auto|on|off", &P::flat,
            "Pose a mesh that lies in one plane by rotations of that plane alone, so that turning a triangle over has "
            "its cost; auto: if all targets stay in the plane; off: as a sheet in space (default: auto)"),
        Row("keep_lengths", "", &P::keep_lengths,
            "Write a sequence with rigid joints whose bones keep their lengths, whatever the handles are"),
    };
}

PoseRequest readPoserRequest(const Character& character, const OptionValues& options, const std::string& limits) {
    const OptionTable<PoserOptions> rows = poserRows();
    for (const auto& [name, values] : options) {
        std::vector<std::string_view> known;
        for (const OptionRow<PoserOptions>& row : rows) known.push_back(row.info.name);
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error::badUsage(
                fmt::format("a poser has no option '{}'; there are limits, {}", name, fmt::join(known, ", ")));
    }
    PoserOptions read;
    setOptions(read, rows, options);
    PoseRequest request = read.request(character);
    if (read.free && (read.keep_lengths || !limits.empty()))
        throw Error::badUsage("`free` excludes `keep_lengths` and limits: joints either stretch or keep their lengths");
    if (!limits.empty())
        request.limits = readJointLimits(io::parseJson(limits, "limits"), "limits", character.skeleton);
    return request;
}

std::vector<PoseHandle> parseHandles(const std::string& json, const std::string& name) {
    return readHandles(io::parseJson(json, name), name);
}

}  // namespace pelt::verbs
