#pragma once

// Owen-scrambled Sobol points in pairs of dimensions, by hashing [Burley 2020, "Practical Hash-based Owen Scrambling"]:
// every pixel has its own points, which depend only on its coordinates, so that the order of the pixels does not
// matter.

#include <pelt/core/vec.h>

#include <bit>
#include <cstdint>

namespace pelt::render {

inline std::uint32_t hashBits(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

inline std::uint32_t hashPair(std::uint32_t a, std::uint32_t b) { return hashBits(a ^ (hashBits(b) + 0x9e3779b9u)); }

inline std::uint32_t reverseBits(std::uint32_t x) {
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffu) << 8) | ((x >> 8) & 0x00ff00ffu);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
    x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
    return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

/// Owen's scramble of a number whose bits are reversed: each bit is flipped by a hash of the bits below it.
inline std::uint32_t scrambleReversed(std::uint32_t x, std::uint32_t seed) {
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

inline float unitFloat(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

/// The second Sobol dimension of a point, with its bits reversed.
inline std::uint32_t secondDimensionReversed(std::uint32_t index) {
    std::uint32_t column = 1, result = 0;
    for (; index; index >>= 1, column ^= column << 1)
        if (index & 1) result ^= column;
    return result;
}

inline int ceilLog2(std::uint32_t count) { return count <= 1 ? 0 : std::bit_width(count - 1); }

/// `count` points in the unit square; sets of different seeds are independent.
class SobolSet {
public:
    SobolSet(int count, std::uint32_t seed)
        : shift_(32 - ceilLog2(static_cast<std::uint32_t>(count))),
          order_(hashBits(seed)),
          first_(hashBits(seed + 1)),
          second_(hashBits(seed + 2)) {}

    Vec2f operator[](int i) const {
        auto index = static_cast<std::uint32_t>(i);
        if (shift_ < 32) index = reverseBits(scrambleReversed(reverseBits(index << shift_), order_)) >> shift_;
        return {unitFloat(reverseBits(scrambleReversed(index, first_))),
                unitFloat(reverseBits(scrambleReversed(secondDimensionReversed(index), second_)))};
    }

private:
    int shift_;
    std::uint32_t order_, first_, second_;
};

}  // namespace pelt::render
