// Finds the convex weights of one vertex over a few bones.
#include "simplex_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pelt::fit::ssdr {
namespace {

/// Keeps factorizations regular if bones move a vertex alike or fit it exactly.
constexpr double kRidge = 1e-11;
constexpr double kNever = std::numeric_limits<double>::infinity();  ///< for a bone that may get no weight
constexpr double kNoPrior = 1e-9;                                   ///< relative to their sum: treated as zero
constexpr double kTrimCost = 0.01;    ///< of its error: how much dropping small weights may increase it, and
constexpr double kTrimExact = 1e-12;  ///< of its squared length: data that bones explain exactly stays exact
constexpr double kGain = 1e-6;        ///< bones that would reduce the error at a lower rate are not tried

}  // namespace

SimplexSolver::SimplexSolver(const BoneProducts& products, double least_weight)
    : products_(products),
      least_weight_(least_weight),
      along_(products.bones),
      alone_(products.bones),
      columns_(products.bones),
      has_column_(products.bones),
      gradient_(products.bones),
      stride_(products.bones) {}

void SimplexSolver::begin(const Vec3d& p, double squared) {
    quadraticTerms(p, terms_);
    squared_ = squared;
    for (const std::uint32_t bone : made_) has_column_[bone] = false;
    made_.clear();
}

void SimplexSolver::setVertex(const Vec3d& p, const double* projected, double squared,
                              std::span<const std::uint32_t> bones) {
    begin(p, squared);
    for (const std::uint32_t j : bones) {
        const double* y = projected + 4 * j;
        along_[j] = p.x * y[0] + p.y * y[1] + p.z * y[2] + y[3];
        double alone = 0;
        for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
            alone += terms_[term] * products_.diagonal[term * products_.bones + j];
        alone_[j] = std::max(alone - 2 * along_[j] + squared_, 0.0);
    }
}

void SimplexSolver::setVertex(const Vec3d& p, const double* projected, double squared) {
    begin(p, squared);
    const std::size_t bones = products_.bones;
    for (std::size_t j = 0; j < bones; ++j) {
        const double* y = projected + 4 * j;
        along_[j] = p.x * y[0] + p.y * y[1] + p.z * y[2] + y[3];
    }
    std::fill(alone_.begin(), alone_.end(), 0.0);
    for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
        for (std::size_t j = 0; j < bones; ++j) alone_[j] += terms_[term] * products_.diagonal[term * bones + j];
    for (std::size_t j = 0; j < bones; ++j) alone_[j] = std::max(alone_[j] - 2 * along_[j] + squared_, 0.0);
}

void SimplexSolver::addCost(double cost, std::span<const double> prior) {
    const double sum = std::accumulate(prior.begin(), prior.end(), 0.0);
    for (std::size_t j = 0; j < alone_.size(); ++j)
        alone_[j] = prior[j] > kNoPrior * sum ? alone_[j] + cost * sum / prior[j] : kNever;
}

/// On the line x + a (e_j - x) the error is (1 - a)² xDx + 2 a (1 - a) (xD)_j + a² D_jj.
double SimplexSolver::errorTowards(std::uint32_t bone, double error) const {
    const double across = gradient_[bone], at_bone = alone_[bone];
    if (!(across < error)) return error;
    const double a = std::clamp((error - across) / (error - 2 * across + at_bone), 0.0, 1.0);
    return (1 - a) * (1 - a) * error + 2 * a * (1 - a) * across + a * a * at_bone;
}

/// D_jk for one k and all j, or those of `only_`.
const double* SimplexSolver::column(std::uint32_t bone) {
    std::vector<double>& out = columns_[bone];
    if (has_column_[bone]) return out.data();
    has_column_[bone] = true;
    made_.push_back(bone);
    const std::size_t bones = products_.bones;
    const double* pairs = products_.of(bone);
    const double fixed = squared_ - along_[bone];
    if (only_) {
        out.resize(bones);
        for (const std::uint32_t j : *only_) {
            double sum = fixed - along_[j];
            for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
                sum += terms_[term] * pairs[term * bones + j];
            out[j] = sum;
        }
        out[bone] = alone_[bone];
        return out.data();
    }
    out.assign(bones, fixed);
    for (std::size_t j = 0; j < bones; ++j) out[j] -= along_[j];
    for (std::size_t term = 0; term < BoneProducts::kTerms; ++term) {
        const double factor = terms_[term];
        const double* row = pairs + term * bones;
        for (std::size_t j = 0; j < bones; ++j) out[j] += factor * row[j];
    }
    out[bone] = alone_[bone];
    return out.data();
}

