#pragma once

#include <CLI/CLI.hpp>

namespace pelt::cli {

// Checks of an option's value, for any kind of number; one that is not finite passes neither.
CLI::Validator aboveZero();
CLI::Validator zeroOrMore();

}  // namespace pelt::cli
