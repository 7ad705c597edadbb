// The kernels of plain skins against the reference.
#include <gtest/gtest.h>
#include <pelt/core/parallel.h>

#include "instruction_sets.h"
#include "skin_case.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PELT_WITH_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PELT_WITH_ASAN
#endif
#ifdef PELT_WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace pelt::deform {
namespace {

constexpr Method kMethods[] = {Method::lbs, Method::dqs};
constexpr Bones kPoses[] = {Bones::gentle, Bones::wild, Bones::stretched, Bones::mirrored};
constexpr std::size_t kInfluences[] = {1, 2, 3, 4, 5, 8, 13};

TEST(Kernels, EveryInstructionSetAgreesWithTheReference) {
    for (const Method method : kMethods)
        for (const Bones pose : kPoses)
            for (const std::size_t influences : kInfluences) {
                const SkinCase c = makeCase(67, 20, influences, pose, influences);
                const PosedDouble expected = referenceOf(method, c);
                const Skinner skinner(method, c);
                onEachInstructionSet([&](std::int64_t) {
                    SCOPED_TRACE(nameOf(method) + " pose " + std::to_string(int(pose)) + " influences " +
                                 std::to_string(influences));
                    const Posed posed = skinner.all();
                    EXPECT_LT(farthest(posed.positions, expected.positions), 4e-6);
                    // Where bones cancel each other, the normal is only rounding error.
                    EXPECT_LT(farthest(posed.normals, expected.normals), pose == Bones::gentle ? 2e-6 : 2e-4);
                });
            }
}

TEST(Kernels, EveryLengthAndOffsetGivesTheSameBitsAndTouchesNothingElse) {
    const Vec3f mark{-77, -78, -79};
    for (const Method method : kMethods)
        for (const Bones pose : {Bones::wild, Bones::stretched})
            for (const std::size_t length : {0, 1, 2, 15, 16, 17, 31, 33, 48, 67}) {
                const SkinCase c = makeCase(length, 7, 4, pose, length + 3);
                const Skinner skinner(method, c);
                onEachInstructionSet([&](std::int64_t) {
                    const Posed whole = skinner.all();
                    for (std::size_t first = 0; first <= length; ++first)
                        for (std::size_t count = 0; first + count <= length; count += count < 20 ? 1 : 5) {
                            Posed part{std::vector<Vec3f>(length, mark), std::vector<Vec3f>(length, mark)};
                            skinner.evaluate({}, first, count, {part.positions, part.normals});
                            Posed expected{std::vector<Vec3f>(length, mark), std::vector<Vec3f>(length, mark)};
                            std::copy_n(whole.positions.begin() + first, count, expected.positions.begin() + first);
                            std::copy_n(whole.normals.begin() + first, count, expected.normals.begin() + first);
                            ASSERT_TRUE(sameBits(part.positions, expected.positions)) << first << ' ' << count;
                            ASSERT_TRUE(sameBits(part.normals, expected.normals)) << first << ' ' << count;
                        }
                });
            }
}

#ifdef PELT_WITH_ASAN
TEST(Kernels, NothingOutsideTheRangeIsReadOfTheRestShape) {
    for (const Method method : kMethods) {
        const SkinCase c = makeCase(64, 5, 4, Bones::gentle);
        const Skinner skinner(method, c);
        const std::vector<Vec3f> positions = c.mesh.positions, normals = c.mesh.normals;
        Posed part{std::vector<Vec3f>(64), std::vector<Vec3f>(64)};
        for (const std::vector<Vec3f>* rest : {&positions, &normals}) {  // a read beyond [6, 40) is a report
            ASAN_POISON_MEMORY_REGION(rest->data(), 6 * sizeof(Vec3f));
            ASAN_POISON_MEMORY_REGION(rest->data() + 40, 24 * sizeof(Vec3f));
        }
        skinner.evaluate({positions, normals}, 6, 34, {part.positions, part.normals});
        for (const std::vector<Vec3f>* rest : {&positions, &normals})
            ASAN_UNPOISON_MEMORY_REGION(rest->data(), 64 * sizeof(Vec3f));
    }
}
#endif

TEST(Kernels, AnyNumberOfThreadsGivesTheSameBytes) {
    for (const Method method : kMethods) {
        const SkinCase c = makeCase(1003, 30, 4, Bones::gentle);
        const Skinner skinner(method, c);
        const Posed alone = skinner.all();
        for (const int threads : {1, 2, 5}) {
            setThreadCount(threads);
            Posed posed{std::vector<Vec3f>(1003), std::vector<Vec3f>(1003)};
            parallelFor(1003, 37, [&](std::size_t first, std::size_t last) {
                skinner.evaluate({}, first, last - first, {posed.positions, posed.normals});
            });
            EXPECT_TRUE(sameBits(posed.positions, alone.positions) && sameBits(posed.normals, alone.normals));
        }
        setThreadCount(0);
    }
}

TEST(Kernels, InstructionSetsWithFusedMultiplyAddAgreeToTheBit) {
    for (const Method method : kMethods)
        for (const Bones pose : kPoses) {
            const SkinCase c = makeCase(67, 20, 4, pose);
            const Skinner skinner(method, c);
            Posed fused, separate;
            onEachInstructionSet([&](std::int64_t target) {
#if HWY_ARCH_X86
                const bool has_fma = target < HWY_SSE4;  // the wider a set, the lower its bit
#else
                const bool has_fma = target != HWY_SCALAR && target != HWY_EMU128;
#endif
                Posed& first = has_fma ? fused : separate;
                const Posed posed = skinner.all();
                if (first.positions.empty()) first = posed;
                EXPECT_TRUE(sameBits(posed.positions, first.positions));
                EXPECT_TRUE(sameBits(posed.normals, first.normals));
            });
        }
}

TEST(Kernels, CopiesOfAVertexComeOutBitEqualWhateverTheirNeighbors) {
    for (const Method method : kMethods)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            SkinCase c = makeCase(64, 25, 4, pose);
            for (const std::size_t v : {3, 17, 40}) {  // seams: the same vertex again, in a block of other joints
                c.mesh.positions.push_back(c.mesh.positions[v]);
                c.mesh.normals.push_back(c.mesh.normals[v]);
                const std::vector<std::uint32_t> joints(c.weights.jointsOf(v).begin(), c.weights.jointsOf(v).end());
                const std::vector<float> values(c.weights.weightsOf(v).begin(), c.weights.weightsOf(v).end());
                c.weights.joints.insert(c.weights.joints.end(), joints.begin(), joints.end());
                c.weights.weights.insert(c.weights.weights.end(), values.begin(), values.end());
                c.weights.offsets.push_back(std::uint32_t(c.weights.joints.size()));
            }
            const Skinner skinner(method, c);
            onEachInstructionSet([&](std::int64_t) {
                const Posed posed = skinner.all();
                EXPECT_EQ(posed.positions[64], posed.positions[3]);
                EXPECT_EQ(posed.positions[65], posed.positions[17]);
                EXPECT_EQ(posed.positions[66], posed.positions[40]);
                EXPECT_EQ(posed.normals[64], posed.normals[3]);
                EXPECT_EQ(posed.normals[66], posed.normals[40]);
            });
        }
}

