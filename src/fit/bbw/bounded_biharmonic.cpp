// Bounded biharmonic weights [Jacobson11]: first one bounded problem a handle, roughly, and every vertex's weights
// divided by their sum; from there all handles together, with the sums as a constraint.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/bounded_biharmonic.h>
#include <pelt/geometry/tets.h>
#include <pelt/geometry/weld.h>

#include <atomic>
#include <cmath>
#include <mutex>

#include "handle_solver.h"
#include "joint_solver.h"

namespace pelt::fit {
namespace {

constexpr const char* kStage = "biharmonic weights";

void checkHandles(std::span<const std::vector<std::uint32_t>> handles, std::size_t vertex_count) {
    if (handles.empty()) throw Error::badInput("biharmonic weights need at least one handle");
    for (std::size_t h = 0; h < handles.size(); ++h) {
        const std::string name = "handle " + std::to_string(h);
        if (handles[h].empty()) throw Error::badInput(name + " holds no vertex: move it into the shape");
        for (const std::uint32_t v : handles[h])
            if (v >= vertex_count)
                throw Error::badInput(name + " holds vertex " + std::to_string(v) + ", but the shape has only " +
                                      std::to_string(vertex_count));
    }
}

/// The handle with the vertex nearest to any of `vertices`; the first on ties.
std::size_t nearestHandle(std::span<const Vec3d> positions, std::span<const std::uint32_t> vertices,
                          std::span<const std::vector<std::uint32_t>> handles) {
    std::size_t best = 0;
    double least = HUGE_VAL;
    for (std::size_t h = 0; h < handles.size(); ++h)
        for (const std::uint32_t held : handles[h])
            for (const std::uint32_t v : vertices) {
                const double distance = length(positions[held] - positions[v]);
                if (distance < least) {
                    least = distance;
                    best = h;
                }
            }
    return best;
}

/// Vertices that no handle reaches follow, piece by piece, the nearest handle as a whole.
void followNearest(std::span<const Vec3d> positions, const geometry::Adjacency& edges,
                   std::span<const std::vector<std::uint32_t>> handles, std::span<const std::uint8_t> unreached,
                   HandleWeights& weights) {
    const geometry::ConnectedParts parts = geometry::connectedParts(edges);
    std::vector<std::vector<std::uint32_t>> pieces(parts.count);
    for (std::uint32_t v = 0; v < unreached.size(); ++v)
        if (unreached[v]) pieces[parts.part[v]].push_back(v);
    parallelFor(pieces.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            if (pieces[p].empty()) continue;
            const std::size_t handle = nearestHandle(positions, pieces[p], handles);
            for (const std::uint32_t v : pieces[p]) weights.values[v * weights.handles + handle] = 1;
        }
    });
}

/// One column of the weights after the other, several at a time; tells progress and passes on a wish to stop.
HandleWeights solveAll(const bbw::BiharmonicSystem& system, std::size_t handles, const Progress& progress) {
    HandleWeights weights{handles, std::vector<double>(std::size_t(system.size()) * handles, 0.0), true};
    std::mutex mutex;
    std::size_t done = 0;
    std::atomic<bool> stop = false;
    const auto report = [&](std::size_t more) {
        const std::lock_guard lock(mutex);
        done += more;
        if (stop) throw Error(ErrorCode::cancelled, "cancelled");
        try {
            progress.report(kStage, 0.5 * double(done) / double(handles));
        } catch (...) {
            stop = true;
            throw;
        }
    };
    parallelFor(handles, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t h = first; h < last; ++h) {
            const bbw::HandleSolution solution = bbw::solveHandle(system, h, [&] { report(0); }, {.rough = true});
            for (std::size_t row = 0; row < system.vertex.size(); ++row)
                weights.values[system.vertex[row] * handles + h] = solution.weights[row];
            report(1);
        }
    });
    return weights;
}

