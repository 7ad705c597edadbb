// What the reports of several verbs have in common.
#include "verbs/run/report.h"

namespace pelt::verbs {

std::string drawTree(const rig::JointList& joints, const std::string& indent, bool utf8) {
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

std::size_t boneCount(const Character& character) { return rig::listJoints(character.skeleton).entries.size(); }

void reportWritten(const Character& character, Run& run) {
    run.result["output"] = run.outputName();
    run.result["vertices"] = character.mesh.vertexCount();
    run.result["triangles"] = character.mesh.triangles.size();
    run.result["bones"] = boneCount(character);
    run.result["influences"] = maxInfluences(character.weights);
}

}  // namespace pelt::verbs
