// The kernels of Direct Delta Mush against the reference.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <limits>

#include "ddm_case.h"
#include "instruction_sets.h"

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

constexpr Bones kDdmPoses[] = {Bones::gentle, Bones::wild, Bones::stretched, Bones::mirrored};

TEST(DdmKernel, EveryInstructionSetAgreesWithTheReferenceInEveryForm) {
    for (const DdmForm form : kDdmForms)
        for (const Bones pose : kDdmPoses)
            for (const std::size_t influences : {1, 2, 3, 4, 7}) {
                const DdmCase c = makeDdmCase(67, 12, influences, pose, influences);
                const PosedDouble expected = ddmReference(form, c);
                const DdmSkinner skinner(form, c);
                onEachInstructionSet([&](std::int64_t) {
                    SCOPED_TRACE(nameOf(form) + " pose " + std::to_string(int(pose)) + " influences " +
                                 std::to_string(influences));
                    const Posed posed = skinner.all();
                    // With arbitrary rotations or mirroring joints, some patches hardly determine a rotation.
                    const double loose = pose == Bones::gentle ? 1 : 100;
                    EXPECT_LT(farthest(posed.positions, expected.positions), 4e-6 * loose);
                    EXPECT_LT(farthest(posed.normals, expected.normals), 1e-5 * loose);
                });
            }
}

TEST(DdmKernel, FlatPatchesAgreeWithTheReference) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = makeDdmCase(67, 12, 3, Bones::gentle, 5, Patch::flat);
        const PosedDouble expected = ddmReference(form, c);
        const DdmSkinner skinner(form, c);
        onEachInstructionSet([&](std::int64_t) {
            SCOPED_TRACE(nameOf(form));
            EXPECT_LT(farthest(skinner.all().positions, expected.positions), 4e-6);
            EXPECT_LT(farthest(skinner.all().normals, expected.normals), 2e-5);
        });
    }
}

/// Vertices with one joint, two, and more, as rigs have them.
DdmCase mixedCase(std::size_t vertices, Bones pose) {
    DdmCase one = makeDdmCase(vertices, 9, 1, pose, 3), more = makeDdmCase(vertices, 9, 4, pose, 3);
    DdmCase c = more;
    c.exact = {};
    for (std::size_t v = 0; v < vertices; ++v) {
        const DdmRows<double>& from = v % 3 == 1 ? one.exact : more.exact;
        for (std::size_t e = from.offsets[v]; e < from.offsets[v + 1]; ++e) {
            c.exact.joints.push_back(from.joints[e]);
            c.exact.blocks.push_back(from.blocks[e]);
            c.exact.psi.push_back(from.psi[e]);
        }
        c.exact.offsets.push_back(std::uint32_t(c.exact.joints.size()));
        c.exact.centers.push_back(from.centers[v]);
    }
    c.rows = toFloat(c.exact);
    return c;
}

void expectSamePart(const DdmSkinner& skinner, const Posed& whole, std::size_t first, std::size_t count) {
    const Vec3f mark{-77, -78, -79};
    const std::size_t size = whole.positions.size();
    Posed part{std::vector<Vec3f>(size, mark), std::vector<Vec3f>(size, mark)}, expected = part;
    skinner.evaluate({}, first, count, {part.positions, part.normals});
    std::copy_n(whole.positions.begin() + first, count, expected.positions.begin() + first);
    std::copy_n(whole.normals.begin() + first, count, expected.normals.begin() + first);
    ASSERT_TRUE(sameBits(part.positions, expected.positions)) << first << ' ' << count;
    ASSERT_TRUE(sameBits(part.normals, expected.normals)) << first << ' ' << count;
}

TEST(DdmKernel, EveryLengthAndOffsetGivesTheSameBitsAndTouchesNothingElse) {
    for (const DdmForm form : kDdmForms)
        for (const std::size_t length : {1, 15, 16, 17, 33, 67}) {
            const DdmCase c = mixedCase(length, Bones::wild);
            const DdmSkinner skinner(form, c);
            onEachInstructionSet([&](std::int64_t) {
                const Posed whole = skinner.all();
                for (std::size_t first = 0; first <= length; first += first < 5 ? 1 : 7)
                    for (std::size_t count = 0; first + count <= length; count += count < 4 ? 1 : 5)
                        expectSamePart(skinner, whole, first, count);
            });
        }
}

TEST(DdmKernel, RangesMayCutWindowsAnywhere) {
    const DdmCase c = mixedCase(5000, Bones::gentle);
    for (const DdmForm form : {DdmForm::v0, DdmForm::v4}) {
        const DdmSkinner skinner(form, c);
        const Posed whole = skinner.all();
        for (const std::size_t first : {0, 1, 2047, 2048, 3000})
            for (const std::size_t count : {1, 47, 1000, 2000}) expectSamePart(skinner, whole, first, count);
    }
}

