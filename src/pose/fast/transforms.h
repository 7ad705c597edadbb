#pragma once

#include "rig_data.h"

namespace pelt::pose {

/// θ of a handle for a map of the file's space.
inline Eigen::Matrix<double, 4, 3> scaledRows(const PoseRig::Data& data, std::size_t handle, const Affine3d& map) {
    const ColumnFrame& frame = data.frames[handle];
    const Mat3d linear = map.linear();
    const Vec3d moved = linear * frame.center + (linear * data.center + map.translation() - data.center) / data.scale;
    Eigen::Matrix<double, 4, 3> rows;
    for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) rows(a, b) = frame.scale * linear(b, a);
        rows(3, b) = moved[b];
    }
    return rows;
}

/// The map of the file's space that four rows of θ represent. That of an extra weight is added to the blend of the
/// handles.
template <class T>
Affine3<T> fileMap(const PoseRig::Data& data, std::size_t column, const Vec3<T> rows[4]) {
    const ColumnFrame& frame = data.frames[column];
    const T inverse = T(1 / frame.scale);
    const Mat3<T> linear{{rows[0] * inverse, rows[1] * inverse, rows[2] * inverse}};
    const Vec3<T> middle(data.center + frame.center * data.scale);  // of the column, in the file's space
    Vec3<T> moved = rows[3] * T(data.scale);
    if (column < data.handles) moved += Vec3<T>(data.center);
    return {linear, moved - linear * middle};
}

}  // namespace pelt::pose
