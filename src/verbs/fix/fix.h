#pragma once

#include "verbs/check/judge.h"

namespace pelt::verbs {

struct FixRequest {
    std::vector<measure::Flaw> only;  ///< empty: all kinds that weights can mend
};

/// What was done about a finding.
struct Repair {
    measure::Finding finding;
    std::string by;                ///< how; empty: nothing helped
    double before = 0, after = 0;  ///< scores of the whole
};

struct FixResult {
    SkinWeights weights;
    measure::SkinCheck before, after;
    std::vector<Repair> repairs;
};

/// Repairs the faults of a skin one by one, the worst first. Of what fits a finding, it keeps what leaves the best
/// score; no region's score falls, and vertices outside the findings keep their weights to the bit.
FixResult fixSkin(const Character& character, const Judge& judge, const FixRequest& request, const Progress& progress);

}  // namespace pelt::verbs
