#pragma once

#include <pelt/geometry/normals.h>
#include <pelt/geometry/ray_tree.h>
#include <pelt/rig/character.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::bind {

/// A jacket around the biped, open at neck, hips and wrists: the skin of the torso moved outwards by 6 mm and that of
/// the arms by `gap` more, three times as far below them, but at most 70 % of the way to the next skin. Below the
/// shoulders, such sleeves are nearer to the torso than to the arms. It has no skin. `cover` is the vertex of the body
/// beneath each of its vertices.
struct Jacket {
    Mesh mesh;
    std::vector<std::uint32_t> cover;
};

inline Jacket makeJacket(const Character& body, double gap) {
    constexpr const char* kCovered[] = {"pelvis", "spine", "chest", "upper_chest", "clavicle", "upper_arm", "forearm"};
    const auto covered = [&](std::uint32_t v) {
        const std::string& joint = rig::jointName(body.skeleton, body.weights.jointsOf(v).front());
        return std::any_of(std::begin(kCovered), std::end(kCovered),
                           [&](const char* name) { return joint.starts_with(name); });
    };
    const std::vector<Vec3d> skin(body.mesh.positions.begin(), body.mesh.positions.end());
    const geometry::RayTree tree(skin, body.mesh.triangles);
    const auto outside = [&](std::uint32_t v) {
        double sleeve = 0;
        for (std::size_t i = 0; i < body.weights.influenceCount(v); ++i) {
            const std::string& joint = rig::jointName(body.skeleton, body.weights.jointsOf(v)[i]);
            if (joint.starts_with("upper_arm") || joint.starts_with("forearm"))
                sleeve += double(body.weights.weightsOf(v)[i]);
        }
        const Vec3d normal(body.mesh.normals[v]);
        std::vector<geometry::Crossing> ahead;
        tree.crossings(skin[v] + normal * 1e-4, normal, 1, ahead);
        const double room = ahead.empty() ? 1 : 0.7 * ahead.front().t;
        const double droop = 1 + 2 * std::max(0.0, -normal.y);
        return Vec3f(skin[v] + normal * std::min(0.006 + gap * droop * sleeve, room));
    };
    Jacket jacket;
    std::vector<std::int64_t> new_vertex(body.mesh.vertexCount(), -1);
    for (const Triangle& t : body.mesh.triangles) {
        if (!std::all_of(t.begin(), t.end(), covered)) continue;
        Triangle made;
        for (std::size_t k = 0; k < 3; ++k) {
            if (new_vertex[t[k]] < 0) {
                new_vertex[t[k]] = std::int64_t(jacket.cover.size());
                jacket.cover.push_back(t[k]);
                jacket.mesh.positions.push_back(outside(t[k]));
            }
            made[k] = std::uint32_t(new_vertex[t[k]]);
        }
        jacket.mesh.triangles.push_back(made);
    }
    return jacket;
}

/// Local transforms with both arms bent: `raise` degrees at the shoulders, `bend` at the elbows.
inline std::vector<Affine3d> armsPose(const Skeleton& skeleton, double raise, double bend) {
    std::vector<Affine3d> worlds = rig::bindWorlds(skeleton), locals;
    const auto turned = [&](std::size_t node) -> Affine3d {
        const std::string& name = skeleton.nodes[node].name;
        const double side = name.ends_with("_R") ? -1 : 1, radians = std::numbers::pi / 180;
        if (name.starts_with("upper_arm"))
            return toAffine({{}, axisAngle(Vec3d{0, 0, 1}, side * raise * radians), {1, 1, 1}});
        if (name.starts_with("forearm"))
            return toAffine({{}, axisAngle(Vec3d{0, 1, 0}, -side * bend * radians), {1, 1, 1}});
        return {};
    };
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        const Affine3d rest = parent < 0 ? worlds[n] : inverse(worlds[std::size_t(parent)]) * worlds[n];
        locals.push_back(rest * turned(n));
    }
    return locals;
}

inline std::vector<Vec3d> blended(const Mesh& mesh, const SkinWeights& weights, const std::vector<Affine3d>& bones) {
    std::vector<Vec3d> posed(mesh.vertexCount());
    for (std::size_t v = 0; v < posed.size(); ++v)
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            posed[v] += (bones[weights.jointsOf(v)[i]] * Vec3d(mesh.positions[v])) * double(weights.weightsOf(v)[i]);
    return posed;
}

/// The biped with its arms raised, as its rest pose.
struct RaisedBody {
    Character character;
    std::vector<Affine3d> rest;  ///< skin matrices of the scene that give its rest pose

    /// From its rest pose to one of armsPose().
    std::vector<Affine3d> bonesOf(double raise, double bend) const {
        std::vector<Affine3d> bones =
            rig::skinMatricesOf(character.skeleton, armsPose(character.skeleton, raise, bend));
        for (std::size_t j = 0; j < bones.size(); ++j) bones[j] = bones[j] * inverse(rest[j]);
        return bones;
    }
};

inline RaisedBody raiseArms(const Character& biped, double degrees) {
    RaisedBody body{biped, rig::skinMatricesOf(biped.skeleton, armsPose(biped.skeleton, degrees, 0))};
    Mesh& mesh = body.character.mesh;
    const std::vector<Vec3d> posed = blended(mesh, biped.weights, body.rest);
    for (std::size_t v = 0; v < posed.size(); ++v) mesh.positions[v] = Vec3f(posed[v]);
    mesh.normals = geometry::angleWeightedNormals(mesh.positions, mesh.triangles, geometry::weldByPosition(mesh));
    return body;
}

}  // namespace pelt::bind
