// The state of a character before it is posed.
#include "pose_start.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

constexpr double kUnmoved = 1e-6;  ///< a matrix this close to the identity differs from it only by rounding in the file

bool nearIdentity(const Affine3d& a, double size) {
    for (int i = 0; i < 16; ++i)
        if (!(std::abs(a.m[i] - Affine3d().m[i]) <= kUnmoved * (i < 12 ? 1 : size))) return false;
    return true;
}

void chooseMoment(const Character& character, const PoseRequest& request, PoseStart& start) {
    if (!request.clip) {
        if (request.at) throw Error::badUsage("`at` is a time in a clip; choose the clip with `clip`");
        return;
    }
    start.clip = &rig::findClip(character, *request.clip);
    start.at = request.at.value_or(start.clip->first_key);
    const double slack = 1e-4 * std::max(1.0, start.clip->seconds());
    if (!(start.at >= start.clip->first_key - slack && start.at <= start.clip->last_key + slack))
        throw Error::badUsage({"", fmt::format("clip '{}'", start.clip->name)},
                              fmt::format("lasts from {:.4g} to {:.4g} s; `at` {:.4g} is outside",
                                          start.clip->first_key, start.clip->last_key, start.at));
}

/// The joints, bound in their current position.
void bindThere(PoseStart& start) {
    Skeleton& skeleton = start.skeleton;
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) skeleton.nodes[n].matrix = start.locals[n];
    for (Joint& joint : skeleton.joints) {
        joint.inverse_bind = inverse(start.worlds[joint.node]);
        const bool fine =
            std::all_of(joint.inverse_bind.m, joint.inverse_bind.m + 16, [](double x) { return std::isfinite(x); });
        if (!fine) joint.inverse_bind = {Mat3d(), -start.worlds[joint.node].translation()};  // scaled to nothing
    }
}

/// Plain skinning; a vertex without weight moves with the first joint.
void moveMesh(const SkinWeights& weights, PoseStart& start) {
    for (std::size_t v = 0; v < start.rest.size(); ++v) {
        const Vec3d p(start.rest[v]);
        Vec3d sum;
        for (std::size_t k = 0; k < (weights.empty() ? 0 : weights.influenceCount(v)); ++k)
            sum += (start.bones[weights.jointsOf(v)[k]] * p) * double(weights.weightsOf(v)[k]);
        if (weights.empty() || weights.influenceCount(v) == 0) sum = start.bones.front() * p;
        start.mesh.positions[v] = Vec3f(sum);
    }
}

/// Matrices of handles are given for the mesh as the file stores it, each joint's for the instance that it moves.
void findFileBones(const Character& character, PoseStart& start) {
    start.file_bones = start.bones;
    if (character.from_file.empty()) return;
    std::vector<std::uint32_t> instance(start.bones.size(), 0);
    for (std::size_t p = character.mesh.parts.size(); p-- > 0 && !character.weights.empty();) {
        const MeshPart& part = character.mesh.parts[p];
        for (std::size_t v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
            for (const std::uint32_t j : character.weights.jointsOf(v)) instance[j] = part.instance;
    }
    for (std::size_t j = 0; j < start.bones.size(); ++j)
        if (instance[j] < character.from_file.size())
            start.file_bones[j] = start.bones[j] * character.from_file[instance[j]];
}

}  // namespace

PoseStart startOf(const Character& character, const PoseRequest& request) {
    PoseStart start;
    chooseMoment(character, request, start);
    start.rest = character.mesh.positions;
    rig::addMorphs(character.mesh, rig::morphWeights(character.mesh, start.clip, start.at), start.rest, {});
    start.mesh.positions = start.rest;
    start.mesh.triangles = character.mesh.triangles;
    start.mesh.parts = character.mesh.parts;
    start.skeleton = character.skeleton;
    if (character.skeleton.joints.empty()) return start;
    start.locals = rig::sampleDrivenLocals(character.skeleton, character.driven, start.clip, start.at);
    start.worlds.resize(start.locals.size());
    rig::worldTransforms(character.skeleton, start.locals, start.worlds);
    start.bones = rig::skinMatricesOf(character.skeleton, start.locals);
    double size = 0;
    for (const Vec3f& p : start.rest) size = std::max(size, double(length(p)));
    const bool bound = std::all_of(start.bones.begin(), start.bones.end(),
                                   [&](const Affine3d& bone) { return nearIdentity(bone, size); });
    bindThere(start);
    if (bound)
        std::fill(start.bones.begin(), start.bones.end(), Affine3d());
    else
        moveMesh(character.weights, start);
    findFileBones(character, start);
    return start;
}

}  // namespace pelt::verbs
