// Alternating local and global steps [Jacobson12], starting from the last pose (warm start).
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fit_pose.h"
#include "iterate.h"
#include "plane_rotation.h"
#include "transforms.h"

namespace pelt::pose {

/// All data of a pose, in one allocation.
template <class T>
struct Solver<T>::State {
    explicit State(const PoseSystem& given);

    PoseSystem system;
    std::unique_ptr<std::byte[]> memory;
    double* targets = nullptr;  ///< D, rows x 4
    T *thin_targets = nullptr, *fixed = nullptr, *rotations = nullptr, *y = nullptr, *sums = nullptr,
      *candidate = nullptr;  ///< rotations for comparison
    T* theta = nullptr;      ///< the unknown transforms
    double *exact_targets = nullptr, *exact_y = nullptr, *exact_theta = nullptr;
    double target_energy = 0;    ///< energy of D alone, with the rest energy
    bool stale = true;           ///< D changed after S0 was computed
    std::optional<Vec3d> plane;  ///< its normal
    T normal[3] = {};

    const PoseSystem::Data& data() const { return *system.data; }
    const SolverMatrices<T>& matrices() const { return data().template matrices<T>(); }
    Iteration<T> iteration() const {
        return {data().panels, data().unknowns,         matrices().covariance.numbers, fixed, rotations, y,
                sums,          plane ? normal : nullptr};
    }
    StepResult iterate() const;
    void addProduct(const Panels<T>& m, const T* thin, T* out) const;
    void takeTargets();
    /// A row of D: the target minus the value that T0 alone gives.
    Vec3d fromRest(std::size_t row) const {
        Vec3d d;
        for (int b = 0; b < 3; ++b) d[b] = targets[4 * row + std::size_t(b)] - data().at_rest(Eigen::Index(row), b);
        return d;
    }
    double energy(const StepResult& step) const {
        return std::max(0.0, target_energy - 0.5 * step.squared - step.agreement) * data().rig.data->energy_unit;
    }
    void rotateAll(const Mat3d& rotation);
    Mat3d rigidFit() const;
    std::size_t rotationCount() const { return data().panels * 3 * kPanel; }
};

template <class T>
Solver<T>::State::State(const PoseSystem& given) : system(given) {
    const PoseSystem::Data& d = data();
    const std::size_t theta_size = matrices().fixed.panels * 3 * kPanel;
    const std::size_t sizes[] = {4 * d.rows,     rotationCount(),     rotationCount(), rotationCount(),
                                 4 * d.unknowns, d.unknowns * kPanel, theta_size};
    T** places[] = {&thin_targets, &fixed, &rotations, &candidate, &y, &sums, &theta};
    const std::size_t exact_sizes[] = {4 * d.rows, 4 * d.rows, 4 * d.unknowns, theta_size};
    double** exact_places[] = {&targets, &exact_targets, &exact_y, &exact_theta};
    const auto padded = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
    std::size_t bytes = 64;
    for (const std::size_t size : exact_sizes) bytes += padded(size * sizeof(double));
    for (const std::size_t size : sizes) bytes += padded(size * sizeof(T));
    memory = std::make_unique<std::byte[]>(bytes);
    void* start = memory.get();
    std::byte* at = static_cast<std::byte*>(std::align(64, 1, start, bytes));
    for (std::size_t i = 0; i < std::size(exact_sizes); ++i) {
        *exact_places[i] = reinterpret_cast<double*>(at);
        at += padded(exact_sizes[i] * sizeof(double));
    }
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        *places[i] = reinterpret_cast<T*>(at);
        at += padded(sizes[i] * sizeof(T));
    }
    for (std::size_t row = 0; row < d.rows; ++row)
        for (int b = 0; b < 3; ++b) targets[4 * row + std::size_t(b)] = d.rest_targets(Eigen::Index(row), b);
    rotateAll(Mat3d());
    globalStep(iteration());
}

template <class T>
StepResult Solver<T>::State::iterate() const {
    if constexpr (sizeof(T) == sizeof(float))
        return iterateKernel(iteration());
    else
        return iterateReference(iteration());
}

template <class T>
void Solver<T>::State::addProduct(const Panels<T>& m, const T* thin, T* out) const {
    if constexpr (sizeof(T) == sizeof(float))
        addProductKernel(m, thin, out);
    else
        addProductReference(m, thin, out);
}

