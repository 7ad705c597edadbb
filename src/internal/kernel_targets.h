#pragma once

// Which instruction sets kernels are compiled for; included before any Highway header. Matrices of lanes live in
// structs, which vectors of unknown size cannot (ARM keeps NEON). Processors older than SSE4 take the scalar loop:
// emulating vectors by arrays costs compilers minutes a kernel, and so does each set more under the sanitizers.
#define HWY_BROKEN_EMU128 1
#define PELT_NO_SETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#ifdef PELT_SANITIZED
#define HWY_DISABLED_TARGETS (PELT_NO_SETS | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS PELT_NO_SETS
#endif