/// Divides by the sums; says which vertices have none.
std::vector<std::uint8_t> normalise(HandleWeights& weights) {
    std::vector<std::uint8_t> unreached(weights.vertexCount(), 0);
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        double* row = weights.values.data() + v * weights.handles;
        double sum = 0;
        for (std::size_t h = 0; h < weights.handles; ++h) sum += row[h];
        unreached[v] = sum < 1e-9;
        for (std::size_t h = 0; h < weights.handles; ++h) row[h] = unreached[v] ? 0 : row[h] / sum;
    }
    return unreached;
}

/// From weights that were divided by their sums to those whose energy is least among all with sum 1.
void refine(const bbw::BiharmonicSystem& system, HandleWeights& weights, const Progress& progress) {
    const auto columns = Eigen::Index(weights.handles);
    Eigen::MatrixXd rows(system.size(), columns);
    for (int row = 0; row < system.size(); ++row)
        for (Eigen::Index h = 0; h < columns; ++h)
            rows(row, h) = weights.values[system.vertex[std::size_t(row)] * weights.handles + std::size_t(h)];
    const bbw::JointResult result =
        bbw::solveJointly(system, rows, [&](double share) { progress.report(kStage, 0.5 + 0.5 * share); });
    weights.converged = result.solved;
    for (int row = 0; row < system.size(); ++row)
        for (Eigen::Index h = 0; h < columns; ++h)
            weights.values[system.vertex[std::size_t(row)] * weights.handles + std::size_t(h)] = rows(row, h);
}

HandleWeights solveOn(std::span<const Vec3d> positions, const geometry::Laplacian& laplacian,
                      std::span<const double> mass, std::span<const std::vector<std::uint32_t>> handles,
                      const Progress& progress) {
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!isFinite(positions[v])) throw Error::badInput("vertex " + std::to_string(v) + " is not finite");
    progress.report(kStage, 0);
    const bbw::BiharmonicSystem system = bbw::biharmonicSystem(laplacian, mass, handles);
    HandleWeights weights = solveAll(system, handles.size(), progress);
    const std::vector<std::uint8_t> unreached = normalise(weights);
    refine(system, weights, progress);
    followNearest(positions, laplacian.edges, handles, unreached, weights);
    return weights;
}

/// A third of the area of each vertex's triangles.
std::vector<double> surfaceMass(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
    std::vector<double> mass(positions.size(), 0.0);
    for (const Triangle& t : triangles) {
        const Vec3d a(positions[t[0]]), b(positions[t[1]]), c(positions[t[2]]);
        for (const std::uint32_t v : t) mass[v] += length(cross(b - a, c - a)) / 6;
    }
    return mass;
}

}  // namespace

HandleWeights boundedBiharmonic(const TetMesh& volume, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress) {
    checkHandles(handles, volume.vertexCount());
    return solveOn(volume.positions, geometry::tetLaplacian(volume), geometry::tetMass(volume), handles, progress);
}

HandleWeights boundedBiharmonic(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                                std::span<const std::vector<std::uint32_t>> handles, const Progress& progress) {
    checkHandles(handles, positions.size());
    const geometry::Weld weld = geometry::weldByPosition(positions);
    std::vector<Vec3f> points(weld.count());
    std::vector<Vec3d> precise(weld.count());
    for (std::size_t v = 0; v < points.size(); ++v) {
        points[v] = positions[weld.representative[v]];
        precise[v] = Vec3d(points[v]);
    }
    std::vector<std::vector<std::uint32_t>> held(handles.begin(), handles.end());
    for (auto& handle : held)
        for (std::uint32_t& v : handle) v = weld.welded[v];
    const std::vector<Triangle> faces = geometry::weldedTriangles(triangles, weld);
    const auto laplacian = geometry::makeLaplacian(geometry::LaplacianKind::cotangent, points, faces);
    const HandleWeights welded = solveOn(precise, laplacian, surfaceMass(points, faces), held, progress);
    HandleWeights weights{handles.size(), {}, welded.converged};
    weights.values.reserve(positions.size() * handles.size());
    for (std::size_t v = 0; v < positions.size(); ++v) {
        const auto row = welded.of(weld.welded[v]);
        weights.values.insert(weights.values.end(), row.begin(), row.end());
    }
    return weights;
}

}  // namespace pelt::fit