TEST(DdmKernel, AnyNumberOfThreadsGivesTheSameBytes) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = mixedCase(3003, Bones::stretched);
        const DdmSkinner skinner(form, c);
        const Posed alone = skinner.all();
        for (const int threads : {1, 2, 5}) {
            setThreadCount(threads);
            Posed posed{std::vector<Vec3f>(3003), std::vector<Vec3f>(3003)};
            parallelFor(3003, 137, [&](std::size_t first, std::size_t last) {
                skinner.evaluate({}, first, last - first, {posed.positions, posed.normals});
            });
            EXPECT_TRUE(sameBits(posed.positions, alone.positions) && sameBits(posed.normals, alone.normals));
        }
        setThreadCount(0);
    }
}

TEST(DdmKernel, ARestShapeReplacesTheRigsOwnAndMayBeTheResultsMemory) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = mixedCase(67, Bones::gentle);
        DdmCase other = c;
        Random random(9);
        for (Vec3f& p : other.skin.mesh.positions) p += Vec3f(random.direction() * 0.05);
        for (Vec3f& n : other.skin.mesh.normals) n = Vec3f(random.direction());
        const PosedDouble expected = ddmReference(form, other);
        const DdmSkinner skinner(form, c);
        onEachInstructionSet([&](std::int64_t) {
            Posed posed{other.skin.mesh.positions, other.skin.mesh.normals};
            skinner.evaluate({posed.positions, posed.normals}, 0, 67, {posed.positions, posed.normals});
            EXPECT_LT(farthest(posed.positions, expected.positions), 4e-6) << nameOf(form);
            EXPECT_LT(farthest(posed.normals, expected.normals), 1e-5) << nameOf(form);
            const Posed half = skinner.all({other.skin.mesh.positions, {}});
            EXPECT_TRUE(sameBits(half.positions, posed.positions));
            if (form == DdmForm::eddm) return;  // its rotations depend on the rest positions
            EXPECT_TRUE(sameBits(half.normals, skinner.all().normals)) << nameOf(form);
        });
    }
}

#ifdef PELT_WITH_ASAN
TEST(DdmKernel, NothingOutsideTheRangeIsReadOfTheRestShape) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = mixedCase(64, Bones::gentle);
        const DdmSkinner skinner(form, c);
        const std::vector<Vec3f> positions = c.skin.mesh.positions, normals = c.skin.mesh.normals;
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

TEST(DdmKernel, CopiesOfAVertexComeOutBitEqualWhateverTheirNeighbors) {
    for (const DdmForm form : kDdmForms)
        for (const Bones pose : {Bones::gentle, Bones::stretched}) {
            DdmCase c = mixedCase(64, pose);
            const std::size_t copied[] = {3, 17, 40};
            for (const std::size_t v : copied) {
                c.skin.mesh.positions.push_back(c.skin.mesh.positions[v]);
                c.skin.mesh.normals.push_back(c.skin.mesh.normals[v]);
                for (std::size_t e = c.rows.offsets[v]; e < c.rows.offsets[v + 1]; ++e) {
                    c.rows.joints.push_back(c.rows.joints[e]);
                    c.rows.blocks.push_back(c.rows.blocks[e]);
                    c.rows.psi.push_back(c.rows.psi[e]);
                }
                c.rows.offsets.push_back(std::uint32_t(c.rows.joints.size()));
                c.rows.centers.push_back(c.rows.centers[v]);
            }
            const DdmSkinner skinner(form, c);
            onEachInstructionSet([&](std::int64_t) {
                const Posed posed = skinner.all();
                for (std::size_t i = 0; i < 3; ++i) {
                    EXPECT_EQ(posed.positions[64 + i], posed.positions[copied[i]]) << nameOf(form);
                    EXPECT_EQ(posed.normals[64 + i], posed.normals[copied[i]]);
                }
            });
        }
}

TEST(DdmKernel, PositionsDoNotDependOnWhetherNormalsAreWanted) {
    for (const DdmForm form : kDdmForms) {
        const DdmCase c = mixedCase(67, Bones::stretched);
        const DdmSkinner skinner(form, c);
        onEachInstructionSet([&](std::int64_t) {
            std::vector<Vec3f> alone(67);
            skinner.evaluate({}, 0, 67, {alone, {}});
            EXPECT_TRUE(sameBits(alone, skinner.all().positions));
        });
    }
}

