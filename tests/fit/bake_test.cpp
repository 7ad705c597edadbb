// Plain skins that follow given poses.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/bake.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pelt::fit {
namespace {

std::vector<Affine3d> skinOf(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                             std::span<const Affine3d> given) {
    std::vector<Affine3d> locals(given.begin(), given.end()), world(skeleton.nodes.size()), bones;
    for (std::size_t n = locals.size(); n < world.size(); ++n) locals.push_back(rig::restLocal(skeleton.nodes[n]));
    rig::applyDrivers(skeleton, driven, locals);
    rig::worldTransforms(skeleton, locals, world);
    for (const Joint& joint : skeleton.joints) bones.push_back(world[joint.node] * joint.inverse_bind);
    return bones;
}

Vec3d blended(const SkinWeights& weights, std::size_t v, std::span<const Affine3d> bones, const Vec3d& p) {
    Vec3d sum;
    for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
        sum += bones[weights.jointsOf(v)[i]] * p * double(weights.weightsOf(v)[i]);
    return sum;
}

/// A character over its range of motion.
struct Problem {
    Character character;
    SkinWeights reach;
    std::vector<std::vector<Affine3d>> poses;  ///< locals

    explicit Problem(const char* scene, std::size_t resolution, std::size_t reached = 6)
        : character(scenes::find(scene)->make(resolution)) {
        character.weights = scenes::smoothWeights(character, 4);
        reach = scenes::smoothWeights(scenes::find(scene)->make(resolution), reached);
        for (const auto& pose : rig::rangeOfMotion(character.skeleton))
            poses.push_back(rig::localsOfSkin(character.skeleton, std::vector<Affine3d>(pose.begin(), pose.end())));
    }

    const std::vector<Vec3f>& rest() const { return character.mesh.positions; }

    /// `moved(vertex, bones)` of all poses.
    template <class Moved>
    SkinSamples samples(const Moved& moved) const {
        SkinSamples samples;
        samples.vertices = rest().size();
        samples.samples = poses.size();
        samples.importance.assign(poses.size(), 1);
        samples.positions.resize(3 * samples.vertices * samples.samples);
        for (std::size_t s = 0; s < poses.size(); ++s) {
            samples.locals.insert(samples.locals.end(), poses[s].begin(), poses[s].end());
            const std::vector<Affine3d> bones = skinOf(character.skeleton, character.driven, poses[s]);
            for (std::size_t v = 0; v < samples.vertices; ++v) {
                const Vec3d x = moved(v, bones);
                for (int c = 0; c < 3; ++c)
                    samples.positions[3 * (v * samples.samples + s) + std::size_t(c)] = float(x[c]);
            }
        }
        weigh(samples);
        return samples;
    }

    /// Errors relative to those of the given weights, as in bake.
    void weigh(SkinSamples& samples) const {
        BakedSkin given;
        given.skeleton = character.skeleton;
        const double least = 1e-4 * geometry::smallestEnclosingSphere(rest()).radius;
        const double left = std::max(error(samples, given, character.weights), least);
        samples.importance.assign(poses.size(), 8 / (double(poses.size()) * left * left));
    }

    SkinSamples skinned(const SkinWeights& weights) const {
        return samples([&](std::size_t v, std::span<const Affine3d> bones) {
            return blended(weights, v, bones, Vec3d(rest()[v]));
        });
    }

    /// A deformation that no plain skin reproduces: rotations are blended about the weighted joints.
    SkinSamples turned() const {
        return samples([&](std::size_t v, std::span<const Affine3d> bones) {
            const Vec3d p(rest()[v]);
            Quatd sum{0, 0, 0, 0};
            const Quatd first = toQuat(bones[reach.jointsOf(v)[0]].linear());
            for (std::size_t i = 0; i < reach.influenceCount(v); ++i) {
                const Quatd q = toQuat(bones[reach.jointsOf(v)[i]].linear());
                const double w = (dot(first, q) < 0 ? -1 : 1) * double(reach.weightsOf(v)[i]);
                sum = {sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z, sum.w + w * q.w};
            }
            const Vec3d center{0, p.y, 0};  // bars stand along y
            return toMatrix(normalized(sum)) * (p - center) + blended(reach, v, bones, center);
        });
    }

    BakedSkin bake(SkinSamples samples, const BakeOptions& options = {}) const {
        return bakeSkin(rest(), character.mesh.triangles, character.skeleton, character.driven, character.weights,
                        reach, std::move(samples), options);
    }

