#pragma once

#include <cstddef>
#include <vector>

namespace pelt::fit::limit {

/// Minimizes wᵀ G w + r |w - w₀|² for weights w ≥ 0 with sum 1 of which at most K are not 0. G is symmetric and
/// positive semidefinite; r is small. It decides where G does not, and keeps weights from relying on joints that move
/// alike in the poses but need not in others.
class SimplexWeights {
public:
    /// `packed` has the rows of the upper triangle one after the other, `prior` the weights w₀.
    SimplexWeights(const std::vector<double>& packed, const std::vector<double>& prior);

    /// All `size()` weights. Joints are left out one by one, the one that costs least first, and then exchanged for
    /// others as long as that helps.
    std::vector<double> solve(std::size_t most) const;
    double error(const std::vector<double>& weights) const;  ///< wᵀ G w
    std::size_t size() const { return size_; }

private:
    using Support = std::vector<std::size_t>;
    struct Solution {
        double cost;
        std::vector<double> weights;
    };
    Solution on(Support support) const;
    bool solveEqual(const Support& support, std::vector<double>& weights) const;
    double at(std::size_t i, std::size_t j) const { return matrix_[i * size_ + j]; }

    std::size_t size_;
    std::vector<double> matrix_, prior_;
    double ridge_ = 0;
};

}  // namespace pelt::fit::limit
