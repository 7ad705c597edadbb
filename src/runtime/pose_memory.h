#pragma once

#include <memory>

#include "runtime/layout/rig_bytes.h"

namespace pelt::runtime {

/// Divides the caller's memory into arrays, each aligned to kRigAlignment; without memory, only counts bytes.
class PoseMemory {
public:
    explicit PoseMemory(std::byte* start = nullptr) noexcept : start_(start) {}

    template <class T>
    std::span<T> take(std::size_t count) noexcept {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        static_assert(alignof(T) <= kRigAlignment);
        std::byte* here = start_ ? start_ + used_ : nullptr;
        used_ += roundUpToRig(count * sizeof(T));
        if (!here) return {};
        T* first = reinterpret_cast<T*>(here);
        std::uninitialized_value_construct_n(first, count);
        return {first, count};
    }
    std::size_t used() const noexcept { return used_; }

private:
    std::byte* start_;
    std::size_t used_ = 0;
};

}  // namespace pelt::runtime
