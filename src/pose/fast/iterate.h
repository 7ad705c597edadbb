#pragma once

#include <cstddef>

#include "system_data.h"

/// The inner loops of a solver. Thin matrices (y, D) have four numbers per row, the last unused; S, R and other
/// products are [panel][component of posed space][48].
namespace pelt::pose {

/// A local step adds this fraction of the last rotation to the covariance: if the covariance is degenerate (edges along
/// one line), the rotation stays near the last one, and the energy cannot increase: R maximizes tr(R S) + ρ tr(R
/// R_last^T), so tr(R S) is at least tr(R_last S).
constexpr double kInertia = 1e-4, kLeastInertia = 1e-12;

template <class T>
struct Iteration {
    std::size_t panels = 0, unknowns = 0;
    const T* covariance = nullptr;  ///< G in the layout of Panels
    const T* fixed = nullptr;       ///< S0
    T* rotations = nullptr;         ///< R_k^T
    T* y = nullptr;
    T* sums = nullptr;          ///< scratch, unknowns x 48
    const T* normal = nullptr;  ///< of the plane that rotations keep; null: any rotation
};

struct StepResult {
    double agreement = 0;  ///< <R, S0>
    double squared = 0;    ///< |y|²
    double change = 0;     ///< of y, squared
};

/// One local and one global step: R from S = S0 + G y, then y = G^T R.
template <class T>
StepResult iterateReference(const Iteration<T>& it) noexcept;
StepResult iterateKernel(const Iteration<float>& it) noexcept;

/// y = G^T R alone.
template <class T>
void globalStep(const Iteration<T>& it) noexcept;

/// out += m thin
template <class T>
void addProductReference(const Panels<T>& m, const T* thin, T* out) noexcept;
void addProductKernel(const Panels<float>& m, const float* thin, float* out) noexcept;

}  // namespace pelt::pose
