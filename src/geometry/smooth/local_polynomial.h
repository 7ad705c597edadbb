#pragma once

#include <vector>

namespace pelt::geometry {

/// Chebyshev coefficients of (1 + x)^-iterations over [0, end], accurate to `tolerance`; empty if that many products
/// would take longer than a factorization.
std::vector<double> powerCoefficients(int iterations, double end, double tolerance);

}  // namespace pelt::geometry
