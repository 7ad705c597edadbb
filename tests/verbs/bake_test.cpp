// Baking methods to plain skins.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/bake.h>

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

BakeRequest request(std::size_t helpers = 0) {
    BakeRequest asked;
    asked.sampling.fps = 5;
    asked.helpers = helpers;
    return asked;
}

void expectConvex(const Character& baked, std::size_t most) {
    ASSERT_EQ(baked.weights.vertexCount(), baked.mesh.vertexCount());
    for (std::size_t v = 0; v < baked.weights.vertexCount(); ++v) {
        ASSERT_GE(baked.weights.influenceCount(v), 1u);
        ASSERT_LE(baked.weights.influenceCount(v), most);
        double sum = 0;
        for (const float w : baked.weights.weightsOf(v)) {
            EXPECT_GT(w, 0);
            sum += double(w);
        }
        EXPECT_NEAR(sum, 1, 1e-6);
        for (const std::uint32_t joint : baked.weights.jointsOf(v)) EXPECT_LT(joint, baked.skeleton.joints.size());
    }
}

void expectNeverWorse(const BakeResult& made) {
    const BakeCandidate &start = made.candidates.front(), &chosen = made.candidates[made.chosen];
    if (start.clip) {
        EXPECT_LE(chosen.clip->rms, start.clip->rms);
    }
    if (start.range) {
        EXPECT_LE(chosen.range->rms, start.range->rms * 1.0001);
    }
}

/// The same character in other units.
Character scaled(Character character, double by) {
    for (Vec3f& p : character.mesh.positions) p = p * float(by);
    for (SkeletonNode& node : character.skeleton.nodes) node.local.translation = node.local.translation * by;
    for (Joint& joint : character.skeleton.joints)
        joint.inverse_bind = {joint.inverse_bind.linear(), joint.inverse_bind.translation() * by};
    for (Clip& clip : character.clips)
        for (Channel& channel : clip.channels)
            if (channel.path == ChannelPath::translation)
                for (float& value : channel.values) value *= float(by);
    return character;
}

/// Vertices split as at a seam: a copy of every fifth, used by half of its triangles.
Character splitAtSeams(Character character) {
    Mesh& mesh = character.mesh;
    const std::size_t count = mesh.vertexCount();
    std::vector<std::uint32_t> copy(count, 0);
    SkinWeights& weights = character.weights;
    for (std::uint32_t v = 0; v < count; v += 5) {
        copy[v] = std::uint32_t(mesh.positions.size());
        mesh.positions.push_back(mesh.positions[v]);
        if (!mesh.normals.empty()) mesh.normals.push_back(mesh.normals[v] * -1.0f);
        if (!mesh.uvs.empty()) mesh.uvs.push_back(mesh.uvs[v]);
        const std::vector<std::uint32_t> joints(weights.jointsOf(v).begin(), weights.jointsOf(v).end());
        const std::vector<float> values(weights.weightsOf(v).begin(), weights.weightsOf(v).end());
        appendVertex(weights, joints, values);
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 2)
        for (int c = 0; c < 3; ++c)
            if (copy[mesh.triangles[t][std::size_t(c)]] > 0)
                mesh.triangles[t][std::size_t(c)] = copy[mesh.triangles[t][std::size_t(c)]];
    mesh.parts.clear();
    return character;
}

TEST(Bake, IsNeverWorseThanTheWeightsOfV5AndOnBarsAndArmsBetter) {
    for (const char* scene : {"bar3", "arm", "branch"}) {
        const BakeResult made = bake(scenes::find(scene)->make(400), request(2));
        ASSERT_GE(made.candidates.size(), 2u);
        EXPECT_EQ(made.candidates[0].name, "v5");
        EXPECT_EQ(made.candidates[1].name, "resolved");
        expectNeverWorse(made);
        EXPECT_LT(made.candidates[made.chosen].clip->rms, 0.95 * made.candidates[0].clip->rms) << scene;
        EXPECT_EQ(made.character.ddm, nullptr);
        expectConvex(made.character, 4);
    }
}

TEST(Bake, ABipedIsBetterThanWithTheWeightsOfV5) {
    BakeRequest asked;
    asked.sampling.fps = 1;
    const BakeResult made = bake(scenes::find("biped")->make(300), asked);
    expectNeverWorse(made);
    expectConvex(made.character, 4);
    ASSERT_EQ(made.candidates.size(), 2u);
    EXPECT_LT(made.candidates[1].clip->rms, 0.8 * made.candidates[0].clip->rms);
    EXPECT_LT(made.candidates[1].range->rms, 0.97 * made.candidates[0].range->rms);
}

