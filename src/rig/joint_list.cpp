// The list of joints that users see.
#include <pelt/rig/joint_list.h>

#include <limits>

namespace pelt::rig {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

JointList listJoints(const Skeleton& skeleton) {
    // Parents come before children in the nodes, and therefore also in the list.
    std::vector<std::size_t> first_slot(skeleton.nodes.size(), kNone);
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) first_slot[skeleton.joints[j].node] = j;
    JointList list;
    std::vector<std::int32_t> entry_of(skeleton.nodes.size(), -1);  // nearest joint at or above the node
    for (std::size_t n = 0; n < skeleton.nodes.size(); ++n) {
        const std::int32_t parent = skeleton.nodes[n].parent;
        const std::int32_t above = parent < 0 ? -1 : entry_of[static_cast<std::size_t>(parent)];
        entry_of[n] = above;
        if (first_slot[n] == kNone) continue;
        entry_of[n] = static_cast<std::int32_t>(list.entries.size());
        list.entries.push_back({skeleton.nodes[n].name, above, first_slot[n]});
    }
    for (const Joint& joint : skeleton.joints) list.of_slot.push_back(static_cast<std::size_t>(entry_of[joint.node]));
    return list;
}

}  // namespace pelt::rig
