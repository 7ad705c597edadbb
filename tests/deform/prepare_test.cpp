// What preparing a skin refuses.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include "deform/influence_blocks.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

template <class Call>
std::string messageOf(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "no error";
}

void expectBothRefuse(const SkinCase& c, const std::string& part) {
    EXPECT_NE(messageOf([&] { prepareLbs(c.mesh, c.weights); }).find(part), std::string::npos)
        << messageOf([&] { prepareLbs(c.mesh, c.weights); });
    EXPECT_NE(messageOf([&] { prepareDqs(c.mesh, c.weights, c.centers); }).find(part), std::string::npos);
}

TEST(Prepare, AVertexWithoutWeightIsNamed) {
    SkinCase c = makeCase(20, 5, 3, Bones::identity);
    SkinWeights weights;
    for (std::size_t v = 0; v < 20; ++v)
        appendVertex(weights, v == 13 ? std::span<const std::uint32_t>() : c.weights.jointsOf(v),
                     v == 13 ? std::span<const float>() : c.weights.weightsOf(v));
    c.weights = weights;
    expectBothRefuse(c, "vertex 13 has no weight");
    c.weights = makeCase(20, 5, 1, Bones::identity).weights;
    c.weights.weights[4] = 0;
    expectBothRefuse(c, "vertex 4 has no weight");
}

TEST(Prepare, WeightsThatAreNegativeOrNoNumbersAreRefused) {
    for (const float bad : {-0.5f, NAN, INFINITY}) {
        SkinCase c = makeCase(20, 5, 1, Bones::identity);
        c.weights.weights[7] = bad;
        expectBothRefuse(c, "vertex 7 has a weight");
    }
}

TEST(Prepare, SizesThatDoNotFitAreRefused) {
    SkinCase c = makeCase(20, 5, 3, Bones::identity);
    c.mesh.positions.pop_back();
    expectBothRefuse(c, "weights for 20 vertices, the mesh has 19");
    c = makeCase(20, 5, 3, Bones::identity);
    c.mesh.normals.pop_back();
    expectBothRefuse(c, "20 positions but 19 normals");
    c = makeCase(20, 5, 3, Bones::identity);
    c.weights.joints.pop_back();
    expectBothRefuse(c, "offsets do not match");
    c = makeCase(20, 5, 3, Bones::identity);
    c.weights.offsets[3] = 1000;
    expectBothRefuse(c, "offsets do not match");
    c.weights.offsets.clear();
    expectBothRefuse(c, "weights for 0 vertices");
}

TEST(Prepare, DualQuaternionsNeedAPositionForEveryJoint) {
    const SkinCase c = makeCase(20, 5, 3, Bones::identity);
    const std::span<const Vec3d> few(c.centers.data(), 2);
    EXPECT_NE(messageOf([&] { prepareDqs(c.mesh, c.weights, few); }).find("the skeleton has 2 joints"),
              std::string::npos);
}

TEST(Prepare, AnEmptyMeshIsFine) {
    const SkinCase c = makeCase(0, 3, 2, Bones::gentle);
    for (const Method method : {Method::lbs, Method::dqs}) EXPECT_TRUE(Skinner(method, c).all().positions.empty());
}

TEST(Prepare, PackedWeightsSumToExactlyOne) {
    const SkinCase c = makeCase(500, 40, 13, Bones::identity);
    const InfluenceBlocks blocks = packInfluences(c.weights, 500);
    for (std::size_t v = 0; v < 500; ++v) {
        const std::size_t block = v / kLanes, lane = v % kLanes;
        float sum = 0;
        for (std::size_t e = blocks.offsets[block]; e < blocks.offsets[block + 1]; ++e)
            sum += blocks.rows[e].lane[lane];  // every partial sum is a multiple of 2^-24: exact
        EXPECT_EQ(sum, 1.0f);
    }
}

TEST(Prepare, PackedWeightsAreTheGivenOnesToTheirRounding) {
    const SkinCase c = makeCase(100, 40, 5, Bones::identity);
    const InfluenceBlocks blocks = packInfluences(c.weights, 100);
    for (std::size_t v = 0; v < 100; ++v)
        for (std::size_t i = 0; i < c.weights.influenceCount(v); ++i) {
            const std::size_t block = v / kLanes;
            for (std::size_t e = blocks.offsets[block]; e < blocks.offsets[block + 1]; ++e)
                if (blocks.joints[e] == c.weights.jointsOf(v)[i]) {
                    EXPECT_NEAR(blocks.rows[e].lane[v % kLanes], c.weights.weightsOf(v)[i], 3e-7);
                }
        }
}

TEST(Prepare, WeightsThatDoNotSumToOneAndRepeatedJointsAreTakenAsShares) {
    SkinCase c = makeCase(1, 2, 1, Bones::identity);
    c.weights.offsets = {0, 3};
    c.weights.joints = {1, 0, 1};
    c.weights.weights = {1, 2, 1};
    const InfluenceBlocks blocks = packInfluences(c.weights, 1);
    ASSERT_EQ(blocks.joints, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(blocks.rows[0].lane[0], 0.5f);
    EXPECT_EQ(blocks.rows[1].lane[0], 0.5f);
}

}  // namespace
}  // namespace pelt::deform
