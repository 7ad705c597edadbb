#include <pelt/pipeline/live_pose.h>

#include <algorithm>

#include "handles.h"
#include "handles_file.h"
#include "joint_limits.h"
#include "option_words.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

struct pelt_poser {
    const pelt_character* character;
    pipeline::LivePoser live;
};

namespace {

constexpr std::pair<const char*, pose::Energy> kEnergies[] = {{"spokes", pose::Energy::spokes},
                                                              {"spokes-and-rims", pose::Energy::spokes_and_rims},
                                                              {"triangles", pose::Energy::triangles},
                                                              {"tets", pose::Energy::tets}};

pose::Energy energyOf(const std::string& name) {
    for (const auto& [word, energy] : kEnergies)
        if (word == name) return energy;
    throw Error::badUsage("option 'energy': is spokes, spokes-and-rims, triangles or tets");
}

bool setRigOption(const std::string& name, const nlohmann::json& value, pose::RigOptions& rig) {
    const bool count = value.is_number_integer() && value >= 0;
    if (name == "energy" && value.is_string()) {
        rig.energy = energyOf(value.get<std::string>());
    } else if (name == "clusters" && count) {
        rig.clusters = value.get<std::size_t>();
    } else if (name == "extra_weights" && count) {
        rig.extra_weights = value.get<std::size_t>();
    } else if (name == "extra_kind" && (value == "modes" || value == "bumps")) {
        rig.extra_kind = value == "modes" ? pose::ExtraKind::modes : pose::ExtraKind::bumps;
    } else {
        return false;
    }
    return true;
}

pipeline::PoseRequest requestOf(const Character& character, const nlohmann::json& options) {
    pipeline::PoseRequest request;
    request.rig.energy = pipeline::energyFor(character);
    for (const auto& [name, value] : options.items()) {
        if (value.is_null() || setRigOption(name, value, request.rig)) continue;
        if (name == "keep_lengths" && value.is_boolean()) {
            request.keep_lengths = value.get<bool>();
        } else if (name == "limits" && value.is_object()) {
            request.limits = cli::readJointLimits(value, "limits", character.skeleton);
        } else if (name == "clip" && (value.is_string() || value.is_number_integer())) {
            request.clip = value.is_string() ? value.get<std::string>() : value.dump();
        } else if (name == "at" && value.is_number()) {
            request.at = value.get<double>();
        } else if (name == "fps" && value.is_number() && value > 0) {
            request.fps = value.get<double>();
        } else {
            throw Error::badUsage("option '" + name +
                                  "' of a poser is not known, or has no such value; there are energy, clusters, "
                                  "extra_weights, extra_kind, keep_lengths, limits, clip, at and fps");
        }
    }
    return request;
}

}  // namespace

pelt_status pelt_poser_make(const pelt_character* character, const char* options, const pelt_call* call,
                            pelt_poser** poser) {
    return guarded([&] {
        need(character, "character");
        need(poser, "poser");
        const Character& c = character->character;
        *poser = new pelt_poser{character,
                                pipeline::LivePoser(c, requestOf(c, c::parseOptions(options)), c::progressOf(call))};
    });
}

void pelt_poser_free(pelt_poser* poser) { delete poser; }

pelt_status pelt_poser_set_handles(pelt_poser* poser, const char* handles) {
    return guarded([&] {
        need(poser, "poser");
        need(handles, "handles");
        poser->live.setHandles(cli::readHandles(c::parseHandles(handles), "handles"));
    });
}

pelt_status pelt_poser_step(pelt_poser* poser, int iterations, double* energy) {
    return guarded([&] {
        need(poser, "poser");
        if (iterations < 0) throw Error::badUsage("iterations is negative");
        const pose::SolveResult solved = poser->live.step(iterations);
        if (energy) *energy = solved.energy;
    });
}

void pelt_poser_matrices(const pelt_poser* poser, float* matrices) {
    const std::vector<Affine3d> bones = poser->live.bones();
    for (std::size_t j = 0; j < poser->character->joints.entries.size(); ++j) {
        const Affine3f m(bones[poser->character->joints.entries[j].first_slot]);
        std::copy(std::begin(m.m), std::end(m.m), matrices + 16 * j);
    }
}

pelt_status pelt_poser_clip(pelt_poser* poser, const pelt_call* call, pelt_character** result) {
    return guarded([&] {
        need(poser, "poser");
        need(result, "result");
        Character made = poser->character->character;
        made.clips.insert(made.clips.begin(), poser->live.clip(c::progressOf(call)));
        *result = new pelt_character(std::move(made), poser->character->name);
    });
}
