// Finds joints that move no vertex and removes joints.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/rig/remove_joints.h>

#include <algorithm>

namespace pelt::rig {

std::vector<bool> jointsWithSkin(const Character& character) {
    std::vector<bool> used(character.skeleton.joints.size(), false);
    const auto add = [&](const std::vector<std::uint32_t>& joints) {
        for (const std::uint32_t joint : joints) used[joint] = true;
    };
    add(character.weights.joints);
    if (!character.ddm) return used;
    add(character.ddm->rows.joints);
    add(character.ddm->bind.joints);
    return used;
}

void removeJoints(Character& character, const std::vector<bool>& keep) {
    const std::vector<bool> used = jointsWithSkin(character);
    std::vector<Joint> kept;
    std::vector<std::uint32_t> new_slot(keep.size(), 0);
    for (std::size_t j = 0; j < keep.size(); ++j) {
        if (used[j] && !keep[j])
            throw Error::badUsage(
                fmt::format("joint '{}' moves vertices and cannot be removed", jointName(character.skeleton, j)));
        new_slot[j] = std::uint32_t(kept.size());
        if (keep[j]) kept.push_back(character.skeleton.joints[j]);
    }
    if (kept.empty()) throw Error::badUsage("a skeleton needs a joint");
    // Numbers keep their order, and with it the order of equal weights in a row.
    const auto renumber = [&](std::vector<std::uint32_t>& joints) {
        for (std::uint32_t& joint : joints) joint = new_slot[joint];
    };
    character.skeleton.joints = std::move(kept);
    renumber(character.weights.joints);
    if (!character.ddm) return;
    auto payload = std::make_shared<DdmPayload>(*character.ddm);
    renumber(payload->rows.joints);
    renumber(payload->bind.joints);
    character.ddm = std::move(payload);
}

}  // namespace pelt::rig
