// Weights from examples.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/examples.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/scenes/scenes.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <random>

#include "fit/examples/rigidity.h"
#include "fit/examples/weight_solver.h"
#include "shared_data.h"

// Properties of skins that are fitted to examples, [MohrGleicher03] §5.

namespace pelt::fit {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

Vec3d anyPoint(Random& random) { return {uniform(random), uniform(random), uniform(random)}; }

Affine3d anyMotion(Random& random) {
    return {toMatrix(axisAngle(anyPoint(random), uniform(random, -2, 2))), anyPoint(random)};
}

struct Known {
    std::vector<Vec3d> rest;
    ExamplePoses poses;
};

/// Vertices blended from two joints each, with weights from `lowest` to 1 - `lowest`.
Known knownSkin(std::size_t joints, std::size_t vertices, std::size_t examples, double lowest) {
    Random random(7);
    Known known;
    known.poses = {joints, vertices, examples, {}, std::vector<Vec3d>(vertices * examples)};
    for (std::size_t i = 0; i < joints * examples; ++i) known.poses.bones.push_back(anyMotion(random));
    for (std::size_t v = 0; v < vertices; ++v) {
        known.rest.push_back(anyPoint(random));
        const std::size_t first = v % joints, second = (v * 7 + 1 + first) % joints;
        const double w = uniform(random, lowest, 1 - lowest);
        for (std::size_t e = 0; e < examples; ++e)
            known.poses.positions[e * vertices + v] =
                known.poses.pose(e)[first] * known.rest[v] * w + known.poses.pose(e)[second] * known.rest[v] * (1 - w);
    }
    return known;
}

double playedRms(const ExampleFit& fit, const ExamplePoses& poses) {
    double sum = 0;
    std::vector<Vec3d> played(poses.vertices);
    for (std::size_t e = 0; e < poses.examples; ++e) {
        playFit(fit, poses.pose(e), played);
        for (std::size_t v = 0; v < poses.vertices; ++v) {
            const Vec3d d = played[v] - poses.mesh(e)[v];
            sum += dot(d, d);
        }
    }
    return std::sqrt(sum / double(poses.vertices * poses.examples));
}

TEST(Rigidity, DiametersAreExact) {
    Random random(3);
    for (std::size_t trial = 0; trial < 300; ++trial) {
        std::vector<Vec3d> points(1 + trial % 60);
        for (Vec3d& p : points) {
            p = anyPoint(random);
            if (trial % 3 == 0) p = normalized(p);    // every point is on the hull
            if (trial % 7 == 0) p.z = 0;              // flat
            if (trial % 11 == 0) p = points.front();  // all the same
            if (trial % 5 == 0) p.x *= 10;            // long
        }
        double expected = 0;
        for (const Vec3d& a : points)
            for (const Vec3d& b : points) expected = std::max(expected, dot(a - b, a - b));
        EXPECT_DOUBLE_EQ(examples::squaredDiameter(points), expected) << trial;
    }
}

TEST(Rigidity, TheJointsAVertexMovesWithAreChosenWhateverIsGuessed) {
    const Known known = knownSkin(9, 40, 12, 0);
    const examples::RigidityRanking ranking(known.poses);
    for (std::size_t v = 0; v < known.rest.size(); ++v) {
        std::vector<Vec3d> trajectory;
        for (std::size_t e = 0; e < 12; ++e) trajectory.push_back(known.poses.mesh(e)[v]);
        std::vector<std::pair<double, std::uint32_t>> all;
        for (std::uint32_t j = 0; j < 9; ++j) {
            std::vector<Vec3d> cloud;
            for (std::size_t e = 0; e < 12; ++e) cloud.push_back(inverse(known.poses.pose(e)[j]) * trajectory[e]);
            all.emplace_back(examples::squaredDiameter(cloud), j);
        }
        std::sort(all.begin(), all.end());
        std::vector<std::uint32_t> expected{all[0].second, all[1].second, all[2].second};
        for (const std::vector<std::uint32_t>& guess : {std::vector<std::uint32_t>{}, {8, 0, 4}, {1}}) {
            std::vector<std::uint32_t> joints = guess;
            ranking.choose(trajectory, 3, joints);
            EXPECT_EQ(joints, expected);
        }
    }
}

TEST(Rigidity, OfJointsThatMoveAlikeOneTakesPart) {
    Known known = knownSkin(4, 10, 6, 0);
    for (std::size_t e = 0; e < 6; ++e) known.poses.bones[e * 4 + 2] = known.poses.bones[e * 4 + 1];
    std::vector<Vec3d> trajectory;
    for (std::size_t e = 0; e < 6; ++e) trajectory.push_back(known.poses.mesh(e)[0]);
    std::vector<std::uint32_t> joints;
    examples::RigidityRanking(known.poses).choose(trajectory, 0, joints);
    std::sort(joints.begin(), joints.end());
    EXPECT_EQ(joints, (std::vector<std::uint32_t>{0, 1, 3}));
}

TEST(WeightSolver, ConvexWeightsAreTheBestThereAre) {
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
        const Eigen::Index joints = 2 + trial % 9;
        Eigen::MatrixXd r(trial % 4 == 0 ? 6 : 30, joints);
        for (Eigen::Index i = 0; i < r.size(); ++i) r.data()[i] = uniform(random, trial % 2 == 0 ? -1 : -0.2);
        examples::WeightSolver solver(WeightKind::convex, 1e-6);
        Eigen::VectorXd w;
        solver.solve(r, w);
        EXPECT_NEAR(w.sum(), 1, 1e-12);
        EXPECT_GE(w.minCoeff(), 0);
        const Eigen::VectorXd left = r * w;
        for (Eigen::Index j = 0; j < joints; ++j)  // no direction lowers the error
            EXPECT_GT((r.col(j) - left).dot(left), -1e-7) << trial << ": " << j;
    }
}