/// Computes S0 and the energy of the targets alone.
template <class T>
void Solver<T>::State::takeTargets() {
    if (!stale) return;
    const PoseSystem::Data& d = data();
    std::fill_n(fixed, rotationCount(), T(0));
    double squared = 0;
    for (std::size_t i = 0; i < d.rows; ++i) {
        const Vec3d a = fromRest(i);
        for (int b = 0; b < 3; ++b) thin_targets[4 * i + std::size_t(b)] = T(a[b]);
        for (std::size_t j = 0; j < d.rows; ++j)
            squared += d.gram(Eigen::Index(i), Eigen::Index(j)) * dot(a, fromRest(j));
    }
    addProduct(matrices().covariance_of_targets, thin_targets, fixed);
    target_energy = 0.5 * squared + d.rig.data->rest_energy;
    stale = false;
}

template <class T>
void Solver<T>::State::rotateAll(const Mat3d& rotation) {
    for (std::size_t p = 0; p < data().panels; ++p)
        for (int b = 0; b < 3; ++b)
            for (int a = 0; a < 3; ++a)
                std::fill_n(rotations + (p * 3 + std::size_t(b)) * kPanel + std::size_t(a) * kLanes, kLanes,
                            T(rotation(b, a)));  // R_k^T is kept
}

/// The rotation of the rigid motion that best maps the constraints at rest to their targets.
template <class T>
Mat3d Solver<T>::State::rigidFit() const {
    const PoseSystem::Data& d = data();
    const auto place = [&](std::size_t row) {
        return Vec3d(d.rest_targets(Eigen::Index(row), 0), d.rest_targets(Eigen::Index(row), 1),
                     d.rest_targets(Eigen::Index(row), 2));
    };
    const auto target = [&](std::size_t row) {
        return Vec3d(targets[4 * row], targets[4 * row + 1], targets[4 * row + 2]);
    };
    Vec3d mean_place, mean_target;
    double points = 0;
    for (std::size_t row = 0; row < d.rows; ++row)
        if (d.rigid[Eigen::Index(row)] > 0) {
            mean_place += place(row);
            mean_target += target(row);
            points += 1;
        }
    if (points == 0) return {};
    mean_place = mean_place / points;
    mean_target = mean_target / points;
    Mat3d sum = Mat3d() * 1e-9;
    for (std::size_t row = 0; row < d.rows; ++row) {
        const bool point = d.rigid[Eigen::Index(row)] > 0;
        const Vec3d from = point ? place(row) - mean_place : place(row);
        const Vec3d to = point ? target(row) - mean_target : target(row);
        for (int a = 0; a < 3; ++a) sum.col[a] += to * from[a];
    }
    return plane ? planeRotation(sum, *plane, {}) : runtime::nearestRotation(sum).rotation;
}

template <class T>
Solver<T>::Solver(const PoseSystem& system) : state_(std::make_unique<State>(system)) {}
template <class T>
Solver<T>::~Solver() = default;
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <class T>
void Solver<T>::setTransform(std::size_t constraint, const Affine3d& rest_to_posed) noexcept {
    const PoseSystem::Data& d = state_->data();
    const ConstraintKind kind = d.constraints[constraint].kind;
    assert(kind == ConstraintKind::transform || kind == ConstraintKind::turn);
    const auto rows = scaledRows(*d.rig.data, d.constraints[constraint].handle, rest_to_posed);
    const std::size_t given = kind == ConstraintKind::transform ? 4 : 3;
    for (std::size_t r = 0; r < given; ++r)
        for (std::size_t b = 0; b < 3; ++b)
            state_->targets[4 * (d.first_row[constraint] + r) + b] = rows(Eigen::Index(r), Eigen::Index(b));
    state_->stale = true;
}

template <class T>
void Solver<T>::setTarget(std::size_t constraint, const Vec3d& target) noexcept {
    const PoseSystem::Data& d = state_->data();
    assert(d.constraints[constraint].kind == ConstraintKind::position ||
           d.constraints[constraint].kind == ConstraintKind::vertices);
    const Vec3d scaled = (target - d.rig.data->center) / d.rig.data->scale;
    for (std::size_t b = 0; b < 3; ++b) state_->targets[4 * d.first_row[constraint] + b] = scaled[int(b)];
    state_->stale = true;
}

template <class T>
double Solver<T>::conflict() const noexcept {
    const PoseSystem::Data& d = state_->data();
    double largest = 0;
    for (Eigen::Index r = 0; r < d.unmet.rows(); ++r) {
        Vec3d sum;
        for (std::size_t row = 0; row < d.rows; ++row) sum += state_->fromRest(row) * d.unmet(r, Eigen::Index(row));
        largest = std::max(largest, length(sum));
    }
    return largest * d.rig.data->scale;
}

template <class T>
void Solver<T>::setPlane(const Vec3d* normal) noexcept {
    state_->plane.reset();
    if (!normal) return;
    state_->plane = *normal;
    for (int a = 0; a < 3; ++a) state_->normal[a] = T((*normal)[a]);
}

