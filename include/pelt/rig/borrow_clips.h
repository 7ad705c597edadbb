#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// How clips of another skeleton came over.
struct BorrowedClips {
    std::size_t matched = 0;             ///< animated nodes with a namesake
    std::vector<std::string> unmatched;  ///< names of those without
    double scale = 1;                    ///< of translations: the size of this skeleton to that of the other
    double most_turned = 0;              ///< degrees: the largest angle between the rest rotations of namesakes
    std::string most_turned_node;
};

/// Puts clips of another skeleton before the character's own, joint by joint by name: equal names, else names that are
/// equal without a prefix ("mixamorig:", "Armature|"), case and punctuation, where only one such is there. Rotations of
/// joints are taken as they are, in the space of the parent; the topmost joints are turned by how their parents stand
/// to each other. Translations are taken from rest to rest and scaled by the skeletons' sizes where these differ by
/// more than 2 %; scales by the ratio of the rest scales. Nothing else is retargeted: joints whose axes differ move
/// wrongly. Morph weights are left out, and so are clips of which nothing is left; a name that is taken gets `label`
/// in front. Nothing changes where no node matches.
BorrowedClips borrowClips(Character& character, const Skeleton& from, std::span<const Clip> clips,
                          const std::string& label);

}  // namespace pelt::rig
