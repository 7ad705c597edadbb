#pragma once

#include <pelt/fit/decompose.h>

namespace pelt::fit {

/// Corrections of rank R [Kry02]: offset of vertex i in frame t is Σ_r coefficient[t][r] modes[r][i].
struct EigenSkin {
    std::size_t rank = 0;
    std::vector<std::vector<Vec3f>> modes;  ///< [rank][vertex]; added to the rest pose, before skinning; largest first
    std::vector<float> coefficients;        ///< [frame * rank + r], absolute values at most 1
    double e_rms = 0;                       ///< of the corrected animation
    double world_e_rms = 0;                 ///< of the best rank-R correction after skinning, as in [LeDeng12] Table 2
};

/// Rest-space modes and weights that minimize the error in the frames, by alternating least squares, which never
/// increases it, starting from the best rank-R approximation of the residuals transformed back to rest space. Reads the
/// frames twice and keeps one copy of them in memory, as float. The result has the same bits on any number of threads.
/// The time for its two eigenvalue problems grows with the cube of min(frames, 3 vertices).
///
/// `scale_rest`: the positions whose radius scales the errors; empty: the decomposition's rest pose. Throws Error: bad
/// usage for rank 0 or above min(frames, 3 vertices); bad input for frames that are not those of the decomposition or
/// not finite; cancelled if `progress` requests it.
EigenSkin fitEigenSkin(const Decomposition& decomposition, MeshSequence& frames, std::size_t rank,
                       const Progress& progress = {}, std::span<const Vec3f> scale_rest = {});

}  // namespace pelt::fit
