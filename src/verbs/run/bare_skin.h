#pragma once

#include <pelt/bind/rigid_bind.h>

#include "verbs/run/run.h"

namespace pelt::verbs {

/// Gives a character of the input that has joints but no weights those of pelt bind, and says so and how sure they are,
/// in the text and as "bound" in the result; a warning if that is not sure at all. Others stay as they are.
void bindIfBare(Run& run, std::string_view input, Character& character, const bind::BindOptions& options = {});
CharacterRef boundIfBare(Run& run, std::string_view input, CharacterRef character);

}  // namespace pelt::verbs