/// Appends the last bone of the set to the Cholesky factor of the bones before it, and to the solution of L y = 1.
bool SimplexSolver::append(const std::vector<std::uint32_t>& set) {
    const std::size_t r = set.size() - 1;
    if (factor_.size() < (r + 1) * stride_) factor_.resize((r + 1) * stride_);
    if (half_.size() <= r) half_.resize(r + 1);
    const double* products = column(set[r]);
    double* row = factor_.data() + r * stride_;
    double square = products[set[r]] * (1 + kRidge) + 1e-300, forward = 1;
    const double whole = square;
    for (std::size_t c = 0; c < r; ++c) {
        const double* other = factor_.data() + c * stride_;
        double sum = products[set[c]];
        for (std::size_t k = 0; k < c; ++k) sum -= row[k] * other[k];
        row[c] = sum / other[c];
        square -= row[c] * row[c];
        forward -= row[c] * half_[c];
    }
    if (!(square > 0.1 * kRidge * whole)) return false;
    row[r] = std::sqrt(square);
    half_[r] = forward / row[r];
    return true;
}

/// The factor of the whole set; linearly dependent bones are removed from it.
void SimplexSolver::factorize(std::vector<std::uint32_t>& set, std::vector<double>& x) {
    std::vector<std::uint32_t> taken;
    std::size_t kept = 0;
    double lost = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
        taken.push_back(set[i]);
        if (append(taken)) {
            x[kept++] = x[i];
        } else {
            lost += x[i];
            taken.pop_back();
        }
    }
    set = taken;
    x.resize(kept);
    for (double& value : x) value /= 1 - lost;
}

/// z = D_P^-1 1 from the factor of the set.
void SimplexSolver::backSubstitute(std::size_t size) {
    z_.resize(size);
    for (std::size_t r = size; r-- > 0;) {
        double sum = half_[r];
        for (std::size_t k = r + 1; k < size; ++k) sum -= factor_[k * stride_ + r] * z_[k];
        z_[r] = sum / factor_[r * stride_ + r];
    }
}

/// From the feasible `x` toward the stationary point of the set, as far as no weight becomes negative; bones whose
/// weight becomes zero are removed, until none does.
void SimplexSolver::settle(std::vector<std::uint32_t>& set, std::vector<double>& x) {
    for (;;) {
        backSubstitute(set.size());
        const double sum = std::accumulate(z_.begin(), z_.end(), 0.0);
        double reach = 1;
        for (std::size_t i = 0; i < set.size(); ++i) {
            const double wanted = z_[i] / sum;
            if (wanted < 0) reach = std::min(reach, x[i] / (x[i] - wanted));
        }
        std::size_t kept = 0;
        double total = 0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            const double value = x[i] + reach * (z_[i] / sum - x[i]);
            if (reach < 1 ? value <= 1e-12 : value <= 0) continue;
            set[kept] = set[i];
            x[kept++] = value;
            total += value;
        }
        const bool done = kept == set.size();
        set.resize(kept);
        x.resize(kept);
        for (double& value : x) value /= total;
        if (done) return;
        factorize(set, x);
    }
}

/// The residual of the weights, x^T D x, and Σ_j x_j D_jk for all k, unless only some bones are usable.
double SimplexSolver::slopes(const std::vector<std::uint32_t>& set, const std::vector<double>& x) {
    if (only_) {
        double left = 0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            const double* row = column(set[i]);
            for (std::size_t j = 0; j < set.size(); ++j) left += x[i] * x[j] * row[set[j]];
        }
        return std::max(left, 0.0);
    }
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        const double* row = column(set[i]);
        for (std::size_t j = 0; j < gradient_.size(); ++j) gradient_[j] += x[i] * row[j];
    }
    double value = 0;
    for (std::size_t i = 0; i < set.size(); ++i) value += x[i] * gradient_[set[i]];
    return std::max(value, 0.0);
}

