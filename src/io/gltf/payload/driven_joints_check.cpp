#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gltf/driven_joints.h"

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
        if (joint.kind == rig::DriverKind::scale) return scaleFault(i);
        if (joint.kind == rig::DriverKind::learned) return learnedFault(i);
        if (joint.kind == rig::DriverKind::ddm) return virtualFault(i);
        if (!std::isfinite(joint.fraction)) return "the fraction is not finite";
        if (!isUnit(joint.bind_rotation)) return "the bind rotation does not have unit length";
        return lookFault(i, joint.driver);
    }

    /// Whether joint `i` may depend on a node: its transform must be known when joint `i` is computed.
    std::string lookFault(std::size_t i, std::uint32_t node) const {
        if (driven_at_[node] == kNever) return {};
        if (driven_at_[node] != i && driven_[driven_at_[node]].kind == rig::DriverKind::ddm)
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

    std::string scaleFault(std::size_t i) {
        const rig::DrivenJoint& joint = driven_[i];
        if (!(joint.k > -1) || !std::isfinite(joint.k)) return "k must be above -1";
        if (!(joint.bind_scale > 0) || !std::isfinite(joint.bind_scale)) return "bindScale must be above 0";
        if (joint.axis != 1 && joint.axis != 2) return "the axis must be 1 or 2";
        if (skeleton_.nodes[joint.node].matrix)
            return "its node has a matrix instead of translation, rotation and scale";
        if (!isNode(joint.parent) || joint.parent == joint.driver) return "the parent is not an ancestor of the driver";
        if (joint.children.empty()) return "it has no children to measure an angle with";
        if (std::string what = chainFault(i, joint.parent, joint.driver); !what.empty()) return what;
        for (const std::uint32_t child : joint.children) {
            if (!isNode(child) || child == joint.driver) return "a child is not a descendant of the driver";
            if (std::string what = chainFault(i, joint.driver, child); !what.empty()) return what;
        }
        return {};
    }

    std::string learnedFault(std::size_t i) const {
        const rig::DrivenJoint& joint = driven_[i];
        if (joint.inputs.empty()) return "it has no inputs";
        if (joint.inputs.front().node != joint.driver) return "the driver must be the first input";
        const std::size_t wanted = 6 * rig::kLearnedTerms * joint.inputs.size();
        if (joint.coefficients.size() != wanted)
            return fmt::format("it has {} coefficients, but its inputs need {}", joint.coefficients.size(), wanted);
        if (!std::all_of(joint.coefficients.begin(), joint.coefficients.end(),
                         [](double c) { return std::isfinite(c); }))
            return "a coefficient is not finite";
        if (!isFiniteTrs(joint.placed))
            return "the transform in the bind pose is not finite, or its rotation does not have unit length";
        for (const rig::LearnedInput& input : joint.inputs) {
            if (!isNode(input.node)) return "an input does not exist";
            if (!isUnit(input.bind_rotation)) return "the bind rotation of an input does not have unit length";
            if (std::string what = lookFault(i, input.node); !what.empty()) return what;
        }
        return {};
    }

    std::string virtualFault(std::size_t i) {
        const rig::DrivenJoint& joint = driven_[i];
        if (joint.virtual_inputs.empty()) return "it has no inputs";
        if (!std::isfinite(joint.frame_scale) || joint.frame_scale <= 0) return "its scale must be above 0";
        if (joint.virtual_inputs.front().node != joint.driver) return "the driver must be the first input";
        for (const SkeletonNode& node : skeleton_.nodes)
            if (node.parent == std::int32_t(joint.node)) return "a joint of kind ddm has children";
        double weight = 0;
        for (const rig::VirtualInput& input : joint.virtual_inputs) {
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
