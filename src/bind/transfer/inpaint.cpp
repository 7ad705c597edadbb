// Fills in weights where none could be copied, smoothly from the vertices around.
#include "inpaint.h"

#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/connect_parts.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>
#include <map>

#include "weight_rows.h"

namespace pelt::bind::transfer {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr double kLeastMass = 1e-6;  ///< of the mean: slivers must not dominate
/// Of the mean weight: an edge between two right angles still connects, a needle does not outweigh everything.
constexpr double kLeastEdge = 1e-4, kMostEdge = 100;
constexpr double kLeastWeight = 1e-4;

SparseMatrix matrixOf(const geometry::Laplacian& laplacian) {
    double sum = 0;
    for (const double w : laplacian.weights) sum += w;
    const double mean = sum / double(std::max<std::size_t>(laplacian.weights.size(), 1));
    const double least = mean > 0 ? kLeastEdge * mean : 1, most = mean > 0 ? kMostEdge * mean : 1;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(laplacian.weights.size() + laplacian.vertexCount());
    for (std::size_t v = 0; v < laplacian.vertexCount(); ++v) {
        double diagonal = 0;
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const double weight = std::clamp(laplacian.weights[e], least, most);
            entries.emplace_back(int(v), int(laplacian.edges.neighbors[e]), -weight);
            diagonal += weight;
        }
        entries.emplace_back(int(v), int(v), diagonal);
    }
    SparseMatrix result(Eigen::Index(laplacian.vertexCount()), Eigen::Index(laplacian.vertexCount()));
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

Eigen::VectorXd massOf(const BindSurface& surface) {
    Eigen::VectorXd mass = Eigen::VectorXd::Zero(Eigen::Index(surface.positions.size()));
    for (const Triangle& t : surface.triangles) {
        const Vec3d& a = surface.positions[t[0]];
        const double area = length(cross(surface.positions[t[1]] - a, surface.positions[t[2]] - a)) / 6;
        if (std::isfinite(area))
            for (const std::uint32_t v : t) mass[v] += area / (surface.diagonal * surface.diagonal);
    }
    const double least = kLeastMass * mass.sum() / double(std::max<Eigen::Index>(mass.size(), 1));
    return mass.cwiseMax(least > 0 ? least : 1.0);
}

/// The unknowns and their equations Q_FF X = -Q_FA W_A.
struct FillSystem {
    std::vector<int> free_row;          ///< per vertex; -1: given
    std::vector<std::uint32_t> vertex;  ///< per row
    std::vector<std::uint32_t> joints;  ///< per column
    SparseMatrix energy;                ///< Q_FF
    Eigen::MatrixXd right, solution;
};

FillSystem fillSystem(const SparseMatrix& energy, const SkinWeights& given) {
    FillSystem system;
    system.free_row.assign(given.vertexCount(), -1);
    for (std::uint32_t v = 0; v < given.vertexCount(); ++v)
        if (given.influenceCount(v) == 0) {
            system.free_row[v] = int(system.vertex.size());
            system.vertex.push_back(v);
        }
    std::vector<Eigen::Triplet<double>> entries;
    std::map<std::uint32_t, std::vector<std::pair<int, double>>> right;  // by joint
    for (const std::uint32_t v : system.vertex)
        for (SparseMatrix::InnerIterator it(energy, int(v)); it; ++it) {
            const auto other = std::size_t(it.row());
            if (system.free_row[other] >= 0) {
                entries.emplace_back(system.free_row[other], system.free_row[v], it.value());
                continue;
            }
            for (std::size_t i = 0; i < given.influenceCount(other); ++i)
                right[given.jointsOf(other)[i]].emplace_back(system.free_row[v],
                                                             -it.value() * double(given.weightsOf(other)[i]));
        }
    const auto size = Eigen::Index(system.vertex.size());
    system.energy.resize(size, size);
    system.energy.setFromTriplets(entries.begin(), entries.end());
    system.right = Eigen::MatrixXd::Zero(size, Eigen::Index(right.size()));
    for (const auto& [joint, values] : right) {
        const auto column = Eigen::Index(system.joints.size());
        for (const auto& [row, value] : values) system.right(row, column) += value;
        system.joints.push_back(joint);
    }
    return system;
}

void solve(FillSystem& system, const Progress& progress) {
    progress.report("fill", 0);
    const Eigen::SimplicialLDLT<SparseMatrix> factor(system.energy);
    if (factor.info() != Eigen::Success)
        throw Error::badInput("the mesh is too degenerate to fill in weights; remove faces without area");
    progress.report("fill", 0.6);
    system.solution.resizeLike(system.right);
    parallelFor(system.joints.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j)
            system.solution.col(Eigen::Index(j)) = factor.solve(system.right.col(Eigen::Index(j)));
    });
    progress.report("fill", 1);
}

}  // namespace

FillGraph fillGraph(const BindSurface& surface, std::span<const std::uint32_t> labels) {
    const std::vector<Vec3f> positions(surface.positions.begin(), surface.positions.end());
    FillGraph graph;
    graph.laplacian = geometry::makeLaplacian(LaplacianKind::cotangent, positions, surface.triangles);
    const geometry::PartTies ties = geometry::tieParts(graph.laplacian, positions, labels);
    graph.laplacian = geometry::withEdges(graph.laplacian, ties.edges);
    graph.regions = geometry::connectedParts(graph.laplacian.edges);
    return graph;
}

SkinWeights inpaint(const BindSurface& surface, const FillGraph& graph, const SkinWeights& given,
                    const Progress& progress) {
    const SparseMatrix laplacian = matrixOf(graph.laplacian);
    const SparseMatrix energy =
        laplacian + SparseMatrix(laplacian * massOf(surface).cwiseInverse().asDiagonal() * laplacian);
    FillSystem system = fillSystem(energy, given);
    if (system.vertex.empty()) return given;
    solve(system, progress);
    SkinWeights result;
    RowSum row;
    for (std::size_t v = 0; v < given.vertexCount(); ++v) {
        if (system.free_row[v] < 0) {
            row.add(given, v, 1);
        } else {
            for (std::size_t j = 0; j < system.joints.size(); ++j)
                if (const double w = system.solution(system.free_row[v], Eigen::Index(j)); w > kLeastWeight)
                    row.add(system.joints[j], w);
        }
        row.appendTo(result);
    }
    return result;
}

}  // namespace pelt::bind::transfer
