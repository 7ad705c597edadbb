#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::verbs {

struct CleanRequest {
    float threshold = 1e-4F;     ///< weights below it are removed
    bool unused_joints = false;  ///< joints that move no vertex, and have none below them that does, are removed
    double fps = 30;             ///< at which clips are sampled to check the result
};

/// How far any vertex may move in a cleaned character, relative to the diagonal of its bounding box.
inline constexpr double kCleanTolerance = 1e-4;

struct CleanResult {
    Character character;  ///< saving it leaves out data that nothing refers to
    std::size_t weights = 0, weights_removed = 0;
    std::size_t vertices_kept = 0;  ///< vertices whose small weights were kept, because they would move too far
    std::size_t keys = 0, keys_removed = 0;
    std::vector<std::string> clips_kept;  ///< clips whose keys were all kept, for the same reason
    std::vector<std::string> joints_removed;
    double rms = 0, max = 0;  ///< distance to the given character over all clips and the range of motion, in its units
    double diagonal = 0;      ///< of the bounding box
};

/// Normalizes the weights, removes small ones and keys that repeat their neighbors, and checks that no vertex moves by
/// more than kCleanTolerance, with linear blend skinning over all clips and the range of motion: what moves farther is
/// kept as it was. Throws Error: bad usage for a threshold outside 0 to 0.5, cancelled if `progress` requests it.
CleanResult clean(const Character& character, const CleanRequest& request = {}, const Progress& progress = {});

}  // namespace pelt::verbs
