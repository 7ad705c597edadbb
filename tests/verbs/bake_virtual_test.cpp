// Baking with virtual joints.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/verbs/bake.h>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

BakeRequest virtualRequest(std::size_t joints) {
    BakeRequest asked;
    asked.sampling.fps = 5;
    asked.virtual_joints = joints;
    return asked;
}

const BakeResult& bakedArm() {
    static const BakeResult made = bake(madeScene("arm", 400), virtualRequest(16));
    return made;
}

TEST(BakeVirtual, AFewJointsAreMuchCloserThanPlainWeights) {
    for (const char* scene : {"branch", "bar3"}) {
        const BakeResult made = bake(madeScene(scene, 400), virtualRequest(16));
        ASSERT_EQ(made.candidates.size(), 3u) << scene;
        const BakeCandidate &plain = made.candidates[1], &made_virtual = made.candidates[2];
        EXPECT_EQ(made_virtual.name, "virtual");
        EXPECT_EQ(made.chosen, 2u) << scene;
        EXPECT_GT(made_virtual.virtual_joints, 0u);
        EXPECT_LE(made_virtual.virtual_joints, 16u);
        EXPECT_LT(made_virtual.clip->rms, 0.1 * plain.clip->rms) << scene;
        EXPECT_LT(made_virtual.range->rms, 0.32 * plain.range->rms) << scene;
        EXPECT_LE(maxInfluences(made.character.weights), 4u);
    }
}

TEST(BakeVirtual, OneForEveryVertexIsDirectDeltaMush) {
    const Character& arm = madeScene("arm", 200);
    const BakeResult made = bake(arm, virtualRequest(arm.mesh.vertexCount()));
    ASSERT_EQ(made.candidates.back().name, "virtual");
    const double size = made.candidates.front().clip->rms / made.candidates.front().clip->e_rms * 1000;
    EXPECT_LT(made.candidates.back().clip->max, 1e-5 * size);
    EXPECT_LT(made.candidates.back().range->max, 1e-5 * size);
}

TEST(BakeVirtual, IsNeverWorseThanWithoutVirtualJoints) {
    for (const std::size_t joints : {1u, 3u}) {
        const BakeResult made = bake(madeScene("branch", 200), virtualRequest(joints));
        const BakeCandidate &chosen = made.candidates[made.chosen], &plain = made.candidates[1];
        EXPECT_LE(chosen.clip->rms, plain.clip->rms);
        EXPECT_LE(chosen.range->rms, plain.range->rms * 1.0001);
    }
}

TEST(BakeVirtual, AtRestTheRestPoseComesBack) {
    const Character& baked = bakedArm().character;
    for (const Affine3d& bone : rig::drivenSkinMatrices(baked.skeleton, baked.driven, nullptr, 0))
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], Affine3d{}.m[i], 1e-6);
}

TEST(BakeVirtual, ARigidMotionOfTheRootMovesEverythingRigidly) {
    const Character& baked = bakedArm().character;
    std::vector<Affine3d> locals = rig::sampleLocals(baked.skeleton, &baked.clips.front(), 0.7), moved = locals;
    const Affine3d motion(toMatrix(axisAngle(Vec3d{1, 2, 3}, 1.3)), {3, -2, 1});
    for (std::size_t n = 0; n < moved.size(); ++n)
        if (baked.skeleton.nodes[n].parent < 0) moved[n] = motion * moved[n];
    rig::applyDrivers(baked.skeleton, baked.driven, locals);
    rig::applyDrivers(baked.skeleton, baked.driven, moved);
    const auto before = rig::skinMatricesOf(baked.skeleton, locals), after = rig::skinMatricesOf(baked.skeleton, moved);
    for (std::size_t j = 0; j < before.size(); ++j)
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(after[j].m[i], (motion * before[j]).m[i], 1e-9) << j;
}

TEST(BakeVirtual, TheClipHasKeysForVirtualJoints) {
    const Character& baked = bakedArm().character;
    const Clip& clip = baked.clips.front();
    for (const double t : {0.2, 0.9}) {
        const auto keyed = rig::skinMatricesDouble(baked.skeleton, &clip, t);
        const auto driven = rig::drivenSkinMatrices(baked.skeleton, baked.driven, &clip, t);
        for (std::size_t j = 0; j < keyed.size(); ++j)
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(keyed[j].m[i], driven[j].m[i], 2e-3) << j;
    }
}

