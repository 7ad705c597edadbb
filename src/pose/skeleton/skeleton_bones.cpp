// Finds the rigid bones of a skeleton and the points that they share.
#include <pelt/pose/skeleton_bones.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

#include "skeleton_habits.h"

namespace pelt::pose {
namespace {

constexpr double kRootSlides = 2000;  ///< stiffness of a body against translation
constexpr double kOthersSlide = 1;    ///< of bones that are pinned to it elsewhere
constexpr double kMoves = 0.01;       ///< of the size: a joint that a clip moves farther than this is free to translate
constexpr double kPinned = 0.03;      ///< of the size: a joint that usually stays this close to its place on a bone is
                                      ///< pinned to it
constexpr double kUsually = 0.75;     ///< of the samples: clips sometimes separate joints
constexpr double kMostOfTheSkin = 0.5;

void addBones(const SkeletonCase& given, SkeletonBones& out) {
    const Skeleton& skeleton = *given.skeleton;
    const std::vector<Vec3d> rest = rig::jointRestPositions(skeleton);
    std::vector<std::int32_t> slot(skeleton.nodes.size(), -1);
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot[skeleton.joints[j].node] = std::int32_t(j);
    out.bone_of.assign(skeleton.nodes.size(), -1);
    for (std::uint32_t n = 0; n < skeleton.nodes.size(); ++n) {
        if (slot[n] < 0) continue;
        const auto j = std::size_t(slot[n]);
        Bone bone;
        for (std::int32_t p = skeleton.nodes[n].parent; p >= 0 && bone.parent < 0;
             p = skeleton.nodes[std::size_t(p)].parent)
            bone.parent = out.bone_of[std::size_t(p)];
        bone.place = given.worlds[n].translation();
        bone.bound = runtime::boneRotation((given.worlds[n] * skeleton.joints[j].inverse_bind).linear());
        bone.along = rest[j];  // normalized below
        out.bone_of[n] = std::int32_t(out.bones.size());
        out.bones.push_back(bone);
        out.node.push_back(n);
    }
}

/// The directions of bones: toward the mean of their children; a leaf continues in its parent's direction.
void pointBones(std::span<Bone> bones, std::span<const Vec3d> rest) {
    std::vector<Vec3d> sums(bones.size());
    for (std::size_t b = 0; b < bones.size(); ++b)
        if (bones[b].parent >= 0) sums[std::size_t(bones[b].parent)] += rest[b] - rest[std::size_t(bones[b].parent)];
    for (std::size_t b = 0; b < bones.size(); ++b) {
        if (dot(sums[b], sums[b]) == 0 && bones[b].parent >= 0) sums[b] = rest[b] - rest[std::size_t(bones[b].parent)];
        bones[b].along = normalized(sums[b], Vec3d{0, 1, 0});
    }
}

/// The amount of skin carried by each bone and its descendants.
std::vector<double> skinBelow(const SkeletonCase& given, const SkeletonBones& out) {
    std::vector<double> below(out.bones.size());
    for (std::size_t b = out.bones.size(); b-- > 0;) {
        below[b] += given.skin[out.node[b]];
        if (out.bones[b].parent >= 0) below[std::size_t(out.bones[b].parent)] += below[b];
    }
    return below;
}

/// Bones above all skin that clips translate relative to their parents; in trees without such a bone, the lowest bone
/// that still carries all of the skin.
void chooseSliding(const SkeletonCase& given, std::span<const ClipPose> poses, std::span<const double> below,
                   SkeletonBones& out) {
    std::vector<Bone>& bones = out.bones;
    std::vector<char> free_above(bones.size(), 0);
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const std::int32_t p = bones[b].parent;
        free_above[b] = p < 0 || (free_above[std::size_t(p)] && !(given.skin[out.node[std::size_t(p)]] > 0) &&
                                  !bones[std::size_t(p)].slides);
        bones[b].slides =
            p >= 0 && free_above[b] && below[b] > 0 && slideOver(poses, b, std::size_t(p), 1) > kMoves * given.size;
    }
    for (std::size_t root = 0; root < bones.size(); ++root) {
        if (bones[root].parent >= 0) continue;
        bool all = true;
        for (std::size_t b = 0; b < bones.size(); ++b) {
            if (!(given.skin[out.node[b]] > 0)) continue;
            auto top = std::int32_t(b);
            bool slid = bones[b].slides;
            while (bones[std::size_t(top)].parent >= 0) {
                top = bones[std::size_t(top)].parent;
                slid = slid || bones[std::size_t(top)].slides;
            }
            if (top == std::int32_t(root)) all = all && slid;
        }
        if (all) continue;
        std::size_t lowest = root;
        for (std::size_t b = root + 1; b < bones.size(); ++b)
            if (bones[b].parent == std::int32_t(lowest) && !(given.skin[out.node[lowest]] > 0) &&
                below[b] == below[lowest])
                lowest = b;
        bones[lowest].slides = true;
    }
}

/// The bone, neither an ancestor nor a descendant of `free`, relative to which the joint of `free` does not move in any
/// clip.
void addPin(std::span<const ClipPose> poses, std::size_t free, SkeletonBones& out, double size) {
    const auto above = [&](std::size_t low, std::size_t high) {
        for (auto b = std::int32_t(low); b >= 0; b = out.bones[std::size_t(b)].parent)
            if (b == std::int32_t(high)) return true;
        return false;
    };
    double least = kPinned * size;
    std::optional<std::size_t> found;
    for (std::size_t b = 0; b < out.bones.size(); ++b) {
        if (above(b, free) || above(free, b)) continue;
        const double strays = slideOver(poses, free, b, kUsually);
        if (strays < least) {
            least = strays;
            found = b;
        }
    }
    if (found) out.pins.push_back({std::uint32_t(free), std::uint32_t(*found), out.bones[free].place});
}

}  // namespace

SkeletonBones bonesOf(const SkeletonCase& given) {
    SkeletonBones out;
    out.size = given.size;
    addBones(given, out);
    std::vector<Vec3d> rest;
    for (const Bone& bone : out.bones) rest.push_back(bone.along);
    pointBones(out.bones, rest);
    const std::vector<ClipPose> poses = clipPoses(*given.skeleton, given.clips, out);
    const std::vector<double> below = skinBelow(given, out);
    chooseSliding(given, poses, below, out);
    double all = 0, most = 0;
    for (std::size_t b = 0; b < out.bones.size(); ++b) {
        all += given.skin[out.node[b]];
        if (!out.bones[b].slides || !(below[b] > most)) continue;
        most = below[b];
        out.body = b;
    }
    out.together = most > kMostOfTheSkin * all;
    for (const double skin : below) out.share_below.push_back(all > 0 ? skin / all : 0);
    for (std::size_t b = 0; b < out.bones.size(); ++b) {
        if (!out.bones[b].slides) continue;
        const std::size_t pins = out.pins.size();
        if (b != out.body && !poses.empty()) addPin(poses, b, out, given.size);
        out.bones[b].slide_stiffness = out.pins.size() > pins ? kOthersSlide : kRootSlides;
    }
    std::vector<rig::Side> sides;
    for (const std::uint32_t node : out.node) sides.push_back(rig::sideOf(given.skeleton->nodes[node].name));
    findHinges(poses, rest, sides, out);
    return out;
}

}  // namespace pelt::pose
