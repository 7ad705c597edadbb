#pragma once

#include <pelt/core/progress.h>
#include <pelt/measure/skin_error.h>
#include <pelt/rig/character.h>
#include <pelt/rig/range_of_motion.h>

#include <optional>

namespace pelt::verbs {

struct LimitRequest {
    std::size_t influences = 4;             ///< K: maximal number of joints per vertex; 0: any number
    std::optional<std::size_t> max_joints;  ///< maximal number of joints; not set: all stay
    double fps = 30;                        ///< at which clips are sampled
    rig::RangeOfMotion range;
};

/// A joint that was merged into another one, which then moves its vertices.
struct MergedJoint {
    std::string name, into;
    double rms = 0;  ///< what merging it alone costs: RMS distance over the poses, of all vertices
};

struct LimitError {
    std::optional<measure::SkinError> clips;  ///< over all clips, if there are any
    measure::SkinError range;                 ///< over the range of motion
};

struct LimitResult {
    Character character;                      ///< saving it leaves out data that nothing refers to
    std::vector<std::string> joints_removed;  ///< joints without skin, which cost nothing
    std::vector<MergedJoint> merged;          ///< in the order in which they were merged
    std::size_t vertices_solved = 0;          ///< vertices that got new weights; the others are as they were
    LimitError cut, solved;                   ///< relative to the given skin: of cutting weights, and of the result
};

/// Reduces the number of joints per vertex and, if asked, of all joints, so that linear blend skinning stays as close
/// as possible to what it was over the clips; over the clips and over the range of motion it is never farther from it
/// than if the lightest weights were cut. A Direct Delta Mush payload keeps its own joints per vertex. Throws Error:
/// bad input for a character without joints or weights, or with more root joints than `max_joints`; cancelled if
/// `progress` requests it.
LimitResult limit(const Character& character, const LimitRequest& request = {}, const Progress& progress = {});

}  // namespace pelt::verbs
