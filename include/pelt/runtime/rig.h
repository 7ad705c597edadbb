#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// Packed rigs: bytes that a tool wrote once and that are used where they lie, read from a file or mapped. They hold
/// offsets and no pointers. A file of rigs is one after the other, each at a multiple of kRigAlignment.
namespace pelt::runtime {

/// Where rigs and the memory of poses must start, in bytes.
inline constexpr std::size_t kRigAlignment = 64;

enum class RigKind : std::uint32_t { lbs = 1, dqs = 2, ddm = 3, morphs = 4, skeleton = 5 };

/// Why bytes are refused.
enum class RigError {
    none,
    misaligned,        ///< the address is no multiple of kRigAlignment
    too_short,         ///< fewer bytes than the rig says it has
    not_a_rig,         ///< other bytes
    other_endianness,  ///< packed on a machine with the other byte order
    other_version,     ///< packed by another version of Pelt
    other_kind,        ///< a rig, of another kind
    damaged,           ///< a count, an offset or an index that does not fit the rest
};

/// A few words for a log; never null.
const char* describe(RigError error) noexcept;

/// The first rig of that kind in a file of rigs, to be viewed; empty where there is none or the file is broken before.
std::span<const std::byte> findRig(std::span<const std::byte> file, RigKind kind) noexcept;

/// A rig, or the reason why there is none.
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

/// What every rig is: checked bytes of the caller's, which stay where they are and as they are while it is used. Cheap
/// to copy; any number of threads may use it.
class Rig {
public:
    std::span<const std::byte> bytes() const noexcept { return bytes_; }

protected:
    explicit Rig(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

private:
    std::span<const std::byte> bytes_;
};

}  // namespace pelt::runtime
