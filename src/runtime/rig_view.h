#pragma once

#include <cassert>

#include "runtime/layout/rig_bytes.h"

namespace pelt::runtime {

/// The arrays of a rig whose header was checked, in the struct of its layout; false if they are not inside the rig.
template <class Data>
bool locate(std::span<const std::byte> bytes, Data& data) noexcept {
    RigArrays arrays(bytes);
    data.locate(headerOf<typename Data::Header>(bytes), arrays);
    return arrays.sound();
}

/// The arrays of a rig.
template <class Data>
Data dataOf(const Rig& rig) noexcept {
    Data data;
    [[maybe_unused]] const bool sound = locate(rig.bytes(), data);
    assert(sound);
    return data;
}

/// Bytes to a rig: the only way to make one.
struct RigView {
    template <class Kind, class Data>
    static Checked<Kind> of(std::span<const std::byte> bytes) noexcept {
        const RigError error = checkRigHeader(bytes, Kind::kKind, sizeof(typename Data::Header));
        if (error != RigError::none) return error;
        bytes = bytes.first(headerOf<RigHeader>(bytes).size);
        Data data;
        if (!locate(bytes, data) || !data.isSound()) return RigError::damaged;
        return Kind(bytes);
    }
};

}  // namespace pelt::runtime
