#pragma once

#include <iterator>
#include <optional>
#include <string_view>

namespace pelt {

/// The names of an enum's values in files, on the command line and in reports, in order. Specialized beside each such
/// enum: `template <> inline constexpr std::string_view kEnumWords<Fruit>[] = {"apple", "pear"};`
template <class Enum>
inline constexpr std::string_view kEnumWords[] = {""};

template <class Enum>
constexpr std::string_view wordOf(Enum value) {
    return kEnumWords<Enum>[static_cast<std::size_t>(value)];
}

template <class Enum>
constexpr std::optional<Enum> enumOf(std::string_view word) {
    for (std::size_t i = 0; i < std::size(kEnumWords<Enum>); ++i)
        if (kEnumWords<Enum>[i] == word) return static_cast<Enum>(i);
    return std::nullopt;
}

}  // namespace pelt
