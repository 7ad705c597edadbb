// Pictures of meshes.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/render/render.h>

#include <algorithm>
#include <limits>

#include "shapes.h"

namespace pelt::render {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Options small(int width = 64, int height = 48) {
    Options options;
    options.width = width;
    options.height = height;
    return options;
}

Camera straight() {
    Camera camera;
    camera.azimuth = camera.elevation = 0;
    return camera;
}

Subject subjectOf(const Mesh& mesh) { return {mesh.positions, mesh.normals, mesh.triangles, {}, {}}; }

/// Mean of the three channels over a rectangle, given in fractions of the picture.
double brightness(const Image& image, double x0, double y0, double x1, double y1) {
    double sum = 0;
    int count = 0;
    for (int y = static_cast<int>(y0 * image.height); y < static_cast<int>(y1 * image.height); ++y)
        for (int x = static_cast<int>(x0 * image.width); x < static_cast<int>(x1 * image.width); ++x)
            for (int k = 0; k < 3; ++k, ++count) sum += image.pixel(x, y)[k];
    return count ? sum / count : 0;
}

/// Where a picture differs from the same picture without a subject.
struct Box {
    int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
    bool empty() const { return right < 0; }
};

Box changed(const Image& image, const Image& blank) {
    Box box;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const std::uint8_t *a = image.pixel(x, y), *b = blank.pixel(x, y);
            if (std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])}) <= 2) continue;
            box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x), std::max(box.bottom, y)};
        }
    return box;
}

TEST(Render, BodiesThatTouchShareNoNormals) {
    const Mesh book = makeBook(0.8f);
    Mesh pages;  // the same with a spine for each page
    pages.positions = book.positions;
    pages.positions.insert(pages.positions.end(), {book.positions[0], book.positions[1]});
    pages.triangles = {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}, {5, 7, 6}};
    const std::vector<std::uint32_t> bodies{0, 0, 0, 0, 1, 1, 1, 1};
    const Frame frame = frameOf(pages.positions);
    const auto picture = [&](const Subject& subject) { return render(subject, frame, straight(), small()).rgb; };
    Subject apart = subjectOf(pages), flat = apart;
    apart.bodies = bodies;
    std::vector<Vec3f> normals(8, normalized(Vec3f(0, -0.8f, 1)));
    for (std::size_t v = 4; v < 8; ++v) normals[v] = normalized(Vec3f(0, 0.8f, 1));
    flat.normals = normals;
    EXPECT_EQ(picture(subjectOf(pages)), picture(subjectOf(book)));
    EXPECT_NE(picture(apart), picture(subjectOf(book)));
    EXPECT_EQ(picture(apart), picture(flat));
    apart.bodies = std::span(bodies).first(3);
    EXPECT_THROW(picture(apart), Error);
}

TEST(Render, SameBytesOnAnyNumberOfThreads) {
    const Mesh mesh = makeSphere(40);
    std::vector<Bone> bones = {{{0, 0, 0}, {0.5f, 0.2f, 0}}, {{0.5f, 0.2f, 0}, {0.5f, 0.8f, 0.3f}}};
    Subject subject = subjectOf(mesh);
    subject.bones = bones;
    setThreadCount(1);
    const Image one = render(subject, frameOf(mesh.positions), {}, small(80, 150));
    setThreadCount(2);
    const Image two = render(subject, frameOf(mesh.positions), {}, small(80, 150));
    setThreadCount(0);
    const Image all = render(subject, frameOf(mesh.positions), {}, small(80, 150));
    EXPECT_EQ(one.rgb, two.rgb);
    EXPECT_EQ(one.rgb, all.rgb);
}

TEST(Render, SphereIsBrighterTowardsTheKeyLight) {
    const Mesh mesh = makeSphere();
    const Image image = render(subjectOf(mesh), frameOf(mesh.positions), straight(), small(64, 64));
    EXPECT_GT(brightness(image, 0.3, 0.25, 0.45, 0.45), brightness(image, 0.6, 0.6, 0.75, 0.75) + 25);
}

