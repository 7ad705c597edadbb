#pragma once

#include "reduction.h"

namespace pelt::pose {

/// The `count` smoothest functions on the vertices of `elements`, as a matrix of vertices by functions. Their mean is 0
/// over the vertices that each handle holds (those on which it has all weight or, if there are none, most weight).
/// There are fewer functions if there are few vertices. `elements.rows` are the handles' weights alone.
Eigen::MatrixXd smoothestModes(const Elements& elements, std::size_t handles, std::size_t count);

/// The same rows with the columns handles, handles + 1, … of functions given at their vertices, faded out where one
/// handle has all weight.
WeightRows withModes(const WeightRows& rows, std::size_t handles, const Eigen::MatrixXd& values);

}  // namespace pelt::pose
