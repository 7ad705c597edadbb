// Clips of the C interface: their times, matrices and morphed positions, and clips of other files.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "handles.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

const Clip* pelt_character::clip(const char* wanted) const {
    if (!wanted) return nullptr;
    if (std::string_view(wanted) != rig::kRangeClip) return &rig::findClip(character, wanted);
    std::call_once(range_made_, [&] {
        range_ = rig::rangeClip(character.skeleton, character.driven, rig::rangeOfFigure(character));
    });
    return &range_;
}

size_t pelt_clip_count(const pelt_character* character) { return character->character.clips.size(); }
const char* pelt_clip_name(const pelt_character* character, size_t clip) {
    return character->character.clips[clip].name.c_str();
}
double pelt_clip_start(const pelt_character* character, size_t clip) {
    return character->character.clips[clip].first_key;
}
double pelt_clip_seconds(const pelt_character* character, size_t clip) {
    return character->character.clips[clip].seconds();
}

pelt_status pelt_with_clips(const pelt_character* character, const char* path, const pelt_call* call,
                            pelt_character** result) {
    return guarded([&] {
        need(character, "character");
        need(path, "path");
        need(result, "result");
        const std::filesystem::path file(path);
        const io::Motion motion = io::loadMotion(file, {}, c::progressOf(call));
        if (motion.clips.empty()) throw Error::badInput({file.string()}, "has no clips");
        Character made = character->character;
        const rig::BorrowedClips borrowed = rig::borrowClips(made, motion.skeleton, motion.clips, file.stem().string());
        if (borrowed.matched == 0)
            throw Error::badInput({file.string()},
                                  fmt::format("none of its {} animated nodes has the name of a joint of {}",
                                              borrowed.unmatched.size(), character->name));
        *result = new pelt_character(std::move(made), character->name, character->warnings);
    });
}

pelt_status pelt_clip_times(const pelt_character* character, const char* clip, double fps, char** times) {
    return guarded([&] {
        need(character, "character");
        need(clip, "clip");
        need(times, "times");
        if (!(fps > 0)) throw Error::badUsage("fps: must be above 0");
        *times = c::copied(nlohmann::ordered_json(rig::sampleTimes(*character->clip(clip), fps)).dump());
    });
}

pelt_status pelt_skin_matrices(const pelt_character* character, const char* clip, double seconds, float* matrices) {
    return pelt_skin_matrices_at(character, clip, &seconds, 1, matrices);
}

pelt_status pelt_skin_matrices_at(const pelt_character* character, const char* clip, const double* seconds,
                                  size_t count, float* matrices) {
    return guarded([&] {
        need(character, "character");
        need(seconds, "seconds");
        need(matrices, "matrices");
        const Character& c = character->character;
        const Clip* played = character->clip(clip);
        for (const double t : std::span(seconds, count)) {
            const std::vector<Affine3d> slots = rig::drivenSkinMatrices(c.skeleton, c.driven, played, t);
            for (const auto& entry : character->joints.entries) {
                const Affine3f m(slots[entry.first_slot]);
                matrices = std::copy(std::begin(m.m), std::end(m.m), matrices);
            }
        }
    });
}

pelt_status pelt_morphed_positions(const pelt_character* character, const char* clip, double seconds,
                                   float* positions) {
    return guarded([&] {
        need(character, "character");
        need(positions, "positions");
        const Mesh& mesh = character->character.mesh;
        std::vector<Vec3f> shape = character->whole.positions;
        rig::addMorphs(mesh, rig::morphWeights(mesh, character->clip(clip), seconds),
                       std::span(shape).first(mesh.vertexCount()), {});
        std::copy_n(&shape.data()->x, 3 * shape.size(), positions);
    });
}
