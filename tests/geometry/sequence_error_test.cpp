// Errors between sequences.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/sequence_error.h>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

TEST(SequenceError, AgreesWithTheDefinitions) {
    const std::vector<Vec3f> rest{{-2, 0, 0}, {2, 0, 0}};  // enclosed by a sphere of radius 2
    auto a = makeSequence({{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {5, 0, 0}, {0, 0, 0}}, 2);
    auto b = makeSequence({{0, 0, 0}, {1, 1, 1}, {3, 0, 4}, {0, 0, 0}, {5, 0, 0}, {0, 1, 0}}, 2);
    const SequenceError error = compareSequences(*a, *b, rest);
    EXPECT_DOUBLE_EQ(error.rms, std::sqrt(26.0 / 6));
    EXPECT_DOUBLE_EQ(error.max, 5);
    EXPECT_DOUBLE_EQ(error.e_rms, 1000 * std::sqrt(26.0 / 18) / 2);
    ASSERT_EQ(error.frames.size(), 3u);
    EXPECT_EQ(error.frames[0].rms, 0);
    EXPECT_DOUBLE_EQ(error.frames[1].rms, std::sqrt(12.5));
    EXPECT_DOUBLE_EQ(error.frames[2].max, 1);
    EXPECT_FLOAT_EQ(error.vertex_rms[0], float(std::sqrt(25.0 / 3)));
    EXPECT_FLOAT_EQ(error.vertex_rms[1], float(std::sqrt(1.0 / 3)));
}

TEST(SequenceError, DifferentSizesAreRefused) {
    auto a = makeSequence(std::vector<Vec3f>(6), 2), b = makeSequence(std::vector<Vec3f>(6), 3),
         c = makeSequence(std::vector<Vec3f>(4), 2);
    EXPECT_THROW(compareSequences(*a, *b, std::vector<Vec3f>(2)), Error);
    EXPECT_THROW(compareSequences(*a, *c, std::vector<Vec3f>(2)), Error);
    EXPECT_THROW(compareSequences(*a, *a, std::vector<Vec3f>(3)), Error);
}

TEST(SequenceError, IsTheSameNumberOnAnyNumberOfThreads) {
    const std::size_t count = 50000;
    auto a = makeSequence(randomPoints(2 * count, 1), count), b = makeSequence(randomPoints(2 * count, 2), count);
    const auto rest = randomPoints(count, 3);
    setThreadCount(1);
    const SequenceError serial = compareSequences(*a, *b, rest);
    setThreadCount(2);
    const SequenceError parallel = compareSequences(*a, *b, rest);
    setThreadCount(0);
    EXPECT_EQ(serial.rms, parallel.rms);
    EXPECT_EQ(serial.vertex_rms, parallel.vertex_rms);
}

TEST(SequenceError, ReportsProgressAndCanBeStopped) {
    auto a = makeSequence(std::vector<Vec3f>(8), 2);
    double last = -1;
    compareSequences(*a, *a, std::vector<Vec3f>(2), Progress([&](std::string_view, double fraction) {
        EXPECT_GT(fraction, last);
        last = fraction;
        return true;
    }));
    EXPECT_EQ(last, 1);
    EXPECT_THROW(compareSequences(*a, *a, std::vector<Vec3f>(2),
                                  Progress([](std::string_view, double fraction) { return fraction < 0.5; })),
                 Error);
}

TEST(SequenceError, OfOnePointHasNoScaleForErms) {
    auto a = makeSequence({{0, 0, 0}}, 1), b = makeSequence({{0, 3, 0}}, 1);
    const SequenceError error = compareSequences(*a, *b, std::vector<Vec3f>(1));
    EXPECT_EQ(error.rms, 3);
    EXPECT_EQ(error.e_rms, 0);
}

}  // namespace
}  // namespace pelt::geometry
