// Bounded biharmonic weights of one handle [Jacobson11]: minimise ½ wᵀ Q w, Q = L M⁻¹ L, over 0 <= w <= 1 with w given
// at handles.
//
// A primal-dual active set method [Hintermüller03]: guess which vertices lie on a bound, minimise over the free rest,
// release those whose bound pushes the wrong way and bind those that went beyond one, until nothing changes. Weights
// vanish a few bones away from their handle, so that the free set F is a small part of the shape.
//
// The minimum over F solves Q_FF w_F = -Q_FA w_A. Since
//     Q_FF = L_FF M_F⁻¹ L_FF + L_FA M_A⁻¹ L_AF,
// and the second term lives on the rim of F alone, conjugate gradients with the first as preconditioner need some
// twenty rounds however fine the mesh is; it takes a Cholesky factor of the Laplacian L_FF, which has a tenth of the
// entries of a factor of Q_FF.
#include "handle_solver.h"

#include <pelt/core/error.h>

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace pelt::fit::bbw {
namespace {

using Vector = Eigen::VectorXd;
using Cholesky = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>>;

constexpr double kRough = 1e-3;       // of the energy norm of the error that a solve starts from
constexpr double kTight = 1e-12;      // of that of the first solve, which knows nothing yet
constexpr double kBoundSlack = 1e-9;  // in weights
constexpr int kRounds = 400;

enum class State : std::int8_t { given, low, free, high };

class HandleSolver {
public:
    HandleSolver(const BiharmonicSystem& system, std::size_t handle)
        : system_(system), state_(std::size_t(system.size()), State::low), row_of_(std::size_t(system.size()), -1) {
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
        result.solved = primalDual(pause, limits.quick_steps, result.steps);
        if (!result.solved) result.solved = primal(pause, limits.careful_steps, result.searches);
        result.weights.resize(std::size_t(system_.size()));
        for (int row = 0; row < system_.size(); ++row)
            result.weights[std::size_t(row)] = std::clamp(weights_[row], 0.0, 1.0);
        return result;
    }

private:
    bool primalDual(const std::function<void()>& pause, int limit, int& steps) {
        bool rough = true;
        for (; steps < limit; ++steps) {
            pause();
            putOnBounds();
            minimise(rough);
            const int changes = bindBeyond() + releaseWrong();
            if (changes == 0 && !rough) return true;
            rough = changes > int(free_.size()) / 50;
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
            if (row_of_[std::size_t(row)] >= 0) continue;  // bound just now
            const double push = gradient[row] / diagonal(row);
            if (state == State::low ? push < -kBoundSlack : push > kBoundSlack) {
                state = State::free;
                ++changes;
            }
        }
        return changes;
    }

    double diagonal(int row) const { return system_.energy.coeff(row, row); }

    /// The part of a matrix on the free rows; only its lower triangle for a factorisation.
    Matrix restricted(const Matrix& matrix, bool lower) const {
        std::vector<int> outer{0}, inner;
        std::vector<double> values;
        for (const int column : free_) {
            for (Matrix::InnerIterator it(matrix, column); it; ++it) {
                const int row = row_of_[std::size_t(it.row())];
                if (row < 0 || (lower && it.row() < column)) continue;
                inner.push_back(row);
                values.push_back(it.value());
            }
            outer.push_back(int(inner.size()));
        }
        const auto size = Eigen::Index(free_.size());
        return Eigen::Map<Matrix>(size, size, Eigen::Index(inner.size()), outer.data(), inner.data(), values.data());
    }

    void listFree() {
        for (const int row : free_) row_of_[std::size_t(row)] = -1;
        free_.clear();
        for (int row = 0; row < system_.size(); ++row) {
            if (state_[std::size_t(row)] != State::free) continue;
            row_of_[std::size_t(row)] = int(free_.size());
            free_.push_back(row);
        }
    }

    /// Minimises over the free rows, all others kept, from the weights that they have now.
    void minimise(bool rough) {
        listFree();
        if (free_.empty()) return;
        const Vector gradient = system_.energy * weights_;
        Vector residual(Eigen::Index(free_.size())), change = Vector::Zero(Eigen::Index(free_.size()));
        for (std::size_t k = 0; k < free_.size(); ++k) residual[Eigen::Index(k)] = -gradient[free_[k]];
        const Matrix energy = restricted(system_.energy, false);
        Cholesky laplacian(restricted(system_.laplacian, true));
        if (laplacian.info() != Eigen::Success || !descend(energy, laplacian, rough, residual, change))
            change = solveDirectly(residual);
        for (std::size_t k = 0; k < free_.size(); ++k) weights_[free_[k]] += change[Eigen::Index(k)];
    }

    /// Preconditioned conjugate gradients; false where they do not arrive.
    bool descend(const Matrix& energy, const Cholesky& laplacian, bool rough, Vector residual, Vector& change) {
        Vector mass(Eigen::Index(free_.size()));
        for (std::size_t k = 0; k < free_.size(); ++k) mass[Eigen::Index(k)] = system_.mass[free_[k]];
        const auto precondition = [&](const Vector& r) -> Vector {
            return laplacian.solve(mass.cwiseProduct(laplacian.solve(r)));
        };
        Vector way = precondition(residual), next, image;
        double length = residual.dot(way);
        if (first_length_ == 0) first_length_ = length;
        const double goal = std::max(rough ? kRough * kRough * length : 0.0, kTight * kTight * first_length_);
        for (int round = 0; round < kRounds; ++round) {
            if (!(length > goal)) return std::isfinite(length);
            image = energy * way;
            const double step = length / way.dot(image);
            change += step * way;
            residual -= step * image;
            next = precondition(residual);
            const double shorter = residual.dot(next);
            way = next + (shorter / length) * way;
            length = shorter;
        }
        return false;
    }

    Vector solveDirectly(const Vector& right) const {
        const Cholesky energy(restricted(system_.energy, true));
        Vector change = energy.solve(right);
        if (energy.info() != Eigen::Success || !change.allFinite())
            throw Error::badInput("the biharmonic system cannot be solved: are there tets or triangles of no size?");
        return change;
    }

    const BiharmonicSystem& system_;
    std::vector<State> state_;  ///< per row
    Vector weights_;
    double first_length_ = 0;
    std::vector<int> free_, row_of_;  ///< the rows of the last minimum, and where each row is in it (-1: not)
};

}  // namespace

HandleSolution solveHandle(const BiharmonicSystem& system, std::size_t handle, const std::function<void()>& pause,
                           const SolverLimits& limits) {
    return HandleSolver(system, handle).solve(pause, limits);
}

}  // namespace pelt::fit::bbw
