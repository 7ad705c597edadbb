#pragma once

#include <pelt/core/progress.h>

namespace pelt::fit {

/// A part of the work as a range of fractions of the whole: about its share of the time on long sequences.
struct Stage {
    const Progress& progress;
    double from = 0, to = 1;

    void report(double fraction) const { progress.report("eigenskin", from + (to - from) * fraction); }
};

}  // namespace pelt::fit
