#pragma once

#include <pelt/verbs/verb.h>

namespace pelt::program {

/// The verbs of the library, then those that only the program has.
std::span<const verbs::Verb> table();
/// Null if there is none of that name.
const verbs::Verb* findVerb(std::string_view name);

}  // namespace pelt::program
