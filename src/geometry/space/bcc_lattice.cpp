// Divides space into congruent tets over a grid of cubes.
#include "bcc_lattice.h"

#include <cmath>

namespace pelt::geometry {
namespace {

/// For each of the four edges of a face: the axis of the face that it is parallel to, and at which end of the other
/// axis it lies.
struct FaceEdge {
    int along, across, side;
};

FaceEdge faceEdge(int axis, int edge) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return edge < 2 ? FaceEdge{b, c, edge == 0 ? 1 : -1} : FaceEdge{c, b, edge == 2 ? 1 : -1};
}

}  // namespace

BccLattice::BccLattice(const Vec3d& low, const Vec3d& high, double size) : size_(size) {
    for (int k = 0; k < 3; ++k) {
        const int half = int(std::ceil((high[k] - low[k]) / 2 / size + 0.5)) + 1;
        counts_[std::size_t(k)] = 2 * half + 1;
        origin_[k] = (low[k] + high[k]) / 2 - half * size;
    }
}

std::size_t BccLattice::cubeIndex(const std::array<int, 3>& cube) const {
    return (std::size_t(cube[2]) * std::size_t(counts_[1]) + std::size_t(cube[1])) * std::size_t(counts_[0]) +
           std::size_t(cube[0]);
}

Vec3d BccLattice::cubeCenter(const std::array<int, 3>& cube) const {
    return origin_ + size_ * Vec3d{double(cube[0]), double(cube[1]), double(cube[2])};
}

std::array<int, 3> BccLattice::cubeOf(const Vec3d& point) const {
    std::array<int, 3> cube;
    for (int k = 0; k < 3; ++k) cube[std::size_t(k)] = int(std::floor((point[k] - origin_[k]) / size_ + 0.5));
    return cube;
}

std::size_t BccLattice::cellOf(const Vec3d& point) const {
    std::array<int, 3> cube = cubeOf(point);
    const Vec3d r = point - cubeCenter(cube);
    int axis = 0;  // of the face hit by the ray from the cube's center through the point
    for (int k = 1; k < 3; ++k)
        if (std::abs(r[k]) > std::abs(r[axis])) axis = k;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const int edge = std::abs(r[c]) >= std::abs(r[b]) ? (r[c] >= 0 ? 0 : 1) : (r[b] >= 0 ? 2 : 3);
    if (r[axis] < 0) --cube[std::size_t(axis)];
    return cubeIndex(cube) * kTetsPerCube + std::size_t(axis * 4 + edge);
}

BccLattice::Cell BccLattice::cell(std::size_t index) const {
    const int kind = int(index % kTetsPerCube), axis = kind / 4;
    std::size_t rest = index / kTetsPerCube;
    std::array<int, 3> cube;
    cube[0] = int(rest % std::size_t(counts_[0]));
    rest /= std::size_t(counts_[0]);
    cube[1] = int(rest % std::size_t(counts_[1]));
    cube[2] = int(rest / std::size_t(counts_[1]));

    std::array<int, 3> next = cube;
    ++next[std::size_t(axis)];
    const FaceEdge edge = faceEdge(axis, kind % 4);
    // A corner is numbered by the cube whose lowest corner it is.
    std::array<int, 3> first = next;
    if (edge.side > 0) ++first[std::size_t(edge.across)];
    std::array<int, 3> second = first;
    ++second[std::size_t(edge.along)];

    const Vec3d half{size_ / 2, size_ / 2, size_ / 2};
    Cell result;
    result.points = {2 * cubeIndex(cube), 2 * cubeIndex(next), 2 * cubeIndex(first) + 1, 2 * cubeIndex(second) + 1};
    result.positions = {cubeCenter(cube), cubeCenter(next), cubeCenter(first) - half, cubeCenter(second) - half};
    return result;
}

std::array<int, 3> BccLattice::quarterOffset(int kind) {
    const FaceEdge edge = faceEdge(kind / 4, kind % 4);
    std::array<int, 3> offset{};
    offset[std::size_t(kind / 4)] = 2;
    offset[std::size_t(edge.across)] = edge.side;
    return offset;
}

}  // namespace pelt::geometry
