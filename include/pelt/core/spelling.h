#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pelt {

/// The name that a misspelled word probably means: the one with the fewest letters inserted, left out, changed or
/// swapped with their neighbor, if these are at most a third of the word (ignoring case); otherwise the shortest name
/// that contains the word. The first of several equally near names; empty if there is none.
std::string nearestName(std::string_view word, std::span<const std::string> names);

/// What a message says about a name that does not exist: "; did you mean 'walk'?", or nothing.
std::string didYouMean(std::string_view word, std::span<const std::string> names);

/// A list of names for a message: "'walk', 'run'", shortened after a few, with the number of the others.
std::string listNames(std::span<const std::string> names);

}  // namespace pelt
