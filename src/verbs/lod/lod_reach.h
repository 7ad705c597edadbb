#pragma once

#include <pelt/geometry/weld.h>

namespace pelt::verbs {

/// Per welded point, how far a simplification should move it: not through the next layer (lips over teeth, clothes over
/// skin), and by little compared with the size of its piece (an eye).
std::vector<double> lodReach(const Mesh& mesh, const geometry::Weld& weld);

}  // namespace pelt::verbs
