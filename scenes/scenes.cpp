// The list of scenes.
#include <pelt/scenes/scenes.h>

#include <algorithm>

#include "arm.h"
#include "bars.h"
#include "biped/biped.h"
#include "branch.h"

namespace pelt::scenes {
namespace {

constexpr std::size_t kBar = 3000, kBranch = 6000, kBiped = 20000;

constexpr Scene kScenes[] = {
    {"bar", "an upright bar on 2 joints", kBar, makeBar},
    {"bar3", "an upright bar on 3 joints", kBar, makeBar3},
    {"bar-parts", "the bar of 2 joints, cut in two parts that do not touch", kBar, makeBarParts},
    {"arm", "a muscular arm: shoulder, elbow, wrist", kArmResolution, makeArm},
    {"branch", "a Y of 5 joints", kBranch, makeBranch},
    {"biped", "a standing figure with fingers", kBiped, makeBiped},
};

}  // namespace

std::span<const Scene> all() { return kScenes; }

const Scene* find(std::string_view name) {
    const auto found = std::find_if(std::begin(kScenes), std::end(kScenes), [&](auto& s) { return s.name == name; });
    return found == std::end(kScenes) ? nullptr : found;
}

}  // namespace pelt::scenes
