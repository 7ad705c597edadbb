// A skin with fewer joints per vertex than a given one. With y the position that the given skin has in a pose, M_i the
// joints' matrices and x the rest position, the error of weights w with sum 1 is
//   Σ_poses |Σ_i w_i M_i x - y|² = wᵀ G w,   G_ij = Σ_poses (M_i x - y)·(M_j x - y):
// a small quadratic problem per vertex, whatever the number of poses.
#include <pelt/core/parallel.h>
#include <pelt/fit/weight_limiter.h>

#include <algorithm>
#include <cmath>

#include "simplex_weights.h"

namespace pelt::fit {
namespace {

constexpr std::size_t kMostCandidates = 16;  ///< joints of a vertex that are considered for a place, the heaviest
/// How much the possible poses count beside the played ones: each gives other weights to choose from.
constexpr double kPossibleShares[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
constexpr double kMostWorse = 4;  ///< how much larger a vertex's squared error in the possible poses may become
constexpr double kMargin = 0.98;  ///< of the squared error of the cut weights, because measuring rounds

void copyRow(const SkinWeights& from, std::size_t v, SkinWeights& to) {
    to.joints.insert(to.joints.end(), from.jointsOf(v).begin(), from.jointsOf(v).end());
    to.weights.insert(to.weights.end(), from.weightsOf(v).begin(), from.weightsOf(v).end());
    to.endRow(to.joints.size());
}

}  // namespace

WeightLimiter::WeightLimiter(std::span<const Vec3f> rest, const SkinWeights& given,
                             std::span<const std::uint32_t> replaced_by, std::size_t influences)
    : rest_(rest), given_(given), replaced_by_(replaced_by), influences_(influences) {
    std::vector<std::uint32_t> joints;
    for (std::uint32_t v = 0; v < given.vertexCount(); ++v) {
        joints.assign(given.jointsOf(v).begin(), given.jointsOf(v).end());
        for (std::uint32_t& joint : joints) joint = replaced_by[joint];
        if (std::ranges::equal(joints, given.jointsOf(v)))
            copyRow(given, v, folded_);  // bit by bit as it is
        else
            appendVertex(folded_, joints, given.weightsOf(v));
        const std::size_t count = folded_.influenceCount(v);
        if (influences == 0 || count <= influences)
            copyRow(folded_, v, cut_);
        else
            appendVertex(cut_, folded_.jointsOf(v).first(influences), folded_.weightsOf(v).first(influences));
        addVertex(v);
    }
}

void WeightLimiter::addVertex(std::uint32_t v) {
    const auto own = folded_.jointsOf(v);
    const bool replaced = !std::ranges::equal(own, given_.jointsOf(v));
    if ((influences_ == 0 || own.size() <= influences_) && !(replaced && own.size() > 1)) return;
    const std::size_t most = influences_ == 0 ? own.size() : std::max(kMostCandidates, influences_);
    const std::size_t count = std::min(own.size(), most), columns = count * (count + 1) / 2;
    vertices_.push_back({v, std::uint32_t(joints_.size()), std::uint32_t(count), products_[0].size(), columns});
    joints_.insert(joints_.end(), own.begin(), own.begin() + std::ptrdiff_t(count));
    for (std::vector<double>& products : products_) products.resize(products.size() + columns, 0.0);
}

void WeightLimiter::addPose(Part part, std::span<const Affine3f> bones) {
    ++poses_[part];
    parallelFor(vertices_.size(), kSolveGrain, [&](std::size_t begin, std::size_t end) {
        std::vector<Vec3d> away;
        for (std::size_t k = begin; k < end; ++k) {
            const Vertex& at = vertices_[k];
            const Vec3d x(rest_[at.vertex]);
            const auto placed = [&](std::uint32_t joint) { return Affine3d(bones[joint]) * x; };
            Vec3d y;
            for (std::size_t i = 0; i < given_.influenceCount(at.vertex); ++i)
                y += placed(given_.jointsOf(at.vertex)[i]) * double(given_.weightsOf(at.vertex)[i]);
            away.resize(at.count);
            for (std::size_t i = 0; i < at.count; ++i) away[i] = placed(joints_[at.first + i]) - y;
            double* product = products_[part].data() + at.products;
            for (std::size_t i = 0; i < at.count; ++i)
                for (std::size_t j = i; j < at.count; ++j) *product++ += dot(away[i], away[j]);
        }
    });
}

/// The cut weights of a vertex, in the order of its joints.
std::vector<double> WeightLimiter::cutWeights(const Vertex& at) const {
    const auto own = std::span(joints_).subspan(at.first, at.count);
    std::vector<double> cut(at.count, 0.0);
    for (std::size_t i = 0; i < cut_.influenceCount(at.vertex); ++i)
        cut[std::size_t(std::find(own.begin(), own.end(), cut_.jointsOf(at.vertex)[i]) - own.begin())] =
            cut_.weightsOf(at.vertex)[i];
    return cut;
}

/// The cut weights, then the best ones for each share of the possible poses.
std::vector<WeightLimiter::Choice> WeightLimiter::choicesFor(const Vertex& at, const double (&scale)[kParts]) const {
    std::vector<double> prior(at.count);
    for (std::size_t i = 0; i < at.count; ++i) prior[i] = folded_.weightsOf(at.vertex)[i];
    const auto problem = [&](double played, double possible) {
        std::vector<double> sum(at.columns);
        for (std::size_t c = 0; c < at.columns; ++c)
            sum[c] = played * products_[kPlayed][at.products + c] + possible * products_[kPossible][at.products + c];
        return limit::SimplexWeights(sum, prior);
    };
    const limit::SimplexWeights played = problem(1, 0), possible = problem(0, 1);
    std::vector<Choice> choices;
    const auto add = [&](std::vector<double> weights) {
        const double errors[kParts] = {played.error(weights), possible.error(weights)};
        const bool far_worse = !choices.empty() && errors[kPossible] > kMostWorse * choices[0].error[kPossible];
        if (!far_worse) choices.push_back({std::move(weights), {errors[kPlayed], errors[kPossible]}});
    };
    add(cutWeights(at));
    for (const double share : kPossibleShares) {
        if (share > 0 && poses_[kPossible] == 0) break;
        std::vector<double> found = problem(scale[kPlayed], scale[kPossible] * share).solve(influences_);
        if (!found.empty()) add(std::move(found));
    }
    return choices;
}

/// Minimizes the sum of the played errors, with that of the possible ones at most as large as if all weights were cut:
/// with a multiplier m, each vertex takes the choice of least e_played + m e_possible.
std::vector<std::size_t> WeightLimiter::choose(const std::vector<std::vector<Choice>>& choices) const {
    std::vector<std::size_t> chosen(choices.size());
    double allowed = 0, played = 0;
    for (const std::vector<Choice>& of : choices) {
        allowed += of[0].error[kPossible];
        played += of[0].error[kPlayed];
    }
    const auto take = [&](double multiplier) {
        double sum = 0;
        for (std::size_t k = 0; k < choices.size(); ++k) {
            const auto cost = [&](const Choice& c) { return c.error[kPlayed] + multiplier * c.error[kPossible]; };
            chosen[k] = 0;
            for (std::size_t c = 1; c < choices[k].size(); ++c)
                if (cost(choices[k][c]) < cost(choices[k][chosen[k]])) chosen[k] = c;
            sum += choices[k][chosen[k]].error[kPossible];
        }
        return sum <= kMargin * allowed;
    };
    if (take(0) || !(allowed > 0)) return chosen;
    const double unit = played > 0 ? played / allowed : 1;
    double low = -20, high = 20;  // powers of two
    for (int step = 0; step < 24; ++step) (take(unit * std::exp2((low + high) / 2)) ? high : low) = (low + high) / 2;
    take(unit * std::exp2(high));
    return chosen;
}

SkinWeights WeightLimiter::solve(const Progress& progress) const {
    // Both parts count relative to the error of the cut weights there.
    double scale[kParts] = {1, 1};
    for (int part = 0; part < kParts; ++part) {
        double sum = 0;
        for (const Vertex& at : vertices_) {
            const std::vector<double> cut = cutWeights(at);
            const double* product = products_[part].data() + at.products;
            for (std::size_t i = 0; i < at.count; ++i)
                for (std::size_t j = i; j < at.count; ++j) sum += *product++ * cut[i] * cut[j] * (i == j ? 1 : 2);
        }
        scale[part] = sum > 0 ? 1 / sum : 0;
    }
    if (scale[kPlayed] == 0) scale[kPlayed] = 1;
    std::vector<std::vector<Choice>> choices(vertices_.size());
    constexpr std::size_t kAtOnce = 4096;  // between two checks for cancellation
    for (std::size_t first = 0; first < vertices_.size(); first += kAtOnce) {
        progress.report("solve", double(first) / double(vertices_.size()));
        parallelFor(std::min(kAtOnce, vertices_.size() - first), kSolveGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = first + begin; k < first + end; ++k) choices[k] = choicesFor(vertices_[k], scale);
        });
    }
    const std::vector<std::size_t> chosen = choose(choices);
    SkinWeights rows;
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < given_.vertexCount(); ++v) {
        if (next == vertices_.size() || vertices_[next].vertex != v || chosen[next] == 0) {
            next += next < vertices_.size() && vertices_[next].vertex == v;
            copyRow(cut_, v, rows);
            continue;
        }
        const std::vector<double>& found = choices[next][chosen[next]].weights;
        appendVertex(rows, std::span(joints_).subspan(vertices_[next].first, found.size()),
                     std::vector<float>(found.begin(), found.end()));
        ++next;
    }
    return rows;
}

}  // namespace pelt::fit
