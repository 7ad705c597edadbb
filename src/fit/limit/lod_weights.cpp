// Weights for a simplified mesh with which it follows the original surface.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/lod_weights.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <map>

namespace pelt::fit {
namespace {

constexpr double kOwnShare = 0.1;  ///< of a point's own weights: keeps points that no vertex lies near
constexpr double kLeastLodWeight = 1e-3;

using LodMatrix = Eigen::SparseMatrix<double>;

/// BᵀB + 0.1 I.
LodMatrix normalMatrix(std::span<const geometry::SurfacePlace> places, std::span<const Triangle> triangles,
                       std::size_t points) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(9 * places.size() + points);
    for (const geometry::SurfacePlace& place : places) {
        const Triangle& t = triangles[place.triangle];
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                if (place.shares[a] > 0 && place.shares[b] > 0)
                    entries.emplace_back(int(t[a]), int(t[b]), place.shares[a] * place.shares[b]);
    }
    for (std::size_t p = 0; p < points; ++p) entries.emplace_back(int(p), int(p), kOwnShare);
    LodMatrix matrix{Eigen::Index(points), Eigen::Index(points)};
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

}  // namespace

SkinWeights solveLodWeights(std::span<const geometry::SurfacePlace> places, std::span<const Triangle> triangles,
                            const SkinWeights& original, const SkinWeights& own, std::size_t influences) {
    const std::size_t points = own.vertexCount();
    std::map<std::uint32_t, Eigen::VectorXd> columns;  // by joint: BᵀW_original + 0.1 W_own
    const auto column = [&](std::uint32_t joint) -> Eigen::VectorXd& {
        return columns.try_emplace(joint, Eigen::VectorXd::Zero(Eigen::Index(points))).first->second;
    };
    for (std::size_t v = 0; v < places.size(); ++v)
        for (std::size_t i = 0; i < original.influenceCount(v); ++i) {
            Eigen::VectorXd& right = column(original.jointsOf(v)[i]);
            for (std::size_t k = 0; k < 3; ++k)
                right[triangles[places[v].triangle][k]] += places[v].shares[k] * double(original.weightsOf(v)[i]);
        }
    for (std::size_t p = 0; p < points; ++p)
        for (std::size_t i = 0; i < own.influenceCount(p); ++i)
            column(own.jointsOf(p)[i])[Eigen::Index(p)] += kOwnShare * double(own.weightsOf(p)[i]);
    const Eigen::SimplicialLDLT<LodMatrix> factor(normalMatrix(places, triangles, points));
    if (factor.info() != Eigen::Success) throw Error::badInput("the simplified mesh is too degenerate to fit weights");
    std::vector<std::pair<std::uint32_t, Eigen::VectorXd>> solved(columns.begin(), columns.end());
    parallelFor(solved.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) solved[j].second = Eigen::VectorXd(factor.solve(solved[j].second));
    });
    SkinWeights result;
    std::vector<std::uint32_t> joints;
    std::vector<float> weights;
    for (std::size_t p = 0; p < points; ++p) {
        joints.clear();
        weights.clear();
        for (const auto& [joint, values] : solved) {
            if (!(values[Eigen::Index(p)] > kLeastLodWeight)) continue;
            joints.push_back(joint);
            weights.push_back(float(values[Eigen::Index(p)]));
        }
        appendVertex(result, joints, weights);
    }
    return keepHeaviest(result, influences);
}

}  // namespace pelt::fit
