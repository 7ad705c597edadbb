// What a page needs to skin on the GPU. Bones are the joints of all skins, one after the other as rows of prepared
// methods name them, then the parts of the props.
#include <emscripten.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/props.h>

#include <algorithm>

#include "handles.h"

using namespace pelt;

namespace {

bool isMorphed(const Mesh& mesh, const Clip* clip, double seconds) {
    const std::vector<float> weights = rig::morphWeights(mesh, clip, seconds);
    return std::any_of(weights.begin(), weights.end(), [](float w) { return w != 0; });
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE std::size_t pelt_web_slot_count(const pelt_character* character) {
    return character->character.skeleton.joints.size();
}

EMSCRIPTEN_KEEPALIVE std::size_t pelt_web_prop_count(const pelt_character* character) {
    return character->character.props.mesh.parts.size();
}

/// `matrices` gets 16 floats per bone, from rest space to posed space. *morphed: the rest shape is another one at this
/// moment, which matrices alone do not say.
EMSCRIPTEN_KEEPALIVE pelt_status pelt_web_bones(const pelt_character* character, const char* clip, double seconds,
                                                float* matrices, int* morphed) {
    return c::guarded([&] {
        const Character& c = character->character;
        const Clip* played = character->clip(clip);
        const auto append = [&](const Affine3d& bone) {
            const Affine3f m(bone);
            matrices = std::copy(std::begin(m.m), std::end(m.m), matrices);
        };
        *morphed = isMorphed(c.mesh, played, seconds) || isMorphed(c.props.mesh, played, seconds);
        for (const Affine3d& slot : rig::drivenSkinMatrices(c.skeleton, c.driven, played, seconds)) append(slot);
        if (c.props.nodes.empty()) return;
        const std::vector<Affine3d> rest = rig::nodeWorlds(c, nullptr, 0), posed = rig::nodeWorlds(c, played, seconds);
        for (const std::uint32_t node : c.props.nodes) append(posed[node] * inverse(rest[node]));
    });
}

}  // extern "C"