/// Minimizes over the bones of `set`, starting from the feasible `x`.
double SimplexSolver::minimize(std::vector<std::uint32_t>& set, std::vector<double>& x) {
    factorize(set, x);
    settle(set, x);
    return slopes(set, x);
}

/// Removes bones of too little weight from the set, and minimizes over the others, unless that costs too much.
double SimplexSolver::trim(std::vector<std::uint32_t>& set, std::vector<double>& x, double error) {
    const double most = (1 + kTrimCost) * error + kTrimExact * squared_;
    while (*std::min_element(x.begin(), x.end()) < least_weight_) {
        const std::vector<std::uint32_t> whole_set = set;
        const std::vector<double> whole_x = x;
        std::size_t kept = 0;
        double total = 0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            if (x[i] < least_weight_) continue;
            set[kept] = set[i];
            total += x[kept++] = x[i];
        }
        set.resize(kept);
        x.resize(kept);
        for (double& value : x) value /= total;
        error = minimize(set, x);
        if (error <= most) continue;
        set = whole_set;
        x = whole_x;
        return minimize(set, x);
    }
    return error;
}

/// Minimizes over all bones, starting from the minimum on the current set.
double SimplexSolver::grow(std::vector<std::uint32_t>& set, std::vector<double>& x, double value) {
    for (std::size_t step = 0; step < 3 * products_.bones; ++step) {
        // The bone with the steepest descent of the error.
        std::uint32_t next = set.front();
        for (std::uint32_t j = 0; j < gradient_.size(); ++j)
            if (gradient_[j] < gradient_[next] && alone_[j] < kNever) next = j;
        if (value - gradient_[next] <= kGain * value + 1e-14 * squared_) break;
        if (std::find(set.begin(), set.end(), next) != set.end()) break;
        set.push_back(next);
        if (!append(set)) {
            set.pop_back();
            break;
        }
        x.push_back(0.0);
        settle(set, x);
        const double now = slopes(set, x);
        if (!(now < value)) break;
        value = now;
    }
    return value;
}

/// Removes bones from the set until `limit` are left, each time the one whose removal costs least: with H the inverse
/// of D on the set, the minimum without j is 1 / (1^T H 1 - (H 1)_j² / H_jj), and H of the rest is H - h_j h_j^T /
/// H_jj. [LeDeng12] Eq. 4 uses the displacement instead, which depends on the origin.
void SimplexSolver::prune(std::vector<std::uint32_t>& set, std::vector<double>& x, std::size_t limit) {
    factorize(set, x);
    const std::size_t size = set.size();
    std::vector<double>& h = inverse_;
    h.assign(size * size, 0.0);
    // Columns of L^-1, then H = L^-T L^-1.
    for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t r = c; r < size; ++r) {
            double sum = r == c ? 1.0 : 0.0;
            for (std::size_t k = c; k < r; ++k) sum -= factor_[r * stride_ + k] * h[c * size + k];
            h[c * size + r] = sum / factor_[r * stride_ + r];
        }
    }
    for (std::size_t a = 0; a < size; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            double sum = 0;
            for (std::size_t k = a; k < size; ++k) sum += h[a * size + k] * h[b * size + k];
            scratch_.resize(size * size);
            scratch_[a * size + b] = scratch_[b * size + a] = sum;
        }
    h.swap(scratch_);
    std::vector<bool> gone(size);
    for (std::size_t left = size; left > limit; --left) {
        std::size_t least = 0;
        double least_cost = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < size; ++j) {
            if (gone[j]) continue;
            double z = 0;
            for (std::size_t k = 0; k < size; ++k) z += h[j * size + k];
            // A weight that would be negative is zero anyway.
            const double cost = z <= 0 ? -1 : z * z / h[j * size + j];
            if (cost < least_cost) least_cost = cost, least = j;
        }
        gone[least] = true;
        scratch_.assign(h.begin() + std::ptrdiff_t(least * size), h.begin() + std::ptrdiff_t((least + 1) * size));
        const double pivot = scratch_[least];
        for (std::size_t r = 0; r < size; ++r)
            for (std::size_t c = 0; c < size; ++c) h[r * size + c] -= scratch_[r] * scratch_[c] / pivot;
        for (std::size_t r = 0; r < size; ++r) h[r * size + least] = h[least * size + r] = 0;
    }
    std::size_t kept = 0;
    double total = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (gone[i]) continue;
        set[kept] = set[i];
        total += x[kept++] = x[i];
    }
    set.resize(kept);
    x.resize(kept);
    for (double& value : x) value = total > 0 ? value / total : 1 / double(kept);
}

