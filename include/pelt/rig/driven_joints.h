#pragma once

#include <pelt/rig/clip.h>
#include <pelt/rig/skeleton.h>
#include <pelt/runtime/skeleton.h>

#include <array>
#include <string_view>

namespace pelt::rig {

using runtime::DriverKind;

/// As files and reports spell them, in the order of DriverKind.
constexpr std::array<std::string_view, 3> kDriverKinds = {"rotation", "scale", "learned"};

/// A rotation that a learned joint looks at: the node's, relative to that of the bind pose.
struct LearnedInput {
    std::uint32_t node = 0;
    Quatd bind_rotation;
};

using runtime::kLearnedTerms;

/// The terms of one input: x, y, z of the quaternion from the bind rotation to the local one, taken with w ≥ 0, then
/// their products xx, yy, zz, xy, yz, zx. All are 0 in the bind pose.
std::array<double, kLearnedTerms> learnedTerms(const LearnedInput& input, const Affine3d& local);

/// A node whose local transform follows from those of others, [MohrGleicher03] §4.1.
struct DrivenJoint {
    std::uint32_t node = 0;    ///< the driven node
    std::uint32_t driver = 0;  ///< the node that is looked at; the first input of a learned joint
    DriverKind kind = DriverKind::rotation;

    // Rotation:
    double fraction = 0.5;
    Quatd bind_rotation;  ///< the driver's local rotation in the bind pose

    // Scale by s along one axis of the driven node, 1 for a straight limb and 1 + k for one that is folded:
    double k = 8;
    int axis = 1;                         ///< 1 or 2; 0 lies along the bone
    bool reciprocal = false;              ///< 1 / s instead
    double bind_scale = 1;                ///< s of the bind pose, by which s is divided: there the joint does not scale
    std::uint32_t parent = 0;             ///< the angle is between the bone to this ancestor of the driver
    std::vector<std::uint32_t> children;  ///< and the sum of the bones to these descendants

    // Learned: from `placed` by a translation and a rotation vector, both in the space of the node's parent.
    Trs placed;  ///< the local transform in the bind pose
    std::vector<LearnedInput> inputs;
    std::vector<double> coefficients;  ///< six rows (translation, rotation) of kLearnedTerms for each input
};

struct DrivenJointChoice {
    std::vector<std::uint32_t> drivers;  ///< nodes of joints; empty: every joint
    std::size_t rotations = 1;           ///< n of them take the fractions i / (n + 1)
    bool scales = true;
    double k = 8;
};

/// Appends driven joints to the skeleton: for each driver its rotations, four scales in the middle of the bone to its
/// parent, which ride on the parent, and four in the middle of each bone to a child, which ride on the driver. Their
/// skin matrices are the identity in the bind pose. Roots get none; drivers without a child get no scales, nor do bones
/// without length. Throws Error (bad usage) for a driver that is no joint and a k that is not above -1.
std::vector<DrivenJoint> addDrivenJoints(Skeleton& skeleton, const DrivenJointChoice& choice = {});

/// Appends a learned joint, of which all but `node` is given, below the node `parent`, and its entry to `driven`. Its
/// skin matrix is the identity in the bind pose.
void addLearnedJoint(Skeleton& skeleton, DrivenJoint joint, std::uint32_t parent, std::vector<DrivenJoint>& driven);

/// Takes out the driven joints for which `keep` (one entry each) is false, as long as nothing was appended to the
/// skeleton after them. Gives the new slot of each slot there was, -1 for those that went.
std::vector<std::int32_t> keepDrivenJoints(Skeleton& skeleton, std::vector<DrivenJoint>& driven,
                                           const std::vector<bool>& keep);

/// Replaces the driven nodes' locals (one entry a node) by what the other nodes' ask for. Shear of a driver is ignored.
void applyDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, std::span<Affine3d> locals) noexcept;

/// Local transforms of all nodes at time `t`, drivers applied.
std::vector<Affine3d> sampleDrivenLocals(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t);

/// Per joint slot, the map from rest space to posed space at time `t`, drivers applied.
std::vector<Affine3d> drivenSkinMatrices(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t);

/// Replaces the clip's channels of the driven nodes by keys at the times of the keys that drive them, and at `fps`
/// between those where interpolating the keys would not do. A joint that nothing drives gets no channels.
void bakeDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, Clip& clip, double fps = 30);

}  // namespace pelt::rig
