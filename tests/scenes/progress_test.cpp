// Progress while scenes are made.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>

namespace pelt::scenes {
namespace {

TEST(SceneProgress, EverySceneTellsRisingFractionsFromStartToEnd) {
    for (const Scene& scene : all()) {
        std::vector<double> fractions;
        scene.make(1000, Progress([&](std::string_view stage, double fraction) {
                       EXPECT_EQ(stage, "generate");
                       fractions.push_back(fraction);
                       return true;
                   }));
        ASSERT_GE(fractions.size(), 3u) << scene.name;
        EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end())) << scene.name;
        EXPECT_EQ(fractions.front(), 0) << scene.name;
        EXPECT_EQ(fractions.back(), 1) << scene.name;
    }
}

TEST(SceneProgress, MeshingStopsWhereItIsAskedTo) {
    const Progress stop([](std::string_view, double fraction) { return fraction < 0.3; });
    try {
        find("arm")->make(2000, stop);
        ADD_FAILURE() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
}

}  // namespace
}  // namespace pelt::scenes
