#pragma once

#include <CLI/CLI.hpp>

namespace pelt::cli {

// Checks of an option's value, for any kind of number; values that are not finite are refused.
CLI::Validator aboveZero();
CLI::Validator zeroOrMore();

}  // namespace pelt::cli
