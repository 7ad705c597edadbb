// Bounded biharmonic weights of one handle [Jacobson11]: minimise ½ wᵀ Q w, Q = L M⁻¹ L, over 0 <= w <= 1 with w given
// at handles.
//
// A primal-dual active set method [Hintermueller03]: guess which vertices lie on a bound, minimise over the free rest,
// release those whose bound pushes the wrong way and bind those that went beyond one, until nothing changes. Weights
// vanish a few bones away from their handle, so that the free set F is a small part of the shape.
//
// The minimum over F solves Q_FF w_F = -Q_FA w_A, by conjugate gradients (free_block.h).
#include "handle_solver.h"

#include <algorithm>
#include <cmath>

#include "free_block.h"

namespace pelt::fit::bbw {
namespace {

using Vector = Eigen::VectorXd;

constexpr double kRough = 1e-3;       // of the energy norm of the error that a solve starts from
constexpr double kTight = 1e-12;      // of that of the first solve, which knows nothing yet
constexpr double kBoundSlack = 1e-9;  // in weights
constexpr int kRounds = 400;

enum class State : std::int8_t { given, low, free, high };

class HandleSolver {
public:
    HandleSolver(const BiharmonicSystem& system, std::size_t handle)
        : system_(system), state_(std::size_t(system.size()), State::low), scratch_(std::size_t(system.size()), -1) {
        weights_ = Vector::Zero(system.size());
        for (int row = 0; row < system.size(); ++row) {
            const auto r = std::size_t(row);
            if (system.owners[r] > 0 || system.cell[r] < 0) state_[r] = State::given;
            const bool near =
                system.cell[r] == int(handle) ||
                std::binary_search(system.beside[handle].begin(), system.beside[handle].end(), system.cell[r]);
            if (near && state_[r] == State::low) state_[r] = State::free;
        }
        for (const int row : system.handle_rows[handle]) weights_[row] = 1.0 / system.owners[std::size_t(row)];
    }

    HandleSolution solve(const std::function<void()>& pause, const SolverLimits& limits) {
        HandleSolution result;
        result.solved = primalDual(pause, limits, result.steps);
        if (!result.solved) result.solved = primal(pause, limits.careful_steps, result.searches);
        result.weights.resize(std::size_t(system_.size()));
        for (int row = 0; row < system_.size(); ++row)
            result.weights[std::size_t(row)] = std::clamp(weights_[row], 0.0, 1.0);
        return result;
    }

private:
    bool primalDual(const std::function<void()>& pause, const SolverLimits& limits, int& steps) {
        bool rough = true;
        for (; steps < limits.quick_steps; ++steps) {
            pause();
            putOnBounds();
            minimise(rough);
            int changes = releaseWrong();  // before those that are bound now could be taken for wrongly held
            changes += bindBeyond();
            if (changes == 0 && !rough) return true;
            rough = changes > int(free_.size()) / 50;
            if (limits.rough && changes < int(free_.size()) / 5) return true;
        }
        return false;
    }

    /// The textbook method: never leaves the bounds, every step lowers the energy, so that no set comes twice.
    bool primal(const std::function<void()>& pause, int limit, int& steps) {
        for (int row = 0; row < system_.size(); ++row) {
            if (state_[std::size_t(row)] == State::given) continue;
            weights_[row] = std::clamp(weights_[row], 0.0, 1.0);
            state_[std::size_t(row)] = weights_[row] <= 0 ? State::low : weights_[row] >= 1 ? State::high : State::free;
        }
        releaseWrong();
        for (; steps < limit; ++steps) {
            pause();
            const Vector before = weights_;
            minimise(false);
            if (stepBack(before)) continue;
            if (releaseWrong() == 0) return true;
        }
        return false;
    }

