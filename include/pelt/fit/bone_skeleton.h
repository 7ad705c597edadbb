#pragma once

#include <pelt/fit/decompose.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// A bone that rotates about a point shared with its parent.
struct BoneLink {
    std::int32_t parent = -1;  ///< bone, -1 for the root
    Vec3d center;              ///< rest position of the joint; for the root, the mean of its vertices
    double error = 0;          ///< RMS distance over the frames between the center moved by the parent and by the bone
};

/// Joints between bones that rotate about a common center, as in [SchaeferYuksel07]: for each pair of bones that share
/// vertices, the point that both move most nearly alike (least squares over all frames, regularized toward the middle
/// of the shared boundary). The spanning tree with the smallest errors is the hierarchy; its root is the bone that
/// moves most vertices. Returns one link per bone: bones that share no vertices are linked to the bone that fits best
/// across the gap, and a bone without vertices is a child of the root, at the root's center. Throws Error (bad input)
/// for a decomposition whose sizes do not agree, as the functions below do.
std::vector<BoneLink> linkBones(const Decomposition& decomposition);

/// Consecutive frames that become one clip.
struct FrameRange {
    std::string name;
    std::size_t first = 0, count = 0;
};

/// A decomposition as the skeleton and clips of a Character.
struct BoneAnimation {
    Skeleton skeleton;        ///< joint j is bone j, node "bone_00", "bone_01" …, with as many digits as needed
    std::vector<Clip> clips;  ///< one per range
};

/// The motions as local translations, rotations and scales: one key per frame, frame k of a range at k ·
/// seconds_per_frame. At the keys, rig::skinMatricesDouble reproduces Decomposition::motion to single precision.
///
/// With links, the nodes form that hierarchy; at rest they are not rotated, each at its center. Translations are
/// animated, so bone lengths may vary. Without links (an empty span), bones are siblings at the origin; if there are
/// several, they get a common parent node "bones" that does not move, since the joints of a skin must have a common
/// root. A bone that is not rigid in some frame is written as nested nodes; the innermost one is the joint: a product
/// of one rotation and one scale cannot shear.
///
/// Throws Error (bad usage) for a range that is empty or exceeds the frames, a step that is not positive, or links
/// whose number is not that of the bones or that do not lead to a root.
BoneAnimation animateBones(const Decomposition& decomposition, std::span<const BoneLink> links,
                           std::span<const FrameRange> ranges, double seconds_per_frame = 1.0 / 30.0);

/// Per bone, the smallest sphere around the rest positions of the vertices whose heaviest bone it is; radius 0 for
/// none. It can be moved with a rigid bone and used as a collision proxy, as in [LeDeng12] Fig. 7.
std::vector<geometry::Sphere> boneSpheres(const Decomposition& decomposition);

}  // namespace pelt::fit
