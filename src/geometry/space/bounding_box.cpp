// The box around a set of points.
#include <pelt/geometry/bounding_box.h>

namespace pelt::geometry {
namespace {

template <class Point>
Box boxOf(std::span<const Point> points) {
    Box box = Box::none();
    for (const Point& p : points)
        if (isFinite(p)) box.grow(Vec3d(p));
    return box.low.x > box.high.x ? Box{} : box;
}

}  // namespace

Box boundingBox(std::span<const Vec3f> points) { return boxOf(points); }
Box boundingBox(std::span<const Vec3d> points) { return boxOf(points); }

double boundingDiagonal(std::span<const Vec3f> points) { return boundingBox(points).diagonal(); }

}  // namespace pelt::geometry
