#pragma once

#include <Eigen/Core>
#include <memory>

#include "rig_data.h"

/// The result of `constrain`. With D the constraints' targets (rows x 3), the remaining unknowns are y (`unknowns` x
/// 3):
///     S = S0 + G y,  S0 = covariance_of_targets D,     T = T0 + from_targets D + from_unknowns y,
///     E = ½ D^T gram D + ½ |y|² - <R, S> + rest energy.
/// Minimizing over y alone gives y = G^T R: the global step.
namespace pelt::pose {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kPanel = 3 * kLanes;  ///< rows of a panel: x of 16 clusters, then y, then z

/// A matrix for products with thin ones (three columns): panels of 48 rows, stored by columns within each panel. The
/// last panel is padded with rows of 0.
template <class T>
struct Panels {
    std::size_t panels = 0, columns = 0;
    std::unique_ptr<T[]> storage;
    T* numbers = nullptr;  ///< [panel][column][48], aligned to a cache line

    void allocate(std::size_t panel_count, std::size_t column_count) {
        panels = panel_count;
        columns = column_count;
        storage = std::make_unique<T[]>(panels * columns * kPanel + 64 / sizeof(T));
        void* start = storage.get();
        std::size_t space = panels * columns * kPanel * sizeof(T) + 64;
        numbers = static_cast<T*>(std::align(64, 1, start, space));
    }
    const T* panel(std::size_t p) const { return numbers + p * columns * kPanel; }
};

template <class T>
struct SolverMatrices {
    Panels<T> covariance;                   ///< G; panels of clusters
    Panels<T> covariance_of_targets;        ///< panels of clusters
    Panels<T> from_targets, from_unknowns;  ///< panels of 48 rows of θ
    Panels<T> fixed;                        ///< T0 as a matrix of three columns
};

struct PoseSystem::Data {
    PoseRig rig;
    std::vector<Constraint> constraints;
    std::vector<std::size_t> first_row;  ///< first row of each constraint in D
    std::size_t rows = 0, unknowns = 0, panels = 0;
    Eigen::MatrixXd rest_targets;  ///< D at rest
    Eigen::MatrixXd gram;
    Eigen::MatrixXd at_rest;  ///< the values of the constraints with T0 alone; D below is relative to them
    Eigen::MatrixXd unmet;    ///< unmet · D: the distances by which constraints are missed
    Eigen::VectorXd rigid;    ///< per row, its weight for a common rigid motion
    SolverMatrices<float> single;
    SolverMatrices<double> twice;

    template <class T>
    const SolverMatrices<T>& matrices() const {
        if constexpr (sizeof(T) == sizeof(float))
            return single;
        else
            return twice;
    }
};

}  // namespace pelt::pose
