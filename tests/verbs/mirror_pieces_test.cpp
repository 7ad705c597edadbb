// Mirroring characters made of pieces.
#include <gtest/gtest.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/verbs/mirror.h>

#include <array>
#include <cmath>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

/// Appends a closed box of half width `half` that follows one joint.
void addBox(Character& character, const Vec3d& center, double half, std::uint32_t joint) {
    Mesh& mesh = character.mesh;
    const auto first = std::uint32_t(mesh.positions.size());
    for (int corner = 0; corner < 8; ++corner) {
        mesh.positions.emplace_back(float(center.x + (corner & 1 ? half : -half)),
                                    float(center.y + (corner & 2 ? half : -half)),
                                    float(center.z + (corner & 4 ? half : -half)));
        const std::array joints{joint};
        const std::array weights{1.0F};
        appendVertex(character.weights, joints, weights);
    }
    for (const std::array<std::uint32_t, 4> q : {std::array<std::uint32_t, 4>{0, 4, 6, 2},
                                                 {1, 3, 7, 5},
                                                 {0, 1, 5, 4},
                                                 {2, 6, 7, 3},
                                                 {0, 2, 3, 1},
                                                 {4, 5, 7, 6}}) {
        mesh.triangles.push_back({first + q[0], first + q[1], first + q[2]});
        mesh.triangles.push_back({first + q[0], first + q[2], first + q[3]});
    }
}

/// The biped as one part without attributes, not quite symmetric, so that rows are interpolated.
Character unevenBiped() {
    Character character = madeScene("biped", 1500);
    character.source = nullptr;
    Mesh& mesh = character.mesh;
    for (Vec3f& p : mesh.positions)
        if (p.x < 0) p.y += 0.002F * std::sin(40 * p.z);
    mesh.normals.clear(), mesh.tangents.clear(), mesh.uvs.clear(), mesh.parts.clear(), mesh.attributes.clear();
    return character;
}

/// A place on the outside of a thigh.
Vec3d besideThigh(const Character& character, double side) {
    const auto thigh = rig::findJoint(character.skeleton, "thigh_L").value();
    const Vec3d from = rig::jointRestPositions(character.skeleton)[thigh];
    Vec3d outermost = from;
    for (const Vec3f& p : character.mesh.positions)
        if (std::abs(double(p.y) - (from.y - 0.1)) < 0.05 && std::abs(double(p.x)) > std::abs(outermost.x) &&
            double(p.x) * from.x > 0 && std::abs(double(p.x)) < 3 * std::abs(from.x))
            outermost = Vec3d(p);
    outermost.x = std::abs(outermost.x) * side * (from.x > 0 ? 1 : -1);
    return outermost;
}

SkinWeights rowsOfBody(const Character& character, std::size_t vertices) {
    SkinWeights rows;
    for (std::size_t v = 0; v < vertices; ++v)
        appendVertex(rows, character.weights.jointsOf(v), character.weights.weightsOf(v));
    return rows;
}

TEST(Mirror, MakesNoWeightThatIsTooSmallToBeSeen) {
    Character body = unevenBiped();
    // A hundredth of some vertices follows the head, so that shares of it may be very small.
    const auto head = std::uint32_t(rig::findJoint(body.skeleton, "head").value());
    SkinWeights smooth;
    for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v) {
        const std::array joints{body.weights.jointsOf(v)[0], head};
        const std::array weights{0.99F, v % 7 == 0 ? 0.01F : 0.0F};
        appendVertex(smooth, joints, weights);
    }
    body.weights = smooth;
    const SkinWeights rows = mirror(body, {}).character.weights;
    EXPECT_GT(maxInfluences(rows), 1u);
    for (const float weight : rows.weights) EXPECT_GE(weight, 1e-4F);
}

TEST(Mirror, AQuiverOnOneSideIsNotTakenForTheSkinBesideIt) {
    const Character body = unevenBiped();
    const auto head = std::uint32_t(rig::findJoint(body.skeleton, "head").value());
    const std::size_t vertices = body.mesh.vertexCount();
    const SkinWeights expected = rowsOfBody(mirror(body, {}).character, vertices);
    for (const double side : {1.0, -1.0}) {
        Character carries = body;
        // Around the surface of the thigh, so that it is nearer to many places than the thigh itself.
        addBox(carries, besideThigh(body, side), 0.03, head);
        const Character mirrored = mirror(carries, {}).character;
        EXPECT_EQ(rowsOfBody(mirrored, vertices), expected) << side;
        for (std::size_t v = vertices; v < mirrored.mesh.vertexCount(); ++v) {
            ASSERT_EQ(mirrored.weights.influenceCount(v), 1U) << side;
            EXPECT_EQ(mirrored.weights.jointsOf(v)[0], head) << "the quiver is one piece, and has no counterpart";
        }
    }
}

TEST(Mirror, APieceOfOneSideTakesItsWeightsFromItsTwin) {
    Character body = unevenBiped();
    const auto index = [&](const char* name) { return std::uint32_t(rig::findJoint(body.skeleton, name).value()); };
    const std::size_t vertices = body.mesh.vertexCount();
    addBox(body, besideThigh(body, 1), 0.03, index("shin_L"));
    addBox(body, besideThigh(body, -1), 0.03, index("head"));
    const Character mirrored = mirror(body, {}).character;
    for (std::size_t v = vertices + 8; v < mirrored.mesh.vertexCount(); ++v)
        EXPECT_EQ(mirrored.weights.jointsOf(v)[0], index("shin_R"));
}

}  // namespace
}  // namespace pelt::verbs
