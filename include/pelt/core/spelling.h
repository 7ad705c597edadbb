#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pelt {

/// The name that a misspelt word was probably meant to be: the one with the fewest letters inserted, left out, changed
/// or swapped with their neighbor, if those are at most a third of the word (upper and lower case are alike); else the
/// shortest name that contains the word. Empty if there is none. The first of several equally near ones.
std::string nearestName(std::string_view word, std::span<const std::string> names);

/// What a message says about a name that does not exist: "; did you mean 'walk'?", or nothing.
std::string didYouMean(std::string_view word, std::span<const std::string> names);

/// The names for a message: "'walk', 'run'", cut after a few with their number.
std::string listNames(std::span<const std::string> names);

}  // namespace pelt
