// Checks a list of driven joints before it is used or written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "driven_joints.h"

namespace pelt::io::gltf {
namespace {

/// Posing walks these chains for every frame. The limit is a thousand times what real skeletons have.
constexpr std::size_t kMostSteps = 1'000'000;
constexpr double kUnitTolerance = 1e-3;

bool isUnit(const Quatd& q) { return std::abs(dot(q, q) - 1) < kUnitTolerance; }

bool isFiniteTrs(const Trs& trs) {
    for (int i = 0; i < 3; ++i)
        if (!std::isfinite(trs.translation[i]) || !std::isfinite(trs.scale[i])) return false;
    return isUnit(trs.rotation);
}

class DrivenCheck {
public:
    DrivenCheck(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven)
        : skeleton_(skeleton), driven_(driven), driven_at_(skeleton.nodes.size(), kNever) {}

    std::optional<DrivenFault> run() {
        for (std::size_t i = 0; i < driven_.size(); ++i) {
            const std::uint32_t node = driven_[i].node;
            if (!isNode(node)) return DrivenFault{i, "the driven node does not exist"};
            if (driven_at_[node] != kNever) return DrivenFault{i, "its node is driven already"};
            driven_at_[node] = i;
        }
        for (std::size_t i = 0; i < driven_.size(); ++i)
            if (std::string what = faultOf(i); !what.empty()) return DrivenFault{i, std::move(what)};
        return std::nullopt;
    }

private:
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    static constexpr std::uint32_t kNoNode = 0xFFFFFFFF;  ///< above the roots

    bool isNode(std::uint32_t node) const { return node < skeleton_.nodes.size(); }

    std::string faultOf(std::size_t i) {
        const rig::DrivenJoint& joint = driven_[i];
        if (!isNode(joint.driver)) return "the driver does not exist";
        return std::visit([&](const auto& motion) { return motionFault(i, motion); }, joint.motion);
    }

    /// Whether joint `i` may depend on a node: its transform must be known when joint `i` is computed.
    std::string lookFault(std::size_t i, std::uint32_t node) const {
        if (driven_at_[node] == kNever) return {};
        if (driven_at_[node] != i && driven_[driven_at_[node]].kind() == rig::DriverKind::ddm)
            return "it depends on a joint of kind ddm, and those do not drive others";
        if (driven_at_[node] < i) return {};
        return driven_at_[node] == i ? "it drives itself" : "it depends on a joint that comes later in the list";
    }

    /// Walks from a node up to its ancestor.
    std::string chainFault(std::size_t i, std::uint32_t ancestor, std::uint32_t node) {
        std::int32_t at = std::int32_t(node);
        for (; at >= 0 && at != std::int32_t(ancestor); at = skeleton_.nodes[std::size_t(at)].parent) {
            if (++steps_ > kMostSteps) return "the chains of driving nodes are too long";
            if (std::string what = lookFault(i, std::uint32_t(at)); !what.empty()) return what;
        }
        return at < 0 && ancestor != kNoNode ? "the driver must be between its parent and its children in the hierarchy"
                                             : "";
    }

    std::string motionFault(std::size_t i, const rig::DrivenRotation& rotation) const {
        if (!std::isfinite(rotation.fraction)) return "the fraction is not finite";
        if (!isUnit(rotation.bind_rotation)) return "the bind rotation does not have unit length";
        return lookFault(i, driven_[i].driver);
    }

    std::string motionFault(std::size_t i, const rig::DrivenScale& scale) {
        const rig::DrivenJoint& joint = driven_[i];
        if (!(scale.k > -1) || !std::isfinite(scale.k)) return "k must be above -1";
        if (!(scale.bind_scale > 0) || !std::isfinite(scale.bind_scale)) return "bindScale must be above 0";
        if (scale.axis != 1 && scale.axis != 2) return "the axis must be 1 or 2";
        if (skeleton_.nodes[joint.node].matrix)
            return "its node has a matrix instead of translation, rotation and scale";
        if (!isNode(scale.parent) || scale.parent == joint.driver) return "the parent is not an ancestor of the driver";
        if (scale.children.empty()) return "it has no children to measure an angle with";
        if (std::string what = chainFault(i, scale.parent, joint.driver); !what.empty()) return what;
        for (const std::uint32_t child : scale.children) {
            if (!isNode(child) || child == joint.driver) return "a child is not a descendant of the driver";
            if (std::string what = chainFault(i, joint.driver, child); !what.empty()) return what;
        }
        return {};
    }

    std::string motionFault(std::size_t i, const rig::DrivenLearned& learned) const {
        if (learned.inputs.empty()) return "it has no inputs";
        if (learned.inputs.front().node != driven_[i].driver) return "the driver must be the first input";
        const std::size_t wanted = 6 * rig::kLearnedTerms * learned.inputs.size();
        if (learned.coefficients.size() != wanted)
            return fmt::format("it has {} coefficients, but its inputs need {}", learned.coefficients.size(), wanted);
        if (!std::all_of(learned.coefficients.begin(), learned.coefficients.end(),
                         [](double c) { return std::isfinite(c); }))
            return "a coefficient is not finite";
        if (!isFiniteTrs(learned.placed))
            return "the transform in the bind pose is not finite, or its rotation does not have unit length";
        for (const rig::LearnedInput& input : learned.inputs) {
            if (!isNode(input.node)) return "an input does not exist";
            if (!isUnit(input.bind_rotation)) return "the bind rotation of an input does not have unit length";
            if (std::string what = lookFault(i, input.node); !what.empty()) return what;
        }
        return {};
    }

    std::string motionFault(std::size_t i, const rig::DrivenVirtual& motion) {
        const rig::DrivenJoint& joint = driven_[i];
        if (motion.inputs.empty()) return "it has no inputs";
        if (!std::isfinite(motion.frame_scale) || motion.frame_scale <= 0) return "its scale must be above 0";
        if (motion.inputs.front().node != joint.driver) return "the driver must be the first input";
        for (const SkeletonNode& node : skeleton_.nodes)
            if (node.parent == std::int32_t(joint.node)) return "a joint of kind ddm has children";
        double weight = 0;
        for (const rig::VirtualInput& input : motion.inputs) {
            if (!isNode(input.node)) return "an input does not exist";
            const auto finite = [](double x) { return std::isfinite(x); };
            if (!std::all_of(std::begin(input.place.m), std::end(input.place.m), finite) ||
                !std::all_of(input.block.begin(), input.block.end(), finite))
                return "a number of an input is not finite";
            weight += input.block[15];
            if (std::string what = chainFault(i, kNoNode, input.node); !what.empty()) return what;
        }
        return std::abs(weight - 1) < kUnitTolerance ? "" : "the last numbers of its blocks do not sum to 1";
    }

    const Skeleton& skeleton_;
    std::span<const rig::DrivenJoint> driven_;
    std::vector<std::size_t> driven_at_;  ///< node -> position in the list
    std::size_t steps_ = 0;
};

}  // namespace

std::optional<DrivenFault> findDrivenFault(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven) {
    return DrivenCheck(skeleton, driven).run();
}

}  // namespace pelt::io::gltf
