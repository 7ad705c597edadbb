#pragma once

#include <pelt/core/mat.h>

#include <Eigen/Core>

namespace pelt {

inline Eigen::Matrix3d toEigen(const Mat3d& a) {
    Eigen::Matrix3d m;
    for (int c = 0; c < 3; ++c) m.col(c) = Eigen::Vector3d(a.col[c].x, a.col[c].y, a.col[c].z);
    return m;
}

inline Mat3d fromEigen(const Eigen::Matrix3d& m) {
    Mat3d a;
    for (int c = 0; c < 3; ++c) a.col[c] = {m(0, c), m(1, c), m(2, c)};
    return a;
}

}  // namespace pelt