TEST(Render, SphereIsInTheMiddleAndRound) {
    const Mesh mesh = makeSphere();
    Options options = small(160, 80);
    options.floor = false;
    const Frame frame = frameOf(mesh.positions);
    const Image blank = render({}, frame, straight(), options);
    const Box box = changed(render(subjectOf(mesh), frame, straight(), options), blank);
    EXPECT_NEAR(box.left + box.right, 159, 2);
    EXPECT_NEAR(box.top + box.bottom, 79, 2);
    EXPECT_NEAR(box.right - box.left, box.bottom - box.top, 2);
    EXPECT_GT(box.bottom - box.top, 68);  // fills the height, with a little air
    EXPECT_LT(box.bottom - box.top, 78);
}

TEST(Render, CreaseIsDarkerThanItsFlatNeighborhood) {
    // From the side of the light's own direction both pages would differ; their flanks and the fold are compared alike.
    const auto crease = [](float fold) {
        Mesh mesh = makeBook(fold);
        mesh.normals.assign(6, {0, 0, 1});
        Options options = small(64, 64);
        options.floor = false;
        const Image image = render(subjectOf(mesh), frameOf(mesh.positions), straight(), options);
        return brightness(image, 0.4, 0.2, 0.6, 0.3) - brightness(image, 0.4, 0.47, 0.6, 0.53);
    };
    EXPECT_LT(std::abs(crease(0)), 3);
    EXPECT_GT(crease(1), 10);
}

TEST(Render, CoarseSphereHasNoBlackTriangles) {
    // Its normals promise light where its flat triangles turn away: it must not be darker there than a fine sphere.
    const auto picture = [](int rings) {
        Mesh mesh = makeSphere(rings);
        mesh.normals = mesh.positions;
        Options options = small(96, 96);
        options.floor = false;
        return render(subjectOf(mesh), Frame{{}, 1, 0, {}}, straight(), options);
    };
    const Image coarse = picture(5), fine = picture(48);
    for (int y = 28; y < 68; ++y)
        for (int x = 28; x < 68; ++x) EXPECT_LT(fine.pixel(x, y)[1] - coarse.pixel(x, y)[1], 12) << x << ' ' << y;
}

TEST(Render, FloorTakesAShadowAndCanBeLeftOut) {
    const Mesh mesh = makeSphere();
    const Frame frame = frameOf(mesh.positions);
    Camera above;
    above.elevation = 40;
    Options options = small(96, 96);
    const Image with = render(subjectOf(mesh), frame, above, options);
    options.floor = false;
    const Image without = render(subjectOf(mesh), frame, above, options);
    EXPECT_LT(brightness(with, 0.9, 0.5, 1, 0.9), brightness(without, 0.9, 0.5, 1, 0.9) - 3);
    Camera below;
    below.elevation = -30;
    const Image under_without = render(subjectOf(mesh), frame, below, options);
    options.floor = true;
    const Image under_with = render(subjectOf(mesh), frame, below, options);
    EXPECT_NEAR(brightness(under_with, 0, 0, 0.2, 0.2), brightness(under_without, 0, 0, 0.2, 0.2), 0.1);
}

TEST(Render, InsideOfAnOpenMeshIsSeenAndTinted) {
    Mesh mesh = makeBook(0);
    Options options = small(48, 48);
    options.floor = false;
    const Frame frame = frameOf(mesh.positions);
    Camera camera = straight();
    const Image front = render(subjectOf(mesh), frame, camera, options);
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    const Image back = render(subjectOf(mesh), frame, camera, options);
    EXPECT_LT(back.pixel(24, 24)[1], front.pixel(24, 24)[1] - 5);
    EXPECT_GT(back.pixel(24, 24)[1], 60);
    // Normals of the file take precedence over the winding.
    mesh.normals.assign(6, {0, 0, 1});
    const Image named = render(subjectOf(mesh), frame, camera, options);
    EXPECT_NEAR(named.pixel(24, 24)[1], front.pixel(24, 24)[1], 2);
}

