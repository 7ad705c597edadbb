#pragma once

#include <pelt/core/affine.h>
#include <pelt/rig/range_of_motion.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Inverse kinematics of a skeleton whose bones keep their lengths. Everything is in the space of the posed character
/// and relative to a start pose: the motion of a bone maps positions in the start pose to posed positions.
namespace pelt::pose {

/// A joint that works like a hinge.
struct Hinge {
    Vec3d axis;          ///< unit; a rotation by a positive angle about it bends the limb in its natural direction
    double least = 0;    ///< radians from the bind pose: bending below this is resisted
    bool loose = false;  ///< only a guess: gives the direction to bend, but does not resist other rotations
};

struct Bone {
    std::int32_t parent = -1;     ///< an earlier bone, or -1
    Vec3d place;                  ///< of the joint at the start
    bool slides = false;          ///< may also translate relative to its parent, as roots do
    double stiffness = 1;         ///< resistance to rotation, relative to other joints
    double slide_stiffness = 1;   ///< resistance to translation by the size of the character
    Mat3d bound;                  ///< rotation from the bind pose to the start
    Vec3d along{0, 1, 0};         ///< direction of the bone in the bind pose; limits refer to it
    std::optional<Hinge> hinge;   ///< in the bind pose, in the parent's frame
    std::optional<Vec3d> swings;  ///< unit, likewise: hips and ankles prefer to rotate about the axis of their knee
    std::optional<rig::RangeOfMotion::Limits> limits;  ///< relative to the parent, from the bind pose
};

/// The part of a point that is carried by one of several bones.
struct Share {
    std::uint32_t bone = 0;
    Vec3d place;  ///< at the start
    double weight = 1;
};

/// Σ weight · motion(place) should be at the target.
struct PlaceGoal {
    std::vector<Share> shares;
    Vec3d target;
    double strength = 1;  ///< relative to other goals, if not all can be reached
};

/// The rotation that a bone's motion should have.
struct TurnGoal {
    std::uint32_t bone = 0;
    Mat3d rotation;
    double strength = 1;
};

struct SkeletonGoals {
    std::vector<PlaceGoal> places;
    std::vector<TurnGoal> turns;
};

/// Rotates joints as little as the goals allow: minimizes Σ stiffness · angle² under the goals, within limits. Bones
/// that no goal needs stay at the start. Goals out of reach are missed by as little as possible.
class SkeletonSolver {
public:
    /// `size` is that of the character.
    SkeletonSolver(std::vector<Bone> bones, double size);
    ~SkeletonSolver();
    SkeletonSolver(SkeletonSolver&&) noexcept;
    SkeletonSolver& operator=(SkeletonSolver&&) noexcept;

    /// The bones' motions. Starts from the last pose, so that moving goals give a continuous motion.
    std::vector<Affine3d> solve(const SkeletonGoals& goals);

    /// Forgets the last pose: the next one depends on its goals alone.
    void restart();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::pose