    /// Goes only so far from `before` towards the weights found that none leaves its bounds; binds those that stop it.
    bool stepBack(const Vector& before) {
        double share = 1;
        const auto reach = [&](int row) {
            const double bound = weights_[row] < 0 ? 0.0 : 1.0, way = weights_[row] - before[row];
            return (bound - before[row]) / way;
        };
        const auto beyond = [&](int row) { return weights_[row] < -kBoundSlack || weights_[row] > 1 + kBoundSlack; };
        for (const int row : free_)
            if (beyond(row)) share = std::min(share, std::max(0.0, reach(row)));
        if (share == 1) return false;
        for (const int row : free_) {
            if (beyond(row) && reach(row) <= share + 1e-6) {
                state_[std::size_t(row)] = weights_[row] < 0 ? State::low : State::high;
                weights_[row] = weights_[row] < 0 ? 0 : 1;
            } else {
                weights_[row] = before[row] + share * (weights_[row] - before[row]);
            }
        }
        return true;
    }

    void putOnBounds() {
        for (int row = 0; row < system_.size(); ++row) {
            if (state_[std::size_t(row)] == State::low) weights_[row] = 0;
            if (state_[std::size_t(row)] == State::high) weights_[row] = 1;
        }
    }

    int bindBeyond() {
        int changes = 0;
        for (const int row : free_) {
            State& state = state_[std::size_t(row)];
            if (weights_[row] < -kBoundSlack) state = State::low;
            if (weights_[row] > 1 + kBoundSlack) state = State::high;
            changes += state != State::free;
        }
        return changes;
    }

    /// Frees the vertices whose bound holds them against the energy's wish: that is where the multipliers, the
    /// gradient Q w, have the wrong sign. It is not zero only near weights that are not.
    int releaseWrong() {
        const Vector gradient = system_.energy * weights_;
        int changes = 0;
        for (int row = 0; row < system_.size(); ++row) {
            State& state = state_[std::size_t(row)];
            if (state != State::low && state != State::high) continue;
            const double push = gradient[row] / diagonal(row);
            if (state == State::low ? push < -kBoundSlack : push > kBoundSlack) {
                state = State::free;
                ++changes;
            }
        }
        return changes;
    }

    double diagonal(int row) const { return system_.energy.coeff(row, row); }

    /// Minimises over the free rows, all others kept, from the weights that they have now.
    void minimise(bool rough) {
        free_.clear();
        for (int row = 0; row < system_.size(); ++row)
            if (state_[std::size_t(row)] == State::free) free_.push_back(row);
        if (free_.empty()) return;
        const FreeBlock block(system_, free_, scratch_);
        const Vector gradient = system_.energy * weights_;
        Vector residual(Eigen::Index(free_.size())), change = Vector::Zero(Eigen::Index(free_.size()));
        for (std::size_t k = 0; k < free_.size(); ++k) residual[Eigen::Index(k)] = -gradient[free_[k]];
        if (!block.canPrecondition() || !descend(block, rough, residual, change)) change = block.solve(residual);
        for (std::size_t k = 0; k < free_.size(); ++k) weights_[free_[k]] += change[Eigen::Index(k)];
    }

    /// Preconditioned conjugate gradients; false where they do not arrive.
    bool descend(const FreeBlock& block, bool rough, Vector residual, Vector& change) {
        Vector way = block.precondition(residual), next, image;
        double length = residual.dot(way);
        if (first_length_ == 0) first_length_ = length;
        const double goal = std::max(rough ? kRough * kRough * length : 0.0, kTight * kTight * first_length_);
        for (int round = 0; round < kRounds; ++round) {
            if (!(length > goal)) return std::isfinite(length);
            image = block.multiply(way);
            const double step = length / way.dot(image);
            change += step * way;
            residual -= step * image;
            next = block.precondition(residual);
            const double shorter = residual.dot(next);
            way = next + (shorter / length) * way;
            length = shorter;
        }
        return false;
    }

    const BiharmonicSystem& system_;
    std::vector<State> state_;  ///< per row
    Vector weights_;
    double first_length_ = 0;
    std::vector<int> free_;     ///< the rows of the last minimum
    std::vector<int> scratch_;  ///< one a row, all -1
};

}  // namespace

HandleSolution solveHandle(const BiharmonicSystem& system, std::size_t handle, const std::function<void()>& pause,
                           const SolverLimits& limits) {
    return HandleSolver(system, handle).solve(pause, limits);
}

}  // namespace pelt::fit::bbw
