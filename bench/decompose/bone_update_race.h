#pragma once

#include <pelt/core/mesh_sequence.h>

#include <vector>

namespace pelt::bench {

/// How bones are updated between two updates of the weights.
enum class BoneUpdate {
    closed_form,          ///< one after the other, [LeDeng12] Eqs. 6-10
    levenberg_marquardt,  ///< all bones of a frame at once, by Eigen's implementation, 20 evaluations at most
};

struct RaceResult {
    std::vector<double> e_rms;  ///< after the initialization and after each iteration
    double bone_seconds = 0;    ///< CPU seconds of the bone updates alone
};

/// [LeDeng12] Fig. 4: the same start, the same weight updates, two ways to update bones. Rigid bones, K = 4.
RaceResult raceBoneUpdates(MeshSequence& frames, std::span<const Vec3f> rest, std::size_t bones, int iterations,
                           BoneUpdate update);

}  // namespace pelt::bench
