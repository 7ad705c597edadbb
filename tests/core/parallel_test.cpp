// Loops on several threads, progress, and sequences in memory.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/mesh_sequence.h>
#include <pelt/core/parallel.h>
#include <pelt/core/progress.h>

#include <atomic>
#include <mutex>
#include <set>

namespace pelt {
namespace {

std::set<std::pair<std::size_t, std::size_t>> rangesOf(std::size_t count, std::size_t grain) {
    std::mutex mutex;
    std::set<std::pair<std::size_t, std::size_t>> ranges;
    parallelFor(count, grain, [&](std::size_t first, std::size_t last) {
        const std::lock_guard lock(mutex);
        ranges.emplace(first, last);
    });
    return ranges;
}

TEST(Parallel, RangesCoverEverythingOnceWhateverTheThreads) {
    using Ranges = std::set<std::pair<std::size_t, std::size_t>>;
    const Ranges expected = {{0, 4}, {4, 8}, {8, 10}};
    for (const int threads : {1, 2, 0}) {
        setThreadCount(threads);
        EXPECT_EQ(rangesOf(10, 4), expected) << threads << " threads";
    }
    EXPECT_TRUE(rangesOf(0, 4).empty());
    EXPECT_EQ(rangesOf(3, 0).size(), 3u);
}

TEST(Parallel, AnErrorOfTheBodyReachesTheCaller) {
    EXPECT_THROW(parallelFor(1000, 1,
                             [](std::size_t first, std::size_t) {
                                 if (first == 500) throw Error::badInput("vertex 500");
                             }),
                 Error);
}

TEST(Parallel, ThreadCountFollowsTheLimit) {
    setThreadCount(1);
    EXPECT_EQ(threadCount(), 1);
    setThreadCount(0);
    EXPECT_GE(threadCount(), 1);
}

TEST(Progress, IsSilentByDefaultAndCancelsOnRequest) {
    Progress().report("anything", 0.5);
    int calls = 0;
    const Progress stop_at_half([&](std::string_view, double fraction) { return ++calls, fraction < 0.5; });
    stop_at_half.report("stage", 0.25);
    try {
        stop_at_half.report("stage", 0.75);
        FAIL() << "should have been cancelled";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    EXPECT_EQ(calls, 2);
}

TEST(MeshSequence, InMemoryFramesComeBack) {
    const auto sequence = makeSequence({{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}, 2);
    ASSERT_EQ(sequence->frameCount(), 2u);
    std::vector<Vec3f> frame(2);
    sequence->readFrame(1, frame);
    EXPECT_EQ(frame[0], (Vec3f{3, 0, 0}));
    EXPECT_EQ(frame[1], (Vec3f{4, 0, 0}));
    EXPECT_EQ(sequence->mesh(), nullptr);
}

}  // namespace
}  // namespace pelt
