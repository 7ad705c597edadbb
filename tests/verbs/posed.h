#pragma once

#include <pelt/verbs/pose.h>

namespace pelt::verbs {

/// All that poseCharacter can give.
struct Posed : PoseResult {
    Character character;           ///< its first clip is the pose
    std::vector<Vec3f> positions;  ///< the sequence, frame by frame
};

inline Posed poseAll(Character character, std::span<const PoseHandle> handles, const PoseRequest& request = {}) {
    Posed made;
    made.character = std::move(character);
    PoseWanted wanted;
    wanted.clip = wanted.measure = true;
    wanted.sequence = [&](std::span<const Vec3f> frame) {
        made.positions.insert(made.positions.end(), frame.begin(), frame.end());
    };
    static_cast<PoseResult&>(made) = poseCharacter(made.character, handles, request, wanted);
    return made;
}

}  // namespace pelt::verbs
