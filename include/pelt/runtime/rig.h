#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// Packed rigs: bytes that a tool writes once and that are used in place, read from a file or memory-mapped. They
/// contain offsets and no pointers. A file stores rigs one after the other, each at a multiple of kRigAlignment.
namespace pelt::runtime {

/// Alignment of rigs and of the memory of poses, in bytes.
inline constexpr std::size_t kRigAlignment = 64;

enum class RigKind : std::uint32_t { lbs = 1, dqs = 2, ddm = 3, morphs = 4, skeleton = 5 };

/// Why bytes are refused.
enum class RigError {
    none,
    misaligned,        ///< the address is not a multiple of kRigAlignment
    too_short,         ///< fewer bytes than the header of the rig says
    not_a_rig,         ///< no header of a rig
    other_endianness,  ///< packed on a machine with the other byte order
    other_version,     ///< packed by another version of Pelt
    other_kind,        ///< a rig of another kind
    damaged,           ///< a count, an offset or an index is out of range
    missing,           ///< no bytes: the file has no such rig
};

/// A short description for a log; never null.
const char* describe(RigError error) noexcept;

/// The bytes of the first rig of that kind in a file of rigs, for `view` of that kind: empty if the file has none
/// (`view` then says `missing`). If the file is damaged before it, the bytes from there on, of which `view` says what
/// is wrong.
std::span<const std::byte> findRig(std::span<const std::byte> file, RigKind kind) noexcept;

/// A rig, or the reason why the bytes were refused.
template <class Rig>
class Checked {
public:
    Checked(const Rig& rig) noexcept : rig_(rig) {}
    Checked(RigError error) noexcept : error_(error) {}

    explicit operator bool() const noexcept { return rig_.has_value(); }
    RigError error() const noexcept { return error_; }
    const Rig& operator*() const noexcept {
        assert(rig_);
        return *rig_;
    }
    const Rig* operator->() const noexcept { return &**this; }

private:
    std::optional<Rig> rig_;
    RigError error_ = RigError::none;
};

/// The base of all rigs: a view of checked bytes that belong to the caller and must not change while the rig is in use.
/// Cheap to copy; any number of threads may use it.
class Rig {
public:
    std::span<const std::byte> bytes() const noexcept { return bytes_; }

protected:
    friend struct RigView;  ///< checks bytes and makes rigs of all kinds; not for users
    explicit Rig(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

private:
    std::span<const std::byte> bytes_;
};

}  // namespace pelt::runtime
