// Skin for characters without weights, for verbs that need one.
#include "verbs/run/bare_skin.h"

#include <fmt/format.h>
#include <pelt/rig/remove_joints.h>

#include <algorithm>

#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

constexpr double kSure = 0.8;  ///< share of the vertices that see their bone: below it, the result needs a look

bool isBare(const Character& character) {
    return character.weights.empty() && !character.skeleton.joints.empty() && !character.mesh.positions.empty();
}

}  // namespace

void bindIfBare(Run& run, std::string_view input, Character& character, const bind::BindOptions& options) {
    if (!isBare(character)) return;
    const std::string& name = run.nameOf(input);
    run.stage("bind");
    bind::NearestBind bound =
        aboutFile(name, [&] { return bind::bindBare(character.mesh, character.skeleton, options, run.progress()); });
    character.weights = std::move(bound.weights);
    const std::vector<bool> used = rig::jointsWithSkin(character);
    const auto joints = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    run.result["bound"] = {{"joints_with_skin", joints}, {"sure", bound.sure}};
    const std::string said =
        fmt::format("no skin weights: bound to {} by the nearest bone, sure of {:.0f} % of the vertices",
                    counted(joints, "joint", "joints"), 100 * bound.sure);
    if (bound.sure < kSure)
        run.warn(name, said + "; look at the result, or bind it with pelt bind first");
    else
        run.print(fmt::format("{}: {}\n", oneLine(name), said));
}

CharacterRef boundIfBare(Run& run, std::string_view input, CharacterRef character) {
    if (!isBare(*character)) return character;
    auto own = std::make_shared<Character>(*character);
    bindIfBare(run, input, *own);
    return own;
}

}  // namespace pelt::verbs
