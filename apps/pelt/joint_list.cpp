#include "joint_list.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "text.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

JointList listJoints(const Skeleton& skeleton) {
    // Nodes come parents first; walking them in order keeps that for the list.
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
        bool is_last =
            true;  // children are listed from the last to the first, and the first must come off the stack first
        for (const std::size_t child : children[line.entry]) {
            stack.push_back({child, line.below + (is_last ? last : middle), line.below + (is_last ? "   " : pass)});
            is_last = false;
        }
    }
    return text;
}

std::size_t findJointEntry(const JointList& joints, const std::string& name) {
    std::size_t nearest = 0, nearest_distance = kNone;
    for (std::size_t e = 0; e < joints.entries.size(); ++e) {
        if (joints.entries[e].name == name) return e;
        const std::size_t distance = editDistance(name, joints.entries[e].name);
        if (distance < nearest_distance) nearest = e, nearest_distance = distance;
    }
    if (nearest_distance == kNone) throw Error::badInput(fmt::format("no joint '{}': the file has no joints", name));
    throw Error::badInput(
        fmt::format("no joint '{}'; did you mean '{}'? pelt info lists them", name, joints.entries[nearest].name));
}

}  // namespace pelt::cli
