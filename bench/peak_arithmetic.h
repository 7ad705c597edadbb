#pragma once

#include <cstddef>

namespace pelt::bench {

/// The same number of independent scalar multiply-adds in the widest registers: the time of the arithmetic alone.
void multiplyAdds(std::size_t count);

}  // namespace pelt::bench
