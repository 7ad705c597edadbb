#pragma once

#include <string>
#include <vector>

namespace pelt::render {

struct Tick {
    float position = 0;  ///< along the scale, 0..1
    std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten apart) between two ends, and how to write them. One tick if the ends
/// are equal, none if they are not finite.
std::vector<Tick> makeTicks(double low, double high);

}  // namespace pelt::render
