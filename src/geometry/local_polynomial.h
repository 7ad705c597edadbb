#pragma once

#include <vector>

namespace pelt::geometry {

/// Chebyshev coefficients of (1 + x)^-iterations over [0, end], down to `tolerance`; empty where so many products cost
/// more than a factorisation.
std::vector<double> powerCoefficients(int iterations, double end, double tolerance);

}  // namespace pelt::geometry
