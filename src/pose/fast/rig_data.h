#pragma once

#include <pelt/geometry/weld.h>
#include <pelt/pose/pose.h>

#include <Eigen/Core>

#include "blend_layout.h"
#include "weight_rows.h"

/// The result of `prepare`. Positions are in units of the bounding box's diagonal, relative to its center ("scaled
/// space"), and the transform of a column of weights acts on points relative to the column's own center: θ_j (4 x 3)
/// maps ((x - center) / scale, 1) to scaled space. Both keep the numbers near 1, however far a hand is from the origin.
namespace pelt::pose {

struct ColumnFrame {
    Vec3d center;
    double scale = 1;
};

struct PoseRig::Data {
    std::size_t handles = 0, columns = 0, clusters = 0;  ///< columns: handles and extra weights
    Vec3d center;                                        ///< origin of scaled space, in the file's space
    double scale = 1;
    double energy_unit = 1;  ///< from scaled space to the file's units
    double rest_energy = 0;  ///< ½ Σ c |v_i - v_j|², scaled
    std::vector<ColumnFrame> frames;

    geometry::Weld weld;
    std::vector<Vec3d> positions;  ///< of welded vertices, scaled
    WeightRows rows;               ///< of welded vertices, with extra weights
    BlendBlocks blend;

    // T = free s + null t: the energy of T is ½ |s|² - <R, covariance s> + const, and t has no energy.
    Eigen::MatrixXd free, null;  ///< 4 columns x …
    Eigen::MatrixXd covariance;  ///< K · free, 3 clusters rows
    Eigen::MatrixXd rest;        ///< θ at rest, 4 columns x 3
    Eigen::MatrixXd null_rest;   ///< t at rest
};

}  // namespace pelt::pose
