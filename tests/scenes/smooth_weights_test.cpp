// Smooth weights of scenes.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>

#include <map>

namespace pelt::scenes {
namespace {

double weightOf(const SkinWeights& weights, std::size_t vertex, std::uint32_t joint) {
    for (std::size_t k = 0; k < weights.influenceCount(vertex); ++k) {
        if (weights.jointsOf(vertex)[k] == joint) return weights.weightsOf(vertex)[k];
    }
    return 0;
}

TEST(SmoothWeights, SumToOneWithAtMostTheInfluencesAskedFor) {
    for (const char* name : {"bar3", "arm", "branch"}) {
        const Character character = find(name)->make(3000);
        for (const std::size_t influences : {1, 2, 4}) {
            const SkinWeights smooth = smoothWeights(character, influences);
            ASSERT_EQ(smooth.vertexCount(), character.mesh.vertexCount());
            EXPECT_LE(maxInfluences(smooth), influences);
            for (std::size_t v = 0; v < smooth.vertexCount(); ++v) {
                double sum = 0;
                for (const float w : smooth.weightsOf(v)) {
                    EXPECT_GT(w, 0);
                    sum += w;
                }
                EXPECT_NEAR(sum, 1, 1e-5);
            }
        }
    }
}

/// The weight of the second joint, averaged over the vertices in bands along the bar.
std::map<int, double> profile(std::size_t resolution) {
    const Character bar = find("bar")->make(resolution);
    const SkinWeights smooth = smoothWeights(bar);
    std::map<int, double> sum;
    std::map<int, int> count;
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) {
        const int band = int(std::floor((bar.mesh.positions[v].y - 0.5) / 0.05 + 0.5));
        sum[band] += weightOf(smooth, v, 1);
        ++count[band];
    }
    for (auto& [band, value] : sum) value /= count[band];
    return sum;
}

TEST(SmoothWeights, ARefinedMeshGetsTheSameSkin) {
    const auto coarse = profile(2000), fine = profile(20000);
    for (int band = -4; band <= 4; ++band) EXPECT_NEAR(coarse.at(band), fine.at(band), 0.03) << band;
    EXPECT_NEAR(fine.at(0), 0.5, 0.03);
    EXPECT_GT(fine.at(-1), 0.1);
    EXPECT_LT(fine.at(-4), 0.05);
}

// Plain truncation would leave a step at the ribs, where one joint replaces another: visible with dual quaternions.
TEST(SmoothWeights, AreLoweredNotCutToFewInfluences) {
    const Character biped = find("biped")->make(5000);
    const SkinWeights all = smoothWeights(biped, 0);
    EXPECT_GT(maxInfluences(all), 4u);
    EXPECT_EQ(smoothWeights(biped, 4), lowerToHeaviest(all, 4));
}

TEST(SmoothWeights, LeaveVerticesFarFromAJointOnTheirBone) {
    const Character bar = find("bar")->make(3000);
    const SkinWeights smooth = smoothWeights(bar);
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) {
        if (std::abs(bar.mesh.positions[v].y - 0.5f) > 0.4f) {
            EXPECT_GT(smooth.weightsOf(v)[0], 0.99f);
        }
    }
}

TEST(SmoothWeights, CopiesOfAVertexGetTheSame) {
    Character bar = find("bar")->make(1000);
    const auto count = static_cast<std::uint32_t>(bar.mesh.vertexCount());
    // Split every other triangle off, as a file with hard edges would.
    for (std::size_t t = 0; t < bar.mesh.triangles.size(); t += 2) {
        for (std::uint32_t& v : bar.mesh.triangles[t]) {
            bar.mesh.positions.push_back(bar.mesh.positions[v]);
            const std::uint32_t joint = bar.weights.joints[v];
            const float one = 1;
            appendVertex(bar.weights, {&joint, 1}, {&one, 1});
            v = static_cast<std::uint32_t>(bar.mesh.positions.size() - 1);
        }
    }
    const SkinWeights whole = smoothWeights(find("bar")->make(1000)), split = smoothWeights(bar);
    for (std::size_t v = 0; v < count; ++v) EXPECT_NEAR(weightOf(split, v, 1), weightOf(whole, v, 1), 1e-5);
}

TEST(SmoothWeights, NeedACharacterThatIsBound) {
    Character bar = find("bar")->make(1000);
    bar.weights = {};
    EXPECT_THROW(smoothWeights(bar), Error);
}

}  // namespace
}  // namespace pelt::scenes
