// Real sequences and meshes are read and come back.
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>

#include "io/mesh/file_test_tools.h"
#include "shared_data.h"

using namespace pelt;
using namespace pelt::test;

namespace {

struct Expected {
    const char* folder;
    std::size_t vertices, frames;
    std::size_t triangles;  ///< 0: not known, but some
};

void expectSequence(const Expected& expected) {
    const std::filesystem::path folder = sharedPath(expected.folder);
    Mesh rest = io::loadMesh(folder / "rest.obj");
    EXPECT_EQ(rest.vertexCount(), expected.vertices);
    EXPECT_FALSE(rest.triangles.empty());
    if (expected.triangles) {
        EXPECT_EQ(rest.triangles.size(), expected.triangles);
    }
    const auto sequence = io::openSequence(folder / "frames.npy", rest);
    EXPECT_EQ(sequence->frameCount(), expected.frames);
    ASSERT_EQ(sequence->vertexCount(), expected.vertices);
    std::vector<Vec3f> frame(expected.vertices);
    for (std::size_t f = 0; f < sequence->frameCount(); ++f) sequence->readFrame(f, frame);

    const TempFolder scratch;
    for (const char* name : {"rest.obj", "rest.ply"}) {
        io::saveMesh(rest, scratch / name);
        const Mesh back = io::loadMesh(scratch / name);
        expectSameBits(back.positions, rest.positions);
        EXPECT_EQ(back.triangles, rest.triangles);
    }
    for (const char* name : {"out.npy", "out.mdd"}) {
        const auto writer =
            io::createSequence(scratch / name, {sequence->frameCount(), sequence->vertexCount(), 1.0 / 30, &rest});
        for (std::size_t f = 0; f < sequence->frameCount(); ++f) {
            sequence->readFrame(f, frame);
            writer->write(frame);
        }
        writer->finish();
    }
    EXPECT_EQ(io::readFile(scratch / "out.npy"), io::readFile(folder / "frames.npy"));
}

}  // namespace

TEST(SharedSequences, ThoseWithALicenceAreReadAndComeBack) {
    PELT_NEEDS_SHARED("data/seq");
    expectSequence({"data/seq/dembones-bone", 754, 400, 1504});
    expectSequence({"data/seq/ict-narrowface-expressions", 6706, 57, 0});
    expectSequence({"data/seq/gt-cheburashka", 6669, 11, 0});
    expectSequence({"data/seq/gt-cylinder", 420, 4, 0});
}

TEST(SharedSequences, TheOthersAreReadAndComeBack) {
    PELT_NEEDS_SHARED("data/flagged-no-explicit-licence/seq");
    expectSequence({"data/flagged-no-explicit-licence/seq/horse-gallop", 8431, 48, 0});
    expectSequence({"data/flagged-no-explicit-licence/seq/cat-poses", 7207, 9, 0});
}

TEST(SharedMeshes, EveryMeshFileIsRead) {
    PELT_NEEDS_SHARED("data/rigged/makehuman/base.obj");
    const Mesh human = io::loadMesh(sharedPath("data/rigged/makehuman/base.obj"));
    EXPECT_EQ(human.vertexCount(), 19158u);
    EXPECT_EQ(human.triangles.size(), 2 * 18486u);
    EXPECT_EQ(human.uvs.size(), human.vertexCount());
    PELT_NEEDS_SHARED("data/fast/spot.obj");
    EXPECT_EQ(io::loadMesh(sharedPath("data/fast/spot.obj")).vertexCount(), 2930u);
    PELT_NEEDS_SHARED("data/flagged-no-explicit-licence/libigl/decimated-knight.off");
    const Mesh knight = io::loadMesh(sharedPath("data/flagged-no-explicit-licence/libigl/decimated-knight.off"));
    EXPECT_GT(knight.triangles.size(), 0u);
    for (const char* name : {"alligator.obj", "woody.obj"})
        EXPECT_GT(io::loadMesh(sharedPath("data/flagged-no-explicit-licence/2d") / name).triangles.size(), 0u);
}
