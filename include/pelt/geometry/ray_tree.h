#pragma once

#include <pelt/core/mesh.h>
#include <pelt/geometry/bounding_box.h>

#include <array>
#include <optional>
#include <span>

namespace pelt::geometry {

/// An intersection of a ray with the surface.
struct Crossing {
    double t = 0;              ///< the point is origin + t · direction
    std::int32_t leaving = 0;  ///< +1 if the ray exits through the front of a face, -1 if it enters
    std::uint32_t tag = 0;     ///< of the triangle
};

/// The point of a surface that is nearest to a given point.
struct SurfacePlace {
    double distance = 0;
    Vec3d point;
    std::uint32_t triangle = 0;      ///< index of the triangle
    std::array<double, 3> shares{};  ///< of its corners in the point (barycentric): not negative, sum 1
};

/// Triangles whose normal is within an angle of a direction.
struct FacingFilter {
    Vec3d direction;          ///< unit
    double least_cosine = 0;  ///< of the angle between the direction and the normal
    bool both_sides = false;  ///< of each triangle: the sign of its normal is ignored
    static constexpr std::uint32_t kAnyTag = ~std::uint32_t(0);
    std::uint32_t tag = kAnyTag;  ///< of the triangles
};

/// A bounding-volume hierarchy of triangles that finds all intersections of a ray, not only the first: deciding what is
/// inside an open mesh with overlapping parts needs all of them. Immutable; queries may run on any number of threads.
class RayTree {
public:
    /// `tags` has one entry per triangle. Copies what it needs. Triangles with a corner that is not finite are ignored.
    /// Throws Error (bad input) for a triangle with a missing vertex.
    RayTree(std::span<const Vec3d> positions, std::span<const Triangle> triangles, std::span<const std::uint32_t> tags);

    /// The same with tag 0 for every triangle.
    RayTree(std::span<const Vec3d> positions, std::span<const Triangle> triangles);

    /// All intersections with 0 <= t <= t_max, by increasing t; `out` is cleared first. A hit on an edge or corner
    /// counts once per tag and side.
    void crossings(const Vec3d& origin, const Vec3d& direction, double t_max, std::vector<Crossing>& out) const;

    /// The nearest point on the triangles whose tag is `allowed` (one entry per tag), within the distance `reach`; on
    /// ties, that of the lowest triangle. Nothing if there is none.
    std::optional<SurfacePlace> nearest(const Vec3d& point, double reach, const std::vector<bool>& allowed) const;

    /// The same on all triangles.
    std::optional<SurfacePlace> nearest(const Vec3d& point, double reach) const;

    /// The same on the triangles whose normal fits. One without area has no normal and never does.
    std::optional<SurfacePlace> nearestFacing(const Vec3d& point, double reach, const FacingFilter& facing) const;

    bool empty() const { return nodes_.empty(); }
    /// One more than the highest tag.
    std::uint32_t tagCount() const { return tag_count_; }

private:
    static constexpr std::uint32_t kMixed = ~std::uint32_t(0);
    struct Node : Box {
        std::uint32_t first = 0, count = 0;  ///< triangles of a leaf; count 0: the children are first and first + 1
        std::uint32_t tag = 0;               ///< of all its triangles, or kMixed
    };
    struct Face {
        Vec3d corners[3];
        std::uint32_t tag = 0, triangle = 0;
    };

    template <class Opens, class Accepts>
    std::optional<SurfacePlace> nearestAccepted(const Vec3d& point, double reach, const Opens& opens,
                                                const Accepts& accepts) const;
    void split(std::size_t node, std::uint32_t first, std::uint32_t last);

    std::vector<Node> nodes_;
    std::vector<Face> faces_;
    std::uint32_t tag_count_ = 0;
};

/// How the surface encloses a point. Both members are majorities over the same fixed directions, so that holes and
/// single sheets do little harm.
struct Enclosure {
    int winding = 0;                  ///< the median of the winding numbers; above 0: inside
    std::vector<std::uint32_t> tags;  ///< tags whose faces enclose the point, ascending
};

Enclosure enclosureOf(const RayTree& tree, const Vec3d& point);

}  // namespace pelt::geometry