    /// RMS distance of a skin from the samples.
    double error(const SkinSamples& samples, const BakedSkin& skin, const SkinWeights& weights) const {
        double squared = 0;
        for (std::size_t s = 0; s < poses.size(); ++s) {
            const std::vector<Affine3d> bones = skinOf(skin.skeleton, skin.driven, poses[s]);
            for (std::size_t v = 0; v < rest().size(); ++v) {
                const float* x = samples.positions.data() + 3 * (v * samples.samples + s);
                const Vec3d d = blended(weights, v, bones, Vec3d(rest()[v])) - Vec3d(x[0], x[1], x[2]);
                squared += dot(d, d);
            }
        }
        return std::sqrt(squared / double(poses.size() * rest().size()));
    }
};

void expectConvex(const SkinWeights& weights, std::size_t most, std::size_t joints) {
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        ASSERT_GE(weights.influenceCount(v), 1u);
        ASSERT_LE(weights.influenceCount(v), most);
        double sum = 0;
        for (const float w : weights.weightsOf(v)) {
            EXPECT_GT(w, 0);
            sum += double(w);
        }
        EXPECT_NEAR(sum, 1, 1e-6);
        for (const std::uint32_t joint : weights.jointsOf(v)) EXPECT_LT(joint, joints);
    }
}

TEST(BakeSkin, ASkinOfAtMostKJointsIsRecovered) {
    Problem problem("bar3", 300);
    problem.reach = problem.character.weights = scenes::smoothWeights(scenes::find("bar3")->make(300), 2);
    const SkinSamples samples = problem.skinned(problem.reach);
    BakeOptions options;
    options.influences = 2;
    const BakedSkin skin = problem.bake(samples, options);
    ASSERT_EQ(skin.weights.size(), 1u);
    EXPECT_LT(problem.error(samples, skin, skin.weights[0]), 2e-3);
    for (std::size_t v = 0; v < problem.rest().size(); ++v)
        for (std::size_t i = 0; i < problem.reach.influenceCount(v); ++i) {
            double found = 0;
            for (std::size_t k = 0; k < skin.weights[0].influenceCount(v); ++k)
                if (skin.weights[0].jointsOf(v)[k] == problem.reach.jointsOf(v)[i])
                    found = double(skin.weights[0].weightsOf(v)[k]);
            EXPECT_NEAR(found, double(problem.reach.weightsOf(v)[i]), 0.02) << v;
        }
}

TEST(BakeSkin, WeightsAreConvexAndAtMostKWhateverKIs) {
    const Problem problem("arm", 400);
    for (const std::size_t influences : {1u, 2u, 4u}) {
        BakeOptions options;
        options.influences = influences;
        options.helpers = 1;
        const BakedSkin skin = problem.bake(problem.skinned(problem.reach), options);
        for (const SkinWeights& weights : skin.weights) expectConvex(weights, influences, skin.skeleton.joints.size());
    }
}

TEST(BakeSkin, HelpersBringTheErrorDown) {
    const Problem problem("bar3", 400);
    const SkinSamples samples = problem.turned();
    BakeOptions options;
    options.helpers = 4;
    const BakedSkin skin = problem.bake(samples, options);
    ASSERT_EQ(skin.helpers.size(), 4u);
    ASSERT_EQ(skin.weights.size(), 5u);
    ASSERT_EQ(skin.driven.size(), 4u);
    ASSERT_EQ(skin.skeleton.joints.size(), 7u);
    std::vector<double> errors;
    for (const SkinWeights& weights : skin.weights) errors.push_back(problem.error(samples, skin, weights));
    for (std::size_t h = 1; h < errors.size(); ++h) EXPECT_LT(errors[h], 1.05 * errors[h - 1]) << h;
    EXPECT_LT(errors.back(), 0.8 * errors.front());
}

TEST(BakeSkin, HelpersStandStillInTheBindPose) {
    const Problem problem("arm", 400);
    BakeOptions options;
    options.helpers = 5;
    const BakedSkin skin = problem.bake(problem.turned(), options);
    ASSERT_FALSE(skin.helpers.empty());
    const std::vector<Affine3d> still(problem.character.skeleton.joints.size());
    const auto bones = skinOf(skin.skeleton, skin.driven, rig::localsOfSkin(problem.character.skeleton, still));
    ASSERT_EQ(bones.size(), still.size() + skin.helpers.size());
    for (const Affine3d& bone : bones)
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], Affine3d{}.m[i], 1e-6);
}