void SimplexSolver::finish(std::vector<std::uint32_t>& set, std::vector<double>& x, double error,
                           Weights& result) const {
    std::vector<std::pair<std::uint32_t, double>> sorted;
    for (std::size_t i = 0; i < set.size(); ++i) sorted.emplace_back(set[i], x[i]);
    std::sort(sorted.begin(), sorted.end());
    result.bones.clear();
    result.values.clear();
    for (const auto& [bone, value] : sorted) {
        result.bones.push_back(bone);
        result.values.push_back(value);
    }
    result.error = error;
}

void SimplexSolver::resolve(const Weights& start, Weights& result) {
    set_ = start.bones;
    x_ = start.values;
    only_ = &start.bones;
    const double before = slopes(set_, x_), error = trim(set_, x_, minimize(set_, x_));
    only_ = nullptr;
    for (const std::uint32_t bone : made_) has_column_[bone] = false;
    made_.clear();
    finish(set_, x_, error, result);
    if (before < error) keep(start, before, result);
}

/// If only rounding is left to gain, the previous weights are kept.
void SimplexSolver::keep(const Weights& start, double error, Weights& result) const {
    result.bones = start.bones;
    result.values = start.values;
    result.error = error;
}

/// The previous weights, and the best on the same bones.
void SimplexSolver::begin(const Weights& start) {
    old_set_ = start.bones;
    old_x_ = start.values;
    before_ = old_error_ = std::numeric_limits<double>::infinity();
    if (old_set_.empty()) return;
    before_ = slopes(old_set_, old_x_);
    old_error_ = trim(old_set_, old_x_, minimize(old_set_, old_x_));
}

void SimplexSolver::solve(const Weights& start, std::size_t influences, Weights& result) {
    begin(start);

    // The bone that fits best alone may start a better set than the old one has.
    set_ = old_set_;
    x_ = old_x_;
    const auto alone = std::uint32_t(std::min_element(alone_.begin(), alone_.end()) - alone_.begin());
    double error = old_error_;
    if (set_.empty() || alone_[alone] < old_error_) {
        set_ = {alone}, x_ = {1.0};
        error = minimize(set_, x_);
    }
    error = grow(set_, x_, error);
    if (influences > 0 && set_.size() > influences) {
        prune(set_, x_, influences);
        error = minimize(set_, x_);
    }
    takeBetter(start, trim(set_, x_, error), result);
}

void SimplexSolver::solveOnClosest(const Weights& start, std::size_t influences, Weights& result) {
    begin(start);
    set_.resize(products_.bones);
    std::iota(set_.begin(), set_.end(), 0u);
    std::stable_sort(set_.begin(), set_.end(), [&](auto a, auto b) { return alone_[a] < alone_[b]; });
    if (influences > 0) set_.resize(std::min(influences, set_.size()));
    x_.assign(set_.size(), 0.0);
    x_[0] = 1;
    takeBetter(start, trim(set_, x_, minimize(set_, x_)), result);
}

/// New bones may have increased the error; and if only rounding is left to gain, the previous weights are kept.
void SimplexSolver::takeBetter(const Weights& start, double error, Weights& result) {
    if (old_error_ <= error && !old_set_.empty()) {
        finish(old_set_, old_x_, old_error_, result);
    } else {
        finish(set_, x_, error, result);
    }
    if (before_ < result.error) keep(start, before_, result);
}

}  // namespace pelt::fit::ssdr