TEST(DdmKernel, NormalsAreLeftAloneWhereTheRestShapeHasNone) {
    for (const DdmForm form : kDdmForms) {
        DdmCase c = mixedCase(20, Bones::gentle);
        c.skin.mesh.normals.clear();
        std::vector<Vec3f> positions(20), normals(20, Vec3f{7, 8, 9});
        DdmSkinner(form, c).evaluate({}, 0, 20, {positions, normals});
        EXPECT_EQ(normals, std::vector<Vec3f>(20, Vec3f{7, 8, 9}));
    }
}

TEST(DdmKernel, BonesWithoutExtentGiveFiniteResultsAndUnitNormals) {
    for (const DdmForm form : kDdmForms) {
        DdmCase c = mixedCase(67, Bones::gentle);
        c.skin.bones[1] = c.skin.bones[2] = Affine3f(Mat3f{{{}, {}, {}}}, {});
        c.skin.bones[3] = Affine3f(Mat3f{{{1, 2, 3}, {2, 4, 6}, {0, 0, 0}}}, {0, 1, 0});  // rank one
        c.skin.bones[4] = Affine3f(Mat3f{{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {0, 1, 0});
        const DdmSkinner skinner(form, c);
        onEachInstructionSet([&](std::int64_t) {
            const Posed posed = skinner.all();
            for (std::size_t v = 0; v < 67; ++v) {
                EXPECT_TRUE(isFinite(posed.positions[v])) << nameOf(form);
                EXPECT_NEAR(length(posed.normals[v]), 1, 1e-5);
            }
        });
    }
}

TEST(DdmKernel, BonesThatAreNoNumbersSpoilOnlyWhatTheyTouch) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    for (const DdmForm form : kDdmForms) {
        DdmCase c = makeDdmCase(40, 4, 1, Bones::gentle);
        c.skin.bones[2].m[5] = kNan;
        c.skin.bones[3].m[0] = std::numeric_limits<float>::infinity();
        const Posed posed = DdmSkinner(form, c).all();
        for (std::size_t v = 0; v < 40; ++v) EXPECT_TRUE(c.rows.joints[v] >= 2 || isFinite(posed.positions[v]));
    }
}

TEST(DdmPack, RefusesRowsThatDoNotFit) {
    const DdmCase c = makeDdmCase(10, 4, 2, Bones::gentle);
    const auto refused = [&](const auto& spoil) {
        DdmCase spoilt = c;
        spoil(spoilt);
        EXPECT_THROW(packDdm(spoilt.skin.mesh, spoilt.rows, DdmForm::v0), Error);
    };
    refused([](DdmCase& d) { d.skin.mesh.positions.pop_back(); });
    refused([](DdmCase& d) { d.skin.mesh.normals.pop_back(); });
    refused([](DdmCase& d) { d.rows.centers.pop_back(); });
    refused([](DdmCase& d) { d.rows.joints.pop_back(); });
    refused([](DdmCase& d) { d.rows.psi.pop_back(); });
    refused([](DdmCase& d) { d.rows.offsets.clear(); });
    refused([](DdmCase& d) { d.rows.offsets[3] = d.rows.offsets[4]; });
    refused([](DdmCase& d) { d.rows.offsets[3] = 1000; });
    refused([](DdmCase& d) { d.rows.blocks[5].xy = std::numeric_limits<float>::quiet_NaN(); });
    refused([](DdmCase& d) { d.rows.psi[5] = std::numeric_limits<float>::infinity(); });
    refused([](DdmCase& d) { d.rows.centers[5].y = std::numeric_limits<float>::infinity(); });
}

TEST(DdmPack, AMeshWithoutVerticesIsFine) {
    const DdmRig rig = packDdm({}, {}, DdmForm::v0);
    DdmPose pose(rig);
    pose.set({});
    evaluate(rig, pose, {}, 0, 0, {});
}

TEST(DdmPack, OmegaIsTheWeightOfPlainSkinning) {
    const DdmCase c = mixedCase(30, Bones::gentle);
    const SkinWeights weights = plainWeights(c.rows);
    ASSERT_EQ(weights.vertexCount(), 30u);
    for (std::size_t v = 0; v < 30; ++v) {
        float sum = 0;
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i) {
            EXPECT_EQ(weights.jointsOf(v)[i], c.rows.joints[c.rows.offsets[v] + i]);
            EXPECT_NEAR(weights.weightsOf(v)[i], c.rows.blocks[c.rows.offsets[v] + i].w, 1e-6);
            sum += weights.weightsOf(v)[i];
        }
        EXPECT_NEAR(sum, 1, 1e-6);
    }
}

}  // namespace
}  // namespace pelt::deform
