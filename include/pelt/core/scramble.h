#pragma once

#include <cstdint>

namespace pelt {

inline constexpr std::uint64_t kScrambleStep = 0x9e3779b97f4a7c15u;

/// Spreads consecutive numbers over all 64-bit numbers: numbers without a pattern, the same everywhere.
constexpr std::uint64_t scrambled(std::uint64_t x) {
    x = (x + kScrambleStep) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// The finalizer of SplitMix64.
constexpr std::uint64_t mixedBits(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

}  // namespace pelt
