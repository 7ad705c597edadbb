// Decompositions: constraints, errors, and skins that are known.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/decompose.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cmath>

#include "shared_data.h"

// The hard constraints of [LeDeng12], its monotonic descent and numerical accuracy, on data of any kind.

namespace pelt::fit {
namespace {

struct Sequence {
    Mesh mesh;
    std::vector<Vec3f> positions;  ///< frame by frame
    std::size_t frames = 0;

    std::unique_ptr<MeshSequence> open() const { return makeSequence(positions, mesh.vertexCount()); }
};

/// A scene's clip under linear blend skinning with smooth weights.
Sequence animated(const char* scene, std::size_t resolution, std::size_t frames) {
    Character character = scenes::find(scene)->make(resolution);
    const SkinWeights weights = scenes::smoothWeights(character);
    Sequence sequence{character.mesh, {}, frames};
    const Clip& clip = character.clips.at(0);
    for (std::size_t f = 0; f < frames; ++f) {
        const double t = clip.first_key + clip.seconds() * double(f) / double(frames);
        const std::vector<Affine3f> bones = rig::skinMatrices(character.skeleton, &clip, t);
        for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
            Vec3f x(0, 0, 0);
            for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
                x += bones[weights.jointsOf(v)[i]] * character.mesh.positions[v] * weights.weightsOf(v)[i];
            sequence.positions.push_back(x);
        }
    }
    return sequence;
}

/// An arm whose muscles bulge: no skin of few bones reproduces it.
Sequence muscular(std::size_t resolution, std::size_t frames) {
    Sequence sequence{scenes::find("arm")->make(resolution).mesh, {}, frames};
    const auto examples = scenes::armExamples(resolution);
    std::vector<Vec3f> frame(examples->vertexCount());
    for (std::size_t f = 0; f < frames; ++f) {
        examples->readFrame(f * examples->frameCount() / frames, frame);
        sequence.positions.insert(sequence.positions.end(), frame.begin(), frame.end());
    }
    return sequence;
}

Decomposition solve(const Sequence& sequence, const DecomposeOptions& options, const Progress& progress = {}) {
    return decompose(*sequence.open(), sequence.mesh.positions, sequence.mesh.triangles, options, progress);
}

DecomposeOptions with(std::size_t bones, std::size_t influences = 4) {
    DecomposeOptions options;
    options.bones = bones;
    options.influences = influences;
    return options;
}

/// The result played by hand: E_RMS against the frames, with the rest pose's own ball given.
double playedError(const Sequence& sequence, const Decomposition& d, double radius) {
    double total = 0;
    for (std::size_t t = 0; t < d.frames; ++t)
        for (std::size_t v = 0; v < d.rest.size(); ++v) {
            Vec3d x;
            for (std::size_t i = 0; i < d.weights.influenceCount(v); ++i)
                x += d.pose(t)[d.weights.jointsOf(v)[i]] * Vec3d(d.rest[v]) * double(d.weights.weightsOf(v)[i]);
            x = x - Vec3d(sequence.positions[t * d.rest.size() + v]);
            total += dot(x, x);
        }
    return 1000 / radius * std::sqrt(total / (3.0 * double(d.rest.size()) * double(d.frames)));
}

void expectConstraints(const Decomposition& d, std::size_t bones, std::size_t influences, bool rigid = true) {
    EXPECT_EQ(d.bones, bones);
    EXPECT_EQ(d.motion.size(), bones * d.frames);
    ASSERT_EQ(d.weights.vertexCount(), d.rest.size());
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        double sum = 0;
        ASSERT_GE(d.weights.influenceCount(v), 1u) << v;
        ASSERT_LE(d.weights.influenceCount(v), influences) << v;
        for (const float w : d.weights.weightsOf(v)) {
            ASSERT_GT(w, 0);
            sum += w;
        }
        ASSERT_NEAR(sum, 1, 1e-6) << v;
        for (const std::uint32_t j : d.weights.jointsOf(v)) ASSERT_LT(j, bones);
    }
    if (!rigid) return;
    for (const Affine3d& m : d.motion) {
        const Mat3d r = m.linear();
        EXPECT_NEAR(determinant(r), 1, 1e-12);
        const Mat3d square = transposed(r) * r;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) ASSERT_NEAR(square(a, b), a == b ? 1.0 : 0.0, 1e-12);
    }
}

