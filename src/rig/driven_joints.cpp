// Driven joints, [MohrGleicher03] §4.1.
//
// Notation: b₁, b₂ the bones from the driver to its parent and to its children (their sum), s the scale across a bone.
//
// Choices that the paper leaves open: rotations are relative to the driver's parent, so that rotating the whole
// character has no effect; b₁ and b₂ both leave the driver, so a straight limb has s = 1 and a folded one s = 1 + k; of
// the two axes perpendicular to a bone, the second is normal to the plane in which the bind pose bends, or any axis of
// the joint's frame if it does not bend. The angle is measured in the parent's space.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/driven_joints.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "driver_evaluation.h"

namespace pelt::rig {
namespace {

constexpr double kStraight =
    0.02;  ///< sine of the angle below which the bind pose does not determine the bending plane
constexpr double kShortBone = 1e-6;    ///< relative to the skeleton's extent: shorter bones are ignored
constexpr int kAxes[] = {1, 2, 1, 2};  // the order of the four scales of a bone:
constexpr bool kReciprocal[] = {false, false, true, true};

/// A rotation whose first axis lies along `bone` and whose third is `normal`, as far as that is possible.
Quatd frameAlong(const Vec3d& bone, const Vec3d& normal) {
    const Vec3d x = normalized(bone);
    Vec3d z = normal - x * dot(x, normal);
    if (!(length(z) > 0)) {
        int least = 0;
        for (int axis = 1; axis < 3; ++axis)
            if (std::abs(x[axis]) < std::abs(x[least]) - 1e-6) least = axis;
        Vec3d unit;
        unit[least] = 1;
        z = unit - x * dot(x, unit);
    }
    z = normalized(z);
    return toQuat(Mat3d{{x, cross(z, x), z}});
}

std::string freeName(const Skeleton& skeleton, std::unordered_set<std::string>& taken, std::uint32_t node,
                     const std::string& suffix) {
    const std::string& name = skeleton.nodes[node].name;
    const std::string wanted = (name.empty() ? fmt::format("node{}", node) : name) + suffix;
    std::string free = wanted;
    for (int n = 2; !taken.insert(free).second; ++n) free = fmt::format("{}_{}", wanted, n);
    return free;
}

/// Appends the joints of one driver after another.
class Adder {
public:
    Adder(Skeleton& skeleton, const DrivenJointChoice& choice)
        : skeleton_(skeleton), choice_(choice), world_(bindWorlds(skeleton)), rest_(skeleton.nodes.size()) {
        for (std::size_t n = 0; n < rest_.size(); ++n) {
            const std::int32_t parent = skeleton.nodes[n].parent;
            bind_.push_back(parent < 0 ? world_[n] : inverse(world_[std::size_t(parent)]) * world_[n]);
            rest_[n] = restLocal(skeleton.nodes[n]);
            names_.insert(skeleton.nodes[n].name);
        }
        findFamilies();
    }

    std::vector<DrivenJoint> run() {
        const std::size_t nodes = skeleton_.nodes.size();
        std::vector<bool> wanted(nodes, choice_.drivers.empty());
        for (const std::uint32_t driver : choice_.drivers) {
            if (driver >= nodes || !is_joint_[driver])
                throw Error::badUsage(fmt::format("node {} cannot drive other joints: it is not a joint", driver));
            wanted[driver] = true;
        }
        for (std::uint32_t n = 0; n < nodes; ++n) {
            if (!wanted[n] || parent_[n] < 0) continue;
            addRotations(n);
            if (choice_.scales) addScales(n);
        }
        return std::move(driven_);
    }

private:
    void findFamilies() {
        const std::vector<std::int32_t> parents = jointParents(skeleton_);
        is_joint_.assign(skeleton_.nodes.size(), false);
        parent_.assign(skeleton_.nodes.size(), -1);
        children_.resize(skeleton_.nodes.size());
        for (std::size_t j = 0; j < parents.size(); ++j) {
            const std::uint32_t node = skeleton_.joints[j].node;
            extent_ = std::max(
                extent_, length(world_[node].translation() - world_[skeleton_.joints.front().node].translation()));
            if (is_joint_[node]) continue;
            is_joint_[node] = true;
            if (parents[j] < 0) continue;
            const std::uint32_t parent = skeleton_.joints[std::size_t(parents[j])].node;
            parent_[node] = std::int32_t(parent);
            children_[parent].push_back(node);
        }
    }

