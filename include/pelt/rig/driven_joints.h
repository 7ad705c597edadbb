#pragma once

#include <pelt/rig/clip.h>
#include <pelt/rig/skeleton.h>
#include <pelt/runtime/skeleton.h>

#include <array>
#include <string_view>
#include <variant>

namespace pelt::rig {

using runtime::DriverKind;

/// The names in files and reports, in the order of DriverKind.
constexpr std::array<std::string_view, 4> kDriverKinds = {"rotation", "scale", "learned", "ddm"};

/// An input of a learned joint: the rotation of a node relative to the bind pose.
struct LearnedInput {
    std::uint32_t node = 0;
    Quatd bind_rotation;
};

using runtime::kLearnedTerms;

/// The terms of one input: x, y, z of the quaternion from the bind rotation to the local one, taken with w ≥ 0, then
/// their products xx, yy, zz, xy, yz, zx. All are 0 in the bind pose.
std::array<double, kLearnedTerms> learnedTerms(const LearnedInput& input, const Affine3d& local);

/// An input of a virtual joint. With X the frame that the virtual joint would have if it followed the input rigidly,
/// [S q] is the sum of X · block over the inputs, the virtual joint is at q, and its rotation is the one nearest to S
/// ([LeLewis19] Eqs. 7 to 10). If X scales or shears, Enhanced DDM [Kalentchouk20] applies: its rotation R takes the
/// place of X in the sum, and ω (X − R) is added to the rotation of the virtual joint.
struct VirtualInput {
    std::uint32_t node = 0;
    Affine3d place;                  ///< frame of the virtual joint in the space of the input, in the bind pose
    std::array<double, 16> block{};  ///< 4x4 by columns: [W move; turn^T ω]
};

/// A part of the driver's rotation.
struct DrivenRotation {
    double fraction = 0.5;
    Quatd bind_rotation;  ///< the driver's local rotation in the bind pose
};

/// A scale by s along one axis of the driven node: 1 for a straight limb, 1 + k for a folded one.
struct DrivenScale {
    double k = 8;
    int axis = 1;              ///< 1 or 2; axis 0 is along the bone
    bool reciprocal = false;   ///< 1 / s instead
    double bind_scale = 1;     ///< s in the bind pose; s is divided by it, so that the scale is 1 in the bind pose
    std::uint32_t parent = 0;  ///< the angle is between the bone to this ancestor of the driver
    std::vector<std::uint32_t> children;  ///< and the sum of the bones to these descendants
};

/// From `placed` by a translation and a rotation vector, both in the space of the node's parent.
struct DrivenLearned {
    Trs placed;                        ///< the local transform in the bind pose
    std::vector<LearnedInput> inputs;  ///< the first one is the driver
    std::vector<double> coefficients;  ///< six rows (translation, rotation) of kLearnedTerms for each input
};

/// A virtual joint. Over the inputs, ω sums to 1, move and turn sum to 0, and W sums to a symmetric positive definite
/// matrix, so that it rests in the bind pose and rigid motions move it rigidly.
struct DrivenVirtual {
    std::vector<VirtualInput> inputs;  ///< the first one is the driver
    double frame_scale = 1;  ///< of its axes, in every pose: that of its parent, so that its local scale is 1 at rest
};

/// A node whose local transform is computed from those of others, [MohrGleicher03] §4.1.
struct DrivenJoint {
    std::uint32_t node = 0;                                                          ///< the driven node
    std::uint32_t driver = 0;                                                        ///< the node that drives it
    std::variant<DrivenRotation, DrivenScale, DrivenLearned, DrivenVirtual> motion;  ///< in the order of DriverKind

    DriverKind kind() const { return DriverKind(motion.index()); }
    std::string_view kindName() const { return kDriverKinds[motion.index()]; }
    /// Null if it moves in another way.
    template <class Motion>
    const Motion* as() const {
        return std::get_if<Motion>(&motion);
    }
};
static_assert(std::variant_size_v<decltype(DrivenJoint::motion)> == kDriverKinds.size());

struct DrivenJointChoice {
    std::vector<std::uint32_t> drivers;  ///< nodes of joints; empty: every joint
    std::size_t rotations = 1;           ///< n joints have the fractions i / (n + 1)
    bool scales = true;
    double k = 8;
};

/// Appends driven joints to the skeleton: for each driver its rotations, four scale joints in the middle of the bone to
/// its parent, as children of the parent, and four in the middle of each bone to a child, as children of the driver.
/// Their skin matrices are the identity in the bind pose. Roots get none; drivers without a child get no scales, nor do
/// bones without length. Throws Error (bad usage) for a driver that is not a joint and for a k that is not above -1.
std::vector<DrivenJoint> addDrivenJoints(Skeleton& skeleton, const DrivenJointChoice& choice = {});

/// Appends a learned joint, which has inputs, as a child of the node `parent`, and its entry to `driven`. Its skin
/// matrix is the identity in the bind pose.
void addLearnedJoint(Skeleton& skeleton, DrivenLearned motion, std::uint32_t parent, std::vector<DrivenJoint>& driven);

/// Appends a virtual joint, which has inputs, as a child of its driver's node, and its entry to `driven`. Its frame in
/// the bind pose is `bound`, a rotation and a translation, with its axes scaled as those of the driver: `frame_scale`
/// is set to that.
void addVirtualJoint(Skeleton& skeleton, DrivenVirtual motion, const Affine3d& bound, std::vector<DrivenJoint>& driven);

/// Removes the driven joints for which `keep` (one entry each) is false; nothing may have been appended to the skeleton
/// after them. Returns the new slot of each old slot, -1 for removed ones.
std::vector<std::int32_t> keepDrivenJoints(Skeleton& skeleton, std::vector<DrivenJoint>& driven,
                                           const std::vector<bool>& keep);

/// Computes the local transforms of driven nodes from those of the others; one entry per node. Shear of a driver is
/// ignored, except by virtual joints.
void applyDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, std::span<Affine3d> locals);

/// Local transforms of all nodes at time `t`, drivers applied.
std::vector<Affine3d> sampleDrivenLocals(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t);

/// Per joint slot, the map from rest space to posed space at time `t`, drivers applied.
std::vector<Affine3d> drivenSkinMatrices(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t);

/// Replaces the clip's channels of driven nodes: keys at the times of the driving keys, and at `fps` between them where
/// interpolation would not be accurate enough. A joint whose drivers do not move gets no channels.
void bakeDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, Clip& clip, double fps = 30);

}  // namespace pelt::rig