void expectDescent(const Decomposition& d) {
    for (std::size_t s = 1; s < d.steps.size(); ++s) {
        if (d.steps[s].name == "reinitialize") continue;
        EXPECT_LE(d.steps[s].e_rms, d.steps[s - 1].e_rms * (1 + 1e-9) + 1e-6) << s << " " << d.steps[s].name;
    }
}

TEST(Decompose, KeepsItsConstraintsAndNeverRises) {
    for (const char* scene : {"bar3", "arm", "branch"}) {
        SCOPED_TRACE(scene);
        const Sequence sequence = animated(scene, 700, 20);
        for (const std::size_t influences : {1u, 2u, 4u}) {
            const Decomposition d = solve(sequence, with(5, influences));
            expectConstraints(d, 5, influences);
            expectDescent(d);
            EXPECT_EQ(d.steps.front().name, "initialize");
            EXPECT_EQ(d.steps.back().name, "rest");
        }
    }
}

TEST(Decompose, SaysTheErrorThatItsResultHas) {
    const Sequence sequence = muscular(700, 20);
    for (const BoneKind kind : {BoneKind::rigid, BoneKind::flexible}) {
        DecomposeOptions options = with(4);
        options.kind = kind;
        options.smoothness = 0;  // steps tell what is minimized, which is then the error
        const Decomposition d = solve(sequence, options);
        // e_rms and rms differ by the radius of the rest pose's ball and a factor of 1000 / sqrt(3).
        const double radius = d.rms * 1000 / std::sqrt(3.0) / d.e_rms;
        EXPECT_NEAR(playedError(sequence, d, radius), d.e_rms, 1e-4 * d.e_rms);
        EXPECT_NEAR(d.steps.back().e_rms, d.e_rms, 1e-3 * d.e_rms);
        EXPECT_GE(d.max, d.rms);
    }
}

TEST(Decompose, FindsASkinThatMadeTheFrames) {
    const Sequence sequence = animated("bar3", 500, 24);
    const Decomposition d = solve(sequence, with(3));
    EXPECT_LT(d.e_rms, 0.5);
    const double one = solve(sequence, with(1)).e_rms;
    EXPECT_GT(one, 20 * d.e_rms);
}

TEST(Decompose, MoreBonesAndFlexibleOnesExplainMore) {
    const Sequence sequence = muscular(700, 20);
    double before = 1e9;
    for (const std::size_t bones : {1u, 2u, 4u, 8u}) {
        const double e = solve(sequence, with(bones)).e_rms;
        EXPECT_LT(e, before);
        before = e;
    }
    DecomposeOptions flexible = with(3);
    flexible.kind = BoneKind::flexible;
    const Decomposition d = solve(sequence, flexible);
    expectConstraints(d, 3, 4, false);
    expectDescent(d);
    EXPECT_LT(d.e_rms, solve(sequence, with(3)).e_rms);
}

TEST(Decompose, ThreadsChangeNotABit) {
    const Sequence sequence = animated("branch", 900, 12);
    setThreadCount(1);
    const Decomposition one = solve(sequence, with(6));
    setThreadCount(2);
    const Decomposition two = solve(sequence, with(6));
    setThreadCount(0);
    EXPECT_EQ(one.weights, two.weights);
    EXPECT_TRUE(one.rest == two.rest);
    ASSERT_EQ(one.motion.size(), two.motion.size());
    for (std::size_t i = 0; i < one.motion.size(); ++i)
        for (int k = 0; k < 16; ++k) ASSERT_EQ(one.motion[i].m[k], two.motion[i].m[k]);
}

TEST(Decompose, ASeedIsAnotherStartAndTheSameOneTheSameResult) {
    const Sequence sequence = muscular(700, 20);
    DecomposeOptions options = with(6);
    const Decomposition plain = solve(sequence, options);
    options.seed = 7;
    const Decomposition a = solve(sequence, options), b = solve(sequence, options);
    EXPECT_EQ(a.weights, b.weights);
    EXPECT_NE(a.weights, plain.weights);
    expectConstraints(a, 6, 4);
}

