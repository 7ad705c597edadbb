// Places the camera so that all subjects are in the picture.
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>

#include "view.h"

namespace pelt::render {

namespace {

constexpr int kDirections = 128;
constexpr float kAir = 0.08f;  // of the picture's half size, left free on every side

/// Evenly spread directions: Fibonacci's spiral on the sphere.
std::array<Vec3f, kDirections> makeDirections() {
    std::array<Vec3f, kDirections> directions;
    const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
    for (int i = 0; i < kDirections; ++i) {
        const double y = 1 - (2 * i + 1) / double(kDirections), r = std::sqrt(1 - y * y);
        directions[i] = Vec3f(Vec3d(r * std::cos(golden * i), y, r * std::sin(golden * i)));
    }
    return directions;
}

const std::array<Vec3f, kDirections>& directions() {
    static const std::array<Vec3f, kDirections> table = makeDirections();
    return table;
}

Vec3f farthestAlong(const Vec3f& direction, std::span<const Vec3f> points) {
    Vec3f best = points[0];
    double reach = dot(Vec3d(direction), Vec3d(best));
    for (const Vec3f& p : points) {
        const double d = dot(Vec3d(direction), Vec3d(p));
        if (d > reach) {
            reach = d;
            best = p;
        }
    }
    return best;
}

std::vector<Vec3f> hullOf(const Frame& frame) {
    if (!frame.hull.empty() || !(frame.radius > 0)) return frame.hull;
    std::vector<Vec3f> hull;
    for (const Vec3f& d : directions()) hull.push_back(frame.center + d * frame.radius);
    return hull;
}

bool isEmpty(const Frame& frame) { return frame.hull.empty() && !(frame.radius > 0); }

/// The free half size of a picture along one axis with the frame in it, solved for the eye position.
struct AxisFit {
    double above = -1e300, below = -1e300;

