// Fuzz target: characters that are loaded are played, simplified and packed.
#include <pelt/core/aligned_bytes.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/pack.h>

#include <cstdlib>

#include "runtime/try_rig.h"

namespace {

using namespace pelt;

constexpr std::size_t kMostVertices = 2000;

/// Level of detail of a file, and the file with that level: both can be read again.
void tryLevels(const Character& character) {
    const Character level = io::withTriangles(character, character.mesh.triangles, character.props.mesh.triangles);
    const Character again = io::loadGltf(io::toGlb(level), "level.glb").character;
    if (again.mesh.triangles.size() != character.mesh.triangles.size()) std::abort();
    const double half = 0.5;
    const auto both = io::loadGltf(io::levelsToGlb(character, {&level, 1}, {&half, 1}), "levels.glb").character;
    if (both.mesh.positions.size() != character.mesh.positions.size()) std::abort();
}

/// Driven joints follow their drivers, here and in an engine.
void tryDriven(const Character& character) {
    const AlignedBytes packed = rig::packSkeleton(character.skeleton, character.driven);
    runtime::tryRig(runtime::RigKind::skeleton, packed, {});
}

/// Clips, morph targets and driven joints move the vertices.
void tryFrames(const Character& character) {
    methods::Sampling sampling;
    sampling.bind_pose = character.clips.empty();
    sampling.fps = 1;
    methods::CharacterSampler sampler(character, methods::findMethod("lbs"), sampling);
    std::vector<Vec3f> positions(sampler.vertexCount()), normals(positions.size());
    for (std::size_t f = 0; f < std::min<std::size_t>(sampler.frameCount(), 3); ++f)
        sampler.evaluate(f, positions, normals);
}

template <class Try>
void mayRefuse(const Try& attempt, const Character& character) {
    try {
        attempt(character);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) std::abort();
    }
}

}  // namespace

/// What loads is played, gets levels of detail, and is packed for engines, or is refused with bad input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Character character;
    try {
        character = io::loadGltf(std::as_bytes(std::span(data, size)), "fuzz.glb").character;
    } catch (const Error&) {
        return 0;
    }
    if (character.mesh.positions.size() + character.props.mesh.positions.size() > kMostVertices) return 0;
    if (!character.mesh.triangles.empty()) mayRefuse(tryLevels, character);
    mayRefuse(tryDriven, character);
    mayRefuse(tryFrames, character);
    return 0;
}
