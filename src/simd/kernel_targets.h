#pragma once

// Which instruction sets kernels are compiled for; included before any Highway header. Matrices of lanes are stored in
// structs, which is impossible for vectors of unknown size (so ARM uses NEON). Processors older than SSE4 use the
// scalar loop: emulating vectors by arrays takes minutes of compile time per kernel, as does each additional
// instruction set with sanitizers.
#ifndef HWY_COMPILE_ONLY_EMU128
#define HWY_BROKEN_EMU128 1
#endif
#define PELT_NO_SETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#ifdef PELT_SANITIZED
#define HWY_DISABLED_TARGETS (PELT_NO_SETS | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS PELT_NO_SETS
#endif
