#include <pelt/scenes/scenes.h>

#include <algorithm>

#include "arm.h"
#include "bars.h"
#include "biped.h"
#include "branch.h"

namespace pelt::scenes {
namespace {

constexpr std::size_t kBar = 3000, kBranch = 6000, kBiped = 20000;

/// The default resolution stands in for 0.
template <Character (*make)(std::size_t), std::size_t standard>
Character withDefault(std::size_t resolution) {
    return make(resolution == 0 ? standard : resolution);
}

constexpr Scene kScenes[] = {
    {"bar", "an upright bar on 2 joints", kBar, withDefault<makeBar, kBar>},
    {"bar3", "an upright bar on 3 joints", kBar, withDefault<makeBar3, kBar>},
    {"bar-parts", "the bar of 2 joints, cut in two parts that do not touch", kBar, withDefault<makeBarParts, kBar>},
    {"arm", "a muscular arm: shoulder, elbow, wrist", kArmResolution, withDefault<makeArm, kArmResolution>},
    {"branch", "a Y of 5 joints", kBranch, withDefault<makeBranch, kBranch>},
    {"biped", "a standing figure with fingers", kBiped, withDefault<makeBiped, kBiped>},
};

}  // namespace

std::span<const Scene> all() { return kScenes; }

const Scene* find(std::string_view name) {
    const auto found = std::find_if(std::begin(kScenes), std::end(kScenes), [&](auto& s) { return s.name == name; });
    return found == std::end(kScenes) ? nullptr : found;
}

}  // namespace pelt::scenes
