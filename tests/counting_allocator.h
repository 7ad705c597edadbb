#pragma once

// Replaces the global allocation functions by ones that count. For one file of a test program.

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
    ++allocations;
    void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!p) throw std::bad_alloc();
    return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, 16); }
void* operator new[](std::size_t size) { return counted(size, 16); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 16); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 16); }
// If these are inlined and `new` is not, g++ warns that they free memory of another allocator.
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
