#pragma once

#include <pelt/fit/decompose.h>

namespace pelt::fit {

/// Corrections of rank R [Kry02]: offset of vertex i in frame t is Σ_r coefficient[t][r] modes[r][i].
struct EigenSkin {
    std::size_t rank = 0;
    std::vector<std::vector<Vec3f>> modes;  ///< [rank][vertex]; added to the rest pose, before skinning
    std::vector<float> coefficients;        ///< [frame * rank + r]
    double e_rms = 0;                       ///< of the corrected animation
    double world_e_rms = 0;                 ///< of [LeDeng12] Table 2: best rank-R correction after skinning
};

/// Rest-space modes and weights that minimise the error in the frames, by alternating least squares that never raises
/// it, started from the best rank-R approximation of the residuals taken back to rest space. Reads the frames again.
/// Throws Error (bad usage) for rank 0 or above min(frames, 3 vertices).
EigenSkin fitEigenSkin(const Decomposition& decomposition, MeshSequence& frames, std::size_t rank,
                       const Progress& progress = {});

}  // namespace pelt::fit