TEST(FitExamples, DataThatASkinMadeIsRecovered) {
    const Known convex = knownSkin(6, 200, 15, 0.0), affine = knownSkin(6, 200, 15, -0.5);
    for (const bool correct : {false, true}) {
        ExampleFitOptions options;
        options.influences = 0;
        options.correct_rest = correct;
        EXPECT_LT(fitExamples(convex.rest, convex.poses, options).max, 1e-8);
        options.weights = WeightKind::affine;
        EXPECT_LT(fitExamples(convex.rest, convex.poses, options).max, 1e-8);
        EXPECT_LT(fitExamples(affine.rest, affine.poses, options).max, 1e-8);
        options.weights = WeightKind::convex;
        EXPECT_GT(fitExamples(affine.rest, affine.poses, options).max, 1e-3);  // what convexity costs
    }
}

TEST(FitExamples, ACharactersSkinIsRecovered) {
    const Character character = scenes::find("biped")->make(300);
    const SkinWeights weights = scenes::smoothWeights(character, 3);
    std::vector<std::size_t> vertices;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); v += 29) vertices.push_back(v);
    const auto motion = rig::rangeOfMotion(character.skeleton);
    Known known;
    known.poses = {character.skeleton.joints.size(), vertices.size(), motion.size(), {}, {}};
    for (const std::size_t v : vertices) known.rest.emplace_back(character.mesh.positions[v]);
    for (const auto& pose : motion) {
        for (const Affine3f& bone : pose) known.poses.bones.emplace_back(bone);
        const Affine3d* bones = known.poses.bones.data() + known.poses.bones.size() - pose.size();
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            const std::span<const float> row = weights.weightsOf(vertices[i]);
            Vec3d x;
            double sum = 0;
            for (std::size_t k = 0; k < row.size(); ++k) {
                x += bones[weights.jointsOf(vertices[i])[k]] * known.rest[i] * double(row[k]);
                sum += row[k];
            }
            known.poses.positions.push_back(x / sum);
        }
    }
    ExampleFitOptions options;
    options.influences = 0;
    EXPECT_LT(fitExamples(known.rest, known.poses, options).max, 1e-8);
}

/// Noise on what a skin made.
Known noisy(std::size_t joints, std::size_t vertices, std::size_t examples, double lowest = 0) {
    Known known = knownSkin(joints, vertices, examples, lowest);
    Random random(11);
    for (Vec3d& x : known.poses.positions) x += anyPoint(random) * 0.1;
    return known;
}