TEST(Bake, HelpersBringTheErrorDown) {
    for (const char* scene : {"arm", "branch"}) {
        const BakeResult made = bake(scenes::find(scene)->make(400), request(4));
        ASSERT_EQ(made.candidates.size(), 6u) << scene;
        EXPECT_LT(made.candidates.back().range->rms, 0.8 * made.candidates[1].range->rms) << scene;
        for (std::size_t c = 2; c < made.candidates.size(); ++c) {
            EXPECT_EQ(made.candidates[c].name, "helpers");
            EXPECT_EQ(made.candidates[c].helpers, c - 1);
            EXPECT_LT(made.candidates[c].range->rms, 1.1 * made.candidates[c - 1].range->rms) << scene << " " << c;
        }
    }
}

TEST(Bake, EveryMethodCanBeBaked) {
    const Character bar = scenes::find("bar3")->make(200);
    for (const methods::Method& method : methods::all()) {
        BakeRequest asked = request(1);
        asked.method = method.name;
        const BakeResult made = bake(bar, asked);
        expectNeverWorse(made);
        expectConvex(made.character, 4);
        if (method.name == "lbs") {
            EXPECT_LT(made.candidates[made.chosen].clip->rms, 1e-6);
        }
    }
    BakeRequest asked;
    asked.method = "magic";
    EXPECT_THROW(bake(bar, asked), Error);
}

TEST(Bake, AnyNumberOfInfluencesIsKept) {
    const Character arm = scenes::find("arm")->make(400);
    std::vector<double> errors;
    for (const std::size_t most : {1u, 2u, 4u}) {
        BakeRequest asked = request();
        asked.influences = most;
        const BakeResult made = bake(arm, asked);
        expectConvex(made.character, most);
        expectNeverWorse(made);
        errors.push_back(made.candidates[made.chosen].clip->rms);
    }
    EXPECT_LT(errors[1], errors[0]);
    EXPECT_LT(errors[2], 1.05 * errors[1]);
}

TEST(Bake, EqualPositionsGetEqualWeights) {
    const Character arm = scenes::find("arm")->make(400);
    const BakeResult made = bake(splitAtSeams(arm), request(2));
    const SkinWeights& weights = made.character.weights;
    std::size_t copy = arm.mesh.vertexCount();
    for (std::size_t v = 0; v < arm.mesh.vertexCount(); v += 5, ++copy) {
        EXPECT_TRUE(std::ranges::equal(weights.jointsOf(v), weights.jointsOf(copy))) << v;
        EXPECT_TRUE(std::ranges::equal(weights.weightsOf(v), weights.weightsOf(copy))) << v;
    }
    EXPECT_EQ(copy, weights.vertexCount());
}

TEST(Bake, TheUnitsOfTheFileDoNotMatter) {
    const Character arm = scenes::find("arm")->make(400);
    const BakeResult made = bake(arm, request(1));
    for (const double by : {100.0, 0.01}) {
        const BakeResult other = bake(scaled(arm, by), request(1));
        ASSERT_EQ(other.candidates.size(), made.candidates.size());
        for (std::size_t c = 0; c < made.candidates.size(); ++c) {
            const double e = made.candidates[c].main().e_rms;
            EXPECT_NEAR(other.candidates[c].main().e_rms, e, 0.02 * e) << by << " " << c;
        }
    }
}

