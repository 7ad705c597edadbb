#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>
#include <pelt/rig/mirror_joints.h>

namespace pelt::verbs {

struct MirrorRequest {
    std::optional<int> axis;           ///< 0, 1, 2: from one side to the other; not set: that of the joints
    rig::Side from = rig::Side::left;  ///< the side that is copied: left or right
};

struct MirrorResult {
    Character character;                       ///< saving it leaves out data that nothing refers to
    rig::MirrorPlane plane;                    ///< its place is in the units in which the file stores the mesh
    std::size_t pairs = 0, pairs_by_name = 0;  ///< of joints
    std::vector<std::string> lonely_joints;    ///< joints with skin that have no counterpart
    std::size_t copied = 0;                    ///< vertices that have a vertex at the mirrored position
    std::size_t interpolated = 0;              ///< vertices that got the weights of the nearest point there
    std::size_t middle = 0;                    ///< vertices on the plane, which became symmetric themselves
    std::size_t unmatched = 0;                 ///< vertices without any surface near the mirrored position: as before
    std::size_t changed = 0;                   ///< vertices whose weights are not those they had
    double mean_change = 0;                    ///< over all vertices, of ½ Σ |Δw|
    std::vector<std::string> maps;             ///< attributes that were mirrored
};

/// Gives one side of a character the weights of the other, for the joints of that side, and the painted maps of Direct
/// Delta Mush. A mushed character's bind and settings (alpha of joints, excluded parts) are mirrored too and it is
/// mushed again. Mirroring a second time changes nothing, nor does mirroring a symmetric character. Throws Error: bad
/// input for a character without joints or weights, or if nothing shows what the sides are; cancelled.
MirrorResult mirror(const Character& character, const MirrorRequest& request = {}, const Progress& progress = {});

}  // namespace pelt::verbs