TEST(FitExamples, WeightsKeepTheirConstraintsAndErrorsAreThoseThatPlay) {
    const Known known = noisy(8, 150, 10);
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        ExampleFitOptions options;
        options.weights = kind;
        options.influences = 3;
        const ExampleFit fit = fitExamples(known.rest, known.poses, options);
        ASSERT_EQ(fit.weights.vertexCount(), 150u);
        for (std::size_t v = 0; v < 150; ++v) {
            EXPECT_LE(fit.weights.influenceCount(v), 3u);
            double sum = 0;
            for (const double w : fit.weights.weightsOf(v)) {
                sum += w;
                if (kind == WeightKind::convex) {
                    EXPECT_GT(w, 0);
                }
            }
            EXPECT_NEAR(sum, 1, 1e-12);
        }
        EXPECT_NEAR(playedRms(fit, known.poses), fit.rms, 1e-12);
        EXPECT_GT(fit.max, fit.rms);
    }
}

TEST(FitExamples, MoreFreedomNeverCosts) {
    const Known known = noisy(8, 150, 10);
    ExampleFitOptions options;
    options.influences = 5;
    options.correct_rest = false;
    const double convex = fitExamples(known.rest, known.poses, options).rms;
    options.weights = WeightKind::affine;
    const double affine = fitExamples(known.rest, known.poses, options).rms;
    options.correct_rest = true;
    options.iterations = 1;
    const double corrected = fitExamples(known.rest, known.poses, options).rms;
    options.iterations = 10;
    const double iterated = fitExamples(known.rest, known.poses, options).rms;
    EXPECT_LT(affine, convex);
    EXPECT_LT(corrected, affine);
    EXPECT_LT(iterated, corrected);
}

TEST(FitExamples, ADressPoseThatIsOffIsPutRight) {
    Known known = knownSkin(4, 100, 20, 0.2);
    const std::vector<Vec3d> right = known.rest;
    Random random(2);
    for (Vec3d& p : known.rest) p += anyPoint(random) * 0.05;
    ExampleFitOptions options;
    options.influences = 0;
    options.rest_pull = 0;
    options.iterations = 200;
    options.convergence = 1e-12;
    const ExampleFit fit = fitExamples(known.rest, known.poses, options);
    EXPECT_LT(fit.max, 1e-8);
    for (std::size_t v = 0; v < right.size(); ++v) EXPECT_LT(length(fit.rest[v] - right[v]), 1e-7);

    // With strong regularization it does not move.
    options.rest_pull = 1e9;
    const ExampleFit held = fitExamples(known.rest, known.poses, options);
    for (std::size_t v = 0; v < right.size(); ++v) EXPECT_LT(length(held.rest[v] - known.rest[v]), 1e-6);
}

TEST(FitExamples, WhatTheExamplesLeaveOpenIsSaidPerVertex) {
    Known known = knownSkin(3, 20, 10, 0.1);
    ExampleFitOptions options;
    options.influences = 0;
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        options.weights = kind;
        for (const std::uint8_t flags : fitExamples(known.rest, known.poses, options).rank_deficient)
            EXPECT_EQ(flags, 0);
    }
    // Joint 1 turns about x against joint 0: a vertex on that axis cannot tell them apart.
    for (std::size_t e = 0; e < 10; ++e) {
        const Mat3d turn = toMatrix(axisAngle(Vec3d{1, 0, 0}, 0.1 * double(e)));
        known.poses.bones[e * 3 + 1] = known.poses.bones[e * 3] * Affine3d(turn, {});
    }
    known.rest[5] = {0.5, 0, 0};
    for (std::size_t e = 0; e < 10; ++e)
        known.poses.positions[e * 20 + 5] =
            known.poses.bones[e * 3] * known.rest[5] + Vec3d{0, 1e-6 * double(e % 3), 0};
    options.correct_rest = false;
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        options.weights = kind;
        const ExampleFit fit = fitExamples(known.rest, known.poses, options);
        EXPECT_EQ(fit.rank_deficient[5], kWeightsOpen);
        EXPECT_EQ(fit.rank_deficient[6], 0);
        EXPECT_LT(fit.vertex_rms[5], 1e-5);
        EXPECT_NEAR(fit.weights.weightsOf(5)[0], 1, 1e-5);  // and not the difference of two large numbers
    }
    // Flattened to a plane, an example says nothing of one direction.
    Known flat{{{1, 2, 3}}, {1, 1, 1, {Affine3d(Mat3d{{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}}, {})}, {{4, 5, 0}}}};
    options.correct_rest = true;
    options.rest_pull = 0;
    const ExampleFit fit = fitExamples(flat.rest, flat.poses, options);
    EXPECT_EQ(fit.rank_deficient[0], kRestOpen);
    EXPECT_LT(length(fit.rest[0] - Vec3d{4, 5, 3}), 1e-9);
}