    std::string freeName(std::uint32_t driver, const std::string& suffix) {
        return pelt::rig::freeName(skeleton_, names_, driver, suffix);
    }

    /// `placed` is the transform of the node in its parent's space, to which the driven motion is added.
    void append(DrivenJoint joint, std::int32_t parent, const Trs& placed, std::string name) {
        joint.node = std::uint32_t(skeleton_.nodes.size());
        skeleton_.nodes.push_back({std::move(name), parent, placed, std::nullopt});
        const Affine3d bound = world_[std::size_t(parent)] * toAffine(drivenLocal(skeleton_, joint, bind_));
        skeleton_.joints.push_back({joint.node, inverse(bound)});
        skeleton_.nodes.back().local = drivenLocal(skeleton_, joint, rest_);
        driven_.push_back(std::move(joint));
    }

    void addRotations(std::uint32_t driver) {
        const Quatd bind_rotation = trsOf(bind_[driver]).rotation;
        for (std::size_t i = 1; i <= choice_.rotations; ++i) {
            const double fraction = double(i) / double(choice_.rotations + 1);
            append({0, driver, DrivenRotation{fraction, bind_rotation}}, skeleton_.nodes[driver].parent, {},
                   freeName(driver, fmt::format("_turn{:.0f}", 100 * fraction)));
        }
    }

    void addScales(std::uint32_t driver) {
        const auto parent = std::uint32_t(parent_[driver]);
        const double shortest = kShortBone * extent_;
        const Affine3d to_driver = chainOf(skeleton_, bind_, parent, driver);
        DrivenScale scale;
        scale.k = choice_.k;
        scale.parent = parent;
        for (const std::uint32_t child : children_[driver])
            if (length(world_[child].translation() - world_[driver].translation()) > shortest)
                scale.children.push_back(child);
        if (scale.children.empty()) return;
        if (!(length(world_[parent].translation() - world_[driver].translation()) > shortest)) return;

        const auto [upper, lower] = bonesAt(skeleton_, driver, scale, bind_);
        Vec3d normal = cross(upper, lower);
        if (!(length(normal) > kStraight * length(upper) * length(lower))) normal = {};
        scale.bind_scale = scaleAt(skeleton_, driver, scale, bind_);
        addFour(driver, scale, parent, to_driver.translation(), normal, "_up");
        const Vec3d turned = inverse(to_driver.linear()) * normal;
        for (std::size_t c = 0; c < scale.children.size(); ++c) {
            const Vec3d bone = chainOf(skeleton_, bind_, driver, scale.children[c]).translation();
            addFour(driver, scale, driver, bone, turned,
                    scale.children.size() == 1 ? "_down" : fmt::format("_down{}_", c + 1));
        }
    }

    /// In the middle of a bone that goes from the origin of the parent's space to `bone`.
    void addFour(std::uint32_t driver, DrivenScale scale, std::uint32_t parent, const Vec3d& bone, const Vec3d& normal,
                 const std::string& suffix) {
        const Trs placed{bone / 2.0, frameAlong(bone, normal), {1, 1, 1}};
        for (int i = 0; i < 4; ++i) {
            scale.axis = kAxes[i];
            scale.reciprocal = kReciprocal[i];
            append({0, driver, scale}, std::int32_t(parent), placed,
                   freeName(driver, fmt::format("{}{}", suffix, i + 1)));
        }
    }