TEST(Render, ColorsStayReadableInTheShade) {
    const Mesh mesh = makeSphere();
    const std::vector<Vec3f> colors(mesh.positions.size(), mapColor(ColorMap::viridis, 0.7f));
    Subject subject = subjectOf(mesh);
    const Frame frame = frameOf(mesh.positions);
    const auto contrast = [&] {
        const Image image = render(subject, frame, straight(), small(64, 64));
        return brightness(image, 0.35, 0.3, 0.42, 0.37) / brightness(image, 0.62, 0.72, 0.69, 0.79);
    };
    const double clay = contrast();
    subject.colors = colors;
    const double data = contrast();
    EXPECT_LT(data, clay);
    EXPECT_LT(data, 1.6);
    const Image image = render(subject, frame, straight(), small(64, 64));
    EXPECT_GT(image.pixel(42, 48)[1], image.pixel(42, 48)[0] + 30);  // still green in the shade
}

TEST(Render, ScalarsAreMappedAfterTheyAreInterpolated) {
    // Half way between weight 0 and weight 1 the scale is green; blending blue and red would be purple.
    Mesh mesh = makeBook(0);
    const std::vector<float> ends = {0, 0, 0, 0, 1, 1}, few(2), broken(6, kNan);
    mesh.positions[0] = {-1, 0.9f, 0};
    mesh.positions[1] = {1, 0.9f, 0};
    Subject subject = subjectOf(mesh);
    subject.scalars = Scalars{ends, ColorMap::blue_to_red, 0, 1};
    Options options = small(48, 48);
    options.floor = false;
    const Frame frame = frameOf(mesh.positions);
    const Image image = render(subject, frame, straight(), options);
    const std::uint8_t* middle = image.pixel(24, 25);
    EXPECT_GT(middle[1], 150);
    EXPECT_LT(std::max(middle[0], middle[2]), 100);
    subject.scalars->values = broken;
    const Image magenta = render(subject, frame, straight(), options);
    EXPECT_GT(std::min(magenta.pixel(24, 24)[0], magenta.pixel(24, 24)[2]), 150);
    EXPECT_LT(magenta.pixel(24, 24)[1], 60);
    subject.scalars->values = few;
    EXPECT_THROW(render(subject, frame, straight(), options), Error);
}

TEST(Render, BonesAreSeenThroughTheSkin) {
    const Mesh mesh = makeSphere();
    const std::vector<Bone> bones = {{{-0.6f, 0, 0}, {0.6f, 0, 0}}, {{0.6f, 0, 0}, {0.6f, 0, 0}}};
    Subject subject = subjectOf(mesh);
    const Frame frame = frameOf(mesh.positions);
    const Image without = render(subject, frame, straight(), small(96, 96));
    subject.bones = bones;
    const Image with = render(subject, frame, straight(), small(96, 96));
    EXPECT_FALSE(changed(with, without).empty());
    EXPECT_LT(brightness(with, 0.3, 0.49, 0.4, 0.52), brightness(without, 0.3, 0.49, 0.4, 0.52) - 20);
    EXPECT_NEAR(brightness(with, 0.4, 0.2, 0.6, 0.3), brightness(without, 0.4, 0.2, 0.6, 0.3), 0.01);
}

TEST(Render, PictureDoesNotDependOnTheUnits) {
    const auto picture = [](float scale, const Vec3f& offset) {
        Mesh mesh = makeSphere(16);
        for (Vec3f& p : mesh.positions) p = (p + offset) * scale;
        return render(subjectOf(mesh), frameOf(mesh.positions), {}, small());
    };
    const Image unit = picture(1, {});
    for (const float scale : {0x1p-20f, 0x1p20f}) {  // powers of two scale without rounding
        const Image other = picture(scale, {});
        EXPECT_EQ(other.rgb, unit.rgb) << scale;
    }
    const Image far = picture(1, {1000, -500, 200});
    EXPECT_NEAR(brightness(far, 0, 0, 1, 1), brightness(unit, 0, 0, 1, 1), 1);
}

