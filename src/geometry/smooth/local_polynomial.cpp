// p implicit steps apply the function (1 + x)^-p to A = D D_L^-1 L. The eigenvalues of A lie in [0, 2 max D], because
// those of D_L^-1 L lie in [0, 2]. If the strengths are small, a polynomial of low degree approximates that function to
// full precision, and a few products with a sparse matrix take less time than a factorization and its substitutions.
#include "local_polynomial.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace pelt::geometry {

namespace {

/// The number of products with the sparse matrix that take as long as one implicit step: a row of the factor has about
/// five times as many entries as a row of the matrix, every step reads it twice, and the factor must be computed.
constexpr int kProductsPerStep = 8;
constexpr int kMostProducts = 512;  ///< for higher degrees, computing the polynomial would take longer than it saves

std::size_t productLimit(int iterations) {
    return std::size_t(std::min(std::int64_t(kProductsPerStep) * iterations, std::int64_t(kMostProducts)));
}

}  // namespace

std::vector<double> powerCoefficients(int iterations, double end, double tolerance) {
    const std::size_t limit = productLimit(iterations);
    const std::size_t samples = 2 * limit;
    std::vector<double> at(samples), coefficients;
    for (std::size_t j = 0; j < samples; ++j)
        at[j] =
            std::pow(1 + end / 2 * (1 + std::cos((double(j) + 0.5) * std::numbers::pi / double(samples))), -iterations);
    for (std::size_t k = 0; k < limit; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < samples; ++j)
            sum += at[j] * std::cos(double(k) * (double(j) + 0.5) * std::numbers::pi / double(samples));
        coefficients.push_back(sum * (k == 0 ? 1.0 : 2.0) / double(samples));
        if (k > 1 && std::abs(coefficients[k]) < tolerance && std::abs(coefficients[k - 1]) < tolerance)
            return coefficients;
    }
    return {};
}

}  // namespace pelt::geometry
