// Corrections of low rank.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/eigenskin.h>
#include <pelt/geometry/sequence_error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace pelt::fit {
namespace {

constexpr std::size_t kVertices = 300;

/// A bar on three bones that bend by up to 70°, with weights that blend all along it.
Decomposition bendingBar(std::size_t frames, std::size_t vertices = kVertices) {
    Decomposition d;
    d.bones = 3;
    d.frames = frames;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> coordinate(0, 1);
    for (std::size_t v = 0; v < vertices; ++v) {
        const double x = 3 * coordinate(random);
        d.rest.emplace_back(Vec3d(x, coordinate(random) - 0.5, coordinate(random) - 0.5));
        std::vector<float> weights;
        for (int bone = 0; bone < 3; ++bone) {
            weights.push_back(static_cast<float>(std::max(0.0, 1 - std::abs(x - 0.5 - bone))));
        }
        const std::uint32_t bones[3] = {0, 1, 2};
        appendVertex(d.weights, bones, weights);
    }
    for (std::size_t t = 0; t < frames; ++t) {
        const double u = 0.3 * static_cast<double>(t);
        Affine3d parent(Mat3d{}, {0.1 * u, 0, 0});
        for (int bone = 0; bone < 3; ++bone) {
            const Vec3d joint(bone, 0, 0);
            const Mat3d turn = toMatrix(axisAngle(Vec3d(std::sin(u), 1, double(bone)), 1.2 * std::sin(u + bone)));
            parent = parent * Affine3d(turn, joint - turn * joint);
            d.motion.push_back(parent);
        }
    }
    return d;
}

struct Modes {
    std::vector<std::vector<Vec3d>> offsets;  ///< [mode][vertex]
    std::vector<std::vector<double>> coefficients;
};

Modes someModes(std::size_t frames, std::size_t rank, std::size_t vertices = kVertices) {
    Modes modes;
    std::mt19937 random(5);
    std::normal_distribution<double> number(0, 0.05);
    for (std::size_t r = 0; r < rank; ++r) {
        auto& mode = modes.offsets.emplace_back();
        for (std::size_t v = 0; v < vertices; ++v) {
            const double x = number(random), y = number(random), z = number(random);
            mode.emplace_back(x, y, z);
        }
        auto& row = modes.coefficients.emplace_back();
        for (std::size_t t = 0; t < frames; ++t)
            row.push_back(std::sin(0.7 * double(t) * double(r + 1)) / double(r + 1));
    }
    return modes;
}

/// The frames of a skin with modes, skinned in double precision. `shift` is added to the result.
template <class Shift>
std::vector<Vec3f> play(const Decomposition& d, const Modes& modes, const Shift& shift) {
    std::vector<Vec3f> frames;
    for (std::size_t t = 0; t < d.frames; ++t) {
        for (std::size_t v = 0; v < d.rest.size(); ++v) {
            Vec3d p(d.rest[v]), out;
            for (std::size_t r = 0; r < modes.offsets.size(); ++r) p += modes.offsets[r][v] * modes.coefficients[r][t];
            for (std::size_t k = 0; k < d.weights.influenceCount(v); ++k) {
                out += d.pose(t)[d.weights.jointsOf(v)[k]] * p * double(d.weights.weightsOf(v)[k]);
            }
            frames.emplace_back(out + shift(t, v));
        }
    }
    return frames;
}

std::vector<Vec3f> play(const Decomposition& d, const Modes& modes) {
    return play(d, modes, [](std::size_t, std::size_t) { return Vec3d{}; });
}

Modes asModes(const EigenSkin& skin) {
    Modes modes;
    for (std::size_t r = 0; r < skin.rank; ++r) {
        auto& offsets = modes.offsets.emplace_back();
        for (const Vec3f& m : skin.modes[r]) offsets.emplace_back(m);
        auto& row = modes.coefficients.emplace_back();
        for (std::size_t i = r; i < skin.coefficients.size(); i += skin.rank) row.push_back(skin.coefficients[i]);
    }
    return modes;
}

double eRms(const Decomposition& d, const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
    return geometry::compareSequences(*makeSequence(a, d.rest.size()), *makeSequence(b, d.rest.size()), d.rest).e_rms;
}

/// Frames that no skin with a few modes reproduces: a wave through space.
std::vector<Vec3f> wavingFrames(const Decomposition& d) {
    return play(d, someModes(d.frames, 2), [](std::size_t t, std::size_t v) {
        const double u = static_cast<double>(t), i = static_cast<double>(v % 17);
        return Vec3d(std::sin(0.9 * u + i), std::cos(1.7 * u * i), std::sin(u * u + 2 * i)) * 0.02;
    });
}

TEST(EigenSkin, RecoversFramesThatTheModelMade) {
    for (const std::size_t rank : {1u, 2u, 3u}) {
        const Decomposition d = bendingBar(24);
        const std::vector<Vec3f> frames = play(d, someModes(24, rank));
        const double without = eRms(d, frames, play(d, {}));
        const EigenSkin skin = fitEigenSkin(d, *makeSequence(frames, kVertices), rank);
        EXPECT_LT(skin.e_rms, 1e-4 * without) << rank;
        EXPECT_EQ(skin.rank, rank);
        EXPECT_EQ(skin.modes.size(), rank);
        EXPECT_EQ(skin.coefficients.size(), rank * 24);
    }
}

TEST(EigenSkin, TheErrorIsThatOfAPlayer) {
    const Decomposition d = bendingBar(24);
    const std::vector<Vec3f> frames = wavingFrames(d);
    const EigenSkin skin = fitEigenSkin(d, *makeSequence(frames, kVertices), 3);
    EXPECT_NEAR(skin.e_rms, eRms(d, frames, play(d, asModes(skin))), 1e-4 * skin.e_rms);
}

TEST(EigenSkin, TheErrorFallsWithTheRankAndIsNeverAboveTheUncorrected) {
    const Decomposition d = bendingBar(20);
    const std::vector<Vec3f> frames = wavingFrames(d);
    double before = eRms(d, frames, play(d, {})), world_before = before;
    for (const std::size_t rank : {1u, 2u, 3u, 5u, 8u, 13u}) {
        const EigenSkin skin = fitEigenSkin(d, *makeSequence(frames, kVertices), rank);
        EXPECT_LT(skin.e_rms, 0.99 * before) << rank;
        EXPECT_LT(skin.world_e_rms, 0.99 * world_before) << rank;
        before = skin.e_rms;
        world_before = skin.world_e_rms;
    }
    const EigenSkin full = fitEigenSkin(d, *makeSequence(frames, kVertices), 20);
    EXPECT_LT(full.e_rms, 1e-3 * before);
    EXPECT_LT(full.world_e_rms, 1e-3 * before);
}

/// Shifts in the frames' own space, of rank 2 and of known sizes.
void expectBestOfRank(std::size_t frame_count, std::size_t vertices) {
    const Decomposition d = bendingBar(frame_count, vertices);
    const auto wave = [&](std::size_t cycles, std::size_t t) {
        return std::cos(2 * std::numbers::pi * double(cycles * t) / double(frame_count));
    };
    const std::vector<Vec3f> frames = play(d, {}, [&](std::size_t t, std::size_t v) {
        return Vec3d(0.1 * wave(1, t), (v % 2 ? 0.02 : -0.02) * wave(3, t), 0);
    });
    const double unit = eRms(d, frames, play(d, {})) / std::hypot(0.1, 0.02);
    EXPECT_NEAR(fitEigenSkin(d, *makeSequence(frames, vertices), 1).world_e_rms, 0.02 * unit, 1e-4 * unit);
    EXPECT_LT(fitEigenSkin(d, *makeSequence(frames, vertices), 2).world_e_rms, 1e-4 * unit);
}

TEST(EigenSkin, TheCorrectionAfterSkinningIsTheBestOfItsRank) {
    expectBestOfRank(32, kVertices);
    expectBestOfRank(200, 100);
    expectBestOfRank(200, 50);  // fewer coordinates than frames
}

TEST(EigenSkin, ASequenceOfMoreFramesThanCoordinatesIsFittedAlike) {
    const Decomposition d = bendingBar(200, 50);
    const std::vector<Vec3f> frames = play(d, someModes(200, 2, 50));
    const double without = eRms(d, frames, play(d, {}));
    const EigenSkin skin = fitEigenSkin(d, *makeSequence(frames, 50), 2);
    EXPECT_LT(skin.e_rms, 1e-4 * without);
    EXPECT_LT(skin.world_e_rms, without);
    EXPECT_LT(fitEigenSkin(d, *makeSequence(frames, 50), 6).world_e_rms, skin.world_e_rms);
    EXPECT_LT(fitEigenSkin(d, *makeSequence(frames, 50), 150).world_e_rms, 1e-3 * without);
}

TEST(EigenSkin, ModesComeLargestFirstWithCoefficientsOfAtMostOne) {
    const Decomposition d = bendingBar(24);
    const EigenSkin skin = fitEigenSkin(d, *makeSequence(wavingFrames(d), kVertices), 4);
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < 4; ++r) {
        double squares = 0, offsets = 0, largest = 0;
        for (std::size_t t = 0; t < 24; ++t) {
            const double c = skin.coefficients[t * 4 + r];
            squares += c * c;
            largest = std::max(largest, std::abs(c));
        }
        for (const Vec3f& m : skin.modes[r]) offsets += dot(Vec3d(m), Vec3d(m));
        EXPECT_NEAR(largest, 1, 1e-6);
        EXPECT_LT(squares * offsets, before);
        before = squares * offsets;
    }
}

