#pragma once

#include <cstddef>
#include <span>

namespace pelt::bench {

/// A figure of a table; 0: not given there.
struct PublishedError {
    double e_rms = 0;
    double eigenskin = 0;  ///< after a rank-5 EigenSkin correction
};

/// A row of [LeDeng12] Table 2: rigid bones. `sma` [JamesTwigg05], `lssp` [Hasler10], `ssdr` the paper's own method.
struct RigidRow {
    const char* set;
    std::size_t bones;
    PublishedError sma, lssp, ssdr;
    double sma_minutes = 0, lssp_minutes = 0, ssdr_minutes = 0;
};

/// A row of [LeDeng12] Table 3: flexible bones, with the bones of a vertex chosen as in [Kavan10] or by its own solver.
struct FlexibleRow {
    const char* set;
    std::size_t bones;
    double closest = 0, solved = 0;
};

std::span<const RigidRow> table2();
std::span<const FlexibleRow> table3();

}  // namespace pelt::bench
