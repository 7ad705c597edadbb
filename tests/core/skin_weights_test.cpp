// Weights of a skin: appending, normalizing, dropping.
#include <gtest/gtest.h>
#include <pelt/core/skin_weights.h>

#include <numeric>

namespace pelt {
namespace {

float append(SkinWeights& weights, std::vector<std::uint32_t> joints, std::vector<float> values) {
    return appendVertex(weights, joints, values);
}

TEST(SkinWeights, AppendingNormalizesMergesAndSorts) {
    SkinWeights weights;
    EXPECT_FLOAT_EQ(append(weights, {7, 2, 7, 5}, {0.5f, 0.25f, 0.5f, 0.0f}), 1.25f);
    ASSERT_EQ(weights.vertexCount(), 1u);
    ASSERT_EQ(weights.influenceCount(0), 2u);
    EXPECT_EQ(weights.jointsOf(0)[0], 7u);
    EXPECT_EQ(weights.jointsOf(0)[1], 2u);
    EXPECT_FLOAT_EQ(weights.weightsOf(0)[0], 0.8f);
    EXPECT_FLOAT_EQ(weights.weightsOf(0)[1], 0.2f);
}

TEST(SkinWeights, TiesGoToTheLowerJoint) {
    SkinWeights weights;
    append(weights, {9, 3, 4}, {1, 1, 1});
    EXPECT_EQ(weights.jointsOf(0)[0], 3u);
    EXPECT_EQ(weights.jointsOf(0)[2], 9u);
}

TEST(SkinWeights, AVertexWithoutWeightIsKeptEmpty) {
    SkinWeights weights;
    EXPECT_EQ(append(weights, {1, 2}, {0, 0}), 0);
    append(weights, {1}, {2});
    EXPECT_EQ(weights.vertexCount(), 2u);
    EXPECT_EQ(weights.influenceCount(0), 0u);
    EXPECT_EQ(weights.weightsOf(1)[0], 1);
}

TEST(SkinWeights, KeepingTheHeaviestRescalesToOne) {
    SkinWeights weights;
    append(weights, {0, 1, 2, 3}, {0.1f, 0.2f, 0.3f, 0.4f});
    append(weights, {5}, {1});
    const SkinWeights kept = keepHeaviest(weights, 2);
    EXPECT_EQ(maxInfluences(weights), 4u);
    EXPECT_EQ(maxInfluences(kept), 2u);
    EXPECT_EQ(kept.jointsOf(0)[0], 3u);
    EXPECT_EQ(kept.jointsOf(0)[1], 2u);
    EXPECT_FLOAT_EQ(kept.weightsOf(0)[0], 0.4f / 0.7f);
    EXPECT_FLOAT_EQ(kept.weightsOf(0)[0] + kept.weightsOf(0)[1], 1);
    EXPECT_EQ(kept.influenceCount(1), 1u);
    EXPECT_EQ(keepHeaviest(weights, 0), weights);
}

TEST(SkinWeights, WeightsThatNobodySeesAreDroppedWhereTheyAreNew) {
    SkinWeights weights, given;
    append(weights, {0, 1, 2}, {0.6f, 0.39995f, 0.00005f});
    append(weights, {0, 1}, {0.99995f, 0.00005f});
    append(weights, {0, 1}, {0.9999f, 0.00011f});
    append(given, {0}, {1});
    append(given, {0, 1}, {0.99995f, 0.00005f});
    append(given, {0}, {1});
    const SkinWeights kept = withoutSmall(weights, &given);
    EXPECT_EQ(kept.influenceCount(0), 2u);
    EXPECT_FLOAT_EQ(kept.weightsOf(0)[0] + kept.weightsOf(0)[1], 1);
    EXPECT_EQ(kept.influenceCount(1), 2u) << "it was there already";
    EXPECT_EQ(kept.influenceCount(2), 2u) << "it is large enough";
    EXPECT_EQ(withoutSmall(weights).influenceCount(1), 1u);
    EXPECT_EQ(withoutSmall(given, &given), given);
}

TEST(SkinWeights, LoweringToTheHeaviestTearsNothingWhereOneJointTakesThePlaceOfAnother) {
    SkinWeights weights;
    append(weights, {0, 1, 2}, {0.5f, 0.2501f, 0.2499f});
    append(weights, {0, 1, 2}, {0.5f, 0.2499f, 0.2501f});
    append(weights, {0, 1, 2}, {0.6f, 0.3f, 0.1f});
    append(weights, {0, 1, 2}, {0.25f, 0.25f, 0.25f});
    append(weights, {5}, {1});
    const SkinWeights kept = lowerToHeaviest(weights, 2);
    EXPECT_EQ(maxInfluences(kept), 2u);
    for (const std::size_t v : {0u, 1u}) {
        EXPECT_EQ(kept.jointsOf(v)[0], 0u);
        EXPECT_NEAR(kept.weightsOf(v)[0], 1, 0.001);
    }
    EXPECT_FLOAT_EQ(kept.weightsOf(2)[0], 0.5f / 0.7f);
    EXPECT_FLOAT_EQ(kept.weightsOf(2)[1], 0.2f / 0.7f);
    EXPECT_EQ(kept.influenceCount(3), 2u);
    EXPECT_EQ(kept.weightsOf(4)[0], 1);
    EXPECT_EQ(lowerToHeaviest(weights, 0), weights);
}

TEST(SkinWeights, RowsOfExactlyKJointsStayAndThoseOfOneMoreLoseOne) {
    for (const std::size_t k : {1u, 2u, 4u, 8u}) {
        std::vector<std::uint32_t> joints;
        std::vector<float> values;
        for (std::size_t i = 0; i <= k; ++i) {
            joints.push_back(std::uint32_t(i));
            values.push_back(float(2 * k - i));
        }
        SkinWeights weights;
        appendVertex(weights, std::span(joints).first(k), std::span(values).first(k));
        appendVertex(weights, joints, values);
        for (const SkinWeights& kept : {keepHeaviest(weights, k), lowerToHeaviest(weights, k)}) {
            EXPECT_TRUE(std::ranges::equal(kept.weightsOf(0), weights.weightsOf(0))) << k;
            EXPECT_EQ(kept.influenceCount(1), k);
            EXPECT_TRUE(std::ranges::equal(kept.jointsOf(1), kept.jointsOf(0))) << k;
        }
    }
}

}  // namespace
}  // namespace pelt
