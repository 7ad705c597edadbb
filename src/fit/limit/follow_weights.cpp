// Weights that follow poses of the mesh. With x the rest position of a vertex, y its position in a pose and M_i the
// joints' matrices, the error of weights w with sum 1 is
//   Σ_poses |Σ_i w_i M_i x - y|² = wᵀ G w,   G_ij = Σ_poses (M_i x - y)·(M_j x - y).
#include <pelt/core/parallel.h>
#include <pelt/fit/follow_weights.h>

#include <algorithm>

#include "simplex_weights.h"

namespace pelt::fit {
namespace {

constexpr std::size_t kMostFollowed = 16;  ///< joints of a vertex that are considered, the heaviest

}  // namespace

SkinWeights followPoses(std::span<const Vec3f> rest, const SkinWeights& given, const FollowedPoses& poses,
                        std::size_t influences, const Progress& progress) {
    const std::size_t vertices = rest.size(), count = poses.positions.size() / std::max<std::size_t>(vertices, 1);
    std::vector<std::vector<double>> solved(vertices);
    constexpr std::size_t kAtOnce = 4096;  // between two checks for cancellation
    for (std::size_t from = 0; from < vertices; from += kAtOnce) {
        progress.report("weights", double(from) / double(vertices));
        parallelFor(std::min(kAtOnce, vertices - from), kSolveGrain, [&](std::size_t begin, std::size_t end) {
            std::vector<Vec3d> away;
            for (std::size_t v = from + begin; v < from + end; ++v) {
                const std::size_t n = std::min(given.influenceCount(v), std::max(kMostFollowed, influences));
                std::vector<double> products(n * (n + 1) / 2, 0.0), prior(n);
                for (std::size_t i = 0; i < n; ++i) prior[i] = given.weightsOf(v)[i];
                away.resize(n);
                for (std::size_t p = 0; p < count; ++p) {
                    const Affine3d* joints = poses.joints.data() + p * poses.joint_count;
                    const Vec3d y(poses.positions[p * vertices + v]);
                    for (std::size_t i = 0; i < n; ++i) away[i] = joints[given.jointsOf(v)[i]] * Vec3d(rest[v]) - y;
                    double* product = products.data();
                    for (std::size_t i = 0; i < n; ++i)
                        for (std::size_t j = i; j < n; ++j) *product++ += dot(away[i], away[j]);
                }
                if (n > 1) solved[v] = limit::SimplexWeights(products, prior).solve(influences == 0 ? n : influences);
            }
        });
    }
    SkinWeights rows;
    for (std::size_t v = 0; v < vertices; ++v) {
        const std::vector<double>& found = solved[v];
        const std::size_t n = found.empty() ? std::min<std::size_t>(given.influenceCount(v), 1) : found.size();
        const std::vector<float> weights =
            found.empty() ? std::vector<float>(n, 1.0F) : std::vector<float>(found.begin(), found.end());
        appendVertex(rows, given.jointsOf(v).first(n), weights);
    }
    return rows;
}

}  // namespace pelt::fit
