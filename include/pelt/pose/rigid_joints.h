#pragma once

#include <pelt/core/skin_weights.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/rig/skeleton.h>

#include <optional>
#include <span>
#include <vector>

namespace pelt::pose {

/// A joint that should be somewhere: its rest position goes to the target.
struct JointTarget {
    std::uint32_t joint = 0;
    Vec3d target;
    bool whole = false;  ///< its transform is given and stays, but for what its parents cannot reach
};

struct RigidOptions {
    std::optional<rig::RangeOfMotion> limits;  ///< how far joints bend and twist against their parents
    std::vector<JointTarget> targets;
    std::size_t samples = 1500;  ///< vertices that are looked at
    int sweeps = 15;             ///< over all joints
};

/// A skin at rest and posed, one entry per vertex each.
struct PosedSkin {
    std::span<const Vec3f> rest, posed;
    const SkinWeights* weights = nullptr;
};

/// Joints that a clip can hold, whose linear blend skinning comes nearest to a posed skin: rigid motions (one per joint
/// slot, rest to posed space) of joints that hang on their parents at the length of their bones; joints without parent
/// move freely. `transforms` (one per slot) are where to start from, and what joints with a whole target keep.
std::vector<Affine3d> rigidJoints(const Skeleton& skeleton, const PosedSkin& skin, std::span<const Affine3d> transforms,
                                  const RigidOptions& options = {});

}  // namespace pelt::pose