TEST(Decompose, NeitherUnitsNorGlobalMotionMatter) {
    const Sequence metres = muscular(500, 12);
    Sequence far = metres;
    for (Vec3f& p : far.mesh.positions) p = p * 1000.0f;
    for (std::size_t i = 0; i < far.positions.size(); ++i) {
        const float t = float(i / far.mesh.vertexCount());
        const float c = std::cos(0.5f * t), s = std::sin(0.5f * t);
        const Vec3f p = far.positions[i] * 1000.0f;
        far.positions[i] = Vec3f(c * p.x + s * p.z + 4000 * t, p.y - 900 * t, c * p.z - s * p.x);
    }
    EXPECT_NEAR(solve(far, with(4)).e_rms, solve(metres, with(4)).e_rms, 0.15 * solve(metres, with(4)).e_rms);
}

TEST(Decompose, EdgesOfWhatMakesSense) {
    Sequence still = animated("bar", 300, 1);
    for (int i = 0; i < 4; ++i)
        still.positions.insert(still.positions.end(), still.mesh.positions.begin(), still.mesh.positions.end());
    still.positions.erase(still.positions.begin(), still.positions.begin() + std::ptrdiff_t(still.mesh.vertexCount()));
    const Decomposition equal = solve(still, with(5));
    expectConstraints(equal, 5, 4);
    EXPECT_LT(equal.e_rms, 1e-3);

    const Sequence single = animated("bar", 300, 1);
    expectConstraints(solve(single, with(3)), 3, 4);

    Sequence tiny;
    tiny.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tiny.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
    const Decomposition crowded = solve(tiny, with(9));
    expectConstraints(crowded, 9, 4);

    Sequence point;
    point.mesh.positions = {{1, 2, 3}};
    point.positions = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_LT(solve(point, with(1)).max, 1e-5);
}

