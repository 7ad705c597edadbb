// Bounded biharmonic weights of all handles together [Jacobson11, Eqs. 2-6]: minimize Σ_h ½ w_hᵀ Q w_h over w >= 0 with
// Σ_h w_h = 1 at every vertex. Without bounds the sums are 1 automatically; with bounds they are not, and normalizing
// afterwards causes errors of up to some hundredths.
//
// An active-set method over all pairs of vertex and handle. For a given set the minimum is found by conjugate gradients
// among changes that preserve the sums. Their preconditioner is
//     Z B Zᵀ,   Z = I - c 1ᵀ at each vertex,
// where B is that of each handle alone (free_block.h) and c are shares of the handles with sum 1: Z distributes the
// change of a sum by these shares. Shares that fade out smoothly at the end of a handle's support keep the energy of
// that correction low; the initial weights are such shares.
#include "joint_solver.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "free_block.h"

namespace pelt::bind::bbw {
namespace {

using Vector = Eigen::VectorXd;

constexpr double kRough = 0.1;        // of the energy norm of the error that a solve starts from
constexpr double kTight = 1e-11;      // of the energy norm of the weights
constexpr double kBoundSlack = 1e-9;  // in weights; ten times finer step by step, from
constexpr double kFirstSlack = 1e-3;
constexpr int kRounds = 400;

/// One number per free pair of vertex and handle, handle after handle.
struct Pairs {
    std::vector<std::unique_ptr<FreeBlock>> blocks;  ///< one per handle; null if nothing of it is free
    std::vector<Eigen::Index> first;                 ///< per handle, and the end
    std::vector<std::size_t> offsets;                ///< per row, and the end, into
    std::vector<Eigen::Index> at;                    ///< the row's pairs, by handle
    Vector share;                                    ///< c
};

class JointSolver {
public:
    JointSolver(const BiharmonicSystem& system, Eigen::MatrixXd& weights)
        : system_(system),
          weights_(weights),
          start_(weights),
          free_(std::size_t(weights.size()), std::uint8_t(0)),
          handles_(std::size_t(weights.cols())) {
        for (int row = 0; row < system.size(); ++row)
            for (std::size_t h = 0; h < handles_; ++h)
                if (!system.isGiven(row) && weights_(row, Eigen::Index(h)) > 0) isFree(row, h) = 1;
    }

    JointResult solve(const std::function<void(double)>& pause, int limit) {
        JointResult result;
        Eigen::MatrixXd best = weights_;
        double least = energy();
        bool rough = true;
        std::size_t before = 0;
        for (; result.steps < limit && !result.solved; ++result.steps) {
            pause(1 - std::pow(0.85, result.steps));
            listPairs();
            minimize(rough);
            const double slack = rough ? std::max(kBoundSlack, kFirstSlack * std::pow(0.1, result.steps)) : kBoundSlack;
            const std::size_t changes = exchange(slack);
            result.solved = changes == 0 && !rough;
            rough = changes > std::size_t(pairs_.first.back()) / 50 && changes != before;
            before = changes;
            keepSums();
            if (const double now = energy(); now <= least || result.solved) {
                least = now;
                best = weights_;
            }
        }
        weights_ = std::move(best);
        return result;
    }

private:
    std::uint8_t& isFree(int row, std::size_t handle) { return free_[std::size_t(row) * handles_ + handle]; }

    template <class Work>
    void forHandles(const Work& work) const {
        parallelFor(handles_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t h = first; h < last; ++h) work(h);
        });
    }

    double energy() const {
        std::vector<double> parts(handles_);
        forHandles([&](std::size_t h) {
            const auto w = weights_.col(Eigen::Index(h));
            parts[h] = w.dot(system_.energy * w);
        });
        return std::accumulate(parts.begin(), parts.end(), 0.0);
    }

