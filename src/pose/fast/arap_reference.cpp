// As-rigid-as-possible deformation without a reduction: the energies of [Jacobson12] over all vertices, by local steps
// with a rotation for each edge set and global steps with a sparse factorization. Used for comparison with rigs.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/pose/arap.h>
#include <pelt/runtime/rotation.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>

#include "pose/fast/plane_rotation.h"
#include "pose/fast/prepare/edge_sets.h"

namespace pelt::pose {
namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, 3>;

Vec3d pointOf(const Points& points, std::uint32_t v) { return {points(v, 0), points(v, 1), points(v, 2)}; }

std::vector<std::size_t> setOffsets(const EdgeSets& sets) {
    std::vector<std::size_t> offsets(sets.count + 1, 0);
    for (const EdgeTerm& t : sets.terms) ++offsets[t.set + 1];
    for (std::size_t s = 0; s < sets.count; ++s) offsets[s + 1] += offsets[s];
    return offsets;
}

/// Σ c (v'_i - v'_j) (v_i - v_j)^T over a set.
Mat3d covariance(const EdgeSets& sets, std::size_t first, std::size_t last, std::span<const Vec3d> rest,
                 const Points& posed) {
    Mat3d s = Mat3d() * 0.0;
    for (std::size_t e = first; e < last; ++e) {
        const EdgeTerm& t = sets.terms[e];
        const Vec3d from = rest[t.i] - rest[t.j], to = (pointOf(posed, t.i) - pointOf(posed, t.j)) * t.c;
        for (int a = 0; a < 3; ++a) s.col[a] += to * from[a];
    }
    return s;
}

double energyOf(const EdgeSets& sets, std::span<const Vec3d> rest, const Points& posed,
                std::span<const Mat3d> rotations) {
    double sum = 0;
    for (const EdgeTerm& t : sets.terms) {
        const Vec3d d = pointOf(posed, t.i) - pointOf(posed, t.j) - rotations[t.set] * (rest[t.i] - rest[t.j]);
        sum += 0.5 * t.c * dot(d, d);
    }
    return sum;
}

void localStep(const EdgeSets& sets, std::span<const std::size_t> offsets, const ArapShape& shape, const Points& posed,
               std::vector<Mat3d>& rotations) {
    parallelFor(sets.count, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s < last; ++s) {
            const Mat3d sum = covariance(sets, offsets[s], offsets[s + 1], shape.positions, posed);
            rotations[s] = shape.normal ? planeRotation(sum, *shape.normal, rotations[s])
                                        : runtime::nearestRotation(sum, rotations[s]).rotation;
        }
    });
}

/// The global step: L X = B over the vertices that are not fixed.
class GlobalSystem {
public:
    GlobalSystem(const EdgeSets& sets, std::size_t vertices, std::span<const FixedVertex> fixed) : place_(vertices, 0) {
        for (const FixedVertex& f : fixed) place_[f.vertex] = -1;
        Eigen::Index free = 0;
        for (Eigen::Index& p : place_)
            if (p == 0) p = free++;
        std::vector<Eigen::Triplet<double>> entries;
        std::vector<double> diagonal(std::size_t(free), 0.0);
        for (const EdgeTerm& t : sets.terms) {
            const Eigen::Index i = place_[t.i], j = place_[t.j];
            if (i >= 0) diagonal[std::size_t(i)] += t.c;
            if (j >= 0) diagonal[std::size_t(j)] += t.c;
            if (i >= 0 && j >= 0) {
                entries.emplace_back(i, j, -t.c);
                entries.emplace_back(j, i, -t.c);
            }
        }
        // A vertex without edges does not move.
        for (Eigen::Index i = 0; i < free; ++i)
            entries.emplace_back(i, i, diagonal[std::size_t(i)] > 0 ? diagonal[std::size_t(i)] : 1.0);
        Eigen::SparseMatrix<double> laplacian(free, free);
        laplacian.setFromTriplets(entries.begin(), entries.end());
        solver_.compute(laplacian);
        if (solver_.info() != Eigen::Success) throw Error::badInput("a part of the mesh has no fixed vertex");
        free_ = free;
    }

    void solve(const EdgeSets& sets, std::span<const Vec3d> rest, std::span<const Mat3d> rotations, Points& posed) {
        Points right = Points::Zero(free_, 3);
        std::vector<char> touched(std::size_t(free_), 0);
        const auto add = [&](std::uint32_t v, std::uint32_t other, const Vec3d& edge, double c) {
            const Eigen::Index row = place_[v];
            if (row < 0) return;
            touched[std::size_t(row)] = 1;
            Vec3d sum = edge * c;
            if (place_[other] < 0) sum += pointOf(posed, other) * c;
            for (int b = 0; b < 3; ++b) right(row, b) += sum[b];
        };
        for (const EdgeTerm& t : sets.terms) {
            const Vec3d edge = rotations[t.set] * (rest[t.i] - rest[t.j]);
            add(t.i, t.j, edge, t.c);
            add(t.j, t.i, -edge, t.c);
        }
        const Points found = solver_.solve(right);
        for (std::size_t v = 0; v < place_.size(); ++v)
            if (place_[v] >= 0 && touched[std::size_t(place_[v])]) posed.row(Eigen::Index(v)) = found.row(place_[v]);
    }

private:
    std::vector<Eigen::Index> place_;
    Eigen::Index free_ = 0;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
};

Points toPoints(std::span<const Vec3d> positions) {
    Points points(Eigen::Index(positions.size()), 3);
    for (std::size_t v = 0; v < positions.size(); ++v)
        points.row(Eigen::Index(v)) << positions[v].x, positions[v].y, positions[v].z;
    return points;
}

EdgeSets setsOf(const ArapShape& shape, Energy energy) {
    if (energy != Energy::tets) return surfaceSets(energy, shape.positions, shape.triangles);
    return tetSets({{shape.positions.begin(), shape.positions.end()}, {shape.tets.begin(), shape.tets.end()}});
}

}  // namespace

double arapEnergy(const ArapShape& shape, Energy energy, std::span<const Vec3d> posed) {
    const EdgeSets sets = setsOf(shape, energy);
    const Points points = toPoints(posed);
    std::vector<Mat3d> rotations(sets.count);
    localStep(sets, setOffsets(sets), shape, points, rotations);
    return energyOf(sets, shape.positions, points, rotations);
}

ArapResult arap(const ArapShape& shape, Energy energy, std::span<const FixedVertex> fixed, std::span<const Vec3d> start,
                int iterations, const Progress& progress) {
    const EdgeSets sets = setsOf(shape, energy);
    const std::vector<std::size_t> offsets = setOffsets(sets);
    Points posed = toPoints(start);
    for (const FixedVertex& f : fixed) {
        if (f.vertex >= start.size())
            throw Error::badInput(
                fmt::format("vertex {} is fixed, but there are only {} vertices", f.vertex, start.size()));
        posed.row(f.vertex) << f.target.x, f.target.y, f.target.z;
    }
    GlobalSystem system(sets, shape.positions.size(), fixed);
    std::vector<Mat3d> rotations(sets.count);
    ArapResult result;
    for (int i = 0; i < iterations; ++i) {
        progress.report("arap", double(i) / double(iterations));
        localStep(sets, offsets, shape, posed, rotations);
        system.solve(sets, shape.positions, rotations, posed);
        result.energies.push_back(energyOf(sets, shape.positions, posed, rotations));
    }
    for (Eigen::Index v = 0; v < posed.rows(); ++v) result.positions.push_back(pointOf(posed, std::uint32_t(v)));
    return result;
}

}  // namespace pelt::pose
