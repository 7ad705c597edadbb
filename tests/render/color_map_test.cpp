// Colors of values and joints.
#include <gtest/gtest.h>
#include <pelt/render/render.h>
#include <render/srgb.h>

#include <limits>

namespace pelt::render {
namespace {

/// CIE L*, 0..100, of linear sRGB.
float lightness(const Vec3f& c) {
    const float y = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
    return y > 0.008856f ? 116 * std::cbrt(y) - 16 : 903.3f * y;
}

float distance(const Vec3f& a, const Vec3f& b) { return length(a - b); }

TEST(ColorMap, ViridisRisesEvenlyInLightness) {
    float last = lightness(mapColor(ColorMap::viridis, 0));
    EXPECT_LT(last, 20);
    for (int i = 1; i <= 200; ++i) {
        const float now = lightness(mapColor(ColorMap::viridis, static_cast<float>(i) / 200));
        EXPECT_GT(now, last) << i;
        EXPECT_LT(now - last, 0.8f) << i;  // 76 over 200 steps is 0.38 each
        last = now;
    }
    EXPECT_GT(last, 88);
}

TEST(ColorMap, BlueToRedPassesItsFiveColors) {
    EXPECT_LT(distance(mapColor(ColorMap::blue_to_red, 0), {0, 0, 1}), 1e-5f);
    EXPECT_LT(distance(mapColor(ColorMap::blue_to_red, 0.25f), {0, 1, 1}), 1e-5f);
    EXPECT_LT(distance(mapColor(ColorMap::blue_to_red, 0.5f), {0, 1, 0}), 1e-5f);
    EXPECT_LT(distance(mapColor(ColorMap::blue_to_red, 0.75f), {1, 1, 0}), 1e-5f);
    EXPECT_LT(distance(mapColor(ColorMap::blue_to_red, 1), {1, 0, 0}), 1e-5f);
}

TEST(ColorMap, ValuesOutsideAreClampedAndNanIsMagenta) {
    const float inf = std::numeric_limits<float>::infinity();
    for (const ColorMap map : {ColorMap::viridis, ColorMap::blue_to_red}) {
        EXPECT_EQ(mapColor(map, -3), mapColor(map, 0));
        EXPECT_EQ(mapColor(map, -inf), mapColor(map, 0));
        EXPECT_EQ(mapColor(map, 7), mapColor(map, 1));
        EXPECT_EQ(mapColor(map, inf), mapColor(map, 1));
        EXPECT_EQ(mapColor(map, std::numeric_limits<float>::quiet_NaN()), Vec3f(1, 0, 1));
    }
    const std::vector<float> values = {-1, 2, 3, 4, 9};
    const std::vector<Vec3f> colors = mapColors(ColorMap::viridis, values, 2, 4);
    EXPECT_EQ(colors[0], mapColor(ColorMap::viridis, 0));
    EXPECT_EQ(colors[2], mapColor(ColorMap::viridis, 0.5f));
    EXPECT_EQ(colors[4], mapColor(ColorMap::viridis, 1));
    for (const Vec3f& c : mapColors(ColorMap::viridis, std::vector<float>(3, 0.0f), 0, 0))
        EXPECT_EQ(c, mapColor(ColorMap::viridis, 0));
}

TEST(ColorMap, NeighboringJointsAreFarApart) {
    for (std::size_t j = 0; j < 200; ++j) {
        const Vec3f c = jointColor(j);
        EXPECT_GT(distance(c, jointColor(j + 1)), 0.2f) << j;
        EXPECT_GT(lightness(c), 50) << j;
        EXPECT_LT(lightness(c), 80) << j;
    }
}

TEST(Srgb, EncodingIsUndoneByDecoding) {
    for (int i = 0; i <= 255; ++i)
        EXPECT_NEAR(encodeSrgb(decodeSrgb(static_cast<float>(i) / 255)) * 255, static_cast<float>(i), 1e-3f);
}

}  // namespace
}  // namespace pelt::render