    /// A vertex with a single free handle has no freedom and is left out.
    void listPairs() {
        const auto rows = std::size_t(system_.size());
        std::vector<std::vector<int>> lists(handles_);
        for (int row = 0; row < system_.size(); ++row) {
            std::size_t count = 0;
            for (std::size_t h = 0; h < handles_; ++h) count += isFree(row, h);
            for (std::size_t h = 0; h < handles_ && count > 1; ++h)
                if (isFree(row, h)) lists[h].push_back(row);
        }
        pairs_ = Pairs();
        pairs_.blocks.resize(handles_);
        pairs_.first.assign(1, 0);
        pairs_.offsets.assign(rows + 1, 0);
        for (const auto& list : lists) {
            pairs_.first.push_back(pairs_.first.back() + Eigen::Index(list.size()));
            for (const int row : list) ++pairs_.offsets[std::size_t(row) + 1];
        }
        std::partial_sum(pairs_.offsets.begin(), pairs_.offsets.end(), pairs_.offsets.begin());
        pairs_.at.resize(pairs_.offsets.back());
        pairs_.share.resize(pairs_.first.back());
        std::vector<std::size_t> next(pairs_.offsets.begin(), pairs_.offsets.end() - 1);
        for (std::size_t h = 0; h < handles_; ++h)
            for (std::size_t k = 0; k < lists[h].size(); ++k) {
                const Eigen::Index pair = pairs_.first[h] + Eigen::Index(k);
                pairs_.at[next[std::size_t(lists[h][k])]++] = pair;
                pairs_.share[pair] = start_(lists[h][k], Eigen::Index(h));
            }
        evenShares();
        forHandles([&](std::size_t h) {
            std::vector<int> scratch(rows, -1);
            if (!lists[h].empty())
                pairs_.blocks[h] = std::make_unique<FreeBlock>(system_, std::move(lists[h]), scratch);
        });
    }

