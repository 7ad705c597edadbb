// Writing sequences.
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>

#include "io/mesh/file_test_tools.h"

using namespace pelt;
using namespace pelt::test;

namespace {

void writeAll(const std::filesystem::path& path, const std::vector<std::vector<Vec3f>>& frames, const Mesh* mesh,
              double seconds = 1.0 / 30.0) {
    const auto writer = io::createSequence(path, {frames.size(), frames[0].size(), seconds, mesh});
    for (const auto& frame : frames) writer->write(frame);
    writer->finish();
}

std::vector<std::vector<Vec3f>> anyFrames(std::size_t frames, std::size_t vertices) {
    std::vector<std::vector<Vec3f>> all;
    for (std::size_t f = 0; f < frames; ++f) all.push_back(anyPoints(vertices, static_cast<unsigned>(f) + 1));
    return all;
}

const char* const kTargets[] = {"a.npy", "a.pc2", "a.mdd", "folder", "slash/", "a.glb"};

}  // namespace

TEST(SequenceWriter, EveryFormatComesBackBitByBit) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(5);
    const auto frames = anyFrames(11, mesh.positions.size());
    for (const char* name : {"a.npy", "a.pc2", "a.MDD", "folder", "slash/"}) {
        writeAll(folder / name, frames, &mesh);
        const auto sequence = io::openSequence(folder / name);
        ASSERT_EQ(sequence->frameCount(), frames.size()) << name;
        ASSERT_EQ(sequence->vertexCount(), mesh.positions.size()) << name;
        std::vector<Vec3f> frame(mesh.positions.size());
        for (std::size_t f = 0; f < frames.size(); ++f) {
            sequence->readFrame(f, frame);
            expectSameBits(frame, frames[f]);
        }
    }
    const Mesh first = io::loadMesh(folder / "folder/frame_0010.obj");
    EXPECT_EQ(first.triangles, mesh.triangles);
    EXPECT_EQ(first.uvs, mesh.uvs);
    EXPECT_TRUE(first.normals.empty());
    EXPECT_EQ(first.parts.size(), 2u);
}

TEST(SequenceWriter, NpyHeaderIsAlignedAsNumpyWantsIt) {
    const TempFolder folder;
    for (const std::size_t frames : {1, 10, 1000}) {
        writeAll(folder / "a.npy", anyFrames(frames, 1), nullptr);
        const auto bytes = io::readFile(folder / "a.npy");
        const std::size_t header = bytes.size() - frames * 12;
        EXPECT_EQ(header % 64, 0u);
        EXPECT_EQ(static_cast<char>(bytes[header - 1]), '\n');
        EXPECT_EQ(10 + static_cast<std::size_t>(bytes[8]) + 256 * static_cast<std::size_t>(bytes[9]), header);
    }
}

TEST(SequenceWriter, MddKeepsTheClock) {
    const TempFolder folder;
    writeAll(folder / "a.mdd", anyFrames(25, 2), nullptr, 1.0 / 24);
    EXPECT_NEAR(io::openSequence(folder / "a.mdd")->frameSeconds(), 1.0 / 24, 1e-8);
}

TEST(SequenceWriter, NothingAppearsBeforeFinishAndNothingStaysWithoutIt) {
    for (const char* name : kTargets) {
        const TempFolder folder;
        const auto frames = anyFrames(2, 3);
        {
            const auto writer = io::createSequence(folder / name, {2, 3});
            writer->write(frames[0]);
            EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
        }
        EXPECT_TRUE(folder.isEmpty()) << name;
    }
}

TEST(SequenceWriter, TheFramesAnnouncedMustBeMet) {
    for (const char* name : kTargets) {
        const TempFolder folder;
        const std::vector<Vec3f> frame(3), other(4);
        const auto writer = io::createSequence(folder / name, {2, 3});
        writer->write(frame);
        EXPECT_EQ(errorCode([&] { writer->write(other); }), ErrorCode::bad_usage) << name;
        EXPECT_EQ(errorCode([&] { writer->finish(); }), ErrorCode::bad_usage) << name;
        EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
        writer->write(frame);
        EXPECT_EQ(errorCode([&] { writer->write(frame); }), ErrorCode::bad_usage) << name;
        writer->finish();
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
        EXPECT_EQ(errorCode([&] { writer->finish(); }), ErrorCode::bad_usage) << name;
    }
}

TEST(SequenceWriter, ValuesThatAreNotFiniteAreRefused) {
    for (const char* name : kTargets) {
        const TempFolder folder;
        std::vector<Vec3f> frame(3);
        frame[1].y = std::numeric_limits<float>::quiet_NaN();
        const auto writer = io::createSequence(folder / name, {2, 3});
        writer->write(std::vector<Vec3f>(3));
        EXPECT_SAYS(badInput([&] { writer->write(frame); }), "frame 1, vertex 1 is not finite");
    }
}

TEST(SequenceWriter, ASingleFrameIsAMeshFileWithTheFacesGiven) {
    const TempFolder folder;
    Mesh mesh = gridMesh(4);
    mesh.normals.assign(mesh.positions.size(), {0, 0, 1});
    const auto frames = anyFrames(1, mesh.positions.size());
    for (const char* name : {"a.obj", "a.PLY"}) {
        writeAll(folder / name, frames, &mesh);
        const Mesh back = io::loadMesh(folder / name);
        EXPECT_EQ(back.positions, frames[0]) << name;
        EXPECT_EQ(back.triangles, mesh.triangles) << name;
        EXPECT_TRUE(back.normals.empty()) << name;  // those of the rest pose would be wrong
        EXPECT_EQ(errorCode([&] { io::createSequence(folder / name, {2, 3}); }), ErrorCode::bad_usage) << name;
    }
}

TEST(SequenceWriter, OtherRequestsThatMakeNoSenseAreRefused) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(3);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.npy", {0, 3}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.npy", {3, 0}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.abc", {3, 3}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.mdd", {3, 3, 0.0}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] {
                  io::createSequence(folder / "a.pc2", {3, std::size_t(1) << 31});
              }),
              ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.glb", {40000, 3}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "a.glb", {1000, 1000000}); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "no/a.npy", {3, 3}); }), ErrorCode::system);
    EXPECT_SAYS(badInput([&] { io::createSequence(folder / "a.npy", {3, 3, 1.0 / 30, &mesh}); }), "the faces has 9");
    EXPECT_TRUE(folder.isEmpty());
}

TEST(SequenceWriter, AFolderIsReplacedOnlyWhereItHoldsFramesAlone) {
    const TempFolder folder;
    const auto three = anyFrames(3, 3), two = anyFrames(2, 3);
    writeAll(folder / "out", three, nullptr);
    writeAll(folder / "out", two, nullptr);
    EXPECT_EQ(io::openSequence(folder / "out")->frameCount(), 2u);
    writeFile(folder / "out/precious.txt", bytesOf("mine"));
    EXPECT_EQ(errorCode([&] { io::createSequence(folder / "out", {3, 3}); }), ErrorCode::system);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/precious.txt"));
}
