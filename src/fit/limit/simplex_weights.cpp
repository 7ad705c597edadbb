// Chooses at most K weights of a vertex and solves for them.
#include "simplex_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pelt::fit::limit {
namespace {

constexpr double kRidge = 3e-3;  ///< r, relative to the mean of the diagonal of G
constexpr int kMostExchanges = 16;

/// Solves A x = b for two right-hand sides by Cholesky's method; A is overwritten. False if it is not positive
/// definite.
bool solveTwo(std::vector<double>& a, std::size_t n, std::vector<double>& b, std::vector<double>& c) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return false;
            a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
        }
    for (std::vector<double>* x : {&b, &c}) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) (*x)[i] -= a[i * n + k] * (*x)[k];
            (*x)[i] /= a[i * n + i];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) (*x)[i] -= a[k * n + i] * (*x)[k];
            (*x)[i] /= a[i * n + i];
        }
    }
    return true;
}

}  // namespace

SimplexWeights::SimplexWeights(const std::vector<double>& packed, const std::vector<double>& prior)
    : size_(prior.size()), matrix_(size_ * size_), prior_(prior) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t j = i; j < size_; ++j) matrix_[i * size_ + j] = matrix_[j * size_ + i] = packed[next++];
    for (std::size_t i = 0; i < size_; ++i) ridge_ += kRidge * at(i, i) / double(size_);
    ridge_ = std::max(ridge_, std::numeric_limits<double>::min());
}

double SimplexWeights::error(const std::vector<double>& weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t j = 0; j < size_; ++j) sum += weights[i] * weights[j] * at(i, j);
    return std::max(sum, 0.0);
}

/// Without the bound w ≥ 0: (G + r) w = r w₀ + μ, with μ such that the sum is 1.
bool SimplexWeights::solveEqual(const Support& support, std::vector<double>& weights) const {
    const std::size_t n = support.size();
    std::vector<double> a(n * n), toward(n), ones(n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) a[i * n + j] = at(support[i], support[j]);
        a[i * n + i] += ridge_;
        toward[i] = ridge_ * prior_[support[i]];
    }
    if (!solveTwo(a, n, toward, ones)) return false;
    double sum = 0, unit = 0;
    for (std::size_t i = 0; i < n; ++i) sum += toward[i], unit += ones[i];
    if (!(unit > 0)) return false;
    weights.assign(size_, 0);
    for (std::size_t i = 0; i < n; ++i) weights[support[i]] = toward[i] + ones[i] * (1 - sum) / unit;
    return true;
}

/// Joints that would get a negative weight are left out, the most negative one first.
SimplexWeights::Solution SimplexWeights::on(Support support) const {
    std::vector<double> weights;
    while (!support.empty() && solveEqual(support, weights)) {
        const auto least = std::min_element(support.begin(), support.end(), [&](std::size_t i, std::size_t j) {
            return weights[i] != weights[j] ? weights[i] < weights[j] : i < j;
        });
        if (weights[*least] >= 0) {
            double cost = error(weights);
            for (std::size_t i = 0; i < size_; ++i) cost += ridge_ * std::pow(weights[i] - prior_[i], 2);
            return {cost, std::move(weights)};
        }
        support.erase(least);
    }
    return {std::numeric_limits<double>::infinity(), {}};
}

std::vector<double> SimplexWeights::solve(std::size_t most) const {
    Support support;
    for (std::size_t i = 0; i < size_; ++i) support.push_back(i);
    Solution best = on(support);
    const auto without = [](Support all, std::size_t place) {
        all.erase(all.begin() + std::ptrdiff_t(place));
        return all;
    };
    while (most > 0 && support.size() > most) {
        std::size_t leave = 0;
        best.cost = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < support.size(); ++i)
            if (Solution tried = on(without(support, i)); tried.cost < best.cost) best = std::move(tried), leave = i;
        support = without(support, leave);
    }
    for (int round = 0; round < kMostExchanges; ++round) {
        Support better;
        for (std::size_t i = 0; i < support.size() && support.size() < size_; ++i)
            for (std::size_t other = 0; other < size_; ++other) {
                if (std::find(support.begin(), support.end(), other) != support.end()) continue;
                Support swapped = support;
                swapped[i] = other;
                if (Solution tried = on(swapped); tried.cost < best.cost * (1 - 1e-9))
                    best = std::move(tried), better = std::move(swapped);
            }
        if (better.empty()) break;
        support = std::move(better);
    }
    return best.weights;
}

}  // namespace pelt::fit::limit
