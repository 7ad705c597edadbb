// Which joints belong to a limb of another branch: a foot below a control on the floor moves with the shin that it is
// skinned to.
#include <pelt/rig/range_of_motion.h>

#include <algorithm>
#include <map>

namespace pelt::rig {
namespace {

constexpr std::uint32_t kBare = ~0u;

/// Per vertex, the slot that it follows most.
std::vector<std::uint32_t> heaviestSlots(const SkinWeights& weights) {
    std::vector<std::uint32_t> slots(weights.vertexCount(), kBare);
    for (std::size_t v = 0; v < slots.size(); ++v) {
        float most = 0;
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            if (weights.weightsOf(v)[i] > most) most = weights.weightsOf(v)[i], slots[v] = weights.jointsOf(v)[i];
    }
    return slots;
}

class CarrierFinder {
public:
    explicit CarrierFinder(const Character& character) : parents_(jointParents(character.skeleton)) {
        const std::vector<std::uint32_t> slots = heaviestSlots(character.weights);
        skin_.assign(parents_.size(), 0);
        for (const std::uint32_t slot : slots)
            if (slot != kBare) ++skin_[slot];
        below_ = skin_;
        for (std::size_t j = 0; j < parents_.size(); ++j)
            for (std::int32_t p = parents_[j]; p >= 0; p = parents_[std::size_t(p)]) below_[std::size_t(p)] += skin_[j];
        for (const Triangle& t : character.mesh.triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = slots[t[k]], b = slots[t[(k + 1) % 3]];
                if (a == b || a == kBare || b == kBare) continue;
                ++touching_[{a, b}];
                ++touching_[{b, a}];
            }
    }

    std::vector<std::int32_t> find() const {
        std::size_t all = 0;
        for (const std::size_t count : skin_) all += count;
        std::vector<std::int32_t> carriers(parents_.size(), -1);
        for (std::uint32_t j = 0; j < parents_.size(); ++j) {
            const bool branch = parents_[j] >= 0 && below_[j] > 0 && 2 * below_[j] < all;
            if (!branch || skinAbove(j)) continue;
            std::map<std::uint32_t, std::size_t> found;
            for (const auto& [pair, count] : touching_)
                if (isAtOrBelow(pair.first, j) && !isAtOrBelow(pair.second, j)) found[pair.second] += count;
            const auto most = std::max_element(found.begin(), found.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            if (most != found.end() && !leadsTo(most->first, j, carriers)) carriers[j] = std::int32_t(most->first);
        }
        return carriers;
    }

private:
    bool skinAbove(std::uint32_t j) const {
        for (std::int32_t p = parents_[j]; p >= 0; p = parents_[std::size_t(p)])
            if (skin_[std::size_t(p)] > 0) return true;
        return false;
    }
    bool isAtOrBelow(std::uint32_t j, std::uint32_t above) const {
        for (auto at = std::int32_t(j); at >= 0; at = parents_[std::size_t(at)])
            if (at == std::int32_t(above)) return true;
        return false;
    }
    /// Whether the joint would be carried by itself.
    bool leadsTo(std::uint32_t from, std::uint32_t joint, const std::vector<std::int32_t>& carriers) const {
        auto at = std::int32_t(from);
        while (at >= 0 && at != std::int32_t(joint)) {
            const std::int32_t carrier = carriers[std::size_t(at)];
            at = carrier >= 0 ? carrier : parents_[std::size_t(at)];
        }
        return at >= 0;
    }

    std::vector<std::int32_t> parents_;
    std::vector<std::size_t> skin_, below_;  ///< vertices per slot; and of those below it
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> touching_;  ///< edges between the skin of two slots
};

}  // namespace

std::vector<std::int32_t> limbCarriers(const Character& character) {
    if (character.weights.empty()) return {};
    std::vector<std::int32_t> carriers = CarrierFinder(character).find();
    const bool any = std::any_of(carriers.begin(), carriers.end(), [](std::int32_t c) { return c >= 0; });
    return any ? carriers : std::vector<std::int32_t>{};
}

RangeOfMotion rangeOfFigure(const Character& character, RangeOfMotion range) {
    range = rangeOfFreeJoints(character.skeleton, character.driven, std::move(range));
    range.carriers = limbCarriers(character);
    for (const DrivenJoint& joint : character.driven)  // these follow their drivers
        for (std::size_t j = 0; j < range.carriers.size(); ++j)
            if (character.skeleton.joints[j].node == joint.node) range.carriers[j] = -1;
    return range;
}

}  // namespace pelt::rig
