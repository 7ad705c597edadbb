// Posing by handles, step by step.
#include "poser.h"

#include <pelt/verbs/pose_options.h>

#include <algorithm>
#include <cmath>

#include "deformer.h"
#include "options.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

pelt_poser::pelt_poser(const pelt_character* given, verbs::PoseRequest request, const Progress& progress)
    : character(given),
      live(given->character, (request.cache = request.cache ? request.cache : &taken, request), progress),
      bones(given->character.skeleton.joints.size()) {}

verbs::PoseRequest pelt::c::poserRequest(const Character& character, nlohmann::ordered_json options) {
    std::string limits;
    if (const auto given = options.find("limits"); given != options.end()) {
        if (!given->is_null()) limits = given->is_string() ? given->get<std::string>() : given->dump();
        options.erase(given);
    }
    OptionValues values;
    for (const auto& [name, value] : options.items())
        if (!value.is_null()) values[name] = c::valuesOf(name, value);
    return verbs::readPoserRequest(character, values, limits);
}

std::vector<verbs::PoseHandle> pelt::c::posedHandles(const char* text) {
    return verbs::parseHandles(c::parseHandles(text).dump(), "handles");
}

namespace {

Vec3d readVector(const double* numbers, const char* name) {
    need(numbers, name);
    const Vec3d v{numbers[0], numbers[1], numbers[2]};
    if (!isFinite(v)) throw Error::badInput(std::string(name) + ": is not finite");
    return v;
}

Affine3d readTransform(const double* numbers) {
    for (int i = 0; i < 16; ++i)
        if (!std::isfinite(numbers[i])) throw Error::badInput("matrix: is not finite");
    const bool affine = numbers[3] == 0 && numbers[7] == 0 && numbers[11] == 0 && numbers[15] == 1;
    if (!affine) throw Error::badInput("matrix: its last row is not 0 0 0 1; give it by columns");
    Affine3d made;
    std::copy_n(numbers, 16, made.m);
    return made;
}

}  // namespace

pelt_status pelt_poser_make(const pelt_character* character, const char* options, const pelt_call* call,
                            pelt_poser** poser) {
    return guarded([&] {
        need(character, "character");
        need(poser, "poser");
        const verbs::PoseRequest request = c::poserRequest(character->character, c::parseOptions(options));
        *poser = new pelt_poser(character, request, c::progressOf(call));
    });
}

void pelt_poser_free(pelt_poser* poser) { delete poser; }

pelt_status pelt_poser_set_handles(pelt_poser* poser, const char* handles) {
    return guarded([&] {
        need(poser, "poser");
        need(handles, "handles");
        poser->live.setHandles(c::posedHandles(handles));
    });
}

pelt_status pelt_poser_prepare(pelt_poser* poser, const char* handles) {
    return guarded([&] {
        need(poser, "poser");
        poser->live.prepare(handles ? c::posedHandles(handles) : std::vector<verbs::PoseHandle>());
    });
}

double pelt_poser_prepared(const pelt_poser* poser) { return poser->live.prepared(); }

pelt_status pelt_poser_set_target(pelt_poser* poser, size_t handle, const double* xyz) {
    return guarded([&] {
        need(poser, "poser");
        poser->live.setTarget(handle, readVector(xyz, "xyz"));
    });
}

pelt_status pelt_poser_set_rotation(pelt_poser* poser, size_t handle, const double* degrees) {
    return guarded([&] {
        need(poser, "poser");
        poser->live.setRotation(handle, readVector(degrees, "degrees"));
    });
}

pelt_status pelt_poser_set_transform(pelt_poser* poser, size_t handle, const double* matrix) {
    return guarded([&] {
        need(poser, "poser");
        need(matrix, "matrix");
        poser->live.setTransform(handle, readTransform(matrix));
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

size_t pelt_poser_energies(const pelt_poser* poser, const double** energies) {
    const std::span<const double> all = poser->live.energies();
    if (energies) *energies = all.data();
    return all.size();
}

void pelt_poser_matrices(const pelt_poser* poser, float* matrices) {
    poser->live.bones(poser->bones);
    for (std::size_t j = 0; j < poser->character->joints.entries.size(); ++j) {
        const Affine3f m(poser->bones[poser->character->joints.entries[j].first_slot]);
        std::copy(std::begin(m.m), std::end(m.m), matrices + 16 * j);
    }
}

size_t pelt_poser_transforms(const pelt_poser* poser, const float** matrices) {
    const std::span<const Affine3f> all = poser->live.transforms();
    if (matrices) *matrices = all.empty() ? nullptr : all.data()->m;
    return all.size();
}

pelt_status pelt_poser_positions(pelt_poser* poser, float* xyz) {
    return guarded([&] {
        need(poser, "poser");
        need(xyz, "xyz");
        poser->live.positions(c::vectors(xyz, poser->character->whole.vertexCount()));
    });
}

pelt_status pelt_poser_clip(pelt_poser* poser, const pelt_call* call, pelt_character** result) {
    return guarded([&] {
        need(poser, "poser");
        need(result, "result");
        Character made = poser->character->character;
        made.clips.insert(made.clips.begin(), poser->live.clip(c::progressOf(call)));
        *result = new pelt_character(std::move(made), poser->character->name, poser->character->warnings);
    });
}
