#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

namespace pelt::verbs {

struct LodOptions {
    std::vector<double> ratios = {0.5, 0.25, 0.1};  ///< of the triangles, descending, between 0 and 1
    std::size_t influences = 0;  ///< maximal number of joints per vertex; 0: as many as the character
};

/// The distance of the original vertices from a simplified surface.
struct LodError {
    double rms = 0, max = 0, e_rms = 0;  ///< as in geometry::SequenceError
};

struct LodLevel {
    double ratio = 0;       ///< that was asked for
    Character character;    ///< the simplified one, with its own weights and, if the original has one, its own payload
    LodError rest;          ///< in the rest pose
    LodError range;         ///< over the range of motion; that of the rest pose if there are no joints
    bool resolved = false;  ///< weights were solved anew; otherwise those of the remaining vertices are better
};

/// Levels of detail that deform like the character. Its mesh is simplified in many poses at once (geometry/simplify.h),
/// its props in theirs. Weights are solved so that the simplified surface follows the original one over the range of
/// motion; a mushed character is mushed again, from its original bind and with its settings. Throws Error: bad usage
/// for ratios that are not descending between 0 and 1; bad input for a mesh without faces; cancelled.
std::vector<LodLevel> makeLods(const Character& character, const LodOptions& options = {},
                               const Progress& progress = {});

}  // namespace pelt::verbs
