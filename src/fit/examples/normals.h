#pragma once

#include <pelt/fit/examples.h>

namespace pelt::fit::examples {

/// Sums over all examples (squaredNormalAngles) as a root mean square in degrees; none if there are no normals.
std::optional<double> meanAngle(const ExamplePoses& poses, double squared_angles);

}  // namespace pelt::fit::examples