TEST(Bake, HelpersAreKeyedInEveryClipAndStandStillInTheBindPose) {
    const Character arm = scenes::find("arm")->make(400);
    BakeRequest asked = request(3);
    const BakeResult made = bake(arm, asked);
    const Character& baked = made.character;
    ASSERT_FALSE(made.helpers.empty());
    ASSERT_EQ(baked.driven.size(), made.helpers.size());
    ASSERT_EQ(baked.skeleton.joints.size(), arm.skeleton.joints.size() + made.helpers.size());
    const std::vector<Affine3d> still(arm.skeleton.joints.size());
    std::vector<Affine3d> locals = rig::localsOfSkin(arm.skeleton, still), world(baked.skeleton.nodes.size());
    for (std::size_t n = locals.size(); n < world.size(); ++n)
        locals.push_back(rig::restLocal(baked.skeleton.nodes[n]));
    rig::applyDrivers(baked.skeleton, baked.driven, locals);
    rig::worldTransforms(baked.skeleton, locals, world);
    for (const Joint& joint : baked.skeleton.joints) {
        const Affine3d bone = world[joint.node] * joint.inverse_bind;
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], Affine3d{}.m[i], 1e-6);
    }
    ASSERT_EQ(baked.clips.size(), arm.clips.size());
    ASSERT_GE(baked.clips.size(), 1u);
    for (const Clip& clip : baked.clips) {
        for (const rig::DrivenJoint& driven : baked.driven)
            EXPECT_TRUE(std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
                return channel.target == driven.node;
            })) << clip.name;
        // A player without driver support shows the same.
        for (const double t : rig::sampleTimes(clip, 7)) {
            const auto played = rig::skinMatricesDouble(baked.skeleton, &clip, t);
            const auto computed = rig::drivenSkinMatrices(baked.skeleton, baked.driven, &clip, t);
            for (std::size_t j = 0; j < played.size(); ++j)
                for (int i = 0; i < 16; ++i)
                    EXPECT_NEAR(played[j].m[i], computed[j].m[i], 2e-2) << clip.name << " " << t;
        }
    }
}

TEST(Bake, LockedJointsKeepTheirWeights) {
    Character bar = scenes::find("bar3")->make(400);
    bar.weights = scenes::smoothWeights(bar);
    BakeRequest asked = request(1);
    asked.locked = {"joint1"};
    const BakeResult made = bake(bar, asked);
    ASSERT_NE(made.chosen, 0u);
    const auto weightOf = [](const SkinWeights& weights, std::size_t v) {
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            if (weights.jointsOf(v)[i] == 1) return weights.weightsOf(v)[i];
        return 0.0f;
    };
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v)
        EXPECT_FLOAT_EQ(weightOf(made.character.weights, v), weightOf(bar.weights, v)) << v;
    asked.locked = {"nobody"};
    EXPECT_THROW(bake(bar, asked), Error);
}

TEST(Bake, LocksHoldWhateverTheyCost) {
    const Character arm = scenes::find("arm")->make(400);  // bound rigidly, far from what is baked
    BakeRequest asked = request();
    for (std::size_t j = 0; j < arm.skeleton.joints.size(); ++j)
        asked.locked.push_back(rig::jointName(arm.skeleton, j));
    const BakeResult made = bake(arm, asked);
    EXPECT_GT(made.candidates[1].main().rms, made.candidates[0].main().rms);
    EXPECT_EQ(made.chosen, 1u);
    EXPECT_TRUE(made.character.weights == arm.weights);
}

TEST(Bake, DrivenJointsThatAreThereStayAndTakePart) {
    Character bar = scenes::find("bar3")->make(400);
    rig::DrivenJointChoice half_way;
    half_way.scales = false;
    bar.driven = rig::addDrivenJoints(bar.skeleton, half_way);
    ASSERT_FALSE(bar.driven.empty());
    for (Clip& clip : bar.clips) rig::bakeDrivers(bar.skeleton, bar.driven, clip);
    const std::size_t joints = bar.skeleton.joints.size(), driven = bar.driven.size();
    const BakeResult plain = bake(scenes::find("bar3")->make(400), request()), with = bake(bar, request());
    ASSERT_EQ(with.character.driven.size(), driven);
    ASSERT_EQ(with.character.skeleton.joints.size(), joints);
    for (std::size_t d = 0; d < driven; ++d) {
        EXPECT_EQ(with.character.driven[d].node, bar.driven[d].node);
        EXPECT_EQ(with.character.driven[d].motion.index(), bar.driven[d].motion.index());
        if (const auto* turned = with.character.driven[d].as<rig::DrivenRotation>()) {
            EXPECT_EQ(turned->fraction, bar.driven[d].as<rig::DrivenRotation>()->fraction);
        }
    }
    const bool used = std::any_of(with.character.weights.joints.begin(), with.character.weights.joints.end(),
                                  [&](std::uint32_t slot) { return slot >= joints - driven; });
    EXPECT_TRUE(used);
    EXPECT_LT(with.candidates[1].range->rms, plain.candidates[1].range->rms);

    const BakeResult more = bake(bar, request(1));
    ASSERT_GE(more.character.driven.size(), driven);
    for (std::size_t d = 0; d < driven; ++d) EXPECT_EQ(more.character.driven[d].node, bar.driven[d].node);
}