    Skeleton& skeleton_;
    const DrivenJointChoice& choice_;
    std::vector<Affine3d> world_, bind_;  ///< of the bind pose, to the root and to the parent
    std::vector<Affine3d> rest_;
    double extent_ = 0;
    std::vector<bool> is_joint_;
    std::vector<std::int32_t> parent_;  ///< the nearest ancestor that is a joint
    std::vector<std::vector<std::uint32_t>> children_;
    std::unordered_set<std::string> names_;
    std::vector<DrivenJoint> driven_;
};

struct MatrixLocals {
    std::span<const Affine3d> locals;
    const Affine3d& matrix(std::size_t node) const { return locals[node]; }
    Trs trs(std::size_t node) const { return trsOf(locals[node]); }
    Quatd rotation(std::size_t node) const { return trs(node).rotation; }
};

struct SkeletonParents {
    const Skeleton& skeleton;
    std::int32_t operator()(std::size_t node) const { return skeleton.nodes[node].parent; }
};

}  // namespace

Affine3d chainOf(const Skeleton& skeleton, std::span<const Affine3d> locals, std::uint32_t ancestor,
                 std::uint32_t node) {
    return runtime::chainOf(MatrixLocals{locals}, SkeletonParents{skeleton}, ancestor, node);
}

runtime::BonesAtDriver bonesAt(const Skeleton& skeleton, std::uint32_t driver, const DrivenScale& scale,
                               std::span<const Affine3d> locals) {
    return runtime::bonesAt(driver, scale, MatrixLocals{locals}, SkeletonParents{skeleton});
}

std::array<double, kLearnedTerms> learnedTerms(const LearnedInput& input, const Affine3d& local) {
    return runtime::learnedTerms(input.bind_rotation, trsOf(local).rotation);
}

double scaleAt(const Skeleton& skeleton, std::uint32_t driver, const DrivenScale& scale,
               std::span<const Affine3d> locals) {
    return runtime::scaleAt(driver, scale, MatrixLocals{locals}, SkeletonParents{skeleton});
}

/// The local transform of a virtual joint, shear included.
static Affine3d virtualLocal(const Skeleton& skeleton, std::uint32_t node, const DrivenVirtual& motion,
                             std::span<const Affine3d> locals) {
    constexpr std::uint32_t kAboveRoots = 0xFFFFFFFF;
    const auto world = [&](std::uint32_t n) { return chainOf(skeleton, locals, kAboveRoots, n); };
    const std::int32_t parent = skeleton.nodes[node].parent;
    const Affine3d own = runtime::virtualWorld(motion, world);
    return parent < 0 ? own : inverse(world(std::uint32_t(parent))) * own;
}

Trs drivenLocal(const Skeleton& skeleton, const DrivenJoint& joint, std::span<const Affine3d> locals) {
    const MatrixLocals nodes{locals};
    if (const auto* rotation = joint.as<DrivenRotation>())
        return runtime::rotationLocal(joint.driver, *rotation, nodes);
    if (const auto* scale = joint.as<DrivenScale>())
        return runtime::scaleLocal(joint.driver, *scale, skeleton.nodes[joint.node].local, nodes,
                                   SkeletonParents{skeleton});
    if (const auto* learned = joint.as<DrivenLearned>()) return runtime::learnedLocal(*learned, nodes);
    return trsOf(virtualLocal(skeleton, joint.node, std::get<DrivenVirtual>(joint.motion), locals));
}

std::vector<DrivenJoint> addDrivenJoints(Skeleton& skeleton, const DrivenJointChoice& choice) {
    if (!(choice.k > -1) || !std::isfinite(choice.k))
        throw Error::badUsage(fmt::format("k is {}; it must be above -1, or a joint would scale to zero", choice.k));
    return Adder(skeleton, choice).run();
}

namespace {

struct NamesAndRest {
    std::unordered_set<std::string> names;
    std::vector<Affine3d> rest;  ///< local transforms
};

NamesAndRest atRest(const Skeleton& skeleton) {
    NamesAndRest found;
    for (const SkeletonNode& node : skeleton.nodes) {
        found.names.insert(node.name);
        found.rest.push_back(restLocal(node));
    }
    return found;
}

}  // namespace

void addLearnedJoint(Skeleton& skeleton, DrivenLearned motion, std::uint32_t parent, std::vector<DrivenJoint>& driven) {
    auto [names, rest] = atRest(skeleton);
    const auto node = std::uint32_t(skeleton.nodes.size());
    const Affine3d bound = bindWorlds(skeleton)[parent] * toAffine(motion.placed);
    skeleton.nodes.push_back({freeName(skeleton, names, parent, "_helper"), std::int32_t(parent),
                              runtime::learnedLocal(motion, MatrixLocals{rest}), std::nullopt});
    skeleton.joints.push_back({node, inverse(bound)});
    const std::uint32_t driver = motion.inputs.front().node;
    driven.push_back({node, driver, std::move(motion)});
}

std::vector<std::int32_t> keepDrivenJoints(Skeleton& skeleton, std::vector<DrivenJoint>& driven,
                                           const std::vector<bool>& keep) {
    std::vector<bool> gone(skeleton.nodes.size(), false);
    for (std::size_t i = 0; i < driven.size(); ++i) gone[driven[i].node] = !keep[i];
    std::vector<std::uint32_t> new_node(skeleton.nodes.size());
    std::vector<SkeletonNode> nodes;
    for (std::size_t n = 0; n < gone.size(); ++n) {
        new_node[n] = std::uint32_t(nodes.size());
        if (!gone[n]) nodes.push_back(std::move(skeleton.nodes[n]));
    }
    std::vector<std::int32_t> new_slot;
    std::vector<Joint> joints;
    for (const Joint& joint : skeleton.joints) {
        new_slot.push_back(gone[joint.node] ? -1 : std::int32_t(joints.size()));
        if (!gone[joint.node]) joints.push_back({new_node[joint.node], joint.inverse_bind});
    }
    std::vector<DrivenJoint> kept;
    for (std::size_t i = 0; i < driven.size(); ++i) {
        if (!keep[i]) continue;
        kept.push_back(std::move(driven[i]));
        kept.back().node = new_node[kept.back().node];
    }
    skeleton.nodes = std::move(nodes);
    skeleton.joints = std::move(joints);
    driven = std::move(kept);
    return new_slot;
}

/// The scale of a map, as one number: 1 where only rounding makes it differ.
static double scaleOfMap(const Affine3d& map) {
    const double size = std::cbrt(std::abs(determinant(map.linear())));
    return std::isfinite(size) && size > 0 && std::abs(size - 1) > 1e-4 ? size : 1;
}

void addVirtualJoint(Skeleton& skeleton, DrivenVirtual motion, const Affine3d& bound,
                     std::vector<DrivenJoint>& driven) {
    auto [names, rest] = atRest(skeleton);
    const std::uint32_t node = std::uint32_t(skeleton.nodes.size()), driver = motion.inputs.front().node;
    skeleton.nodes.push_back({freeName(skeleton, names, driver, "_virtual"), std::int32_t(driver), {}, std::nullopt});
    motion.frame_scale = scaleOfMap(bindWorlds(skeleton)[driver]);
    skeleton.joints.push_back({node, inverse(Affine3d(bound.linear() * motion.frame_scale, bound.translation()))});
    rest.emplace_back();
    skeleton.nodes.back().local = trsOf(virtualLocal(skeleton, node, motion, rest));
    driven.push_back({node, driver, std::move(motion)});
}

void applyDrivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven, std::span<Affine3d> locals) {
    std::vector<Affine3d> worlds;  // of all nodes, for virtual joints; empty: to be computed
    for (const DrivenJoint& joint : driven) {
        const auto* motion = joint.as<DrivenVirtual>();
        if (!motion) {
            locals[joint.node] = toAffine(drivenLocal(skeleton, joint, locals));
            worlds.clear();
            continue;
        }
        if (worlds.empty()) {
            worlds.resize(skeleton.nodes.size());
            worldTransforms(skeleton, locals, worlds);
        }
        const std::int32_t parent = skeleton.nodes[joint.node].parent;
        const Affine3d own = runtime::virtualWorld(*motion, [&](std::uint32_t node) { return worlds[node]; });
        locals[joint.node] = parent < 0 ? own : inverse(worlds[std::size_t(parent)]) * own;
    }
}

std::vector<Affine3d> sampleDrivenLocals(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t) {
    std::vector<Affine3d> locals = sampleLocals(skeleton, clip, t);
    applyDrivers(skeleton, driven, locals);
    return locals;
}

std::vector<Affine3d> drivenSkinMatrices(const Skeleton& skeleton, std::span<const DrivenJoint> driven,
                                         const Clip* clip, double t) {
    return skinMatricesOf(skeleton, sampleDrivenLocals(skeleton, driven, clip, t));
}

}  // namespace pelt::rig
