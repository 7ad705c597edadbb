#pragma once

#include <pelt/core/affine.h>
#include <pelt/rig/range_of_motion.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Inverse kinematics of a skeleton whose bones keep their lengths. Everything is in the space of the posed figure and
/// relative to a start: a bone's motion takes what it carries from where it is at the start to where it is posed.
namespace pelt::pose {

/// A joint that works like a hinge.
struct Hinge {
    Vec3d axis;          ///< unit; turning about it by a positive angle bends the limb the way it is made to
    double least = 0;    ///< radians from the bind pose: bending farther the other way is resisted
    bool loose = false;  ///< only a guess: says where to bend to, but does not hinder other turns
};

struct Bone {
    std::int32_t parent = -1;    ///< an earlier bone, or -1
    Vec3d place;                 ///< of the joint at the start
    bool slides = false;         ///< may also leave its place on its parent, as roots do
    double stiffness = 1;        ///< against turning, next to the other joints
    double slide_stiffness = 1;  ///< against sliding by the size of the figure
    Mat3d bound;                 ///< rotation from the bind pose to the start
    Vec3d along{0, 1, 0};        ///< where the bone points in the bind pose; what limits are about
    std::optional<Hinge> hinge;  ///< in the bind pose, in the parent's frame
    std::optional<Vec3d>
        swings;  ///< unit, likewise: hips and ankles turn about their knee's axis sooner than about others
    std::optional<rig::RangeOfMotion::Limits> limits;  ///< against the parent, from the bind pose
};

/// Part of a point that several bones carry.
struct Share {
    std::uint32_t bone = 0;
    Vec3d place;  ///< at the start
    double weight = 1;
};

/// Σ weight · motion(place) should be at the target.
struct PlaceGoal {
    std::vector<Share> shares;
    Vec3d target;
    double strength = 1;  ///< next to other goals, where not all can be met
};

/// A bone's motion should turn by this.
struct TurnGoal {
    std::uint32_t bone = 0;
    Mat3d rotation;
    double strength = 1;
};

struct SkeletonGoals {
    std::vector<PlaceGoal> places;
    std::vector<TurnGoal> turns;
};

/// Turns joints as little as the goals allow: minimizes Σ stiffness · angle² under the goals, within limits. Bones that
/// no goal needs stay at the start. Goals out of reach are missed by as little as can be.
class SkeletonSolver {
public:
    /// `size` is that of the figure.
    SkeletonSolver(std::vector<Bone> bones, double size);
    ~SkeletonSolver();
    SkeletonSolver(SkeletonSolver&&) noexcept;
    SkeletonSolver& operator=(SkeletonSolver&&) noexcept;

    /// The bones' motions. Starts from the last pose, so that goals which move give a pose that moves.
    std::vector<Affine3d> solve(const SkeletonGoals& goals);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::pose