TEST(Bake, MeshesThatAPlainSkinMadeGiveThatSkin) {
    Character arm = scenes::find("arm")->make(400);
    arm.weights = scenes::smoothWeights(arm);
    const auto frames = methods::sampleCharacter(arm, request().sampling, methods::findMethod("lbs"));
    Character rigid = scenes::find("arm")->make(400);
    BakeRequest asked = request();
    asked.sequence = frames.get();
    const BakeResult made = bake(arm, asked), from_rigid = bake(rigid, asked);
    EXPECT_EQ(made.candidates[0].name, "given");
    EXPECT_FALSE(made.candidates[0].range);
    EXPECT_LT(made.candidates[made.chosen].clip->e_rms, 1e-3);
    EXPECT_LT(from_rigid.candidates[from_rigid.chosen].clip->rms, 0.5 * from_rigid.candidates[0].clip->rms);
}

TEST(Bake, TheFewestHelpersThatReachTheErrorAreTaken) {
    const Character bar = scenes::find("bar3")->make(300);
    const BakeResult all = bake(bar, request(3));
    ASSERT_GE(all.candidates.size(), 4u);
    BakeRequest asked = request(3);
    for (std::size_t c = 0; c < all.candidates.size(); ++c) {
        asked.max_error = all.candidates[c].main().e_rms * 1.0001;
        const BakeResult made = bake(bar, asked);
        std::size_t fewest = 0;
        while (made.candidates[fewest].main().e_rms > *asked.max_error) ++fewest;
        EXPECT_EQ(made.chosen, fewest);
        EXPECT_EQ(made.helpers.size(), made.candidates[fewest].helpers);
        EXPECT_EQ(made.character.skeleton.joints.size(), bar.skeleton.joints.size() + made.helpers.size());
        expectConvex(made.character, 4);
    }
    asked.max_error = 1e-9;  // not reachable: the nearest result
    const BakeResult nearest = bake(bar, asked);
    EXPECT_EQ(nearest.chosen, all.chosen);
    expectNeverWorse(nearest);
}

TEST(Bake, AClipIsOptionalAndTheRangeOfMotionIsNot) {
    Character arm = scenes::find("arm")->make(400);
    arm.clips.clear();
    const BakeResult made = bake(arm, request(1));
    EXPECT_FALSE(made.candidates[0].clip);
    ASSERT_TRUE(made.candidates[0].range);
    expectNeverWorse(made);
    EXPECT_LT(made.candidates[made.chosen].range->rms, 0.97 * made.candidates[0].range->rms);
}

TEST(Bake, LimitsAreWhereTheSkinIsMadeFor) {
    Character arm = scenes::find("arm")->make(400);
    arm.clips.clear();
    BakeRequest asked = request();
    asked.range.limits = {{-10, 10}, {0, 0}};
    EXPECT_LT(bake(arm, asked).candidates[0].range->rms, 0.3 * bake(arm, request()).candidates[0].range->rms);
}

TEST(Bake, ThreadsDoNotChangeABit) {
    const Character arm = scenes::find("arm")->make(400);
    std::vector<BakeResult> results;
    for (const int threads : {1, 2}) {
        setThreadCount(threads);
        results.push_back(bake(arm, request(2)));
    }
    setThreadCount(0);
    EXPECT_TRUE(results[0].character.weights == results[1].character.weights);
    for (std::size_t c = 0; c < results[0].candidates.size(); ++c)
        EXPECT_EQ(results[0].candidates[c].main().rms, results[1].candidates[c].main().rms);
}

TEST(Bake, SaysWhatIsMissing) {
    const Character bar = scenes::find("bar")->make(100);
    Character none = bar;
    none.skeleton.joints.clear();
    EXPECT_THROW(bake(none, {}), Error);
    none = bar;
    none.weights = {};
    EXPECT_THROW(bake(none, {}), Error);
    BakeRequest asked = request();
    const auto few = makeSequence(std::vector<Vec3f>(bar.mesh.vertexCount() * 3), bar.mesh.vertexCount());
    asked.sequence = few.get();
    EXPECT_THROW(bake(bar, asked), Error);
}

}  // namespace
}  // namespace pelt::verbs
