// The smallest largest error by least squares whose weights grow with the error of each pose (Lawson's algorithm).
#include "worst_vertices.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../ssdr/ssdr_kernel.h"

namespace pelt::fit::virtual_bones {
namespace {

constexpr double kExamined = 0.04;       ///< of the vertices, those with the largest residuals
constexpr double kEased = 0.002;         ///< of the vertices
constexpr double kGoal = 0.9;            ///< of the smallest error among those that are eased: less is not asked for
constexpr std::size_t kCandidates = 16;  ///< bones of a vertex
constexpr int kReweightings = 24;
constexpr double kLeastPoseWeight = 0.02;  ///< of the factor by which the weight of a pose changes
constexpr double kLeastEasedWeight = 1e-3;

using Weights = ssdr::SimplexSolver::Weights;

/// The first `share` of all vertices, by falling `size`.
std::vector<std::uint32_t> largestOf(std::vector<std::uint32_t> vertices, const std::vector<double>& size,
                                     double share) {
    const auto count = std::min(vertices.size(), std::size_t(std::ceil(share * double(size.size()))));
    std::stable_sort(vertices.begin(), vertices.end(), [&](auto a, auto b) { return size[a] > size[b]; });
    vertices.resize(count);
    return vertices;
}

/// One vertex in all poses.
class EasedVertex {
public:
    EasedVertex(const Problem& problem, const Poses& played, const ssdr::Motions& motions, std::uint32_t vertex)
        : motions_(motions), p_(problem.data.rest[vertex]) {
        for (std::size_t s = 0; s < played.count(); ++s)
            exact_.push_back(poseOf(problem.rows[vertex], played.of(s)) * p_);
    }

    double largestError(const Weights& weights) {
        errors_.resize(exact_.size());
        for (std::size_t s = 0; s < exact_.size(); ++s) {
            Vec3d x;
            for (std::size_t i = 0; i < weights.bones.size(); ++i) x += at(s, weights.bones[i]) * weights.values[i];
            errors_[s] = length(x - exact_[s]);
        }
        return *std::max_element(errors_.begin(), errors_.end());
    }

    /// Weights with a largest error of at most `goal` if they are found, else with a smaller one than those given.
    Weights ease(const Weights& start, std::size_t influences, double goal) {
        Weights best = start;
        double least = largestError(start);
        const std::vector<std::uint32_t> bones = candidates(start);
        std::vector<double> pose_weights(exact_.size(), 1.0);
        for (int round = 0; round < kReweightings && least > goal; ++round) {
            reweight(pose_weights);
            const Weights found = solve(bones, pose_weights, influences);
            if (const double error = largestError(found); error < least) {
                least = error;
                best = found;
            }
        }
        return best;
    }

private:
    Vec3d at(std::size_t pose, std::size_t bone) const { return motions_.get(pose, bone) * p_; }

    /// The bones of the start, and those that move the vertex most alike.
    std::vector<std::uint32_t> candidates(const Weights& start) const {
        std::vector<double> apart(motions_.bones, 0.0);
        for (std::size_t b = 0; b < apart.size(); ++b)
            for (std::size_t s = 0; s < exact_.size(); ++s) {
                const Vec3d d = at(s, b) - exact_[s];
                apart[b] += dot(d, d);
            }
        for (const std::uint32_t b : start.bones) apart[b] = -1;
        std::vector<std::uint32_t> bones(apart.size());
        std::iota(bones.begin(), bones.end(), 0u);
        std::stable_sort(bones.begin(), bones.end(), [&](auto a, auto b) { return apart[a] < apart[b]; });
        bones.resize(std::min(bones.size(), std::max(kCandidates, start.bones.size())));
        std::sort(bones.begin(), bones.end());
        return bones;
    }

    void reweight(std::vector<double>& pose_weights) const {
        const double largest = *std::max_element(errors_.begin(), errors_.end());
        if (!(largest > 0)) return;
        double sum = 0;
        for (std::size_t s = 0; s < errors_.size(); ++s)
            sum += pose_weights[s] *= kLeastPoseWeight + errors_[s] / largest;
        for (double& weight : pose_weights) weight *= double(errors_.size()) / sum;
    }

    /// The distances from the exact places are motions of a vertex at the origin, whose place is the origin.
    Weights solve(const std::vector<std::uint32_t>& bones, const std::vector<double>& pose_weights,
                  std::size_t influences) const {
        ssdr::Motions places(bones.size(), exact_.size());
        for (std::size_t s = 0; s < exact_.size(); ++s) {
            const double factor = std::sqrt(pose_weights[s]);
            for (std::size_t b = 0; b < bones.size(); ++b)
                places.set(s, b, {Mat3d{{{}, {}, {}}}, (at(s, bones[b]) - exact_[s]) * factor});
        }
        const ssdr::BoneProducts products = ssdr::productsOf(places);
        const std::vector<double> projected(places.columns(), 0.0);
        ssdr::SimplexSolver solver(products, kLeastEasedWeight);
        solver.setVertex({}, projected.data(), 0);
        Weights found;
        solver.solve({}, influences, found);
        for (std::uint32_t& bone : found.bones) bone = bones[bone];
        return found;
    }

    const ssdr::Motions& motions_;
    Vec3d p_;
    std::vector<Vec3d> exact_;
    std::vector<double> errors_;
};

}  // namespace

void easeWorstVertices(const Problem& problem, const Poses& played, const std::vector<VirtualBone>& bones,
                       std::size_t influences, const std::vector<float>& residuals, ssdr::VertexWeights& weights) {
    if (played.count() == 0) return;
    const std::size_t dimensions = problem.data.dimensions();
    std::vector<double> size(problem.data.vertices, 0.0);
    for (std::size_t v = 0; v < size.size(); ++v)
        for (std::size_t d = v * dimensions; d < (v + 1) * dimensions; d += 3)
            size[v] = std::max(size[v], length(Vec3d(residuals[d], residuals[d + 1], residuals[d + 2])));
    std::vector<std::uint32_t> all(size.size());
    std::iota(all.begin(), all.end(), 0u);
    const std::vector<std::uint32_t> examined = largestOf(all, size, kExamined);
    const ssdr::Motions motions = problem.motionsOf(bones, played);
    parallelFor(examined.size(), 16, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            size[examined[i]] = EasedVertex(problem, played, motions, examined[i]).largestError(weights[examined[i]]);
    });
    const std::vector<std::uint32_t> worst = largestOf(examined, size, kEased);
    const double goal = kGoal * size[worst.back()];
    parallelFor(worst.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            weights[worst[i]] =
                EasedVertex(problem, played, motions, worst[i]).ease(weights[worst[i]], influences, goal);
    });
}

}  // namespace pelt::fit::virtual_bones