TEST(Render, DegenerateSubjectsGiveAPicture) {
    const std::vector<Vec3f> point = {{3, 3, 3}};
    const std::vector<Vec3f> odd = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {kNan, 0, 0}, {2, 0, 0}, {1e30f, 0, 0}};
    const std::vector<Triangle> faces = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {1, 1, 1}, {0, 1, 5}, {0, 1, 2}};
    const std::vector<Vec3f> bad_normals(odd.size(), Vec3f(kNan, 0, 0));
    const std::vector<Vec3f> bad_colors(odd.size(), Vec3f(kNan, 2, -1));
    const std::vector<Bone> bones = {{{kNan, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {1, 1, 0}}};
    const Frame unit{{0.5f, 0.5f, 0}, 1, 0, {}};
    for (const Frame& frame : {unit, frameOf({}), frameOf(point), frameOf(odd), Frame{{kNan, 0, 0}, kNan, kNan, {}}}) {
        EXPECT_EQ(render({}, frame, {}, small()).rgb.size(), 64u * 48 * 3);
        EXPECT_EQ(render({point, {}, {}, {}, {}}, frame, {}, small()).rgb.size(), 64u * 48 * 3);
        EXPECT_EQ(render({odd, {}, faces, {}, bones}, frame, {}, small()).rgb.size(), 64u * 48 * 3);
        EXPECT_EQ(render({odd, bad_normals, faces, bad_colors, {}}, frame, {}, small()).rgb.size(), 64u * 48 * 3);
    }
    const Image triangle = render({odd, {}, faces, {}, {}}, unit, straight(), small());
    EXPECT_FALSE(changed(triangle, render({}, unit, straight(), small())).empty());
}

TEST(Render, SmallestPicturesAndOddSampleCounts) {
    const Mesh mesh = makeSphere(8);
    for (const int samples : {1, 3, 16, 19, 40}) {
        Options options = small(1, 1);
        options.samples = samples;
        const Image image = render(subjectOf(mesh), frameOf(mesh.positions), straight(), options);
        ASSERT_EQ(image.rgb.size(), 3u);
        EXPECT_GT(image.rgb[0], 40) << samples;
    }
}

TEST(Render, RefusesWhatDoesNotFitTogether) {
    const Mesh mesh = makeSphere(8);
    const Frame frame = frameOf(mesh.positions);
    const std::vector<Vec3f> few(3);
    const std::vector<Triangle> outside = {{0, 1, 100000}};
    const auto code = [&](const Subject& subject, const Options& options, const Camera& camera) {
        try {
            render(subject, frame, camera, options);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::system;
    };
    EXPECT_EQ(code({mesh.positions, few, mesh.triangles, {}, {}}, small(), {}), ErrorCode::bad_input);
    EXPECT_EQ(code({mesh.positions, {}, mesh.triangles, few, {}}, small(), {}), ErrorCode::bad_input);
    EXPECT_EQ(code({mesh.positions, {}, outside, {}, {}}, small(), {}), ErrorCode::bad_input);
    EXPECT_EQ(code(subjectOf(mesh), small(0, 10), {}), ErrorCode::bad_usage);
    EXPECT_EQ(code(subjectOf(mesh), small(10, 100000), {}), ErrorCode::bad_usage);
    Camera camera;
    camera.zoom = 0;
    EXPECT_EQ(code(subjectOf(mesh), small(), camera), ErrorCode::bad_usage);
    camera.zoom = 1;
    camera.field_of_view = kNan;
    EXPECT_EQ(code(subjectOf(mesh), small(), camera), ErrorCode::bad_usage);
}

TEST(Render, StopsWhenAsked) {
    const Mesh mesh = makeSphere();
    int calls = 0;
    const Progress stop([&](std::string_view, double fraction) {
        EXPECT_GE(fraction, 0);
        EXPECT_LE(fraction, 1);
        return ++calls < 20;
    });
    try {
        render(subjectOf(mesh), frameOf(mesh.positions), {}, small(640, 480), stop);
        FAIL() << "was not cancelled";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    EXPECT_LT(calls, 40);
}

}  // namespace
}  // namespace pelt::render
