#pragma once

#include <cstddef>

namespace pelt::bench {

/// As many multiply-adds of single numbers, in the widest registers there are and independent of each other: what
/// arithmetic alone would take.
void multiplyAdds(std::size_t count);

}  // namespace pelt::bench