TEST(EigenSkin, NothingToCorrectIsNoTrouble) {
    const Decomposition d = bendingBar(6);
    const EigenSkin skin = fitEigenSkin(d, *makeSequence(play(d, {}), kVertices), 3);
    EXPECT_LT(skin.e_rms, 1e-3);  // the frames' own rounding
    EXPECT_LE(skin.e_rms, eRms(d, play(d, {}), play(d, asModes(skin))) + 1e-4);
    for (const auto& mode : skin.modes) {
        for (const Vec3f& m : mode) EXPECT_LT(length(m), 1e-5f);
    }
}

TEST(EigenSkin, VerticesWithoutWeightsAndFlatMotionsAreNoTrouble) {
    Decomposition d = bendingBar(12);
    d.rest.emplace_back(1, 2, 3);
    d.weights.offsets.push_back(d.weights.offsets.back());  // it stays at the origin, whatever its offset
    for (Affine3d& m : d.motion) m = m * Affine3d(Mat3d{{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}}, {});
    const std::vector<Vec3f> frames = play(d, someModes(12, 1, d.rest.size()));
    const EigenSkin skin = fitEigenSkin(d, *makeSequence(frames, d.rest.size()), 2);
    EXPECT_LT(skin.e_rms, 1e-3 * eRms(d, frames, play(d, {})));
    for (const auto& mode : skin.modes) {
        for (const Vec3f& m : mode) EXPECT_TRUE(isFinite(m) && length(m) < 10);
    }
}

