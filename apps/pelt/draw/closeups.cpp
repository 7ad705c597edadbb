// The picture of `pelt check --sheet`.
#include "draw/closeups.h"

#include <pelt/geometry/bounding_box.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/sheet.h"

namespace pelt::draw {
namespace {

constexpr float kCloseupAir = 2.2f;  // how much more than the place is seen
constexpr float kMostZoom = 8;
constexpr Vec3f kClay{0.55f, 0.52f, 0.48f}, kMark{0.85f, 0.06f, 0.03f};

render::Camera cameraFor(const verbs::Closeup& closeup, double diagonal) {
    render::Camera camera;
    const double flat = std::hypot(double(closeup.toward.x), double(closeup.toward.z));
    const double degrees = 180 / std::numbers::pi;
    if (flat > 1e-6) camera.azimuth = float(std::atan2(double(closeup.toward.x), double(closeup.toward.z)) * degrees);
    camera.elevation = float(std::clamp(std::atan2(double(closeup.toward.y), flat) * degrees, -50.0, 60.0));
    camera.target = closeup.target;
    camera.zoom = std::clamp(float(diagonal / 2) / std::max(kCloseupAir * closeup.radius, 1e-6f), 1.0f, kMostZoom);
    return camera;
}

}  // namespace

Image drawCloseups(const verbs::CloseupSheet& sheet, const Progress& progress) {
    std::vector<Shot> shots;
    for (const verbs::Closeup& closeup : sheet.closeups) {
        Shot& shot = shots.emplace_back();
        shot.positions = closeup.positions;
        shot.triangles = sheet.triangles;
        for (const char marked : closeup.marked) shot.colors.push_back(marked ? kMark : kClay);
        shot.camera = cameraFor(closeup, geometry::boundingDiagonal(closeup.positions));
        shot.caption = closeup.caption;
    }
    SheetLayout layout;
    layout.size = sheet.size;
    layout.columns = sheet.columns;
    layout.title = sheet.title;
    return drawSheet(shots, layout, progress);
}

}  // namespace pelt::draw
