#pragma once

#include <pelt/core/mesh.h>
#include <pelt/geometry/bounding_box.h>

#include <optional>
#include <span>

namespace pelt::geometry {

/// A place where a ray goes through the surface.
struct Crossing {
    double t = 0;              ///< the place is origin + t · direction
    std::int32_t leaving = 0;  ///< +1 where the ray comes out through a face's front, -1 where it goes in
    std::uint32_t tag = 0;     ///< of the triangle
};

/// The place of a surface that is nearest to a point.
struct SurfacePlace {
    double distance = 0;
    Vec3d point;
    std::uint32_t triangle = 0;  ///< as the tree was given it
};

/// Triangles in a tree of boxes, for rays that want every crossing and not only the first: what is inside of open,
/// overlapping, many-part meshes takes all of them. Immutable; queries may run on any number of threads.
class RayTree {
public:
    /// `tags` has one entry a triangle. Copies what it needs. Triangles with a corner that is not finite are left out.
    /// Throws Error (bad input) for a triangle that names a vertex beyond the positions.
    RayTree(std::span<const Vec3d> positions, std::span<const Triangle> triangles, std::span<const std::uint32_t> tags);

    /// Every crossing with 0 <= t <= t_max, by rising t; `out` is cleared first. An edge or a corner that is hit counts
    /// once a tag and side.
    void crossings(const Vec3d& origin, const Vec3d& direction, double t_max, std::vector<Crossing>& out) const;

    /// The nearest place on the triangles whose tag is `allowed` (one entry a tag), no farther than `reach`; of equally
    /// near ones, that of the lowest triangle. Nothing where there is none.
    std::optional<SurfacePlace> nearest(const Vec3d& point, double reach, const std::vector<bool>& allowed) const;

    bool empty() const { return nodes_.empty(); }
    /// One more than the highest tag.
    std::uint32_t tagCount() const { return tag_count_; }

private:
    struct Node : Box {
        std::uint32_t first = 0, count = 0;  ///< triangles of a leaf; count 0: the children are first and first + 1
    };
    struct Face {
        Vec3d corners[3];
        std::uint32_t tag = 0, triangle = 0;
    };

    void split(std::size_t node, std::uint32_t first, std::uint32_t last);

    std::vector<Node> nodes_;
    std::vector<Face> faces_;
    std::uint32_t tag_count_ = 0;
};

/// How the surface wraps round a point. Both count over the same fixed directions and take what most of them say, so
/// that holes and lone sheets do little harm.
struct Enclosure {
    int winding = 0;                  ///< the median of the windings; above 0: inside
    std::vector<std::uint32_t> tags;  ///< whose own faces wrap round the point, ascending
};

Enclosure enclosureOf(const RayTree& tree, const Vec3d& point);

}  // namespace pelt::geometry
