// Tangents under every method.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/methods/sampling.h>
#include <pelt/scenes/scenes.h>

#include <cmath>

// Tangents are directions along the surface, so the expected values follow from the surface itself.

namespace pelt::methods {
namespace {

/// The character with a unit tangent beside every normal.
Character withTangents(Character character) {
    Mesh& mesh = character.mesh;
    mesh.normals = restNormals(mesh);
    for (const Vec3f& n : mesh.normals) {
        const Vec3f aside = std::abs(n.x) < 0.6f ? Vec3f(1, 0, 0) : Vec3f(0, 1, 0);
        const Vec3f t = normalized(cross(n, aside));
        mesh.tangents.push_back({t.x, t.y, t.z, 1.0f});
    }
    return character;
}

struct Posed {
    std::vector<Vec3f> positions, normals, tangents;
};

Posed posed(const Character& character, const std::string& method, const std::string& clip, double seconds) {
    Sampling sampling;
    sampling.clip = clip;
    CharacterSampler sampler(character, findMethod(method), sampling);
    const std::size_t count = character.mesh.vertexCount();
    Posed out{std::vector<Vec3f>(count), std::vector<Vec3f>(count), std::vector<Vec3f>(count)};
    sampler.evaluateAt(seconds, out.positions, out.normals, out.tangents);
    return out;
}

TEST(Tangents, AreUnitAndPerpendicularToTheNormalsUnderEveryMethod) {
    const Character character = withTangents(scenes::find("bar3")->make(300));
    for (const Method& method : all())
        for (const std::string clip : {"bend_and_twist", "stretch"}) {
            const Posed p = posed(character, std::string(method.name), clip, 1.0);
            for (std::size_t v = 0; v < p.tangents.size(); ++v) {
                ASSERT_NEAR(length(p.tangents[v]), 1, 1e-4) << method.name << " " << clip << " " << v;
                ASSERT_NEAR(length(p.normals[v]), 1, 1e-5) << method.name << " " << clip << " " << v;
                ASSERT_NEAR(dot(p.tangents[v], p.normals[v]), 0, 1e-5) << method.name << " " << clip << " " << v;
            }
        }
}

TEST(Tangents, OfAVertexOnOneJointFollowThatJoint) {
    const Character character = withTangents(scenes::find("bar3")->make(300));  // rigidly bound
    const Clip& clip = rig::findClip(character, "stretch");
    const std::vector<Affine3f> bones = rig::skinMatrices(character.skeleton, &clip, 1.0);
    const Posed p = posed(character, "lbs", "stretch", 1.0);
    double turned = 0;
    for (std::size_t v = 0; v < p.tangents.size(); ++v) {
        const Vec4f& rest = character.mesh.tangents[v];
        const Vec3f t(rest.x, rest.y, rest.z);
        const Vec3f expected = normalized(bones[character.weights.joints[character.weights.offsets[v]]].linear() * t);
        ASSERT_LT(length(p.tangents[v] - expected), 1e-5) << v;
        turned = std::max<double>(turned, length(expected - t));
    }
    EXPECT_GT(turned, 0.1);  // joints that stretch one way turn what lies askew
}

TEST(Tangents, AskedOfAMeshThatHasNoneAreBadInput) {
    const Character character = scenes::find("bar")->make(300);
    EXPECT_THROW(posed(character, "lbs", "stretch", 0), Error);
}

}  // namespace
}  // namespace pelt::methods
