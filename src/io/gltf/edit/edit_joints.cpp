// Finds the loaded joints that a character still has, and removes the others from rows.
#include <algorithm>
#include <numeric>

#include "edit.h"

namespace pelt::io::gltf {
namespace {

/// Rows in new numbers. A removed joint becomes a number that no joint has, so that the row counts as changed.
void renumberRows(std::vector<std::uint32_t>& joints, const std::vector<std::int32_t>& new_slot) {
    for (std::uint32_t& joint : joints) joint = static_cast<std::uint32_t>(new_slot[joint]);
}

/// Removes the entries of a list whose slot is gone.
template <class List>
void keepSlots(List& list, const std::vector<std::uint32_t>& slots, const std::vector<std::int32_t>& new_slot) {
    List kept;
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (new_slot[slots[i]] >= 0) kept.push_back(list[i]);
    list = std::move(kept);
}

}  // namespace

std::vector<std::int32_t> findLoadedJoints(const Skeleton& now, const Skeleton& loaded) {
    const std::size_t count = loaded.joints.size();
    std::vector<std::int32_t> slots(count, -1);
    const bool all_there =
        now.joints.size() >= count && std::equal(loaded.joints.begin(), loaded.joints.end(), now.joints.begin(),
                                                 [](const Joint& a, const Joint& b) { return a.node == b.node; });
    if (all_there) {
        std::iota(slots.begin(), slots.end(), 0);
        return slots;
    }
    // The others are in their order. A joint that is not recognized is written as a new one, which is right as well.
    std::size_t next = 0;
    for (std::size_t j = 0; j < count && next < now.joints.size(); ++j) {
        const Joint &was = loaded.joints[j], &is = now.joints[next];
        if (was.node == is.node && was.inverse_bind == is.inverse_bind) slots[j] = static_cast<std::int32_t>(next++);
    }
    return slots;
}

GltfSource withoutJoints(const GltfSource& source, const std::vector<std::int32_t>& new_slot) {
    GltfSource out = source;
    std::vector<std::uint32_t> all(new_slot.size());
    std::iota(all.begin(), all.end(), 0U);
    keepSlots(out.skeleton.joints, all, new_slot);
    renumberRows(out.weights.joints, new_slot);
    out.ddm = nullptr;  // its joints have other numbers in the file
    for (std::size_t s = 0; s < out.skin_slots.size(); ++s) {
        std::vector<std::uint32_t>& slots = out.skin_slots[s];
        const bool loses = std::any_of(slots.begin(), slots.end(), [&](std::uint32_t j) { return new_slot[j] < 0; });
        if (loses) {
            keepSlots(out.document.json["skins"][s]["joints"], slots, new_slot);
            keepSlots(out.inverse_binds[s], slots, new_slot);
            keepSlots(slots, std::vector(slots), new_slot);
            out.mended_skins[s] = true;
            for (PartSource& part : out.parts)
                if (out.instances[part.instance].skin == s) part.mended_weights = true;
        }
        renumberRows(slots, new_slot);
    }
    return out;
}

}  // namespace pelt::io::gltf
