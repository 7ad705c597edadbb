#pragma once

#include <pelt/core/skin_weights.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/rig/skeleton.h>

#include <optional>
#include <span>
#include <vector>

namespace pelt::pose {

/// A target for a joint: its rest position should move there.
struct JointTarget {
    std::uint32_t joint = 0;
    Vec3d target;
    bool whole = false;  ///< its whole transform is given; it is kept as far as its parents can reach
};

struct RigidOptions {
    std::optional<rig::RangeOfMotion> limits;  ///< how far joints bend and twist relative to their parents
    std::vector<JointTarget> targets;
    std::size_t samples = 1500;  ///< number of vertices used
    int sweeps = 15;             ///< iterations over all joints
};

/// A skin at rest and posed, one entry per vertex each.
struct PosedSkin {
    std::span<const Vec3f> rest, posed;
    const SkinWeights* weights = nullptr;
};

/// Joints for a clip whose linear blend skinning is nearest to a posed skin: rigid motions (one per joint slot, rest to
/// posed space) that keep the lengths of bones; joints without a parent move freely. `transforms` (one per slot) are
/// the start of the iteration, and are kept by joints with a whole target.
std::vector<Affine3d> rigidJoints(const Skeleton& skeleton, const PosedSkin& skin, std::span<const Affine3d> transforms,
                                  const RigidOptions& options = {});

}  // namespace pelt::pose
