// What Pelt uses of C++20 and Emscripten 3.1.6's libc++ 14 lacks. Included before every file of the web build.
#pragma once

#include <cstddef>
#include <type_traits>
#include <version>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>);
    return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
