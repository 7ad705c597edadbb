// The local and the global step of [Jacobson12], transcribed directly: to check the kernel, and for the solver in
// double precision.
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

#include "iterate.h"
#include "plane_rotation.h"

namespace pelt::pose {
namespace {

/// The index of column b, row a of cluster `lane` in a panel of three columns.
std::size_t place(std::size_t a, std::size_t b, std::size_t lane) { return b * kPanel + a * kLanes + lane; }

constexpr std::size_t kRows = 8;  ///< that fit into registers for all three columns
static_assert(kPanel % kRows == 0);

/// s + (columns of a panel) · thin, for `kRows` rows.
template <class T>
void addColumns(const T* columns, std::size_t count, const T* thin, T* s) {
    T sums[3][kRows];
    for (std::size_t b = 0; b < 3; ++b) std::copy_n(s + b * kPanel, kRows, sums[b]);
    for (std::size_t c = 0; c < count; ++c, columns += kPanel, thin += 4)
        for (std::size_t b = 0; b < 3; ++b)
            for (std::size_t k = 0; k < kRows; ++k) sums[b][k] += columns[k] * thin[b];
    for (std::size_t b = 0; b < 3; ++b) std::copy_n(sums[b], kRows, s + b * kPanel);
}

/// The dot product of two panels as eight independent sums, to avoid waiting for each addition. They go through memory:
/// compilers then use vector instructions for them.
template <class T>
void dotLanes(const T* a, const T* b, T* lanes) {
    T sums[8] = {};
    for (std::size_t i = 0; i < kPanel; i += 8)
        for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    std::copy_n(sums, 8, lanes);
}

template <class T>
T sumOfLanes(const T* s) {
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

/// R_k^T = the rotation nearest to S_k, regularized by the last one.
template <class T>
void rotate(const T* s, std::size_t lane, const T* normal, T* rotations) {
    Mat3d covariance, last;
    double squared = 0;
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t a = 0; a < 3; ++a) {
            covariance(int(a), int(b)) = double(s[place(a, b, lane)]);
            last(int(a), int(b)) = double(rotations[place(a, b, lane)]);
            squared += covariance(int(a), int(b)) * covariance(int(a), int(b));
        }
    const double inertia = kInertia * std::sqrt(squared) + kLeastInertia;
    const Mat3d regular = covariance + last * inertia;
    const Mat3d nearest = normal
                              ? planeRotation(regular, {double(normal[0]), double(normal[1]), double(normal[2])}, last)
                              : runtime::nearestRotation(regular, last).rotation;
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t a = 0; a < 3; ++a) rotations[place(a, b, lane)] = T(nearest(int(a), int(b)));
}

}  // namespace

template <class T>
void addProductReference(const Panels<T>& m, const T* thin, T* out) noexcept {
    for (std::size_t p = 0; p < m.panels; ++p)
        for (std::size_t i = 0; i < kPanel; i += kRows)
            addColumns(m.panel(p) + i, m.columns, thin, out + p * 3 * kPanel + i);
}

template <class T>
void globalStep(const Iteration<T>& it) noexcept {
    std::fill_n(it.y, 4 * it.unknowns, T(0));
    T* const lanes = it.sums + 4 * it.unknowns;  // the beginning may hold the last y
    for (std::size_t p = 0; p < it.panels; ++p)
        for (std::size_t c = 0; c < it.unknowns; ++c) {
            const T* g = it.covariance + (p * it.unknowns + c) * kPanel;
            for (std::size_t b = 0; b < 3; ++b) dotLanes(g, it.rotations + (p * 3 + b) * kPanel, lanes + 8 * b);
            for (std::size_t b = 0; b < 3; ++b) it.y[4 * c + b] += sumOfLanes(lanes + 8 * b);
        }
}

template <class T>
StepResult iterateReference(const Iteration<T>& it) noexcept {
    StepResult result;
    T s[3 * kPanel];
    for (std::size_t p = 0; p < it.panels; ++p) {
        T* rotations = it.rotations + p * 3 * kPanel;
        const T* fixed = it.fixed + p * 3 * kPanel;
        std::copy_n(fixed, 3 * kPanel, s);
        for (std::size_t i = 0; i < kPanel; i += kRows)
            addColumns(it.covariance + p * it.unknowns * kPanel + i, it.unknowns, it.y, s + i);
        for (std::size_t lane = 0; lane < kLanes; ++lane) rotate(s, lane, it.normal, rotations);
        for (std::size_t i = 0; i < 3 * kPanel; ++i) result.agreement += double(rotations[i]) * double(fixed[i]);
    }
    std::copy_n(it.y, 4 * it.unknowns, it.sums);
    globalStep(it);
    for (std::size_t i = 0; i < 4 * it.unknowns; ++i) {
        result.squared += double(it.y[i]) * double(it.y[i]);
        const double change = double(it.y[i]) - double(it.sums[i]);
        result.change += change * change;
    }
    return result;
}

template void addProductReference(const Panels<float>&, const float*, float*) noexcept;
template void addProductReference(const Panels<double>&, const double*, double*) noexcept;
template void globalStep(const Iteration<float>&) noexcept;
template void globalStep(const Iteration<double>&) noexcept;
template StepResult iterateReference(const Iteration<float>&) noexcept;
template StepResult iterateReference(const Iteration<double>&) noexcept;

}  // namespace pelt::pose
