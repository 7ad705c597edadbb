// Bounded biharmonic weights [Jacobson11]: from the blurred cells of the handles to the minimum for all handles
// together, with the sums as a constraint.
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/tets.h>
#include <pelt/geometry/weld.h>

#include <cmath>

#include "diffused_cells.h"
#include "joint_solver.h"

namespace pelt::bind {
namespace {

constexpr const char* kStage = "biharmonic weights";
constexpr double kStartShare = 0.1;  ///< of the time

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

/// Components that no handle reaches follow the nearest handle as a whole.
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

HandleWeights solveOn(std::span<const Vec3d> positions, const geometry::Laplacian& laplacian,
                      std::span<const double> mass, std::span<const std::vector<std::uint32_t>> handles,
                      const Progress& progress) {
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!isFinite(positions[v])) throw Error::badInput("vertex " + std::to_string(v) + " is not finite");
    progress.report(kStage, 0);
    const bbw::BiharmonicSystem system = bbw::biharmonicSystem(positions, laplacian, mass, handles);
    Eigen::MatrixXd rows =
        bbw::diffusedCells(system, [&](double share) { progress.report(kStage, kStartShare * share); });
    const bbw::JointResult result = bbw::solveJointly(
        system, rows, [&](double share) { progress.report(kStage, kStartShare + (1 - kStartShare) * share); });
    HandleWeights weights{handles.size(), std::vector<double>(positions.size() * handles.size()), result.solved};
    std::vector<std::uint8_t> unreached(positions.size(), 0);
    for (int row = 0; row < system.size(); ++row) {
        const std::size_t v = system.vertex[std::size_t(row)];
        unreached[v] = system.cell[std::size_t(row)] < 0;
        for (std::size_t h = 0; h < handles.size(); ++h)
            weights.values[v * handles.size() + h] = rows(row, Eigen::Index(h));
    }
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

HandleWeights boundedBiharmonic(const Mesh& surface, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress) {
    checkHandles(handles, surface.vertexCount());
    const geometry::Weld weld = geometry::weldByPosition(surface);
    std::vector<Vec3f> points(weld.count());
    std::vector<Vec3d> precise(weld.count());
    for (std::size_t v = 0; v < points.size(); ++v) {
        points[v] = surface.positions[weld.representative[v]];
        precise[v] = Vec3d(points[v]);
    }
    std::vector<std::vector<std::uint32_t>> held(handles.begin(), handles.end());
    for (auto& handle : held)
        for (std::uint32_t& v : handle) v = weld.welded[v];
    const std::vector<Triangle> faces = geometry::weldedTriangles(surface.triangles, weld);
    const auto laplacian = geometry::makeLaplacian(geometry::LaplacianKind::cotangent, points, faces);
    const HandleWeights welded = solveOn(precise, laplacian, surfaceMass(points, faces), held, progress);
    HandleWeights weights{handles.size(), {}, welded.converged};
    weights.values.reserve(surface.vertexCount() * handles.size());
    for (std::size_t v = 0; v < surface.vertexCount(); ++v) {
        const auto row = welded.of(weld.welded[v]);
        weights.values.insert(weights.values.end(), row.begin(), row.end());
    }
    return weights;
}

}  // namespace pelt::bind