TEST(Kernels, PositionsDoNotDependOnWhetherNormalsAreWanted) {
    for (const Method method : kMethods)
        for (const Bones pose : kPoses) {
            const SkinCase c = makeCase(67, 9, 4, pose);
            const Skinner skinner(method, c);
            onEachInstructionSet([&](std::int64_t) {
                std::vector<Vec3f> alone(67);
                skinner.evaluate({}, 0, 67, {alone, {}});
                EXPECT_TRUE(sameBits(alone, skinner.all().positions));
            });
        }
}

TEST(Kernels, ABoneThatIsAllZerosGivesFiniteResultsAndUnitNormals) {
    for (const Method method : kMethods) {
        SkinCase c = makeCase(67, 6, 3, Bones::gentle);
        c.bones[1] = c.bones[2] = Affine3f(Mat3f{{{}, {}, {}}}, {});
        c.bones[3] = Affine3f(Mat3f{{{1, 2, 3}, {2, 4, 6}, {0, 0, 0}}}, {0, 1, 0});  // rank one
        const Skinner skinner(method, c);
        onEachInstructionSet([&](std::int64_t) {
            const Posed posed = skinner.all();
            for (std::size_t v = 0; v < 67; ++v) {
                EXPECT_TRUE(isFinite(posed.positions[v]));
                EXPECT_NEAR(length(posed.normals[v]), 1, 1e-5);
            }
        });
    }
}

}  // namespace
}  // namespace pelt::deform
