#pragma once

#include <pelt/core/image.h>
#include <pelt/verbs/verb.h>

namespace pelt::draw {

/// Each place in a panel of its own, its vertices marked. Throws Error (bad usage) if the size leaves no room.
Image drawCloseups(const verbs::CloseupSheet& sheet, const Progress& progress);

}  // namespace pelt::draw