    void add(double along, double towards_eye, double tangent) {
        above = std::max(above, along + tangent * towards_eye);
        below = std::max(below, -along + tangent * towards_eye);
    }
    double middle() const { return (above - below) / 2; }
    double extent() const { return (above + below) / 2; }
};

void check(const Camera& camera) {
    const bool angles = std::isfinite(camera.azimuth) && camera.elevation >= -90 && camera.elevation <= 90;
    if (!angles)
        throw Error::badUsage("camera: the azimuth must be a number and the elevation within -90 to 90 degrees");
    if (!(camera.zoom >= 1e-3f && camera.zoom <= 1e4f))
        throw Error::badUsage("camera: the zoom must be within 0.001 to 10000");
    if (!(camera.field_of_view >= 0 && camera.field_of_view < 170))
        throw Error::badUsage("camera: the field of view must be at least 0 and below 170 degrees");
    if (camera.target && !isFinite(*camera.target)) throw Error::badUsage("camera: the target must be finite");
}

std::optional<float> parseNumber(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

}  // namespace

Normalization::Normalization(const Frame& frame) {
    if (isFinite(frame.center)) center = Vec3d(frame.center);
    if (frame.radius > 0 && std::isfinite(frame.radius)) scale = 1 / double(frame.radius);
}

Frame frameOf(std::span<const Vec3f> positions) {
    std::vector<Vec3f> points;
    for (const Vec3f& p : positions)
        if (isFinite(p)) points.push_back(p);
    Frame frame{{}, 0, 0, {}};
    if (points.empty()) return frame;
    const auto [low, high] = geometry::boundingBox(points);
    frame.center = Vec3f((low + high) * 0.5);
    double radius = 0;
    for (const Vec3f& p : points) radius = std::max(radius, length(Vec3d(p) - Vec3d(frame.center)));
    frame.radius = static_cast<float>(std::min(radius, 3e38));
    frame.floor = static_cast<float>(low.y);
    for (const Vec3f& d : directions()) frame.hull.push_back(farthestAlong(d, points));
    return frame;
}

Frame unite(const Frame& a, const Frame& b) {
    if (isEmpty(a)) return b;
    if (isEmpty(b)) return a;
    const std::vector<Vec3f> hull_a = hullOf(a), hull_b = hullOf(b);
    std::vector<Vec3f> points(hull_a);
    points.insert(points.end(), hull_b.begin(), hull_b.end());
    Frame frame = frameOf(points);
    frame.floor = std::min(a.floor, b.floor);
    return frame;
}

View fitView(const Frame& frame, const Camera& camera, float aspect) {
    check(camera);
    const double degree = std::numbers::pi / 180;
    const double azimuth = camera.azimuth * degree, elevation = camera.elevation * degree;
    const Vec3d right(std::cos(azimuth), 0, -std::sin(azimuth));
    const Vec3d back(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                     std::cos(azimuth) * std::cos(elevation));
    const Vec3d up = cross(back, right);

    const Normalization normalize(frame);
    const bool parallel = camera.field_of_view == 0;
    const double half = parallel ? 0 : std::tan(camera.field_of_view * degree / 2);
    const double fit_y = half * (1 - kAir), fit_x = half * aspect * (1 - kAir);
    AxisFit x, y;
    double nearest = -1;
    Frame fallback;
    fallback.radius = 1;
    const std::vector<Vec3f> hull = hullOf(isEmpty(frame) ? fallback : frame);
    for (const Vec3f& point : hull) {
        const Vec3d p(normalize(point));
        x.add(dot(p, right), dot(p, back), fit_x);
        y.add(dot(p, up), dot(p, back), fit_y);
        nearest = std::max(nearest, dot(p, back));
    }
    double middle_x = x.middle(), middle_y = y.middle();
    if (camera.target) {
        const Vec3d target(normalize(*camera.target));
        middle_x = dot(target, right);
        middle_y = dot(target, up);
    }
    View view{Vec3f(right), Vec3f(up), Vec3f(back), {}, 1, 1, parallel};
    double distance = nearest + 2;
    if (parallel) {
        const double size = std::max({y.extent(), x.extent() / aspect, 1e-6}) / (1 - kAir) / camera.zoom;
        view.half_height = static_cast<float>(size);
    } else {
        distance = std::max({x.extent() / fit_x, y.extent() / fit_y, nearest + 1e-3});
        view.half_height = static_cast<float>(half / camera.zoom);
    }
    view.half_width = view.half_height * aspect;
    view.eye = Vec3f(right * middle_x + up * middle_y + back * distance);
    return view;
}

Camera parseCamera(std::string_view text) {
    struct Named {
        std::string_view name;
        float azimuth, elevation;
    };
    constexpr Named kViews[] = {{"front", 0, 5},  {"side", 90, 5}, {"left", 90, 5},          {"right", -90, 5},
                                {"back", 180, 5}, {"top", 0, 90},  {"three-quarter", 30, 15}};
    Camera camera;
    for (const Named& view : kViews)
        if (view.name == text) {
            camera.azimuth = view.azimuth;
            camera.elevation = view.elevation;
            return camera;
        }
    std::vector<std::optional<float>> numbers;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        numbers.push_back(parseNumber(rest.substr(0, comma)));
        if (comma == std::string_view::npos || numbers.size() > 3) break;
        rest.remove_prefix(comma + 1);
    }
    const bool known = std::all_of(numbers.begin(), numbers.end(), [](const auto& n) { return n.has_value(); });
    if (!known || numbers.size() < 2 || numbers.size() > 3)
        throw Error::badUsage("camera '" + std::string(text) +
                              "' is not one of front, side, left, right, back, three-quarter, top or "
                              "AZIMUTH,ELEVATION[,ZOOM] in degrees, such as 45,10 or 45,10,1.5");
    camera.azimuth = *numbers[0];
    camera.elevation = *numbers[1];
    if (numbers.size() == 3) camera.zoom = *numbers[2];
    check(camera);
    return camera;
}

}  // namespace pelt::render
