// Fewer weights per vertex.
#include <gtest/gtest.h>
#include <pelt/core/quat.h>
#include <pelt/fit/weight_limiter.h>

#include <numeric>
#include <random>

namespace pelt::fit {
namespace {

/// Random vertices on eight joints that turn and shift at random.
struct LimitCase {
    std::vector<Vec3f> rest;
    SkinWeights weights;
    std::vector<std::vector<Affine3f>> poses;
    std::vector<std::uint32_t> same;

    explicit LimitCase(std::size_t vertices, std::size_t joints = 8, std::size_t pose_count = 40) {
        std::mt19937 random(3);
        const auto number = [&] { return double(random() % 2001) / 1000 - 1; };
        std::vector<std::uint32_t> all(joints);
        std::iota(all.begin(), all.end(), 0u);
        same = all;
        for (std::size_t v = 0; v < vertices; ++v) {
            rest.push_back(Vec3f{float(number()), float(number()), float(number())});  // braces: in this order
            std::vector<float> row;
            for (std::size_t j = 0; j < joints; ++j) row.push_back(float(1.01 + number()));
            appendVertex(weights, all, row);
        }
        for (std::size_t p = 0; p < pose_count; ++p) {
            poses.emplace_back();
            for (std::size_t j = 0; j < joints; ++j) {
                const Vec3d axis = normalized(Vec3d{number(), number(), 2});
                const double angle = number();
                const Vec3d shift = Vec3d{number(), number(), number()} * 0.2;
                poses.back().emplace_back(Affine3d(toMatrix(axisAngle(axis, angle)), shift));
            }
        }
    }

    double error(const SkinWeights& skin, std::size_t first, std::size_t last) const {
        double sum = 0;
        for (std::size_t p = first; p < last; ++p)
            for (std::size_t v = 0; v < rest.size(); ++v) {
                Vec3d d;
                for (const auto& [rows, sign] : {std::pair{&weights, 1.0}, std::pair{&skin, -1.0}})
                    for (std::size_t i = 0; i < rows->influenceCount(v); ++i)
                        d += Affine3d(poses[p][rows->jointsOf(v)[i]]) * Vec3d(rest[v]) *
                             (sign * double(rows->weightsOf(v)[i]));
                sum += dot(d, d);
            }
        return sum;
    }
};

TEST(WeightLimiter, IsCloserThanCuttingInThePosesPlayed) {
    const LimitCase c(60);
    WeightLimiter limiter(c.rest, c.weights, c.same, 4);
    EXPECT_EQ(limiter.vertexCount(), 60u);
    for (const auto& pose : c.poses) limiter.addPose(WeightLimiter::kPlayed, pose);
    const SkinWeights solved = limiter.solve();
    EXPECT_LE(maxInfluences(solved), 4u);
    EXPECT_LT(c.error(solved, 0, 40), 0.9 * c.error(limiter.cut(), 0, 40));
    for (std::size_t v = 0; v < solved.vertexCount(); ++v) {
        double sum = 0;
        for (const float w : solved.weightsOf(v)) sum += double(w);
        EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST(WeightLimiter, IsNoWorseThanCuttingInThePossiblePoses) {
    const LimitCase c(60);
    WeightLimiter limiter(c.rest, c.weights, c.same, 4);
    for (std::size_t p = 0; p < 40; ++p)
        limiter.addPose(p < 3 ? WeightLimiter::kPlayed : WeightLimiter::kPossible, c.poses[p]);
    const SkinWeights solved = limiter.solve();
    EXPECT_LT(c.error(solved, 0, 3), 0.9 * c.error(limiter.cut(), 0, 3));
    EXPECT_LE(c.error(solved, 3, 40), c.error(limiter.cut(), 3, 40));
}

TEST(WeightLimiter, FindsTheBestFourOfEight) {
    // Five of the joints move alike: one of them replaces all.
    LimitCase c(20);
    for (auto& pose : c.poses)
        for (std::size_t j = 4; j < 8; ++j) pose[j] = pose[3];
    WeightLimiter limiter(c.rest, c.weights, c.same, 4);
    for (const auto& pose : c.poses) limiter.addPose(WeightLimiter::kPlayed, pose);
    const SkinWeights solved = limiter.solve();
    EXPECT_GT(c.error(limiter.cut(), 0, 40), 1);
    EXPECT_LT(c.error(solved, 0, 40), 2e-3 * c.error(limiter.cut(), 0, 40));
}

TEST(WeightLimiter, RowsThatAreShortEnoughStayBitByBit) {
    const LimitCase c(30, 3);
    WeightLimiter limiter(c.rest, c.weights, c.same, 4);
    EXPECT_EQ(limiter.vertexCount(), 0u);
    limiter.addPose(WeightLimiter::kPlayed, c.poses[0]);
    EXPECT_EQ(limiter.solve(), c.weights);
}

TEST(WeightLimiter, AReplacedJointIsUsedNoMore) {
    const LimitCase c(30, 5);
    std::vector<std::uint32_t> replaced = c.same;
    replaced[4] = 1;
    WeightLimiter limiter(c.rest, c.weights, replaced, 0);
    for (const auto& pose : c.poses) limiter.addPose(WeightLimiter::kPlayed, pose);
    const SkinWeights solved = limiter.solve();
    for (const SkinWeights* rows : {&limiter.cut(), &solved})
        EXPECT_EQ(std::count(rows->joints.begin(), rows->joints.end(), 4u), 0);
    EXPECT_LT(c.error(solved, 0, 40), 0.95 * c.error(limiter.cut(), 0, 40));
}

}  // namespace
}  // namespace pelt::fit
