#pragma once

#include <pelt/core/tet_mesh.h>

#include <cstdint>

namespace pelt::geometry {

/// A division of space into congruent tets: the centers and the corners of a grid of cubes are its points, and every
/// tet has the centers of two cubes that share a face and one edge of that face. Its cells are numbered cube by cube,
/// 12 each: the cube on the lower side of the face, the axis across the face and which of the face's edges.
class BccLattice {
public:
    static constexpr int kTetsPerCube = 12;

    /// Cubes of `size` that cover the box plus one layer; one of them is centered on the box's center.
    BccLattice(const Vec3d& low, const Vec3d& high, double size);

    double size() const { return size_; }
    const std::array<int, 3>& counts() const { return counts_; }
    std::size_t cellCount() const { return cubeCount() * kTetsPerCube; }

    std::size_t cubeIndex(const std::array<int, 3>& cube) const;
    /// The cube that contains the point.
    std::array<int, 3> cubeOf(const Vec3d& point) const;
    /// The cell that contains the point (on a border, approximately the lower numbered one).
    std::size_t cellOf(const Vec3d& point) const;
    /// The cell's corners; the number of a point identifies it in the whole lattice.
    struct Cell {
        std::array<std::size_t, 4> points;
        std::array<Vec3d, 4> positions;
    };
    Cell cell(std::size_t index) const;
    std::size_t pointCount() const { return cubeCount() * 2; }

    /// The center of a cell relative to its cube's center, in units of a quarter cube, for `kind` = index % 12.
    static std::array<int, 3> quarterOffset(int kind);
    Vec3d cubeCenter(const std::array<int, 3>& cube) const;

private:
    std::size_t cubeCount() const {
        return std::size_t(counts_[0]) * std::size_t(counts_[1]) * std::size_t(counts_[2]);
    }

    Vec3d origin_;  ///< the center of cube 0, 0, 0
    double size_;
    std::array<int, 3> counts_{};
};

}  // namespace pelt::geometry