TEST(EigenSkin, ErrorsAreInUnitsOfTheGivenRestPose) {
    const Decomposition d = bendingBar(12);
    const std::vector<Vec3f> frames = wavingFrames(d);
    std::vector<Vec3f> twice = d.rest;
    for (Vec3f& p : twice) p = p * 2.0f;
    const EigenSkin own = fitEigenSkin(d, *makeSequence(frames, kVertices), 2);
    const EigenSkin other = fitEigenSkin(d, *makeSequence(frames, kVertices), 2, {}, twice);
    EXPECT_NEAR(other.e_rms, own.e_rms / 2, 1e-9);
    EXPECT_NEAR(other.world_e_rms, own.world_e_rms / 2, 1e-9);
}

TEST(EigenSkin, TheSameBitsOnAnyNumberOfThreads) {
    const Decomposition d = bendingBar(140, 3000);
    const std::vector<Vec3f> frames = play(d, someModes(140, 4, 3000));
    setThreadCount(1);
    const EigenSkin one = fitEigenSkin(d, *makeSequence(frames, 3000), 4);
    setThreadCount(2);
    const EigenSkin two = fitEigenSkin(d, *makeSequence(frames, 3000), 4);
    setThreadCount(0);
    EXPECT_EQ(one.modes, two.modes);
    EXPECT_EQ(one.coefficients, two.coefficients);
    EXPECT_EQ(one.e_rms, two.e_rms);
    EXPECT_EQ(one.world_e_rms, two.world_e_rms);
    EXPECT_LT(one.e_rms, 1e-4 * eRms(d, frames, play(d, {})));  // and right, at more than a block of frames
}

ErrorCode codeOf(const Decomposition& d, const std::vector<Vec3f>& frames, std::size_t vertices, std::size_t rank) {
    try {
        fitEigenSkin(d, *makeSequence(frames, vertices), rank);
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::gate;
}

TEST(EigenSkin, ImpossibleRanksAndOtherSequencesAreRefused) {
    const Decomposition d = bendingBar(6);
    std::vector<Vec3f> frames = play(d, {});
    EXPECT_EQ(codeOf(d, frames, kVertices, 0), ErrorCode::bad_usage);
    EXPECT_EQ(codeOf(d, frames, kVertices, 7), ErrorCode::bad_usage);
    const Decomposition tiny = bendingBar(6, 1);
    EXPECT_EQ(codeOf(tiny, play(tiny, {}), 1, 4), ErrorCode::bad_usage);
    EXPECT_EQ(codeOf(d, play(bendingBar(6, 9), {}), 9, 1), ErrorCode::bad_input);
    EXPECT_EQ(codeOf(d, play(bendingBar(5), {}), kVertices, 1), ErrorCode::bad_input);
    frames[7].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(codeOf(d, frames, kVertices, 1), ErrorCode::bad_input);
}

TEST(EigenSkin, StopsWhereItIsAskedTo) {
    const Decomposition d = bendingBar(6);
    const std::vector<Vec3f> frames = wavingFrames(d);
    // In each stage, promptly, and never decreasing.
    const std::pair<double, double> stops[] = {{0, 0.02}, {0.09, 0.11}, {0.44, 0.46}, {0.8, 0.9}, {0.93, 0.95}};
    for (const auto& [limit, soon] : stops) {
        double last = -1, patience = limit;
        const Progress impatient([&](std::string_view, double fraction) {
            EXPECT_GE(fraction, last);
            last = fraction;
            return fraction <= patience;
        });
        EXPECT_THROW(fitEigenSkin(d, *makeSequence(frames, kVertices), 2, impatient), Error);
        EXPECT_LT(last, soon);
    }
}

}  // namespace
}  // namespace pelt::fit
