#pragma once

#include <pelt/rig/character.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelt::cli {

/// The joints as users see them: one entry per node, however many skins bind it.
struct JointList {
    struct Entry {
        std::string name;
        std::int32_t parent = -1;    ///< index in this list of the nearest ancestor that is a joint
        std::size_t first_slot = 0;  ///< of Skeleton::joints
    };
    std::vector<Entry> entries;        ///< parents before children
    std::vector<std::size_t> of_slot;  ///< per joint slot, its entry
};

JointList listJoints(const Skeleton& skeleton);

/// One line per joint, children below their parent with branches drawn, each indented by `indent`.
std::string drawTree(const JointList& joints, const std::string& indent, bool utf8);

/// What the report of a verb says of the character that it wrote: output, vertices, triangles, bones and influences.
void reportWritten(const Character& character, const std::filesystem::path& output, nlohmann::ordered_json& report);

}  // namespace pelt::cli
