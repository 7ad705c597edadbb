// The bones that a decomposition starts with.
#include "fit/decompose/clusters.h"

#include <gtest/gtest.h>
#include <pelt/fit/decompose.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <random>

#include "fit/decompose/bone_update.h"
#include "made_scene.h"
#include "shared_data.h"

namespace pelt::fit::ssdr {
namespace {

/// A scene's clip, rigidly bound and blurred by smooth weights.
Trajectories trajectoriesOf(const char* scene, std::size_t resolution, std::size_t frames) {
    const Character& character = madeScene(scene, resolution);
    const SkinWeights weights = scenes::smoothWeights(character);
    std::vector<Vec3f> positions;
    const Clip& clip = character.clips.at(0);
    for (std::size_t f = 0; f < frames; ++f) {
        const auto bones =
            rig::skinMatrices(character.skeleton, &clip, clip.first_key + clip.seconds() * double(f) / double(frames));
        for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
            Vec3f x(0, 0, 0);
            for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
                x += bones[weights.jointsOf(v)[i]] * character.mesh.positions[v] * weights.weightsOf(v)[i];
            positions.push_back(x);
        }
    }
    return readTrajectories(*makeSequence(positions, character.mesh.vertexCount()), character.mesh.positions, {});
}

/// Each vertex on the bone that fits it best: the sum of the errors, and the assignment.
double assign(const Trajectories& data, const Motions& motions, std::vector<std::vector<std::uint32_t>>& members) {
    members.assign(motions.bones, {});
    double total = 0;
    for (std::uint32_t v = 0; v < data.vertices; ++v) {
        double best = 1e300;
        std::size_t at = 0;
        for (std::size_t j = 0; j < motions.bones; ++j) {
            double error = 0;
            for (std::size_t d = 0; d < data.dimensions(); ++d) {
                const double* m = motions.m.data() + d * motions.columns() + 4 * j;
                const Vec3d& p = data.rest[v];
                const double x = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3] - double(data.of(v)[d]);
                error += x * x;
            }
            if (error < best) best = error, at = j;
        }
        members[at].push_back(v);
        total += best;
    }
    return total;
}

/// [LeDeng12] §3.1 as published: seeds at random, five rounds.
double randomKMeans(const Trajectories& data, std::size_t bones, unsigned seed) {
    std::mt19937 random(seed);
    Motions motions(bones, data.frames);
    for (std::size_t j = 0; j < bones; ++j)
        fitRigid(data, nearestAtRest(data, random() % std::uint32_t(data.vertices), kSeedVertices), j, motions);
    std::vector<std::vector<std::uint32_t>> members;
    for (int round = 0; round < 5; ++round) {
        assign(data, motions, members);
        for (std::size_t j = 0; j < bones; ++j)
            if (members[j].size() >= 3) fitRigid(data, members[j], j, motions);
    }
    return assign(data, motions, members);
}

double ours(const Trajectories& data, std::size_t bones) {
    Motions motions(bones, data.frames);
    initializeMotions(data, 0, 0, motions, {});
    std::vector<std::vector<std::uint32_t>> members;
    return assign(data, motions, members);
}

void expectBetterThanChance(const Trajectories& data, std::size_t bones) {
    std::vector<double> chance;
    for (unsigned seed = 1; seed <= 9; ++seed) chance.push_back(randomKMeans(data, bones, seed));
    std::sort(chance.begin(), chance.end());
    EXPECT_LE(ours(data, bones), chance[chance.size() / 2] * (1 + 1e-6));
}

TEST(Clusters, AreBetterThanRandomOnesOnEveryScene) {
    for (const char* scene : {"bar3", "arm", "branch"}) {
        SCOPED_TRACE(scene);
        const Trajectories data = trajectoriesOf(scene, 500, 10);
        for (const std::size_t bones : {3u, 6u, 10u}) expectBetterThanChance(data, bones);
    }
    SCOPED_TRACE("biped");
    expectBetterThanChance(trajectoriesOf("biped", 1500, 10), 20);
}

TEST(Clusters, KeptBonesStay) {
    const Trajectories data = trajectoriesOf("bar3", 400, 6);
    Motions motions(4, data.frames);
    const Motions before = motions;
    initializeMotions(data, 2, 0, motions, {});
    for (std::size_t t = 0; t < data.frames; ++t)
        for (std::size_t j = 0; j < 2; ++j)
            for (int k = 0; k < 16; ++k) ASSERT_EQ(motions.get(t, j).m[k], before.get(t, j).m[k]);
}

}  // namespace
}  // namespace pelt::fit::ssdr
