#include "joint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text.h"

namespace pelt::cli {
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

std::string drawTree(const JointList& joints, const std::string& indent, bool utf8) {
    const char* const middle = utf8 ? "├─ " : "|- ";
    const char* const last = utf8 ? "└─ " : "`- ";
    const char* const pass = utf8 ? "│  " : "|  ";
    std::vector<std::vector<std::size_t>> children(joints.entries.size());
    struct Line {
        std::size_t entry;
        std::string before, below;  ///< drawn before its name; before its children
    };
    std::vector<Line> stack;
    for (std::size_t e = joints.entries.size(); e-- > 0;) {
        const std::int32_t parent = joints.entries[e].parent;
        if (parent < 0)
            stack.push_back({e, indent, indent});
        else
            children[static_cast<std::size_t>(parent)].push_back(e);
    }
    std::string text;
    while (!stack.empty()) {
        const Line line = std::move(stack.back());
        stack.pop_back();
        text += line.before + oneLine(joints.entries[line.entry].name) + "\n";
        bool is_last = true;  // last to first, so that the first is popped first
        for (const std::size_t child : children[line.entry]) {
            stack.push_back({child, line.below + (is_last ? last : middle), line.below + (is_last ? "   " : pass)});
            is_last = false;
        }
    }
    return text;
}

void reportWritten(const Character& character, const std::filesystem::path& output, nlohmann::ordered_json& report) {
    report["output"] = output.string();
    report["vertices"] = character.mesh.vertexCount();
    report["triangles"] = character.mesh.triangles.size();
    report["bones"] = listJoints(character.skeleton).entries.size();
    report["influences"] = maxInfluences(character.weights);
}

}  // namespace pelt::cli
