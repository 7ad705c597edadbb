// Characters from examples.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/fit.h>

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

methods::Sampling everyTenth() {
    methods::Sampling sampling;
    sampling.frames = "::10";
    return sampling;
}

Character smoothBar(const char* name = "bar3") {
    Character bar = scenes::find(name)->make(300);
    bar.weights = scenes::smoothWeights(bar);
    return bar;
}

TEST(FitCharacter, VerticesInOnePlaceStayTogetherWhateverTheExamplesDo) {
    Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("dqs"));
    const std::size_t count = bar.mesh.vertexCount(), copies = 40;
    std::vector<Vec3f> examples;
    std::vector<Vec3f> frame(count);
    for (std::size_t f = 0; f < frames->frameCount(); ++f) {
        frames->readFrame(f, frame);
        examples.insert(examples.end(), frame.begin(), frame.end());
        for (std::size_t c = 0; c < copies; ++c)
            examples.push_back(frame[c * 5] + Vec3f{0.01f, 0, 0.005f * float(f % 2)});
    }
    Character split = bar;
    split.weights = {};
    for (std::size_t c = 0; c < copies; ++c) {
        split.mesh.positions.push_back(bar.mesh.positions[c * 5]);
        if (!bar.mesh.normals.empty()) split.mesh.normals.push_back(bar.mesh.normals[c * 5]);
        if (!bar.mesh.uvs.empty()) split.mesh.uvs.push_back(bar.mesh.uvs[c * 5]);
    }
    split.mesh.parts.clear();
    const FitResult made = fitCharacter(split, *makeSequence(examples, count + copies), everyTenth(), {});
    const Character& fitted = made.character;
    for (std::size_t c = 0; c < copies; ++c) {
        EXPECT_EQ(fitted.mesh.positions[count + c], fitted.mesh.positions[c * 5]);
        EXPECT_TRUE(std::ranges::equal(fitted.weights.jointsOf(count + c), fitted.weights.jointsOf(c * 5)));
        EXPECT_TRUE(std::ranges::equal(fitted.weights.weightsOf(count + c), fitted.weights.weightsOf(c * 5)));
    }
    EXPECT_FALSE(made.rms_own);
}

TEST(FitCharacter, OtherClipsGetTheKeysOfTheExtraJoints) {
    const Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("dqs"));
    const FitResult made = fitCharacter(bar, *frames, everyTenth(), {});
    ASSERT_FALSE(made.extra.empty());
    ASSERT_EQ(made.character.driven.size(), made.extra.size());
    const std::uint32_t extra = made.character.driven.front().node;
    const auto moves = [&](const Clip& clip) {
        return std::any_of(clip.channels.begin(), clip.channels.end(),
                           [&](const Channel& channel) { return channel.target == extra; });
    };
    for (const char* name : {"bend_and_twist", "range_of_motion"}) {
        const Clip& clip = rig::findClip(made.character, name);
        EXPECT_TRUE(moves(clip)) << name;
        Character keyed = made.character;
        keyed.driven.clear();
        const double middle = &clip == &made.character.clips[made.clip] ? made.times[5] : 0.37 * clip.seconds();
        const auto played = rig::skinMatricesDouble(keyed.skeleton, &clip, middle);
        const auto driven = rig::drivenSkinMatrices(keyed.skeleton, made.character.driven, &clip, middle);
        for (std::size_t j = 0; j < played.size(); ++j)
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(played[j].m[i], driven[j].m[i], 5e-3) << name;
    }
}

/// [MohrGleicher03] §6.1: meshes that one skeleton deformed, fitted to another that is posed alike.
TEST(FitCharacter, ExamplesOfARichSkeletonAreFittedToASimplerOne) {
    const Character rich = smoothBar();
    const auto frames = methods::sampleCharacter(rich, everyTenth(), methods::findMethod("lbs"));
    Character simple = rich;
    simple.weights = {};
    ASSERT_EQ(simple.skeleton.joints.size(), 3u);
    simple.skeleton.joints.erase(simple.skeleton.joints.begin() + 1);
    FitRequest request;
    const FitResult made = fitCharacter(simple, *frames, everyTenth(), request);
    EXPECT_EQ(made.character.skeleton.joints.size(), 2 + made.extra.size());
    EXPECT_FALSE(made.extra.empty());
    EXPECT_LT(made.convex.rms, 0.7 * made.plain.rms);
    EXPECT_LT(made.convex.e_rms, 40);
}

TEST(FitCharacter, FittingAgainKeepsTheJointsThereAre) {
    const Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("dqs"));
    FitRequest request;
    request.most_extra = 1;
    methods::Sampling own;  // the first fit leaves one key per pose
    own.fps = 3;
    const FitResult once = fitCharacter(bar, *frames, everyTenth(), request);
    const FitResult twice = fitCharacter(once.character, *frames, own, request);
    ASSERT_EQ(once.character.driven.size(), 1u);
    EXPECT_EQ(twice.character.driven.size(), 2u);
    EXPECT_LE(twice.convex.rms, once.convex.rms);
    for (const rig::DrivenJoint& joint : twice.character.driven)
        EXPECT_NE(twice.character.skeleton.nodes[joint.driver].name, once.extra.front().name);
    request.drivers = {once.extra.front().name};  // it follows another itself
    EXPECT_THROW(fitCharacter(once.character, *frames, own, request), Error);
}

