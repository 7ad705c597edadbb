// What check finds in skins that were good before, and what fix does about it.
#include <gtest/gtest.h>
#include <pelt/rig/joint_list.h>

#include <algorithm>

#include "made_scene.h"
#include "verbs/fix/fix.h"

namespace pelt::verbs {
namespace {

const Character& goodBiped() {
    static const Character made = [] {
        Character biped = smoothScene("biped", 2);
        biped.weights = keepHeaviest(biped.weights, 4);
        return biped;
    }();
    return made;
}

const Judge& judgeOfBiped() {
    static const Judge judge(goodBiped(), {}, Engine::any, {}, {});
    return judge;
}

std::uint32_t slotOf(const Character& character, std::string_view name) {
    return std::uint32_t(rig::findJoint(character.skeleton, name).value());
}

/// Every vertex of the biped within a distance of a joint follows another one.
Character withPatch(std::string_view near, std::string_view follows) {
    Character spoiled = goodBiped();
    const Vec3d center = rig::jointRestPositions(spoiled.skeleton)[slotOf(spoiled, near)];
    std::vector<std::pair<double, std::size_t>> nearest;
    for (std::size_t v = 0; v < spoiled.mesh.vertexCount(); ++v)
        nearest.emplace_back(length(Vec3d(spoiled.mesh.positions[v]) - center), v);
    std::sort(nearest.begin(), nearest.end());
    const double reach = nearest[std::max<std::size_t>(8, nearest.size() / 100)].first;
    SkinWeights weights;
    for (std::size_t v = 0; v < spoiled.mesh.vertexCount(); ++v) {
        const std::uint32_t joint[] = {slotOf(spoiled, follows)};
        const float one[] = {1};
        if (length(Vec3d(spoiled.mesh.positions[v]) - center) <= reach)
            appendVertex(weights, joint, one);
        else
            appendVertex(weights, goodBiped().weights.jointsOf(v), goodBiped().weights.weightsOf(v));
    }
    spoiled.weights = weights;
    return spoiled;
}

std::vector<measure::Finding> faultsOf(const measure::SkinCheck& check) {
    std::vector<measure::Finding> faults;
    for (const measure::Finding& finding : check.findings)
        if (finding.severity == measure::Severity::fault) faults.push_back(finding);
    return faults;
}

TEST(Check, FindsNoFaultInAGoodSkinAndFixLeavesItAlone) {
    const FixResult fixed = fixSkin(goodBiped(), judgeOfBiped(), {}, {});
    EXPECT_TRUE(faultsOf(fixed.before).empty());
    EXPECT_GE(fixed.before.score, 90);
    EXPECT_EQ(fixed.weights, goodBiped().weights);
}

TEST(Check, APatchOnAFarJointIsABleedAtThatJointAndFixMendsItAndNothingElse) {
    const Character spoiled = withPatch("shin_L", "hand_R");
    const FixResult fixed = fixSkin(spoiled, judgeOfBiped(), {}, {});
    const auto faults = faultsOf(fixed.before);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].flaw, measure::Flaw::bleed);
    EXPECT_EQ(rig::jointName(spoiled.skeleton, std::size_t(faults[0].joint)), "hand_R");
    EXPECT_TRUE(faultsOf(fixed.after).empty());
    EXPECT_GT(fixed.after.score, fixed.before.score);
    for (std::uint32_t v = 0; v < spoiled.mesh.vertexCount(); ++v) {
        if (std::binary_search(faults[0].vertices.begin(), faults[0].vertices.end(), v)) continue;
        const auto before = spoiled.weights.weightsOf(v), after = fixed.weights.weightsOf(v);
        EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin(), after.end()));
    }
}

TEST(Check, InfluencesThatWereCutAreACreaseAndFixSoftensIt) {
    Character spoiled = goodBiped();
    spoiled.weights = keepHeaviest(spoiled.weights, 1);
    const FixResult fixed = fixSkin(spoiled, judgeOfBiped(), {}, {});
    const auto faults = faultsOf(fixed.before);
    ASSERT_FALSE(faults.empty());
    EXPECT_TRUE(std::any_of(faults.begin(), faults.end(),
                            [](const auto& finding) { return finding.flaw == measure::Flaw::crease; }));
    EXPECT_GT(fixed.after.score, fixed.before.score);
}

TEST(Check, AnEngineThatTakesFewerInfluencesMakesThemAFault) {
    const Judge strict(smoothScene("biped", 2), {}, Engine::mobile, {}, {});
    const auto faults = faultsOf(strict.check(smoothScene("biped", 2), {}));
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].flaw, measure::Flaw::limits);
    EXPECT_EQ(faults[0].limit, 4);
}

}  // namespace
}  // namespace pelt::verbs
