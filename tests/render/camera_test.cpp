// Cameras.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <render/view.h>

#include <numbers>

#include "shapes.h"

namespace pelt::render {
namespace {

/// A tall box of points, like a standing figure, away from the origin.
std::vector<Vec3f> tallBox() {
    std::vector<Vec3f> points;
    for (int k = 0; k < 8; ++k)
        points.push_back({10 + (k & 1 ? 0.3f : -0.3f), k & 2 ? 1.8f : 0.0f, k & 4 ? 0.2f : -0.2f});
    return points;
}

/// Picture coordinates, -1..1, of a point in normalized space.
Vec2f project(const View& view, const Vec3f& p) {
    const Vec3f d = p - view.eye;
    const float depth = view.parallel ? 1 : -dot(d, view.back);
    return {dot(d, view.right) / depth / view.half_width, dot(d, view.up) / depth / view.half_height};
}

struct Extent {
    float left = 9, right = -9, bottom = 9, top = -9;
};

Extent extentOf(const std::vector<Vec3f>& points, const Camera& camera, float aspect) {
    const Frame frame = frameOf(points);
    const View view = fitView(frame, camera, aspect);
    const Normalization normalize(frame);
    Extent e;
    for (const Vec3f& p : points) {
        const Vec2f q = project(view, normalize(p));
        e = {std::min(e.left, q.x), std::max(e.right, q.x), std::min(e.bottom, q.y), std::max(e.top, q.y)};
    }
    return e;
}

TEST(Camera, NamedViewsLookFromTheirSide) {
    EXPECT_EQ(parseCamera("front").azimuth, 0);
    EXPECT_EQ(parseCamera("side").azimuth, 90);
    EXPECT_EQ(parseCamera("left").azimuth, 90);
    EXPECT_EQ(parseCamera("right").azimuth, -90);
    EXPECT_EQ(parseCamera("back").azimuth, 180);
    EXPECT_EQ(parseCamera("top").elevation, 90);
    EXPECT_EQ(parseCamera("three-quarter").azimuth, Camera{}.azimuth);
    EXPECT_EQ(parseCamera("three-quarter").elevation, Camera{}.elevation);
    const Frame frame{{}, 1, -1, {}};
    EXPECT_GT(fitView(frame, parseCamera("front"), 1).eye.z, 1);
    EXPECT_GT(fitView(frame, parseCamera("left"), 1).eye.x, 1);
    EXPECT_LT(fitView(frame, parseCamera("right"), 1).eye.x, -1);
    EXPECT_LT(fitView(frame, parseCamera("back"), 1).eye.z, -1);
    EXPECT_GT(fitView(frame, parseCamera("top"), 1).eye.y, 1);
}

TEST(Camera, AnglesAndZoomAreRead) {
    const Camera two = parseCamera("-45,10.5");
    EXPECT_EQ(two.azimuth, -45);
    EXPECT_EQ(two.elevation, 10.5f);
    EXPECT_EQ(two.zoom, 1);
    const Camera three = parseCamera("400, +20, 1.5");
    EXPECT_EQ(three.azimuth, 400);
    EXPECT_EQ(three.elevation, 20);
    EXPECT_EQ(three.zoom, 1.5f);
}

TEST(Camera, AnythingElseIsWrongUsageThatListsTheForms) {
    for (const char* text : {"", "Front", "frontal", "10", "10,", ",10", "10,20,30,40", "10,20,", "1x,2", "nan,0",
                             "0,inf", "0,91", "0,0,0", "0,0,-1", "10;20"}) {
        try {
            parseCamera(text);
            FAIL() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_usage) << text;
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    try {
        parseCamera("sideways");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("three-quarter"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("AZIMUTH,ELEVATION[,ZOOM]"), std::string::npos);
    }
}

TEST(Camera, SubjectFillsThePictureWithALittleAir) {
    const std::vector<Vec3f> points = tallBox();
    for (const float fov : {0.0f, 30.0f, 80.0f})
        for (const float azimuth : {0.0f, 30.0f, 130.0f, 270.0f})
            for (const float elevation : {-90.0f, -20.0f, 0.0f, 15.0f, 90.0f})
                for (const float aspect : {0.5f, 1.0f, 4.0f / 3}) {
                    Camera camera;
                    camera.azimuth = azimuth;
                    camera.elevation = elevation;
                    camera.field_of_view = fov;
                    const Extent e = extentOf(points, camera, aspect);
                    const float fill = std::max(e.right - e.left, e.top - e.bottom) / 2;
                    EXPECT_NEAR(fill, 0.92f, 0.02f) << fov << ' ' << azimuth << ' ' << elevation << ' ' << aspect;
                    EXPECT_NEAR(e.left + e.right, 0, 0.15f);
                    EXPECT_LT(std::max({-e.left, e.right, -e.bottom, e.top}), 0.93f);
                }
}

TEST(Camera, ZoomEnlargesAndTargetIsInTheMiddle) {
    const std::vector<Vec3f> points = tallBox();
    Camera camera;
    const Extent one = extentOf(points, camera, 1);
    camera.zoom = 3;
    const Extent three = extentOf(points, camera, 1);
    EXPECT_NEAR(three.top - three.bottom, 3 * (one.top - one.bottom), 1e-4f);
    camera.target = Vec3f(10, 1.7f, 0);
    const Frame frame = frameOf(points);
    const Vec2f middle = project(fitView(frame, camera, 1), Normalization(frame)(*camera.target));
    EXPECT_NEAR(middle.x, 0, 1e-5f);
    EXPECT_NEAR(middle.y, 0, 1e-5f);
}

TEST(Frame, UnionHoldsBothAndTheLowerFloor) {
    const std::vector<Vec3f> a = {{0, 0, 0}, {1, 2, 0}}, b = {{5, -1, 0}, {6, 1, 1}};
    const Frame both = unite(frameOf(a), frameOf(b));
    EXPECT_EQ(both.floor, -1);
    for (const auto& points : {a, b})
        for (const Vec3f& p : points) EXPECT_LE(length(p - both.center), both.radius * 1.0001f);
    const Frame alone = unite(frameOf({}), frameOf(a));
    EXPECT_EQ(alone.radius, frameOf(a).radius);
    EXPECT_EQ(alone.floor, 0);
    const Frame spheres = unite(Frame{{0, 0, 0}, 1, -1, {}}, Frame{{4, 0, 0}, 1, -2, {}});
    EXPECT_NEAR(spheres.center.x, 2, 0.05f);
    EXPECT_NEAR(spheres.radius, 3, 0.1f);
}

}  // namespace
}  // namespace pelt::render
