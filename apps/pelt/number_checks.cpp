#include "number_checks.h"

#include <fmt/format.h>

#include <cmath>

namespace pelt::cli {
namespace {

/// The parser's own checks print the range with all 309 digits of the largest double, and accept NaN.
CLI::Validator finiteNumber(const char* wanted, bool (*accepts)(double)) {
    return CLI::Validator(
        [wanted, accepts](std::string& text) {
            double value = 0;
            const bool fits = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && accepts(value);
            return fits ? std::string() : fmt::format("'{}' is not a number {}", text, wanted);
        },
        "NUMBER");
}

}  // namespace

CLI::Validator aboveZero() {
    return finiteNumber("above 0", [](double value) { return value > 0; });
}

CLI::Validator zeroOrMore() {
    return finiteNumber("that is 0 or more", [](double value) { return value >= 0; });
}

}  // namespace pelt::cli
