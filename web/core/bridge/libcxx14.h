// What Pelt uses of C++20 and Emscripten 3.1.6's libc++ 14 lacks. Included before every file of the web build.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

_LIBCPP_BEGIN_NAMESPACE_STD

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>);
    return __builtin_bit_cast(To, from);
}
#endif

template <class Char, class Traits>
span(basic_string_view<Char, Traits>) -> span<const Char>;

namespace ranges {
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
}  // namespace ranges

/// The characters at the front that may belong to a decimal number, which strtod then reads: it would also take blanks,
/// a plus sign and hexadecimal digits.
inline const char* __pelt_number_end(const char* first, const char* last) {
    const auto part_of_number = [](char c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || ((c | 32) >= 'a' && (c | 32) <= 'z');
    };
    const char* digits = first != last && *first == '-' ? first + 1 : first;
    if (digits == last || *digits == '+' || *digits == '-') return first;
    if (*digits == '0' && digits + 1 != last && (digits[1] | 32) == 'x') return digits + 1;
    return std::find_if_not(first, last, part_of_number);
}

template <class Float, enable_if_t<is_floating_point_v<Float>, int> = 0>
from_chars_result from_chars(const char* first, const char* last, Float& value) {
    const string text(first, __pelt_number_end(first, last));
    char* end = nullptr;
    const Float read =
        is_same_v<Float, float> ? Float(std::strtof(text.c_str(), &end)) : Float(std::strtod(text.c_str(), &end));
    if (end == text.c_str()) return {first, errc::invalid_argument};
    const char* const stop = first + (end - text.c_str());
    const bool zero = read == 0 && text.find_first_of("123456789") < text.find_first_of("eE");
    if (zero || (std::isinf(read) && text.find_first_of("nN") == string::npos))
        return {stop, errc::result_out_of_range};
    value = read;
    return {stop, errc()};
}

/// The fewest digits that read back as the same number.
template <class Float, enable_if_t<is_floating_point_v<Float>, int> = 0>
to_chars_result to_chars(char* first, char* last, Float value) {
    char text[40];
    int size = 0;
    for (int digits = 1; digits <= 17; ++digits) {
        size = std::snprintf(text, sizeof text, "%.*g", digits, double(value));
        if (Float(std::strtod(text, nullptr)) == value || !(value == value)) break;
    }
    if (last - first < size) return {last, errc::value_too_large};
    std::memcpy(first, text, std::size_t(size));
    return {first + size, errc()};
}

_LIBCPP_END_NAMESPACE_STD

#endif
