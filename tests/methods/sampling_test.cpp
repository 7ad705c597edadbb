// Frames of a clip under any method.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/methods/sampling.h>
#include <pelt/scenes/scenes.h>

#include <cmath>

namespace pelt::methods {
namespace {

/// A triangle on two joints; the second slides up by t between 1 s and 3 s.
Character slidingTriangle() {
    Character character;
    character.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    character.mesh.triangles = {{0, 1, 2}};
    character.skeleton.nodes.resize(2);
    character.skeleton.nodes[0].name = "root";
    character.skeleton.nodes[1].name = "lift";
    character.skeleton.nodes[1].parent = 0;
    character.skeleton.joints = {{0, {}}, {1, {}}};
    const std::uint32_t joints[] = {0, 1};
    const float halves[] = {0.5f, 0.5f}, first[] = {1, 0}, second[] = {0, 1};
    for (const auto& weights : {first, second, halves}) appendVertex(character.weights, joints, {weights, 2});
    Clip clip;
    clip.name = "lift";
    clip.first_key = 1, clip.last_key = 3;
    clip.channels = {{ChannelPath::translation, 1, Interpolation::linear, 3, {1, 3}, {0, 0, 0, 0, 0, 2}}};
    character.clips = {clip};
    return character;
}

/// The same triangle without joints; its morph target moves vertex 2 along x.
Character morphedTriangle() {
    Character character = slidingTriangle();
    character.skeleton = {};
    character.weights = {};
    character.mesh.morphs = {{"push", 0, 0, {2}, {{4, 0, 0}}, {}}};
    character.clips[0].channels = {{ChannelPath::morph_weights, 0, Interpolation::linear, 1, {1, 3}, {0, 1}}};
    return character;
}

ErrorCode codeOf(const Character& character, const Sampling& sampling) {
    try {
        sampleTimes(character, sampling);
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "was accepted";
    return ErrorCode::system;
}

Sampling withFrames(const char* frames, double fps = 2) {
    Sampling sampling;
    sampling.fps = fps;
    sampling.frames = frames;
    return sampling;
}

}  // namespace

TEST(Sampling, StartsAtTheFirstKeyAndEndsAtTheLast) {
    Sampling sampling;
    sampling.fps = 2;
    EXPECT_EQ(sampleTimes(slidingTriangle(), sampling), (std::vector<double>{1, 1.5, 2, 2.5, 3}));
    EXPECT_EQ(sampleTimes(slidingTriangle(), withFrames("::-2")), (std::vector<double>{3, 2, 1}));
    EXPECT_EQ(sampleTimes(slidingTriangle(), withFrames("-1")), (std::vector<double>{3}));
}

TEST(Sampling, SaysWhatIsWrongByItsKind) {
    Character still = slidingTriangle();
    still.clips.clear();
    EXPECT_EQ(codeOf(still, {}), ErrorCode::bad_input);
    Sampling unknown;
    unknown.clip = "dance";
    EXPECT_EQ(codeOf(slidingTriangle(), unknown), ErrorCode::bad_input);
    EXPECT_EQ(codeOf(slidingTriangle(), withFrames("9:")), ErrorCode::bad_input);
    EXPECT_EQ(codeOf(slidingTriangle(), withFrames("x")), ErrorCode::bad_usage);
    EXPECT_EQ(codeOf(slidingTriangle(), withFrames(":", 0)), ErrorCode::bad_usage);
    Sampling bind_pose;
    bind_pose.bind_pose = true;
    EXPECT_TRUE(sampleTimes(still, bind_pose).empty());
}

TEST(CharacterSampler, PosesEveryFrameWithEveryMethod) {
    const Character character = slidingTriangle();
    for (const Method& method : all()) {
        CharacterSampler sampler(character, method, withFrames("::2"));
        ASSERT_EQ(sampler.frameCount(), 3u);
        EXPECT_EQ(sampler.frameSeconds(), 1.0);
        EXPECT_EQ(sampler.frameTime(1), 2.0);
        std::vector<Vec3f> positions(3), normals(3);
        sampler.evaluate(1, positions, normals);
        EXPECT_LT(positions[0].z, positions[1].z) << method.name;
        if (method.name == "lbs" || method.name == "dqs") {  // the others smooth the weights
            EXPECT_NEAR(positions[0].z, 0, 1e-6) << method.name;
            EXPECT_NEAR(positions[1].z, 1, 1e-6) << method.name;
            EXPECT_NEAR(positions[2].z, 0.5, 1e-6) << method.name;
        }
        for (const Vec3f& n : normals) EXPECT_NEAR(length(n), 1, 1e-5) << method.name;
    }
}

TEST(CharacterSampler, AnyTimeIsClampedToTheKeys) {
    const Character character = slidingTriangle();
    CharacterSampler sampler(character, findMethod("lbs"), {});
    std::vector<Vec3f> positions(3);
    sampler.evaluateAt(-5, positions, {});
    EXPECT_EQ(positions[1].z, 0);
    sampler.evaluateAt(2.25, positions, {});
    EXPECT_NEAR(positions[1].z, 1.25, 1e-6);
    sampler.evaluateAt(99, positions, {});
    EXPECT_NEAR(positions[1].z, 2, 1e-6);
}

TEST(CharacterSampler, TheBindPoseIsThePositionsAsTheyAre) {
    Character character = slidingTriangle();
    character.weights = {};  // not needed for it
    Sampling sampling;
    sampling.bind_pose = true;
    CharacterSampler sampler(character, findMethod("dqs"), sampling);
    ASSERT_EQ(sampler.frameCount(), 1u);
    std::vector<Vec3f> positions(3), normals(3);
    sampler.evaluate(0, positions, normals);
    EXPECT_EQ(positions, character.mesh.positions);
    EXPECT_EQ(normals[0], (Vec3f{0, 0, 1}));
}

TEST(CharacterSampler, ACharacterWithoutJointsShowsItsMorphTargets) {
    const Character character = morphedTriangle();
    CharacterSampler sampler(character, findMethod("lbs"), withFrames(":"));
    std::vector<Vec3f> positions(3);
    sampler.evaluate(4, positions, {});
    EXPECT_EQ(positions[2], (Vec3f{4, 1, 0}));
    sampler.evaluate(0, positions, {});
    EXPECT_EQ(positions, character.mesh.positions);
}

TEST(CharacterSampler, MorphTargetsAreAddedBeforeTheSkin) {
    Character character = slidingTriangle();
    const Character morphed = morphedTriangle();
    character.mesh.morphs = morphed.mesh.morphs;
    character.clips[0].channels.push_back(morphed.clips[0].channels[0]);
    CharacterSampler sampler(character, findMethod("lbs"), withFrames(":"));
    std::vector<Vec3f> positions(3);
    sampler.evaluate(4, positions, {});
    EXPECT_NEAR(positions[2].x, 4, 1e-6);
    EXPECT_NEAR(positions[2].z, 1, 1e-6);
}

TEST(CharacterSampler, JointsWithoutWeightsAreBadInput) {
    Character character = slidingTriangle();
    character.weights = {};
    EXPECT_THROW(CharacterSampler(character, findMethod("lbs"), {}), Error);
}

TEST(CharacterSampler, SpansOfAnotherSizeAreRefused) {
    const Character character = slidingTriangle();
    CharacterSampler sampler(character, findMethod("lbs"), {});
    std::vector<Vec3f> two(2), three(3);
    EXPECT_THROW(sampler.evaluate(0, two, {}), Error);
    EXPECT_THROW(sampler.evaluate(0, three, two), Error);
    EXPECT_THROW(sampler.evaluate(9999, three, {}), Error);
}

TEST(Sequences, ACharacterWithoutClipsGivesItsBindPose) {
    Character character = slidingTriangle();
    character.clips.clear();
    const auto sequence = sampleCharacter(character, {}, findMethod("lbs"));
    EXPECT_EQ(sequence->frameCount(), 1u);
    Sampling named;
    named.clip = "lift";
    EXPECT_THROW(sampleCharacter(character, named, findMethod("lbs")), Error);
}

TEST(Sequences, ACharacterIsASequenceWithItsMesh) {
    const auto sequence = sampleCharacter(slidingTriangle(), withFrames("::2"), findMethod("lbs"));
    ASSERT_EQ(sequence->frameCount(), 3u);
    EXPECT_EQ(sequence->frameSeconds(), 1.0);
    ASSERT_NE(sequence->mesh(), nullptr);
    std::vector<Vec3f> positions(sequence->vertexCount());
    sequence->readFrame(2, positions);
    EXPECT_NEAR(positions[1].z, 2, 1e-6);
}

TEST(Methods, AreFoundByNameAndListedInTheErrorOtherwise) {
    EXPECT_EQ(findMethod("dqs").name, "dqs");
    try {
        findMethod("spline");
        FAIL() << "found a method that there is not";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_usage);
        EXPECT_NE(std::string(error.what()).find("lbs, dqs"), std::string::npos);
    }
}

TEST(Sampling, DrivenJointsMoveThoughAClipHasNoKeysForThem) {
    Character fitted = scenes::find("bar3")->make(300);
    const std::size_t joints = fitted.skeleton.joints.size();
    fitted.driven = rig::addDrivenJoints(fitted.skeleton, {{}, 1, true, 8});
    ASSERT_FALSE(fitted.driven.empty());
    const auto extra = std::uint32_t(joints);
    fitted.weights = {};
    for (std::size_t v = 0; v < fitted.mesh.vertexCount(); ++v) {
        const std::uint32_t on[] = {extra, std::uint32_t(v % joints)};
        const float halves[] = {0.5f, 0.5f};
        appendVertex(fitted.weights, on, halves);
    }
    Character baked = fitted;
    for (Clip& clip : baked.clips) rig::bakeDrivers(baked.skeleton, baked.driven, clip);
    baked.driven.clear();
    const auto driven = sampleCharacter(fitted, {}, findMethod("lbs")),
               played = sampleCharacter(baked, {}, findMethod("lbs"));
    std::vector<Vec3f> a(fitted.mesh.vertexCount()), b(a.size());
    double moved = 0;
    for (std::size_t f = 0; f < driven->frameCount(); ++f) {
        driven->readFrame(f, a);
        played->readFrame(f, b);
        for (std::size_t v = 0; v < a.size(); ++v) {
            EXPECT_LT(length(a[v] - b[v]), 1e-4f);
            moved = std::max(moved, double(length(a[v] - fitted.mesh.positions[v])));
        }
    }
    EXPECT_GT(moved, 0.1);
}

/// The sliding triangle with a hat of two vertices, one above the other, on the joint that slides.
Character triangleWithHat() {
    Character character = slidingTriangle();
    character.mesh.normals.assign(3, {0, 0, 1});
    character.props.mesh.positions = {{0, 0, 0}, {0, 0, 1}};
    character.props.mesh.normals.assign(2, {0, 1, 0});
    character.props.mesh.parts = {{"hat", "", 0, 2, 0, 0, 1}};
    SkeletonNode hook{"hook", 1, {}, {}};
    hook.local.rotation = axisAngle(Vec3d{0, 0, 1}, std::acos(0.0));
    hook.local.translation = {5, 0, 0};
    character.skeleton.nodes.push_back(hook);
    character.props.nodes = {2};
    return character;
}

TEST(Sampling, PropsComeAfterTheSkinAndFollowTheirNodeWithEveryMethod) {
    const Character character = triangleWithHat();
    for (const Method& method : all()) {
        CharacterSampler sampler(character, method, withFrames("-1:"));
        ASSERT_EQ(sampler.vertexCount(), 5U);
        std::vector<Vec3f> positions(5), normals(5);
        sampler.evaluate(0, positions, normals);
        EXPECT_NEAR(length(positions[3] - Vec3f{5, 0, 2}), 0, 1e-6f) << method.name;
        EXPECT_NEAR(length(positions[4] - Vec3f{5, 0, 3}), 0, 1e-6f) << method.name;
        EXPECT_NEAR(length(normals[4] - Vec3f{-1, 0, 0}), 0, 1e-6f) << method.name;
    }
}

TEST(Sampling, InTheBindPosePropsStandWhereTheirNodesRest) {
    const Character character = triangleWithHat();
    Sampling sampling;
    sampling.bind_pose = true;
    CharacterSampler sampler(character, findMethod("lbs"), sampling);
    std::vector<Vec3f> positions(5);
    sampler.evaluate(0, positions, {});
    EXPECT_EQ(positions[4], (Vec3f{5, 0, 1}));
}

TEST(Sampling, MorphTargetsOfPropsPlay) {
    Character character = triangleWithHat();
    character.props.mesh.morphs = {{"grow", 1, 0, {1}, {{0, 0, 4}}, {}}};
    character.clips[0].channels.push_back({ChannelPath::morph_weights, 1, Interpolation::linear, 1, {1, 3}, {0, 1}});
    CharacterSampler sampler(character, findMethod("lbs"), withFrames("-1:"));
    std::vector<Vec3f> positions(5);
    sampler.evaluate(0, positions, {});
    EXPECT_NEAR(length(positions[4] - Vec3f{5, 0, 7}), 0, 1e-6f);
}

TEST(Sampling, FramesWithPropsLoseThemWhereOnlyTheSkinIsWanted) {
    const Character character = triangleWithHat();
    auto whole = sampleCharacter(character, withFrames("-1:"), findMethod("lbs"));
    ASSERT_EQ(whole->vertexCount(), 5U);
    EXPECT_EQ(whole->mesh()->vertexCount(), 5U);
    auto skin = withoutProps(std::move(whole), character);
    ASSERT_EQ(skin->vertexCount(), 3U);
    std::vector<Vec3f> frame(3);
    skin->readFrame(0, frame);
    EXPECT_EQ(frame[1], (Vec3f{1, 0, 2}));
    EXPECT_EQ(withoutProps(std::move(skin), character)->vertexCount(), 3U);
}

}  // namespace pelt::methods
