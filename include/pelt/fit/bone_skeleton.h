#pragma once

#include <pelt/fit/decompose.h>
#include <pelt/rig/skeleton.h>

namespace pelt::fit {

/// A bone that turns about a point that it shares with its parent.
struct BoneLink {
    std::int32_t parent = -1;  ///< bone, -1 for the root
    Vec3d center;              ///< rest position of the joint; for the root, the middle of its vertices
    double error = 0;          ///< RMS distance, over the frames, between where parent and bone take the centre
};

/// Joints between bones that rotate about a common centre, as in [SchaeferYuksel07]: for each pair of bones that share
/// vertices the point that both move alike, in the least squares over all frames with a small pull to the shared
/// boundary's middle; a spanning tree of the smallest errors gives the hierarchy, rooted at the bone that moves most
/// vertices. One link a bone; every bone is reached.
std::vector<BoneLink> linkBones(const Decomposition& decomposition);

}  // namespace pelt::fit
