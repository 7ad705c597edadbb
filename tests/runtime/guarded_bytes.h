#pragma once

#include <pelt/runtime/rig.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace pelt::runtime {

/// Memory that ends at a protected page: an access one byte beyond it ends the program, with or without sanitizers.
/// Sizes are rounded up to kRigAlignment.
class GuardedBytes {
public:
    explicit GuardedBytes(std::size_t size) : size_((size + kRigAlignment - 1) / kRigAlignment * kRigAlignment) {
        const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
        inner_ = (size_ + page - 1) / page * page;
        whole_ = inner_ + 2 * page;
        start_ = static_cast<std::byte*>(::mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (start_ == MAP_FAILED) throw std::runtime_error("no memory to map");
        if (inner_ > 0) ::mprotect(start_ + page, inner_, PROT_READ | PROT_WRITE);
        first_ = start_ + page + inner_ - size_;
    }
    explicit GuardedBytes(std::span<const std::byte> bytes) : GuardedBytes(bytes.size()) {
        if (!bytes.empty()) std::memcpy(first_, bytes.data(), bytes.size());
    }
    ~GuardedBytes() { ::munmap(start_, whole_); }
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;

    std::span<std::byte> bytes() { return {first_, size_}; }

private:
    std::size_t size_, inner_ = 0, whole_ = 0;
    std::byte *start_ = nullptr, *first_ = nullptr;
};

}  // namespace pelt::runtime