/// [MohrGleicher03] Fig. 8: a biceps that swells as the elbow bends.
struct MuscularArm {
    Character arm;
    std::unique_ptr<MeshSequence> examples;
    methods::Sampling sampling;
    FitRequest request;

    MuscularArm(std::size_t vertices, double fps, std::size_t most_extra)
        : arm(scenes::find("arm")->make(vertices)), examples(scenes::armExamples(vertices, fps)) {
        arm.weights = scenes::smoothWeights(arm);
        sampling.fps = fps;
        request.solver.candidates = 12;
        request.most_extra = most_extra;
    }
    FitResult fit() const { return fitCharacter(arm, *examples, sampling, request); }
    double rms(const FitResult& made, std::string_view method = "lbs") const {
        return measureFit(made, *examples, arm.mesh.positions, method).rms;
    }
};

TEST(FitCharacter, TheMuscularArmIsCaptured) {
    MuscularArm arm(1000, 2, 6);
    const FitResult made = arm.fit();
    ASSERT_TRUE(made.rms_own);
    EXPECT_LT(arm.rms(made), 0.4 * *made.rms_own);
    EXPECT_LT(made.affine.rms, 0.4 * made.plain.rms);
    arm.request.k = 16;
    EXPECT_LT(arm.fit().convex.rms, 0.4 * made.plain.rms);
}

TEST(FitCharacter, JointsAreLearnedFromTheExamplesAndPlayFromTheFile) {
    MuscularArm arm(600, 4, 4);
    arm.request.rotations = 0;
    arm.request.scales = false;
    arm.request.helpers = 6;
    const FitResult made = arm.fit();
    ASSERT_FALSE(made.extra.empty());
    EXPECT_LE(made.extra.size(), 4u);
    for (const ExtraJoint& joint : made.extra) EXPECT_EQ(joint.kind, rig::DriverKind::learned);
    EXPECT_LT(made.convex.rms, 0.8 * made.plain.rms);
    EXPECT_NEAR(arm.rms(made), made.convex.rms, 1e-3 * made.convex.rms);
    arm.request.scales = true;
    arm.request.rotations = 1;
    arm.request.most_extra = 8;
    EXPECT_LT(arm.fit().convex.rms, made.convex.rms);
}

TEST(FitCharacter, TheSignedSkinHasTheMeshOfThePlainOne) {
    MuscularArm arm(600, 2, 4);
    const FitResult plain = arm.fit();
    arm.request.signed_weights = true;
    const FitResult both = arm.fit();
    EXPECT_EQ(both.convex.rest, both.affine.rest);
    EXPECT_LT(both.convex.rms, 1.5 * plain.convex.rms);
    EXPECT_FALSE(plain.character.ddm);
    ASSERT_TRUE(both.character.ddm);
    EXPECT_TRUE(both.character.ddm->fitted);
    const DdmRows<float>& rows = both.character.ddm->rows;
    EXPECT_TRUE(std::ranges::any_of(rows.blocks, [](const DdmBlock<float>& b) { return b.w < 0; }));
    const double stored = arm.rms(both, "ddm");
    EXPECT_NEAR(stored, both.affine.rms, 1e-3 * stored);
    EXPECT_LT(stored, 0.6 * plain.convex.rms);
    EXPECT_NEAR(arm.rms(both), both.convex.rms, 1e-3 * both.convex.rms);
}

TEST(FitCharacter, ASkinThatExplainsTheExamplesGetsNoExtraJoints) {
    const Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("lbs"));
    const FitResult made = fitCharacter(bar, *frames, everyTenth(), {});
    EXPECT_TRUE(made.extra.empty());
    EXPECT_LT(made.convex.rms, 1e-6);
}

TEST(FitCharacter, SaysWhatIsMissing) {
    const Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("lbs"));
    Character none = bar;
    none.skeleton.joints.clear();
    EXPECT_THROW(fitCharacter(none, *frames, everyTenth(), {}), Error);
    none = bar;
    none.clips.clear();
    EXPECT_THROW(fitCharacter(none, *frames, everyTenth(), {}), Error);
    EXPECT_THROW(fitCharacter(bar, *frames, {}, {}), Error);
}

TEST(FitCharacter, NormalsThatCountComeOutBetterAndPositionsALittleWorse) {
    const Character bar = smoothBar();
    const auto frames = methods::sampleCharacter(bar, everyTenth(), methods::findMethod("dqs"));
    FitRequest request;
    request.most_extra = 0;
    request.normals_weight = 1e-6;
    const FitResult positions = fitCharacter(bar, *frames, everyTenth(), request);
    request.normals_weight = 3;
    const FitResult both = fitCharacter(bar, *frames, everyTenth(), request);
    EXPECT_TRUE(both.normals_given);
    EXPECT_LT(both.convex.normals_degrees.value(), 0.97 * positions.convex.normals_degrees.value());
    EXPECT_GT(both.convex.rms, positions.convex.rms);
    // NORMAL is that of the fit.
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v)
        EXPECT_LT(length(Vec3d(both.character.mesh.normals[v]) - both.convex.rest_normals[both.normal_of[v]]), 1e-5);
}

}  // namespace
}  // namespace pelt::verbs
