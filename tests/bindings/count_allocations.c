/* For LD_PRELOAD: counts what a process allocates on the heap, whoever asks for it. */
#include <stdatomic.h>
#include <stddef.h>

/* glibc's own */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static atomic_size_t allocations;

size_t allocation_count(void) { return atomic_load(&allocations); }

void* malloc(size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(memory, size);
}

void* memalign(size_t alignment, size_t size) {
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
    *memory = memalign(alignment, size);
    return *memory == NULL ? 12 : 0; /* ENOMEM */
}