template <class T>
void Solver<T>::reset() noexcept {
    State& s = *state_;
    s.takeTargets();
    const auto start = [&](const Mat3d& rotation) {
        s.rotateAll(rotation);
        globalStep(s.iteration());
        return s.energy(s.iterate());
    };
    const Mat3d fit = s.rigidFit();
    const double turned = start(fit);
    if (start(Mat3d()) > turned) start(fit);
}

template <class T>
void Solver<T>::startFrom(const Solver& other) noexcept {
    assert(state_->data().rig.data == other.state_->data().rig.data);
    state_->takeTargets();
    std::copy_n(other.state_->rotations, state_->rotationCount(), state_->rotations);
    globalStep(state_->iteration());
}

template <class T>
void Solver<T>::startFrom(std::span<const Vec3f> posed) {
    State& s = *state_;
    assert(posed.size() == s.data().rig.data->weld.welded.size());
    const std::vector<Mat3d> rotations = fitPose(*s.data().rig.data, posed);
    s.takeTargets();
    for (std::size_t k = 0; k < rotations.size(); ++k)
        for (std::size_t b = 0; b < 3; ++b)
            for (std::size_t a = 0; a < 3; ++a)
                s.rotations[(k / kLanes * 3 + b) * kPanel + a * kLanes + k % kLanes] = T(rotations[k](int(a), int(b)));
    globalStep(s.iteration());
}

template <class T>
SolveResult Solver<T>::solve(const SolveOptions& options) noexcept {
    State& s = *state_;
    s.takeTargets();
    const double enough = options.tolerance * s.data().rig.data->rest_energy;
    SolveResult result;
    while (result.iterations < options.iterations && !result.converged) {
        const StepResult step = s.iterate();
        result.energy = s.energy(step);
        if (std::size_t(result.iterations) < options.energies.size())
            options.energies[std::size_t(result.iterations)] = result.energy;
        ++result.iterations;
        result.converged = 0.5 * step.change <= enough;
    }
    return result;
}

namespace {

/// T of every column from θ in panels of 48 rows.
template <class T>
void readTheta(const PoseRig::Data& rig, const T* theta, std::span<Affine3<T>> out) {
    for (std::size_t column = 0; column < rig.columns; ++column) {
        Vec3<T> rows[4];
        for (std::size_t r = 0; r < 4; ++r) {
            const std::size_t row = 4 * column + r;
            const T* panel = theta + row / kPanel * 3 * kPanel + row % kPanel;
            rows[r] = {panel[0], panel[kPanel], panel[2 * kPanel]};
        }
        out[column] = fileMap(rig, column, rows);
    }
}

}  // namespace

template <class T>
void Solver<T>::transforms(std::span<Affine3<T>> out) const noexcept {
    const State& s = *state_;
    assert(out.size() >= s.data().rig.data->columns);
    std::copy_n(s.matrices().fixed.numbers, s.matrices().fixed.panels * 3 * kPanel, s.theta);
    s.addProduct(s.matrices().from_targets, s.thin_targets, s.theta);
    s.addProduct(s.matrices().from_unknowns, s.y, s.theta);
    readTheta<T>(*s.data().rig.data, s.theta, out);
}

template <class T>
void Solver<T>::exactTransforms(std::span<Affine3d> out) const noexcept {
    const State& s = *state_;
    const PoseSystem::Data& d = s.data();
    const SolverMatrices<double>& m = d.twice;
    assert(out.size() >= d.rig.data->columns);
    for (std::size_t i = 0; i < d.rows; ++i) {
        const Vec3d a = s.fromRest(i);
        for (int b = 0; b < 3; ++b) s.exact_targets[4 * i + std::size_t(b)] = a[b];
    }
    std::fill_n(s.exact_y, 4 * d.unknowns, 0.0);
    for (std::size_t p = 0; p < d.panels; ++p)
        for (std::size_t c = 0; c < d.unknowns; ++c) {
            const double* g = m.covariance.numbers + (p * d.unknowns + c) * kPanel;
            for (std::size_t b = 0; b < 3; ++b) {
                const T* r = s.rotations + (p * 3 + b) * kPanel;
                double sums[8] = {};
                for (std::size_t i = 0; i < kPanel; i += 8)
                    for (std::size_t k = 0; k < 8; ++k) sums[k] += g[i + k] * double(r[i + k]);
                s.exact_y[4 * c + b] +=
                    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
            }
        }
    std::copy_n(m.fixed.numbers, m.fixed.panels * 3 * kPanel, s.exact_theta);
    addProductReference(m.from_targets, s.exact_targets, s.exact_theta);
    addProductReference(m.from_unknowns, s.exact_y, s.exact_theta);
    readTheta<double>(*d.rig.data, s.exact_theta, out);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace pelt::pose
