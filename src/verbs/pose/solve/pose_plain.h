#pragma once

#include <pelt/geometry/sequence_error.h>
#include <pelt/rig/character.h>

namespace pelt::verbs {

/// Free poses of a character, frame by frame.
struct FreePoses {
    std::vector<double> times;
    std::vector<Affine3d> joints;  ///< per frame, those of the character, from the rest pose to the pose
    std::vector<Vec3f> positions;  ///< per frame, the vertices of the skin, then those of the props
    bool as_blended = false;       ///< they are the joints blended by the character's weights
};

/// A file that any viewer plays, and how far it is from the free poses.
struct PlainPose {
    Character character;
    geometry::SequenceError error;
};

/// The mesh of a character with joints that stretch and shear, and its free poses as their clip. An affine joint is two
/// nested nodes; joints keep their names, but not their hierarchy. Each vertex has at most `influences` joints, 0 for
/// any number.
PlainPose plainPose(const Character& character, const FreePoses& poses, std::size_t influences,
                    const Progress& progress);

}  // namespace pelt::verbs
