// The motions of a decomposition as a skeleton with clips.
//
// Bone j with joint center c_j has the world transform C_j^t: the rotation of M_j^t with the translation M_j^t c_j. A
// rigid bone is one node, C_j relative to its parent's C. The linear part of a flexible bone is R · Q D Qᵀ, represented
// by two nodes: T · (R Q) · D above Qᵀ. In a hierarchy there are three, C, then Q D, then Qᵀ, and other bones are
// children of C: children of a rotation are free of shear, and of an inverse that may not exist.
//
// Keys are single precision. A child is placed relative to its parent's position from rounded keys, so that rounding
// does not accumulate along a chain.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/bone_skeleton.h>
#include <pelt/rig/clip_builder.h>

#include "decomposition_check.h"
#include "stretch.h"

namespace pelt::fit {
namespace {

/// The nodes of one bone; -1 for those that it does not have.
struct BoneNodes {
    std::int32_t carrier = -1;  ///< the rotation and translation; parent of other bones
    std::int32_t outer = -1;    ///< Q D, or all of T · (R Q) · D if there is no carrier
    std::int32_t inner = -1;    ///< Qᵀ
    std::int32_t joint = -1;    ///< the one that moves vertices
};

struct Layout {
    Skeleton skeleton;
    std::vector<BoneNodes> bones;
    std::vector<std::uint32_t> order;  ///< bones, parents first
};

void checkLinks(const Decomposition& d, std::span<const BoneLink> links) {
    if (links.empty()) return;
    if (links.size() != d.bones)
        throw Error::badUsage(fmt::format("there are {} links for {} bones", links.size(), d.bones));
    for (const BoneLink& link : links) {
        if (link.parent < -1 || link.parent >= static_cast<std::int64_t>(links.size())) {
            throw Error::badUsage(
                fmt::format("a link refers to bone {}, but there are {} bones", link.parent, links.size()));
        }
    }
}

void checkRanges(const Decomposition& d, std::span<const FrameRange> ranges, double seconds_per_frame) {
    if (!(seconds_per_frame > 0) || !std::isfinite(seconds_per_frame)) {
        throw Error::badUsage(fmt::format("{} seconds per frame: must be above 0", seconds_per_frame));
    }
    for (const FrameRange& range : ranges) {
        if (range.count == 0 || range.first > d.frames || range.count > d.frames - range.first) {
            throw Error::badUsage(
                {"", fmt::format("clip '{}'", range.name)},
                fmt::format("{} frames starting with frame {} were requested, but the sequence has {}", range.count,
                            range.first, d.frames));
        }
    }
}

/// Bones with every parent before its children.
std::vector<std::uint32_t> parentsFirst(std::span<const BoneLink> links) {
    std::vector<std::vector<std::uint32_t>> children(links.size());
    std::vector<std::uint32_t> order;
    for (std::uint32_t bone = 0; bone < links.size(); ++bone) {
        if (links[bone].parent < 0) {
            order.push_back(bone);
        } else {
            children[static_cast<std::size_t>(links[bone].parent)].push_back(bone);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        const auto& below = children[order[next]];
        order.insert(order.end(), below.begin(), below.end());
    }
    if (order.size() != links.size()) throw Error::badUsage("the links of the bones form a cycle");
    return order;
}

bool isRigid(const Decomposition& d, std::size_t bone) {
    for (std::size_t t = 0; t < d.frames; ++t) {
        if (!isRotation(d.pose(t)[bone].linear())) return false;
    }
    return true;
}

std::int32_t addNode(Skeleton& skeleton, const std::string& name, std::int32_t parent, const Vec3d& translation = {}) {
    SkeletonNode node;
    node.name = name;
    node.parent = parent;
    node.local.translation = translation;
    skeleton.nodes.push_back(node);
    return static_cast<std::int32_t>(skeleton.nodes.size()) - 1;
}

/// The innermost node of a bone is the joint and has the bone's name.
BoneNodes addBone(Skeleton& skeleton, const std::string& name, std::int32_t parent, const Vec3d& translation,
                  bool rigid, bool linked) {
    BoneNodes nodes;
    if (rigid) {
        nodes.carrier = nodes.joint = addNode(skeleton, name, parent, translation);
        return nodes;
    }
    if (linked) nodes.carrier = addNode(skeleton, name + "_turn", parent, translation);
    nodes.outer = addNode(skeleton, name + "_stretch", linked ? nodes.carrier : parent);
    nodes.inner = nodes.joint = addNode(skeleton, name, nodes.outer);
    return nodes;
}

Layout makeLayout(const Decomposition& d, std::span<const BoneLink> links) {
    const bool linked = !links.empty();
    const std::vector<BoneLink> siblings(linked ? 0 : d.bones);
    Layout layout;
    layout.order = parentsFirst(linked ? links : siblings);
    layout.bones.resize(d.bones);
    layout.skeleton.joints.resize(d.bones);
    std::size_t roots = 0;
    for (const BoneLink& link : linked ? links : siblings) roots += link.parent < 0;
    const std::size_t digits = std::max<std::size_t>(2, std::to_string(d.bones - 1).size());  // so that names sort
    const std::int32_t top = roots > 1 ? addNode(layout.skeleton, "bones", -1) : -1;
    for (const std::uint32_t bone : layout.order) {
        std::int32_t parent = top;
        Vec3d translation;
        if (linked) {
            const BoneLink& link = links[bone];
            translation = link.center;
            if (link.parent >= 0) {
                const auto above = static_cast<std::size_t>(link.parent);
                parent = layout.bones[above].carrier;
                translation -= links[above].center;
            }
        }
        layout.bones[bone] = addBone(layout.skeleton, fmt::format("bone_{:0{}}", bone, digits), parent, translation,
                                     isRigid(d, bone), linked);
        layout.skeleton.joints[bone] = {static_cast<std::uint32_t>(layout.bones[bone].joint),
                                        Affine3d(Mat3d{}, linked ? -links[bone].center : Vec3d{})};
    }
    return layout;
}

/// Writes one frame of a bone whose parent has the transform `above`; returns the transform of its carrier as a reader
/// computes it from the keys.
Affine3d addBoneKeys(const Affine3d& motion, const Vec3d& center, const Affine3d& above, const BoneNodes& nodes,
                     Stretch& stretch, float time, rig::ClipBuilder& clip) {
    const auto turn = [&](std::int32_t node, const Mat3d& rotation) {
        return rig::addKey(clip.channel(ChannelPath::rotation, std::uint32_t(node)), time, toQuat(rotation));
    };
    const auto move = [&](std::int32_t node, const Vec3d& to) {
        return rig::addKey(clip.channel(ChannelPath::translation, std::uint32_t(node)), time, to);
    };
    const Mat3d to_parent = transposed(above.linear());  // carriers are rotations
    const Vec3d translation = to_parent * (motion * center - above.translation());
    Mat3d rotation = motion.linear();
    if (nodes.outer >= 0) {
        stretch = stretchNear(motion.linear(), stretch);
        rotation = stretch.rotation;
        rig::addKey(clip.channel(ChannelPath::scale, std::uint32_t(nodes.outer)), time, stretch.scale);
        turn(nodes.inner, transposed(stretch.axes));
    }
    if (nodes.carrier < 0) {
        move(nodes.outer, translation);
        turn(nodes.outer, to_parent * rotation * stretch.axes);
        return {};
    }
    if (nodes.outer >= 0) turn(nodes.outer, stretch.axes);
    const Vec3d t = move(nodes.carrier, translation);
    return above * Affine3d(toMatrix(turn(nodes.carrier, to_parent * rotation)), t);
}

Clip makeClip(const Decomposition& d, std::span<const BoneLink> links, const Layout& layout, const FrameRange& range,
              double seconds_per_frame) {
    rig::ClipBuilder clip(range.name, layout.skeleton.nodes.size());
    std::vector<Stretch> stretches(d.bones);
    std::vector<Affine3d> carriers(d.bones);
    for (std::size_t k = 0; k < range.count; ++k) {
        const auto time = static_cast<float>(static_cast<double>(k) * seconds_per_frame);
        for (const std::uint32_t bone : layout.order) {
            const std::int32_t parent = links.empty() ? -1 : links[bone].parent;
            const Affine3d above = parent < 0 ? Affine3d{} : carriers[static_cast<std::size_t>(parent)];
            const Vec3d center = links.empty() ? Vec3d{} : links[bone].center;
            carriers[bone] = addBoneKeys(d.pose(range.first + k)[bone], center, above, layout.bones[bone],
                                         stretches[bone], time, clip);
        }
    }
    return clip.take();
}

}  // namespace

BoneAnimation animateBones(const Decomposition& decomposition, std::span<const BoneLink> links,
                           std::span<const FrameRange> ranges, double seconds_per_frame) {
    checkDecomposition(decomposition);
    checkLinks(decomposition, links);
    checkRanges(decomposition, ranges, seconds_per_frame);
    Layout layout = makeLayout(decomposition, links);
    BoneAnimation animation;
    for (const FrameRange& range : ranges) {
        animation.clips.push_back(makeClip(decomposition, links, layout, range, seconds_per_frame));
    }
    animation.skeleton = std::move(layout.skeleton);
    return animation;
}

}  // namespace pelt::fit
