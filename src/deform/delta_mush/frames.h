#pragma once

#include <pelt/core/compressed_rows.h>
#include <pelt/core/mat.h>
#include <pelt/core/mesh.h>

#include <span>

namespace pelt::deform {

/// The nearest rotation (det +1) to a 3x3 matrix: U diag(1, 1, det(U V^T)) V^T. An arbitrary one if it is not unique,
/// the identity if the matrix is not finite.
Mat3d nearestRotation(const Mat3d& a) noexcept;

/// The two other corners of a face, in its order.
struct Corner {
    std::uint32_t next, last;
};

/// A surface's corners, one row per vertex.
struct VertexCorners : CompressedRows {
    std::vector<Corner> corners;

    VertexCorners() = default;
    VertexCorners(std::span<const Triangle> triangles, std::size_t vertex_count);

    std::span<const Corner> of(std::size_t vertex) const { return rowOf(corners, vertex); }
};

/// The rotation of the tangent frame at a vertex from one shape of a surface to another: maps the normal
/// (area-weighted) to the normal; about it, the rotation is the best fit of the edges around the vertex (least squares
/// in the tangent planes), so that no edge is preferred. False, with `out` unchanged, if a shape has no normal there.
bool tangentRotation(std::span<const Corner> corners, std::size_t vertex, std::span<const Vec3d> rest,
                     std::span<const Vec3d> posed, Mat3d& out) noexcept;

}  // namespace pelt::deform