TEST(Decompose, SaysWhatIsWrong) {
    const Sequence sequence = animated("bar", 300, 3);
    const auto code = [&](const Sequence& s, const DecomposeOptions& options) {
        try {
            solve(s, options);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::system;
    };
    EXPECT_EQ(code(sequence, with(0)), ErrorCode::bad_usage);
    Sequence other = sequence;
    other.mesh.positions.pop_back();
    EXPECT_THROW(decompose(*sequence.open(), other.mesh.positions, {}, with(2)), Error);
    Sequence broken = sequence;
    broken.positions[7].y = NAN;
    EXPECT_EQ(code(broken, with(2)), ErrorCode::bad_input);
    DecomposeOptions kept = with(2);
    kept.kept_bones = 1;
    EXPECT_EQ(code(sequence, kept), ErrorCode::bad_input);
    try {
        solve(sequence, with(2), Progress([](std::string_view, double) { return false; }));
        ADD_FAILURE() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
}

TEST(Decompose, KeptBonesAndWeightsStayAndTheRestIsFound) {
    const Sequence sequence = animated("bar3", 500, 16);
    const Decomposition whole = solve(sequence, with(3));
    DecomposeOptions options = with(3);
    options.kept_bones = 2;
    for (std::size_t t = 0; t < whole.frames; ++t)
        for (std::size_t j = 0; j < 2; ++j) options.kept_motion.push_back(whole.pose(t)[j]);
    const Decomposition d = solve(sequence, options);
    expectConstraints(d, 3, 4);
    for (std::size_t t = 0; t < d.frames; ++t)
        for (std::size_t j = 0; j < 2; ++j)
            for (int k = 0; k < 16; ++k) ASSERT_NEAR(d.pose(t)[j].m[k], whole.pose(t)[j].m[k], 1e-9);
    EXPECT_LT(d.e_rms, 3 * whole.e_rms + 1);

    DecomposeOptions weights = with(3);
    weights.kept_weights = whole.weights;
    weights.smoothness = 0;
    const Decomposition again = solve(sequence, weights);
    EXPECT_NEAR(again.steps.back().e_rms, again.e_rms, 1e-3 * again.e_rms + 1e-5);
    const SkinWeights& same = again.weights;
    EXPECT_EQ(same.offsets, whole.weights.offsets);
    EXPECT_EQ(same.joints, whole.weights.joints);
    for (std::size_t i = 0; i < same.weights.size(); ++i) ASSERT_NEAR(same.weights[i], whole.weights.weights[i], 1e-6);
}

/// RMS error of edge vectors over all frames and edges.
double edgeError(const Sequence& sequence, const Decomposition& d) {
    double total = 0;
    std::vector<Vec3d> left(d.rest.size());
    for (std::size_t t = 0; t < d.frames; ++t) {
        for (std::size_t v = 0; v < d.rest.size(); ++v) {
            left[v] = Vec3d(sequence.positions[t * d.rest.size() + v]) * -1.0;
            for (std::size_t i = 0; i < d.weights.influenceCount(v); ++i)
                left[v] += d.pose(t)[d.weights.jointsOf(v)[i]] * Vec3d(d.rest[v]) * double(d.weights.weightsOf(v)[i]);
        }
        for (const Triangle& face : sequence.mesh.triangles) {
            const Vec3d e = left[face[0]] - left[face[1]];
            total += dot(e, e);
        }
    }
    return std::sqrt(total / (double(d.frames) * double(sequence.mesh.triangles.size())));
}

TEST(Decompose, EdgesCrackLessAndTheErrorHardlyRises) {
    const Sequence sequence = muscular(900, 12);
    DecomposeOptions rough = with(5);
    rough.smoothness = 0;
    const Decomposition cracked = solve(sequence, rough), smooth = solve(sequence, with(5));
    EXPECT_LT(edgeError(sequence, smooth), 0.9 * edgeError(sequence, cracked));
    EXPECT_LT(smooth.e_rms, 1.12 * cracked.e_rms);
    expectConstraints(smooth, 5, 4);
    expectDescent(smooth);
}

TEST(Decompose, CopiesAtSeamsStayTogether) {
    Sequence split = muscular(700, 8);
    const std::size_t vertices = split.mesh.vertexCount();
    // Every other face gets vertices of its own.
    Sequence copies = split;
    std::vector<std::uint32_t> original;
    for (std::size_t f = 0; f < copies.mesh.triangles.size(); f += 2)
        for (std::uint32_t& v : copies.mesh.triangles[f]) {
            original.push_back(v);
            copies.mesh.positions.push_back(split.mesh.positions[v]);
            v = std::uint32_t(copies.mesh.positions.size() - 1);
        }
    copies.positions.clear();
    for (std::size_t t = 0; t < split.frames; ++t) {
        const auto frame = split.positions.begin() + std::ptrdiff_t(t * vertices);
        copies.positions.insert(copies.positions.end(), frame, frame + std::ptrdiff_t(vertices));
        for (const std::uint32_t v : original) copies.positions.push_back(frame[v]);
    }
    const Decomposition d = solve(copies, with(5));
    for (std::size_t i = 0; i < original.size(); ++i) {
        ASSERT_EQ(d.rest[vertices + i], d.rest[original[i]]);
        ASSERT_TRUE(std::ranges::equal(d.weights.jointsOf(vertices + i), d.weights.jointsOf(original[i])));
        ASSERT_TRUE(std::ranges::equal(d.weights.weightsOf(vertices + i), d.weights.weightsOf(original[i])));
    }
}

TEST(Decompose, SolvingForTheBonesOfAVertexBeatsTakingTheClosest) {  // [LeDeng12] Table 3
    const Sequence sequence = muscular(700, 20);
    DecomposeOptions options = with(6, 3);
    options.kind = BoneKind::flexible;
    options.correct_rest_always = true;
    const Decomposition solved = solve(sequence, options);
    options.association = Association::closest;
    const Decomposition closest = solve(sequence, options);
    expectConstraints(closest, 6, 3, false);
    expectDescent(closest);
    expectDescent(solved);
    EXPECT_LT(solved.e_rms, closest.e_rms);
}

TEST(DecomposeTo, GivesTheFewestBonesThatReachTheTolerance) {
    const Sequence sequence = animated("bar3", 500, 16);
    std::vector<BoneCountTrial> trials;
    DecomposeOptions options = with(12);
    const Decomposition d =
        decomposeTo(2.0, *sequence.open(), sequence.mesh.positions, sequence.mesh.triangles, options, trials);
    EXPECT_LE(d.e_rms, 2.0);
    EXPECT_LE(d.bones, 3u);
    for (const BoneCountTrial& trial : trials)
        if (trial.bones < d.bones) {
            EXPECT_GT(trial.e_rms, 2.0) << trial.bones;
        }
    trials.clear();
    options.bones = 2;
    const Decomposition best =
        decomposeTo(1e-9, *sequence.open(), sequence.mesh.positions, sequence.mesh.triangles, options, trials);
    EXPECT_EQ(best.bones, 2u);
}

}  // namespace
}  // namespace pelt::fit
