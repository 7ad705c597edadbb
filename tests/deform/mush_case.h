#pragma once

#include <pelt/deform/delta_mush.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include "deform/delta_mush/delta_mush_reference.h"
#include "skin_case.h"

namespace pelt::deform {

constexpr DeltaMushFrames kFrames[] = {DeltaMushFrames::procrustes, DeltaMushFrames::tangent};

/// A character in a pose of its first clip.
struct MushCase {
    Mesh mesh;
    SkinWeights weights;
    std::vector<Affine3f> bones;
    DeltaMushOptions options;

    double diagonal() const {
        Vec3f low = mesh.positions[0], high = low;
        for (const Vec3f& p : mesh.positions)
            for (int i = 0; i < 3; ++i) {
                low[i] = std::min(low[i], p[i]);
                high[i] = std::max(high[i], p[i]);
            }
        return length(high - low);
    }
};

inline MushCase sceneCase(const char* scene, std::size_t resolution, double seconds) {
    const Character character = scenes::find(scene)->make(resolution);
    MushCase c{
        character.mesh, character.weights, rig::skinMatrices(character.skeleton, &character.clips[0], seconds), {}};
    c.options.iterations = 8;
    for (const Vec3f& p : c.mesh.positions) c.options.lambda.push_back(0.6 + 0.3 * std::sin(9 * p.y + 4 * p.x));
    return c;
}

constexpr double kBend = 1.0, kTwist = 3.0;  // seconds in the clips of the bars

inline Posed mush(const MushCase& c, const RestShape& rest = {}) {
    const DeltaMushRig rig = prepareDeltaMush(c.mesh, c.weights, c.options);
    DeltaMushPose pose(rig);
    pose.set(c.bones);
    Posed posed{std::vector<Vec3f>(c.mesh.vertexCount()), std::vector<Vec3f>(c.mesh.vertexCount())};
    evaluate(rig, pose, rest, 0, c.mesh.vertexCount(), {posed.positions, posed.normals});
    return posed;
}

inline PosedDouble denseMush(const std::vector<Vec3d>& positions, const MushCase& c,
                             const std::vector<Affine3d>& bones) {
    const auto normals = castAll<Vec3d>(c.mesh.normals);
    const auto matrix = reference::smoothingMatrix(positions, c.mesh.triangles, c.options);
    PosedDouble posed{positions, normals};
    reference::deltaMush({positions, normals}, c.weights, matrix, bones, {posed.positions, posed.normals});
    return posed;
}

inline PosedDouble denseMush(const MushCase& c) {
    return denseMush(castAll<Vec3d>(c.mesh.positions), c, castAll<Affine3d>(c.bones));
}

}  // namespace pelt::deform