TEST(BakeVirtual, AnyNumberOfThreadsGivesTheSameBits) {
    setThreadCount(1);
    const BakeResult one = bake(madeScene("arm", 200), virtualRequest(6));
    setThreadCount(3);
    const BakeResult three = bake(madeScene("arm", 200), virtualRequest(6));
    setThreadCount(0);
    EXPECT_EQ(one.character.weights, three.character.weights);
    ASSERT_EQ(one.character.driven.size(), three.character.driven.size());
    for (std::size_t d = 0; d < one.character.driven.size(); ++d) {
        const auto* a = one.character.driven[d].as<rig::DrivenVirtual>();
        const auto* b = three.character.driven[d].as<rig::DrivenVirtual>();
        ASSERT_TRUE(a && b);
        ASSERT_EQ(a->inputs.size(), b->inputs.size());
        for (std::size_t i = 0; i < a->inputs.size(); ++i) EXPECT_EQ(a->inputs[i].block, b->inputs[i].block);
    }
}

TEST(BakeVirtual, AnErrorToReachTakesFewerJoints) {
    BakeRequest asked = virtualRequest(16);
    const BakeResult all = bake(madeScene("arm", 200), asked);
    asked.max_error = 1.5 * all.candidates[all.chosen].main().e_rms;
    const BakeResult made = bake(madeScene("arm", 200), asked);
    EXPECT_LE(made.candidates[made.chosen].main().e_rms, *asked.max_error);
    EXPECT_LT(made.candidates[made.chosen].virtual_joints, all.candidates[all.chosen].virtual_joints);
    for (std::size_t c = 1; c < made.candidates.size(); ++c)
        EXPECT_GE(made.candidates[c].virtual_joints, made.candidates[c - 1].virtual_joints);
}

TEST(BakeVirtual, OnlyTheClipCountsIfSoAskedAndIsFollowedMoreClosely) {
    BakeRequest asked = virtualRequest(8);
    const BakeResult both = bake(madeScene("arm", 200), asked);
    asked.only_clip = true;
    const BakeResult clip = bake(madeScene("arm", 200), asked);
    ASSERT_EQ(clip.candidates.size(), 3u);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_TRUE(both.candidates[c].range);
        EXPECT_FALSE(clip.candidates[c].range);
    }
    EXPECT_LT(clip.candidates[2].clip->rms, 0.8 * both.candidates[2].clip->rms);
}

TEST(BakeVirtual, WithoutAClipThatMovesOnlyTheClipIsRefused) {
    Character still = madeScene("arm", 200);
    still.clips.clear();
    BakeRequest asked = virtualRequest(4);
    asked.only_clip = true;
    try {
        bake(still, asked);
        ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("no clip that moves"), std::string::npos) << error.what();
    }
}

TEST(BakeVirtual, WhatCannotBeBakedIsRefused) {
    const Character& arm = madeScene("arm", 200);
    const auto refused = [&](const std::function<void(BakeRequest&)>& change) {
        BakeRequest asked = virtualRequest(4);
        change(asked);
        try {
            bake(arm, asked);
            return std::string();
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_NE(refused([&](BakeRequest& r) { r.virtual_joints = arm.mesh.vertexCount() + 1; }).find("vertices"),
              std::string::npos);
    const Character& large = madeScene("arm", 1500);
    ASSERT_GT(large.mesh.vertexCount(), 1025u);
    try {
        bake(large, virtualRequest(1025));
        ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("at most 1024"), std::string::npos) << error.what();
    }
    EXPECT_NE(refused([](BakeRequest& r) { r.method = "dqs"; }).find("Direct Delta Mush"), std::string::npos);
    EXPECT_NE(refused([](BakeRequest& r) { r.helpers = 2; }).find("helpers"), std::string::npos);
    EXPECT_NE(refused([&](BakeRequest& r) { r.locked = {rig::jointName(arm.skeleton, 0)}; }).find("lock"),
              std::string::npos);
}

}  // namespace
}  // namespace pelt::verbs