TEST(BakeSkin, KeepingTheFirstHelpersIsAskingForNoMore) {
    const Problem problem("bar3", 300);
    BakeOptions options;
    options.helpers = 3;
    const BakedSkin all = problem.bake(problem.turned(), options);
    ASSERT_EQ(all.helpers.size(), 3u);
    for (const std::size_t count : {0u, 1u, 2u}) {
        BakedSkin some = all;
        keepHelpers(some, count);
        ASSERT_EQ(some.helpers.size(), count);
        ASSERT_EQ(some.weights.size(), count + 1);
        ASSERT_EQ(some.driven.size(), count);
        ASSERT_EQ(some.skeleton.joints.size(), 3 + count);
        expectConvex(some.weights.back(), 4, 3 + count);
        // The remaining joints move as before: the same matrices under new indices.
        const SkinSamples samples = problem.turned();
        EXPECT_NEAR(problem.error(samples, some, some.weights.back()), problem.error(samples, all, all.weights[count]),
                    1e-9);
    }
}

TEST(BakeSkin, LockedJointsKeepTheirWeights) {
    const Problem problem("bar3", 400);
    BakeOptions options;
    options.locked = {1};
    options.helpers = 1;
    const BakedSkin skin = problem.bake(problem.turned(), options);
    const auto weightOf = [](const SkinWeights& weights, std::size_t v, std::uint32_t joint) {
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            if (weights.jointsOf(v)[i] == joint) return weights.weightsOf(v)[i];
        return 0.0f;
    };
    std::size_t changed = 0;
    for (const SkinWeights& weights : skin.weights)
        for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
            EXPECT_FLOAT_EQ(weightOf(weights, v, 1), weightOf(problem.character.weights, v, 1));
            changed += std::abs(weightOf(weights, v, 0) - weightOf(problem.character.weights, v, 0)) > 1e-3f;
        }
    EXPECT_GT(changed, 0u);
}

TEST(BakeSkin, WhatAJointDoesNotReachGetsNoneOfIt) {
    Problem problem("branch", 500);
    problem.reach = keepHeaviest(problem.reach, 2);
    const BakedSkin skin = problem.bake(problem.skinned(scenes::smoothWeights(problem.character, 6)));
    for (std::size_t v = 0; v < problem.rest().size(); ++v) {
        const auto reached = problem.reach.jointsOf(v);
        for (const std::uint32_t joint : skin.weights[0].jointsOf(v))
            EXPECT_NE(std::find(reached.begin(), reached.end(), joint), reached.end()) << v;
    }
}

TEST(BakeSkin, ThreadsDoNotChangeABit) {
    const Problem problem("arm", 400);
    BakeOptions options;
    options.helpers = 3;
    std::vector<BakedSkin> skins;
    for (const int threads : {1, 2}) {
        setThreadCount(threads);
        skins.push_back(problem.bake(problem.turned(), options));
    }
    setThreadCount(0);
    EXPECT_TRUE(skins[0].weights == skins[1].weights);
    ASSERT_EQ(skins[0].driven.size(), skins[1].driven.size());
    for (std::size_t d = 0; d < skins[0].driven.size(); ++d) {
        EXPECT_EQ(skins[0].driven[d].driver, skins[1].driven[d].driver);
        const auto* one = skins[0].driven[d].as<rig::DrivenLearned>();
        const auto* other = skins[1].driven[d].as<rig::DrivenLearned>();
        ASSERT_EQ(one == nullptr, other == nullptr);
        if (one) {
            EXPECT_EQ(one->coefficients, other->coefficients);
        }
    }
}

TEST(BakeSkin, SaysWhatDoesNotFit) {
    const Problem problem("bar", 100);
    const SkinSamples good = problem.skinned(problem.reach);
    const auto refused = [&](const auto& spoil) {
        SkinSamples samples = good;
        spoil(samples);
        EXPECT_THROW(problem.bake(samples), Error);
    };
    refused([](SkinSamples& s) { s.positions[7] = std::numeric_limits<float>::quiet_NaN(); });
    refused([](SkinSamples& s) { s.positions.pop_back(); });
    refused([](SkinSamples& s) { s.locals.pop_back(); });
    refused([](SkinSamples& s) { s.importance[1] = 0; });
    refused([](SkinSamples& s) { s.vertices -= 1; });
    refused([](SkinSamples& s) { s = {}; });
}

TEST(BakeSkin, CanBeCancelled) {
    const Problem problem("arm", 400);
    BakeOptions options;
    options.helpers = 3;
    int reports = 0;
    const Progress stop([&](std::string_view, double) { return ++reports < 3; });
    EXPECT_THROW(bakeSkin(problem.rest(), problem.character.mesh.triangles, problem.character.skeleton, {},
                          problem.character.weights, problem.reach, problem.turned(), options, stop),
                 Error);
}

}  // namespace
}  // namespace pelt::fit
