#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// The result of copying clips from another skeleton.
struct BorrowedClips {
    std::size_t matched = 0;             ///< animated nodes for which a node of that name was found
    std::vector<std::string> unmatched;  ///< names of the other animated nodes
    double scale = 1;                    ///< factor for translations: size of this skeleton / size of the other
    double most_turned = 0;              ///< degrees: the largest angle between the rest rotations of matched nodes
    std::string most_turned_node;
};

/// Inserts the clips of another skeleton before the character's own. Joints are matched by equal names; otherwise by
/// the only name that is equal after removing a prefix ("mixamorig:", "Armature|"), case and punctuation. Rotations are
/// copied, in the space of the parent; root joints are rotated by the difference between the nodes above them.
/// Translations are copied as offsets from the rest position, scaled by the sizes of the skeletons if these differ by
/// more than 2 %. Scales are multiplied by the ratio of the rest scales. Nothing else is retargeted: joints whose axes
/// differ move wrongly. Morph weights and clips without any matched channel are left out; a name already in use is
/// prefixed with `label`. If no node matches, the character does not change.
BorrowedClips borrowClips(Character& character, const Skeleton& from, std::span<const Clip> clips,
                          const std::string& label);

}  // namespace pelt::rig
