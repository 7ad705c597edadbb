#pragma once

#include <pelt/core/progress.h>

namespace pelt::io {

/// What a step of the work reports, 0 to 1, told as the share `from` to `to` of the stage. Borrows `whole`.
inline Progress partOf(const Progress& whole, std::string_view stage, double from, double to) {
    return Progress([&whole, stage, from, to](std::string_view, double fraction) {
        whole.report(stage, from + fraction * (to - from));
        return true;
    });
}

}  // namespace pelt::io
