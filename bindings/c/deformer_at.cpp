// What `pelt deform` writes at a moment of a clip: driven joints, morph targets of the skin and of the props, and props
// on nodes other than joints.
#include <pelt/geometry/normals.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/props.h>

#include <algorithm>

#include "deformer.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;
using pelt::c::vectors;

/// The skin at rest with its morph targets. Empty spans: the rig's own copy, which has the layout of the kernels.
deform::RestShape pelt_deformer::morph(const Clip* clip, double seconds, bool want_normals) {
    const Mesh& mesh = character->character.mesh;
    const auto own_normals = std::span<const Vec3f>(rest_normals).first(mesh.vertexCount());
    const std::vector<float> weights = rig::morphWeights(mesh, clip, seconds);
    if (std::all_of(weights.begin(), weights.end(), [](float w) { return w == 0; })) {
        deform::RestShape rest;
        if (!method) rest.positions = mesh.positions;
        if (want_normals && (!method || mesh.normals.empty())) rest.normals = own_normals;
        return rest;
    }
    morphed = mesh.positions;
    morphed_normals.clear();
    if (want_normals && !mesh.normals.empty()) morphed_normals = mesh.normals;
    rig::addMorphs(mesh, weights, morphed, morphed_normals);
    if (want_normals && mesh.normals.empty()) {
        if (!skin_weld) skin_weld = geometry::weldByPosition(mesh);
        morphed_normals = geometry::angleWeightedNormals(morphed, mesh.triangles, *skin_weld);
    }
    return {morphed, morphed_normals};
}

void pelt_deformer::placePropsAt(const Clip* clip, double seconds, std::span<Vec3f> positions,
                                 std::span<Vec3f> normals) {
    const Mesh& mesh = character->character.props.mesh;
    if (prop_normals.empty()) prop_normals = methods::restNormals(mesh);
    rig::PropsShape rest{mesh.positions, prop_normals, {}};
    if (!mesh.morphs.empty()) {
        morphed_props = mesh.positions;
        morphed_prop_normals = prop_normals;
        rig::addMorphs(mesh, rig::morphWeights(mesh, clip, seconds), morphed_props, morphed_prop_normals);
        rest = {morphed_props, morphed_prop_normals, {}};
    }
    rig::placeProps(character->character.props, rig::nodeWorlds(character->character, clip, seconds), rest,
                    {positions, normals, {}});
}

void pelt_deformer::evaluateAt(const Clip* clip, double seconds, float* positions, float* normals) {
    const Character& c = character->character;
    const std::size_t skinned = c.mesh.vertexCount(), all = character->whole.vertexCount();
    const deform::RestShape rest = morph(clip, seconds, normals != nullptr);
    const std::span<Vec3f> x = vectors(positions, all), n = vectors(normals, all);
    if (method) {
        const std::vector<Affine3d> bones = rig::drivenSkinMatrices(c.skeleton, c.driven, clip, seconds);
        slots = std::vector<Affine3f>(bones.begin(), bones.end());
        method->setPose(slots);
        method->evaluate(rest, 0, skinned, {x.first(skinned), normals ? n.first(skinned) : n});
    } else {
        std::copy(rest.positions.begin(), rest.positions.end(), x.begin());
        std::copy(rest.normals.begin(), rest.normals.end(), n.begin());
    }
    if (all > skinned) placePropsAt(clip, seconds, x.subspan(skinned), normals ? n.subspan(skinned) : n);
}

pelt_status pelt_deformer_evaluate_at(pelt_deformer* deformer, const char* clip, double seconds, float* positions,
                                      float* normals) {
    return guarded([&] {
        need(deformer, "deformer");
        need(positions, "positions");
        deformer->evaluateAt(deformer->character->clip(clip), seconds, positions, normals);
    });
}
