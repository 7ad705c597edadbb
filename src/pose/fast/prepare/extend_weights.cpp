// Weights inside a volume from those on the surface in it: for each handle the smoothest function (of least Dirichlet
// energy) whose values at the surface's vertices fit the weights there by least squares.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/tets.h>
#include <pelt/pose/pose.h>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>

namespace pelt::pose {
namespace {

constexpr double kAgreement = 100;  ///< the weight of the fit at the vertices relative to smoothness
constexpr double kSmallest = 1e-4;  ///< smaller weights are irrelevant but take time

using Sparse = Eigen::SparseMatrix<double>;

/// L + μ E^T E; E interpolates from the volume's points to the surface's vertices.
Sparse makeSystem(const TetMesh& volume, const Sparse& interpolation, double& mu) {
    const geometry::Laplacian laplacian = geometry::tetLaplacian(volume);
    const auto size = Eigen::Index(volume.vertexCount());
    std::vector<Eigen::Triplet<double>> entries;
    double sum = 0;
    for (std::size_t v = 0; v < laplacian.vertexCount(); ++v) {
        sum += laplacian.diagonal[v];
        double diagonal = 0;
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e) {
            const double w = std::max(0.0, laplacian.weights[e]);
            diagonal += w;
            entries.emplace_back(Eigen::Index(v), Eigen::Index(laplacian.edges.neighbors[e]), -w);
        }
        entries.emplace_back(Eigen::Index(v), Eigen::Index(v), diagonal);
    }
    mu = kAgreement * sum / double(size);
    for (Eigen::Index v = 0; v < size; ++v) entries.emplace_back(v, v, 1e-9 * mu);
    Sparse system(size, size);
    system.setFromTriplets(entries.begin(), entries.end());
    const Sparse agreement = interpolation.transpose() * interpolation;
    return system + mu * agreement;
}

}  // namespace

SkinWeights extendWeights(const TetMesh& volume, std::span<const std::uint32_t> tet,
                          std::span<const std::array<double, 4>> barycentric, const SkinWeights& surface,
                          std::size_t handles) {
    if (tet.size() != surface.vertexCount() || barycentric.size() != tet.size())
        throw Error::badInput(fmt::format("{} vertices are in the volume, but there are weights for {}", tet.size(),
                                          surface.vertexCount()));
    const auto vertices = Eigen::Index(tet.size()), points = Eigen::Index(volume.vertexCount());
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t v = 0; v < tet.size(); ++v)
        for (std::size_t c = 0; c < 4; ++c)
            entries.emplace_back(Eigen::Index(v), Eigen::Index(volume.tets[tet[v]][c]), barycentric[v][c]);
    Sparse interpolation(vertices, points);
    interpolation.setFromTriplets(entries.begin(), entries.end());
    double mu = 0;
    const Eigen::SimplicialLDLT<Sparse> solver(makeSystem(volume, interpolation, mu));
    if (solver.info() != Eigen::Success) throw Error::badInput("the volume has no usable tets");

    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(points, Eigen::Index(handles));
    for (std::size_t v = 0; v < tet.size(); ++v)
        for (std::size_t k = 0; k < surface.influenceCount(v); ++k)
            for (std::size_t c = 0; c < 4; ++c)
                right(Eigen::Index(volume.tets[tet[v]][c]), Eigen::Index(surface.jointsOf(v)[k])) +=
                    mu * barycentric[v][c] * double(surface.weightsOf(v)[k]);
    parallelFor(handles, 1, [&](std::size_t h, std::size_t) {
        const Eigen::VectorXd column = right.col(Eigen::Index(h));
        right.col(Eigen::Index(h)) = solver.solve(column);
    });

    SkinWeights out;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (Eigen::Index p = 0; p < points; ++p) {
        joints.clear();
        values.clear();
        for (Eigen::Index h = 0; h < right.cols(); ++h) {
            if (!(right(p, h) > kSmallest)) continue;
            joints.push_back(std::uint32_t(h));
            values.push_back(float(right(p, h)));
        }
        if (joints.empty())
            throw Error::badInput(fmt::format("point {} of the volume is not connected to the surface", p));
        appendVertex(out, joints, values);
    }
    return out;
}

}  // namespace pelt::pose