TEST(FitExamples, AnyNumberOfThreadsGivesTheSameBits) {
    const Known known = noisy(8, 500, 10);
    setThreadCount(1);
    const ExampleFit one = fitExamples(known.rest, known.poses);
    setThreadCount(3);
    const ExampleFit three = fitExamples(known.rest, known.poses);
    setThreadCount(0);
    EXPECT_EQ(one.weights.weights, three.weights.weights);
    EXPECT_EQ(one.weights.joints, three.weights.joints);
    EXPECT_EQ(one.rest, three.rest);
    EXPECT_EQ(one.rms, three.rms);
}

TEST(FitExamples, BadInputIsNamed) {
    const auto message = [](const Known& known, const ExampleFitOptions& options = {}) -> std::string {
        try {
            fitExamples(known.rest, known.poses, options);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const Known good = knownSkin(3, 20, 5, 0);
    EXPECT_EQ(message(good), "");
    Known bad = good;
    bad.poses.positions[2 * 20 + 7].y = std::nan("");
    EXPECT_EQ(message(bad), "example 2, vertex 7 is not finite");
    bad = good;
    bad.poses.bones[4 * 3 + 1].m[5] = std::nan("");
    EXPECT_EQ(message(bad), "example 4, joint 1 is not finite");
    bad = good;
    bad.rest.pop_back();
    EXPECT_NE(message(bad).find("20 vertices, the dress pose has 19"), std::string::npos);
    bad = good;
    bad.poses.bones.pop_back();
    EXPECT_NE(message(bad), "");
    bad = good;
    bad.poses.examples = 0;
    EXPECT_NE(message(bad), "");
    ExampleFitOptions options;
    options.iterations = 0;
    EXPECT_NE(message(good, options), "");
    const auto frames = makeSequence(std::vector<Vec3f>(20), 10);
    EXPECT_THROW(readExamples(*frames, std::vector<Affine3d>(3), 3), Error);
    EXPECT_EQ(readExamples(*frames, std::vector<Affine3d>(6), 3).examples, 2u);
}

TEST(FitExamples, FilesGetConvexWeightsAndOnlyTheJointsInUse) {
    const Known known = knownSkin(5, 50, 10, -0.5);
    ExampleFitOptions options;
    options.influences = 0;
    options.weights = WeightKind::affine;
    EXPECT_THROW(toSkinWeights(fitExamples(known.rest, known.poses, options).weights), Error);
    options.weights = WeightKind::convex;
    const ExampleFit fit = fitExamples(known.rest, known.poses, options);
    const SkinWeights weights = toSkinWeights(fit.weights);
    ASSERT_EQ(weights.vertexCount(), 50u);
    EXPECT_EQ(weights.jointsOf(3)[0], fit.weights.jointsOf(3)[0]);

    ExampleWeights few;
    few.offsets = {0, 2};
    few.joints = {3, 0};
    few.weights = {0.6, 0.4};
    EXPECT_EQ(unusedJoints(few, 5), (std::vector<std::uint32_t>{1, 2, 4}));
}

std::vector<double> readNpy(const char* name) {
    std::ifstream file(sharedPath("golden/mohr-gleicher") / name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t begin = 10 + (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    std::vector<double> numbers((bytes.size() - begin) / sizeof(double));
    std::copy_n(bytes.data() + begin, numbers.size() * sizeof(double), reinterpret_cast<char*>(numbers.data()));
    return numbers;
}

std::vector<Vec3d> readPoints(const char* name) {
    const std::vector<double> numbers = readNpy(name);
    std::vector<Vec3d> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3) points.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    return points;
}

/// Matrices by rows.
std::vector<Affine3d> readMatrices(const char* name) {
    const std::vector<double> numbers = readNpy(name);
    std::vector<Affine3d> matrices(numbers.size() / 16);
    for (std::size_t i = 0; i < numbers.size(); ++i) matrices[i / 16].m[4 * (i % 4) + i % 16 / 4] = numbers[i];
    return matrices;
}

/// The twisting bar of the reference results: base, twisted joint, half-way joint.
struct ReferenceTwist {
    Known known;
    std::vector<Vec3d> expected;
    double rms = 0;  ///< of what is expected
};

ReferenceTwist referenceTwist() {
    ReferenceTwist twist;
    Known& known = twist.known;
    known.rest = readPoints("dress_vertices.npy");
    known.poses = {3, known.rest.size(), 12, readMatrices("example_joints.npy"), readPoints("examples.npy")};
    const auto dress = readMatrices("dress_joints.npy");
    for (std::size_t i = 0; i < known.poses.bones.size(); ++i)
        known.poses.bones[i] = known.poses.bones[i] * inverse(dress[i % 3]);
    twist.expected = readPoints("expected.npy");
    double sum = 0;
    for (std::size_t i = 0; i < twist.expected.size(); ++i) {
        const Vec3d d = twist.expected[i] - known.poses.positions[i];
        sum += dot(d, d);
    }
    twist.rms = std::sqrt(sum / double(twist.expected.size()));
    return twist;
}

/// A vertex on the axis of a joint: its positions do not determine the weights, but its normals do.
TEST(FitExamples, NormalsSettleWhatPositionsLeaveOpen) {
    ExamplePoses poses{2, 1, 4, {}, {}};
    poses.rest_normals = {{0, 1, 0}};
    for (std::size_t e = 0; e < 4; ++e) {
        const Affine3d turn(toMatrix(axisAngle(Vec3d{0, 0, 1}, 0.4 * double(e + 1))), {});
        poses.bones.insert(poses.bones.end(), {Affine3d{}, turn});
        poses.positions.push_back({0, 0, 1});
        poses.normals.push_back(poses.rest_normals[0] * 0.3 + turn.linear() * poses.rest_normals[0] * 0.7);
    }
    const std::vector<Vec3d> rest = {{0, 0, 1}};
    ExampleFitOptions options;
    EXPECT_EQ(fitExamples(rest, poses, options).rank_deficient[0] & kWeightsOpen, kWeightsOpen);
    options.normals_length = 0.1;
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        options.weights = kind;
        const ExampleFit fit = fitExamples(rest, poses, options);
        ASSERT_EQ(fit.weights.influenceCount(0), 2u);
        EXPECT_EQ(fit.weights.jointsOf(0)[0], 1u);
        EXPECT_NEAR(fit.weights.weightsOf(0)[0], 0.7, 1e-9);
        EXPECT_EQ(fit.rank_deficient[0] & kWeightsOpen, 0);
    }
    poses.normals.pop_back();
    EXPECT_THROW(fitExamples(rest, poses, options), Error);
}

/// What a skin on joints that also scale and shear does to normals, two at each vertex.
Known knownNormals() {
    Known known = knownSkin(4, 60, 12, 0.2);
    Random random(21);
    ExamplePoses& poses = known.poses;
    for (Affine3d& bone : poses.bones) {
        const Affine3d scale(Mat3d{{{uniform(random, 0.5, 3), 0, 0}, {0, 1, 0}, {0.3, 0, uniform(random, 0.4, 1)}}},
                             {});
        bone = bone * scale;
    }
    poses.positions.clear();
    for (std::size_t v = 0; v < 60; ++v) {
        poses.rest_normals.push_back(normalized(anyPoint(random)));
        poses.rest_normals.push_back(normalized(anyPoint(random)));
        poses.normal_rows.endRow(poses.rest_normals.size());
    }
    for (std::size_t e = 0; e < 12; ++e)
        for (std::size_t v = 0; v < 60; ++v) {
            const double w = 0.2 + 0.6 * double(v) / 60;
            const Affine3d &a = poses.pose(e)[v % 4], &b = poses.pose(e)[(v + 1) % 4];
            poses.positions.push_back(a * known.rest[v] * w + b * known.rest[v] * (1 - w));
            const Mat3d turn = cofactor(a.linear() * w + b.linear() * (1 - w));
            const double side = determinant(a.linear() * w + b.linear() * (1 - w)) < 0 ? -1 : 1;
            for (int k = 0; k < 2; ++k)
                poses.normals.push_back(normalized(turn * poses.rest_normals[2 * v + k]) * side);
        }
    return known;
}

TEST(FitExamples, NormalsThatScaledJointsMadeAreFittedAsSkinningEvaluatesThem) {
    const Known known = knownNormals();
    ExampleFitOptions options;
    options.influences = 0;
    options.normals_length = 0.5;
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        options.weights = kind;
        const ExampleFit fit = fitExamples(known.rest, known.poses, options);
        EXPECT_LT(fit.max, 1e-8);
        EXPECT_LT(fit.normals_degrees.value(), 1e-5);
    }
    // The sum of inverse transposes, which nobody evaluates, is elsewhere.
    double furthest = 0;
    for (std::size_t v = 0; v < 60; ++v) {
        const Mat3d a = transposed(inverse(known.poses.pose(0)[v % 4].linear()));
        const Mat3d b = transposed(inverse(known.poses.pose(0)[(v + 1) % 4].linear()));
        const double w = 0.2 + 0.6 * double(v) / 60;
        const Vec3d n = normalized((a * w + b * (1 - w)) * known.poses.rest_normals[2 * v]);
        furthest = std::max(furthest, length(n - known.poses.normals[2 * v]));
    }
    EXPECT_GT(furthest, 0.3);
}

TEST(FitExamples, RestNormalsThatAreOffArePutRight) {
    Known known = knownNormals();
    const std::vector<Vec3d> right = known.poses.rest_normals;
    Random random(4);
    for (Vec3d& n : known.poses.rest_normals) n = normalized(n + anyPoint(random) * 0.2);
    ExampleFitOptions options;
    options.influences = 0;
    options.normals_length = 0.5;
    options.rest_pull = 0;
    const ExampleFit once = fitExamples(known.rest, known.poses, options);
    options.iterations = 100;
    options.convergence = 1e-9;
    const ExampleFit fit = fitExamples(known.rest, known.poses, options);
    EXPECT_LT(fit.normals_degrees.value(), 0.1);
    EXPECT_LT(fit.normals_degrees.value(), once.normals_degrees.value());
    for (std::size_t n = 0; n < right.size(); ++n) EXPECT_GT(dot(fit.rest_normals[n], right[n]), 0.999);
}

TEST(FitExamples, ARidgeKeepsAffineWeightsNearConvexOnes) {
    const Known known = noisy(8, 60, 6, -1);
    ExampleFitOptions options;
    options.influences = 6;
    options.weights = WeightKind::affine;
    options.correct_rest = false;
    const auto heaviest = [&](double ridge) {
        options.ridge_length = ridge;
        const ExampleFit fit = fitExamples(known.rest, known.poses, options);
        double most = 0;
        for (const double w : fit.weights.weights) most = std::max(most, std::abs(w));
        return std::pair(most, fit);
    };
    const auto [wild, exact] = heaviest(0);
    const auto [tame, ridged] = heaviest(0.1);
    const auto [bound, convex] = heaviest(1e4);
    EXPECT_GT(wild, 1.5);
    EXPECT_LT(tame, wild);
    EXPECT_LT(bound, 1 + 1e-6);
    EXPECT_LT(exact.rms, ridged.rms);
    EXPECT_LT(ridged.rms, convex.rms);
    options.correct_rest = true;
    const std::vector<Vec3d> rest = fitExamples(known.rest, known.poses, options).rest;
    options.weights = WeightKind::convex;
    EXPECT_NE(fitExamples(known.rest, known.poses, options).rest, rest);
    options.share_rest = true;
    EXPECT_EQ(fitExamples(known.rest, known.poses, options).rest, rest) << "one mesh has both skins";
}

TEST(FitExamples, TheReferenceTwistIsReproduced) {
    PELT_NEEDS_SHARED("golden/mohr-gleicher");
    const auto [known, expected, reference] = referenceTwist();
    ExampleFitOptions options;
    options.influences = 0;
    options.weights = WeightKind::affine;
    options.rest_pull = 0;
    options.convergence = 0;
    options.iterations = 3;  // the reference stops there
    const ExampleFit fit = fitExamples(known.rest, known.poses, options);
    std::vector<Vec3d> played(known.rest.size());
    for (std::size_t e = 0; e < 12; ++e) {
        playFit(fit, known.poses.pose(e), played);
        for (std::size_t v = 0; v < played.size(); ++v)
            EXPECT_LT(length(played[v] - expected[e * played.size() + v]), 1e-10);
    }
    options.iterations = 50;
    EXPECT_LT(fitExamples(known.rest, known.poses, options).rms, reference);
}

TEST(FitExamples, OneHalfWayJointCutsTheTwistsErrorToAThird) {
    PELT_NEEDS_SHARED("golden/mohr-gleicher");
    const Known with = referenceTwist().known;
    Known without = with;
    without.poses.joints = 2;
    without.poses.bones.clear();
    for (std::size_t e = 0; e < 12; ++e)
        without.poses.bones.insert(without.poses.bones.end(), {with.poses.pose(e)[0], with.poses.pose(e)[1]});
    for (const WeightKind kind : {WeightKind::convex, WeightKind::affine}) {
        ExampleFitOptions options;
        options.weights = kind;
        const double one = fitExamples(with.rest, with.poses, options).rms;
        const double none = fitExamples(without.rest, without.poses, options).rms;
        RecordProperty(kind == WeightKind::convex ? "convex" : "affine", fmt::format("{:.3f}", one / none));
        EXPECT_LT(one, 0.35 * none);
    }
}

/// The muscular arm's examples, with what its skeleton and the driven joints do in them.
Known arm(const rig::DrivenJointChoice* choice) {
    Character character = scenes::find("arm")->make(1500);
    std::vector<rig::DrivenJoint> driven;
    if (choice) driven = rig::addDrivenJoints(character.skeleton, *choice);
    const auto frames = scenes::armExamples(1500, 8);
    std::vector<Affine3d> bones;
    for (std::size_t f = 0; f < frames->frameCount(); ++f)
        for (const Affine3d& bone :
             rig::drivenSkinMatrices(character.skeleton, driven, &character.clips.at(0), double(f) / 8))
            bones.push_back(bone);
    Known known;
    for (const Vec3f& p : character.mesh.positions) known.rest.emplace_back(p);
    known.poses = readExamples(*frames, std::move(bones), character.skeleton.joints.size());
    return known;
}

TEST(FitExamples, DrivenJointsMakeTheBicepsBulge) {
    const rig::DrivenJointChoice choice;
    const Known plain = arm(nullptr), extended = arm(&choice);
    ExampleFitOptions options;
    options.influences = 8;
    options.weights = WeightKind::affine;
    EXPECT_LT(fitExamples(extended.rest, extended.poses, options).rms,
              0.4 * fitExamples(plain.rest, plain.poses, options).rms);
    options.weights = WeightKind::convex;
    EXPECT_LT(fitExamples(extended.rest, extended.poses, options).rms,
              0.6 * fitExamples(plain.rest, plain.poses, options).rms);
}

TEST(FitExamples, JointsThatAreChosenByWhatTheyCostBeatTheMostRigid) {
    const rig::DrivenJointChoice choice;
    const Known extended = arm(&choice);
    ExampleFitOptions options;
    options.correct_rest = false;
    const ExampleFit rigid = fitExamples(extended.rest, extended.poses, options);
    options.candidates = 12;
    const ExampleFit chosen = fitExamples(extended.rest, extended.poses, options);
    EXPECT_LT(chosen.rms, 0.9 * rigid.rms);
    for (std::size_t v = 0; v < extended.rest.size(); ++v) {
        EXPECT_LE(chosen.weights.influenceCount(v), 4u);
        EXPECT_LE(chosen.vertex_rms[v], rigid.vertex_rms[v] * (1 + 1e-9) + 1e-12);
    }
}

}  // namespace
}  // namespace pelt::fit
