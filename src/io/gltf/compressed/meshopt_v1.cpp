// KHR_meshopt_compression, appendix A, mode 0, version 1: deltas between elements, byte by byte in groups of sixteen,
// packed with as few bits as a group needs; and appendix B, filter 4.
#include "meshopt_v1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace pelt::io::gltf {
namespace {

constexpr std::size_t kGroup = 16, kMostInBlock = 256, kLeastTail = 24;

/// The packed bytes before the tail; reading beyond them is recorded and gives zeros.
class PackedBytes {
public:
    explicit PackedBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::uint8_t next() {
        if (at_ < bytes_.size()) return std::to_integer<std::uint8_t>(bytes_[at_++]);
        broken_ = true;
        return 0;
    }
    bool isBroken() const { return broken_; }
    bool isAtEnd() const { return at_ == bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    bool broken_ = false;
};

/// Sixteen deltas of `bits` bits; one with all bits set means that a whole byte follows.
void readGroup(PackedBytes& from, unsigned bits, std::uint8_t* deltas) {
    if (bits == 0) return static_cast<void>(std::fill_n(deltas, kGroup, std::uint8_t(0)));
    if (bits == 8) return static_cast<void>(std::generate_n(deltas, kGroup, [&] { return from.next(); }));
    const unsigned sentinel = (1U << bits) - 1, per_byte = 8 / bits;
    for (std::size_t i = 0; i < kGroup; i += per_byte) {
        const unsigned packed = from.next();
        for (unsigned k = 0; k < per_byte; ++k) {
            const unsigned place = bits == 1 ? k : per_byte - 1 - k;
            deltas[i + k] = static_cast<std::uint8_t>(packed >> (place * bits) & sentinel);
        }
    }
    for (std::size_t i = 0; i < kGroup; ++i)
        if (deltas[i] == sentinel) deltas[i] = from.next();
}

/// The deltas of one byte of all elements of a block; `deltas` has room for whole groups.
void readByteDeltas(PackedBytes& from, unsigned control, std::size_t count, std::uint8_t* deltas) {
    constexpr unsigned kBits[2][4] = {{0, 1, 2, 4}, {1, 2, 4, 8}};
    if (control == 2) return static_cast<void>(std::fill_n(deltas, count, std::uint8_t(0)));
    if (control == 3) return static_cast<void>(std::generate_n(deltas, count, [&] { return from.next(); }));
    const std::size_t groups = (count + kGroup - 1) / kGroup;
    std::array<std::uint8_t, kMostInBlock / kGroup / 4> heads{};
    for (std::size_t h = 0; h < (groups + 3) / 4; ++h) heads[h] = from.next();
    for (std::size_t g = 0; g < groups; ++g)
        readGroup(from, kBits[control][heads[g / 4] >> (g % 4 * 2) & 3], deltas + g * kGroup);
}

template <class T>
T unzigzag(T v) {
    return static_cast<T>((v & 1) != 0 ? ~(v >> 1) : v >> 1);
}

/// One channel, four bytes wide, of all elements of a block: `deltas` by byte, then by element. `last` is the previous
/// element, and is set to the last element of the block.
void addDeltas(unsigned mode, const std::uint8_t* deltas, std::size_t count, std::size_t stride, std::byte* out,
               std::uint8_t* last) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t d[4];
        for (std::size_t k = 0; k < 4; ++k) d[k] = deltas[k * kMostInBlock + i];
        const auto pair = [](const std::uint8_t* b) { return static_cast<std::uint16_t>(b[0] | b[1] << 8); };
        if ((mode & 15) == 0) {
            for (std::size_t k = 0; k < 4; ++k) last[k] = static_cast<std::uint8_t>(last[k] + unzigzag(d[k]));
        } else if ((mode & 15) == 1) {
            for (std::size_t k = 0; k < 4; k += 2) {
                const auto sum = static_cast<std::uint16_t>(pair(last + k) + unzigzag(pair(d + k)));
                last[k] = static_cast<std::uint8_t>(sum);
                last[k + 1] = static_cast<std::uint8_t>(sum >> 8);
            }
        } else {
            const std::uint32_t delta = std::rotl(pair(d) | std::uint32_t(pair(d + 2)) << 16, int(mode >> 4));
            for (std::size_t k = 0; k < 4; ++k) last[k] = static_cast<std::uint8_t>(last[k] ^ delta >> (8 * k));
        }
        std::memcpy(out + i * stride, last, 4);
    }
}

template <class T>
void colorFilter(std::byte* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, data += 4 * sizeof(T)) {
        T v[4];
        std::memcpy(v, data, sizeof v);
        using Signed = std::make_signed_t<T>;
        const int y = v[0], co = static_cast<Signed>(v[1]), cg = static_cast<Signed>(v[2]);
        const int scale = (1 << std::bit_width(unsigned(v[3]))) - 1;
        const int half = v[3] & (scale >> 1), alpha = half << 1 | (half & 1);
        const float unit = scale > 0 ? float(std::numeric_limits<T>::max()) / float(scale) : 0;
        const int rgba[4] = {y + co - cg, y + cg, y - co - cg, alpha};
        for (int c = 0; c < 4; ++c)
            v[c] = static_cast<T>(
                std::clamp(std::round(float(rgba[c]) * unit), 0.0F, float(std::numeric_limits<T>::max())));
        std::memcpy(data, v, sizeof v);
    }
}

}  // namespace

bool isVertexVersion1(std::span<const std::byte> packed) { return !packed.empty() && packed[0] == std::byte{0xa1}; }

bool decodeVertexVersion1(std::span<std::byte> out, std::size_t stride, std::span<const std::byte> packed) {
    const std::size_t tail = stride + stride / 4, padded_tail = std::max(tail, kLeastTail);
    if (packed.size() < 1 + padded_tail || !isVertexVersion1(packed)) return false;
    std::vector<std::uint8_t> last(stride), modes(stride / 4);
    std::memcpy(last.data(), packed.data() + packed.size() - tail, stride);
    std::memcpy(modes.data(), packed.data() + packed.size() - modes.size(), modes.size());
    for (const std::uint8_t mode : modes)
        if ((mode & 15) > 2 || ((mode & 15) < 2 && mode > 15)) return false;
    PackedBytes from(packed.subspan(1, packed.size() - 1 - padded_tail));
    const std::size_t count = out.size() / stride;
    const std::size_t block = std::min(8192 / stride & ~(kGroup - 1), kMostInBlock);
    std::vector<std::uint8_t> deltas(4 * kMostInBlock), controls(stride / 4);
    for (std::size_t first = 0; first < count && !from.isBroken(); first += block) {
        const std::size_t here = std::min(block, count - first);
        for (std::uint8_t& control : controls) control = from.next();
        for (std::size_t c = 0; c < controls.size(); ++c) {
            for (std::size_t k = 0; k < 4; ++k)
                readByteDeltas(from, controls[c] >> (2 * k) & 3, here, deltas.data() + k * kMostInBlock);
            addDeltas(modes[c], deltas.data(), here, stride, out.data() + first * stride + 4 * c, last.data() + 4 * c);
        }
    }
    return !from.isBroken() && from.isAtEnd();
}

void decodeFilterColor(std::span<std::byte> data, std::size_t stride) {
    if (stride == 4) return colorFilter<std::uint8_t>(data.data(), data.size() / stride);
    colorFilter<std::uint16_t>(data.data(), data.size() / stride);
}

}  // namespace pelt::io::gltf
