#pragma once

#include <pelt/fit/decompose.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// A bone that turns about a point that it shares with its parent.
struct BoneLink {
    std::int32_t parent = -1;  ///< bone, -1 for the root
    Vec3d center;              ///< rest position of the joint; for the root, the middle of its vertices
    double error = 0;          ///< RMS distance, over the frames, between where parent and bone take the center
};

/// Joints between bones that rotate about a common center, as in [SchaeferYuksel07]: for each pair of bones that share
/// vertices the point that both move alike, in the least squares over all frames with a small pull to the shared
/// boundary's middle; a spanning tree of the smallest errors gives the hierarchy, rooted at the bone that moves most
/// vertices. One link a bone; every bone is reached: what shares no vertices is linked to the bone that fits best
/// across the gap, a bone without vertices hangs on the root, at the root's center. Throws Error (bad input) for a
/// decomposition whose sizes do not agree, as the functions below do.
std::vector<BoneLink> linkBones(const Decomposition& decomposition);

/// Consecutive frames that become one clip.
struct FrameRange {
    std::string name;
    std::size_t first = 0, count = 0;
};

/// What a Character needs to play a decomposition.
struct BoneAnimation {
    Skeleton skeleton;  ///< joint j is bone j, node "bone_00", "bone_01" …, of as many digits as the count needs
    std::vector<Clip> clips;  ///< one per range
};

/// The motions as local translations, rotations and scales: one key per frame, frame k of a range at k ·
/// seconds_per_frame. rig::skinMatricesDouble gives Decomposition::motion back at the keys, to single precision.
///
/// With links, nodes form their hierarchy: at rest unrotated, each at its center. Translations stay animated, so bone
/// lengths may vary. Without links (an empty span), bones are siblings at the origin; more than one get a still
/// node "bones" above them, since the joints of a skin must have a common root. A bone that is not rigid in some frame
/// is written as nested nodes, of which the innermost is the joint: a product of one rotation and one scale cannot
/// shear.
///
/// Throws Error (bad usage) for a range that is empty or goes beyond the frames, a step that is not positive, or links
/// that are not one per bone or do not lead to a root.
BoneAnimation animateBones(const Decomposition& decomposition, std::span<const BoneLink> links,
                           std::span<const FrameRange> ranges, double seconds_per_frame = 1.0 / 30.0);

/// Per bone, the smallest ball round the rest positions of the vertices whose heaviest bone it is; radius 0 for none.
/// Moved by a rigid bone, it stays a ball round them: a stand-in for collisions, as in [LeDeng12] Fig. 7.
std::vector<geometry::Sphere> boneSpheres(const Decomposition& decomposition);

}  // namespace pelt::fit