    template <class Work>
    void forRows(const Work& work) const {
        parallelFor(std::size_t(system_.size()), 2048, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row)
                if (const std::size_t size = pairs_.offsets[row + 1] - pairs_.offsets[row]; size > 0)
                    work(std::span(pairs_.at.data() + pairs_.offsets[row], size));
        });
    }

    void evenShares() {
        forRows([&](std::span<const Eigen::Index> pairs) {
            double sum = 0;
            for (const Eigen::Index p : pairs) sum += pairs_.share[p];
            for (const Eigen::Index p : pairs)
                pairs_.share[p] = sum > 1e-6 ? pairs_.share[p] / sum : 1.0 / double(pairs.size());
        });
    }

    void applyZ(Vector& x) const {
        forRows([&](std::span<const Eigen::Index> pairs) {
            double sum = 0;
            for (const Eigen::Index p : pairs) sum += x[p];
            for (const Eigen::Index p : pairs) x[p] -= pairs_.share[p] * sum;
        });
    }

    void applyZTransposed(Vector& x) const {
        forRows([&](std::span<const Eigen::Index> pairs) {
            double sum = 0;
            for (const Eigen::Index p : pairs) sum += pairs_.share[p] * x[p];
            for (const Eigen::Index p : pairs) x[p] -= sum;
        });
    }

    /// Lets `work(block, part of x, part of y)` fill y handle by handle.
    template <class Work>
    void forBlocks(const Vector& x, Vector& y, const Work& work) const {
        y.resize(x.size());
        forHandles([&](std::size_t h) {
            if (!pairs_.blocks[h]) return;
            const Eigen::Index first = pairs_.first[h], size = pairs_.first[h + 1] - first;
            y.segment(first, size) = work(*pairs_.blocks[h], x.segment(first, size));
        });
    }

    /// `residual` comes as Zᵀ of itself.
    void precondition(const Vector& residual, Vector& z) const {
        forBlocks(residual, z, [](const FreeBlock& block, const Vector& part) {
            return block.canPrecondition() ? block.precondition(part) : block.solve(part);
        });
        applyZ(z);
    }

    void minimize(bool rough) {
        Vector residual(pairs_.first.back()), change = Vector::Zero(pairs_.first.back()), way, next, image;
        if (residual.size() == 0) return;
        forHandles([&](std::size_t h) {
            if (!pairs_.blocks[h]) return;
            const Vector gradient = system_.energy * weights_.col(Eigen::Index(h));
            const auto& rows = pairs_.blocks[h]->rows();
            for (std::size_t k = 0; k < rows.size(); ++k)
                residual[pairs_.first[h] + Eigen::Index(k)] = -gradient[rows[k]];
        });
        applyZTransposed(residual);
        precondition(residual, way);
        double length = residual.dot(way);
        const double goal = std::max(rough ? kRough * kRough * length : 0.0, kTight * kTight * energy());
        for (int round = 0; round < kRounds && length > goal; ++round) {
            forBlocks(way, image, [](const FreeBlock& block, const Vector& part) { return block.multiply(part); });
            const double step = length / way.dot(image);
            change += step * way;
            residual -= step * image;
            applyZTransposed(residual);
            precondition(residual, next);
            const double shorter = residual.dot(next);
            way = next + (shorter / length) * way;
            length = shorter;
        }
        for (std::size_t h = 0; h < handles_; ++h) {
            if (!pairs_.blocks[h]) continue;
            const auto& rows = pairs_.blocks[h]->rows();
            for (std::size_t k = 0; k < rows.size(); ++k)
                weights_(rows[k], Eigen::Index(h)) += change[pairs_.first[h] + Eigen::Index(k)];
        }
    }

    /// Fixes weights below 0 and frees those whose multiplier Q w + μ is negative, where μ is that of the sum, both by
    /// more than `slack` in weights; returns how many.
    std::size_t exchange(double slack) {
        Eigen::MatrixXd gradient(weights_.rows(), weights_.cols());
        forHandles(
            [&](std::size_t h) { gradient.col(Eigen::Index(h)) = system_.energy * weights_.col(Eigen::Index(h)); });
        std::size_t changes = 0;
        for (int row = 0; row < system_.size(); ++row) {
            if (system_.isGiven(row)) continue;
            double mean = 0, count = 0;
            for (std::size_t h = 0; h < handles_; ++h)
                if (isFree(row, h)) {
                    mean += gradient(row, Eigen::Index(h));
                    ++count;
                }
            const double least_push = slack * system_.energy.coeff(row, row);
            for (std::size_t h = 0; h < handles_; ++h) {
                const bool below = weights_(row, Eigen::Index(h)) < -slack;
                const bool wrong = gradient(row, Eigen::Index(h)) - mean / count < -least_push;
                if (!(isFree(row, h) ? below : wrong)) continue;
                isFree(row, h) ^= 1;
                ++changes;
            }
        }
        return changes;
    }

    /// Removes weights outside the free pairs and below 0, and normalizes.
    void keepSums() {
        for (int row = 0; row < system_.size(); ++row) {
            if (system_.isGiven(row)) continue;
            double sum = 0;
            for (std::size_t h = 0; h < handles_; ++h) {
                double& w = weights_(row, Eigen::Index(h));
                if (!isFree(row, h) || w < 0) w = 0;
                sum += w;
            }
            weights_.row(row) /= sum;
        }
    }

    const BiharmonicSystem& system_;
    Eigen::MatrixXd& weights_;
    const Eigen::MatrixXd start_;
    std::vector<std::uint8_t> free_;  ///< per row and handle
    std::size_t handles_;
    Pairs pairs_;
};

}  // namespace

JointResult solveJointly(const BiharmonicSystem& system, Eigen::MatrixXd& weights,
                         const std::function<void(double)>& pause, int limit) {
    return JointSolver(system, weights).solve(pause, limit);
}

}  // namespace pelt::bind::bbw
