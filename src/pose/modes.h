#pragma once

#include "reduction.h"

namespace pelt::pose {

/// The `count` smoothest functions on the vertices of `elements`, by vertices and functions, 0 in the mean of what each
/// handle holds (has all weight of, or most where it has all of nothing); fewer where the vertices are few.
/// `elements.rows` are the handles' weights alone.
Eigen::MatrixXd smoothestModes(const Elements& elements, std::size_t handles, std::size_t count);

/// The same rows with the columns handles, handles + 1, … of functions given at their vertices, faded out where one
/// handle has all weight.
WeightRows withModes(const WeightRows& rows, std::size_t handles, const Eigen::MatrixXd& values);

}  // namespace pelt::pose
