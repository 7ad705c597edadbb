#pragma once

#include <pelt/runtime/rig.h>
#include <pelt/version.h>

#include <cstring>
#include <type_traits>

/// The memory layout of packed rigs. A rig starts with a header of its kind, whose first member is the RigHeader below;
/// its arrays follow, each at a multiple of kRigAlignment from the start. Gaps are zeros, so that equal rigs are equal
/// bytes. All numbers are in the byte order of the machine that packed them.
namespace pelt::runtime {

inline constexpr char kRigMagic[8] = {'p', 'e', 'l', 't', 'r', 'i', 'g', '\0'};
inline constexpr std::uint32_t kSameEndianness = 0x01020304, kOtherEndianness = 0x04030201;

struct RigHeader {
    char magic[8] = {};
    std::uint32_t endianness = 0;
    std::uint32_t version = 0;
    RigKind kind{};
    std::uint32_t unused = 0;
    std::uint64_t size = 0;  ///< of the whole rig, gaps included: a multiple of kRigAlignment
};

/// An array of a rig: its offset in bytes from the rig's start, and its number of elements.
template <class T>
struct ArrayAt {
    std::uint64_t offset = 0, count = 0;
};

constexpr std::size_t roundUpToRig(std::size_t bytes) {
    return (bytes + kRigAlignment - 1) / kRigAlignment * kRigAlignment;
}

/// Checks what the headers of all kinds have in common.
RigError checkRigStart(std::span<const std::byte> bytes) noexcept;

/// Checks the header only; `least` is the size of the header of this kind.
RigError checkRigHeader(std::span<const std::byte> bytes, RigKind kind, std::size_t least) noexcept;

/// As findRig(), for the first rig of one of these kinds.
std::span<const std::byte> findRigOf(std::span<const std::byte> file, std::span<const RigKind> kinds) noexcept;

/// The header at the start of bytes that are aligned and long enough.
template <class Header>
const Header& headerOf(std::span<const std::byte> bytes) noexcept {
    static_assert(std::is_trivially_copyable_v<Header> && std::is_standard_layout_v<Header>);
    return *reinterpret_cast<const Header*>(bytes.data());
}

/// Returns the arrays of a rig, and records whether one of them is outside the rig.
class RigArrays {
public:
    explicit RigArrays(std::span<const std::byte> rig) noexcept : rig_(rig) {}

    template <class T>
    std::span<const T> operator()(const ArrayAt<T>& array) noexcept {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kRigAlignment);
        const bool fits = array.offset % kRigAlignment == 0 && array.offset <= rig_.size() &&
                          array.count <= (rig_.size() - array.offset) / sizeof(T);
        sound_ = sound_ && fits;
        if (!fits) return {};
        return {reinterpret_cast<const T*>(rig_.data() + array.offset), static_cast<std::size_t>(array.count)};
    }
    bool sound() const noexcept { return sound_; }

private:
    std::span<const std::byte> rig_;
    bool sound_ = true;
};

/// Whether all are below `end`.
inline bool allBelow(std::span<const std::uint32_t> indices, std::size_t end) noexcept {
    std::uint32_t highest = 0;
    for (const std::uint32_t i : indices) highest = i > highest ? i : highest;
    return indices.empty() || highest < end;
}

/// Whether these are the offsets of compressed rows: `rows` + 1 of them, from 0 up to `entries`.
inline bool areOffsets(std::span<const std::uint32_t> offsets, std::size_t rows, std::size_t entries) noexcept {
    if (offsets.size() != rows + 1 || offsets.front() != 0 || offsets.back() != entries) return false;
    bool rising = true;
    for (std::size_t i = 0; i < rows; ++i) rising = rising && offsets[i] <= offsets[i + 1];
    return rising;
}

}  // namespace pelt::runtime
