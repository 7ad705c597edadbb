// Reading sequences.
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>

#include <array>
#include <limits>

#include "io/bytes/byte_order.h"
#include "io/mesh/file_test_tools.h"
#include "io/sequence/sequence_readers.h"

using namespace pelt;
using namespace pelt::test;

namespace {

constexpr std::size_t kFrames = 3, kVertices = 4;

float coordinate(std::size_t frame, std::size_t vertex, int axis) {
    return static_cast<float>(frame) * 100 + static_cast<float>(vertex) * 3 + static_cast<float>(axis) + 0.25f;
}

/// Bytes of a file made value by value in one byte order.
class FileMaker {
public:
    explicit FileMaker(std::endian order = std::endian::little) : order_(order) {}
    FileMaker& text(std::string_view text) {
        for (const std::byte b : bytesOf(text)) bytes_.push_back(b);
        return *this;
    }
    template <class T>
    FileMaker& put(T value) {
        for (const std::byte b : io::storeAs(value, order_)) bytes_.push_back(b);
        return *this;
    }
    template <class T = float>
    FileMaker& frames() {
        for (std::size_t f = 0; f < kFrames; ++f)
            for (std::size_t v = 0; v < kVertices; ++v)
                for (int k = 0; k < 3; ++k) put(static_cast<T>(coordinate(f, v, k)));
        return *this;
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::endian order_;
    std::vector<std::byte> bytes_;
};

FileMaker npyStart(const std::string& dict, int version = 1, std::endian order = std::endian::little) {
    FileMaker maker(order);
    maker.text(std::string("\x93NUMPY") + static_cast<char>(version) + '\0');
    const auto length = io::storeAs(static_cast<std::uint32_t>(dict.size()), std::endian::little);
    for (std::size_t i = 0; i < (version == 1 ? 2u : 4u); ++i) maker.put(std::uint8_t(length[i]));
    return maker.text(dict);
}

std::string npyDict(const std::string& type, bool fortran, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
           ", }   \n";
}

std::vector<std::byte> npyFile() { return npyStart(npyDict("<f4", false, "(3, 4, 3)")).frames().bytes(); }

std::vector<std::byte> pc2File(float rate = 2) {
    FileMaker maker;
    maker.text(std::string_view("POINTCACHE2\0", 12)).put(std::int32_t(1)).put(std::int32_t(kVertices)).put(7.0f);
    return maker.put(rate).put(std::int32_t(kFrames)).frames().bytes();
}

std::vector<std::byte> mddFile(std::array<float, 3> times = {1, 1.5f, 2}) {
    FileMaker maker(std::endian::big);
    maker.put(std::int32_t(kFrames)).put(std::int32_t(kVertices));
    for (const float time : times) maker.put(time);
    return maker.frames().bytes();
}

using Opener = std::unique_ptr<MeshSequence> (*)(std::unique_ptr<io::ByteSource>, std::optional<Mesh>);

std::unique_ptr<MeshSequence> open(Opener opener, std::span<const std::byte> bytes, std::optional<Mesh> mesh = {}) {
    return opener(io::openMemory(bytes, "test"), std::move(mesh));
}

void expectTheFrames(MeshSequence& sequence) {
    ASSERT_EQ(sequence.frameCount(), kFrames);
    ASSERT_EQ(sequence.vertexCount(), kVertices);
    std::vector<Vec3f> frame(kVertices);
    for (const std::size_t f : {2, 0, 1}) {
        sequence.readFrame(f, frame);
        for (std::size_t v = 0; v < kVertices; ++v)
            for (int k = 0; k < 3; ++k) EXPECT_EQ(frame[v][k], coordinate(f, v, k)) << f << " " << v;
    }
}

void readEverything(MeshSequence& sequence) {
    std::vector<Vec3f> frame(sequence.vertexCount());
    for (std::size_t f = 0; f < sequence.frameCount(); ++f) sequence.readFrame(f, frame);
}

Mesh meshOf(std::size_t vertices) {
    Mesh mesh;
    mesh.positions.resize(vertices);
    mesh.triangles.push_back({0, 1, 2});
    return mesh;
}

}  // namespace

TEST(Npy, ReadsEveryVersionTypeAndByteOrder) {
    for (const int version : {1, 2, 3})
        for (const std::endian order : {std::endian::little, std::endian::big})
            for (const bool is_double : {false, true}) {
                const std::string type = std::string(order == std::endian::big ? ">" : "<") + (is_double ? "f8" : "f4");
                FileMaker file = npyStart(npyDict(type, false, "(3, 4, 3)"), version, order);
                if (is_double)
                    file.frames<double>();
                else
                    file.frames<float>();
                expectTheFrames(*open(io::openNpy, file.bytes()));
            }
}

TEST(Npy, ReadsFortranOrder) {
    FileMaker file = npyStart(npyDict("<f8", true, "(3, 4, 3)"));
    for (int k = 0; k < 3; ++k)
        for (std::size_t v = 0; v < kVertices; ++v)
            for (std::size_t f = 0; f < kFrames; ++f) file.put(double(coordinate(f, v, k)));
    expectTheFrames(*open(io::openNpy, file.bytes()));
}

TEST(Npy, ReadsFortranOrderWithMoreFramesThanABlockHolds) {
    // 700 000 vertices: 8.4 MB a frame, 7 frames in a block of 64 MiB, so 9 frames take two passes.
    const std::uint64_t frames = 9, vertices = 700000;
    std::string dict = npyDict("<f4", true, "(9, 700000, 3)");
    std::vector<std::byte> bytes = npyStart(dict).bytes();
    const std::size_t start = bytes.size();
    bytes.resize(start + 4 * frames * vertices * 3);
    for (std::uint64_t i = 0; i < frames * vertices * 3; ++i) {
        const auto value = io::storeAs(static_cast<float>(i % 8388593), std::endian::little);
        std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(start + 4 * i));
    }
    const auto sequence = open(io::openNpy, bytes);
    std::vector<Vec3f> frame(vertices);
    for (const std::size_t f : {0, 6, 7, 8, 3}) {
        sequence->readFrame(f, frame);
        for (const std::uint64_t v : {std::uint64_t(0), std::uint64_t(1), std::uint64_t(123457), vertices - 1})
            for (int k = 0; k < 3; ++k)
                EXPECT_EQ(frame[v][k], static_cast<float>((f + frames * (v + vertices * std::uint64_t(k))) % 8388593));
    }
}

TEST(Npy, ReadsFortranOrderWithLongRows) {
    // 300 000 frames of one vertex: a row is longer than a piece, so only the block's share of it is read.
    const std::uint64_t frames = 300000;
    std::vector<std::byte> bytes = npyStart(npyDict("<f4", true, "(300000, 1, 3)")).bytes();
    const std::size_t start = bytes.size();
    bytes.resize(start + 4 * frames * 3);
    for (std::uint64_t i = 0; i < frames * 3; ++i) {
        const auto value = io::storeAs(static_cast<float>(i), std::endian::little);
        std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(start + 4 * i));
    }
    const auto sequence = open(io::openNpy, bytes);
    std::vector<Vec3f> frame(1);
    for (const std::size_t f : {std::size_t(299999), std::size_t(17)}) {
        sequence->readFrame(f, frame);
        EXPECT_EQ(frame[0], Vec3f(float(f), float(frames + f), float(2 * frames + f)));
    }
}

TEST(Npy, ReadsOnePoseAsOneFrame) {
    for (const bool fortran : {false, true}) {
        FileMaker file = npyStart(npyDict("=f4", fortran, "(2L, 3)"));
        for (int i = 0; i < 6; ++i) file.put(static_cast<float>(i));
        const auto sequence = open(io::openNpy, file.bytes());
        ASSERT_EQ(sequence->frameCount(), 1u);
        std::vector<Vec3f> frame(2);
        sequence->readFrame(0, frame);
        EXPECT_EQ(frame[0], fortran ? Vec3f(0, 2, 4) : Vec3f(0, 1, 2));
        EXPECT_EQ(frame[1], fortran ? Vec3f(1, 3, 5) : Vec3f(3, 4, 5));
    }
}

TEST(Npy, SaysWhatItDoesNotRead) {
    const auto openDict = [](const std::string& dict) { open(io::openNpy, npyStart(dict).frames().bytes()); };
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f2", false, "(3, 4, 3)")); }),
                "half floats (f2); only float32 and float64");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<i4", false, "(3, 4, 3)")); }), "'<i4'");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f4", false, "(3, 12)")); }), "shape (3, 12)");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f4", false, "(1, 3, 4, 3)")); }), "shape (1, 3, 4, 3)");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f4", false, "()")); }), "shape ()");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f4", false, "(0, 4, 3)")); }), "0 frames of 4 vertices");
    EXPECT_SAYS(badInput([&] { openDict(npyDict("<f4", false, "(-1, 4, 3)")); }), "a whole number");
    EXPECT_SAYS(badInput([&] { openDict("{'descr': [('x', '<f4')], }"); }), "several fields");
    EXPECT_SAYS(badInput([&] { openDict("{'descr': '<f4', 'shape': (3, 4, 3)}"); }), "lacks");
    EXPECT_SAYS(badInput([&] { open(io::openNpy, npyStart("{", 9).bytes()); }), "version 9");
    EXPECT_SAYS(badInput([&] { open(io::openNpy, bytesOf("PK\3\4 not an array")); }), "not a .npy file");
}

TEST(Npy, ChecksTheShapeAgainstTheFile) {
    for (const char* shape : {"(4, 4, 3)", "(4000000000000000000, 4, 3)"})
        EXPECT_SAYS(badInput([&] { open(io::openNpy, npyStart(npyDict("<f4", false, shape)).frames().bytes()); }),
                    "of 4 vertices, but 3 frames fit");
    EXPECT_SAYS(badInput([&] {
                    open(io::openNpy, npyStart(npyDict("<f8", true, "(3, 9000000000000000000, 3)")).frames().bytes());
                }),
                "but 0 frames fit");
}

TEST(Pc2, ReadsFramesAndRate) {
    const auto file = pc2File(), still = pc2File(0);
    const auto sequence = open(io::openPc2, file);
    expectTheFrames(*sequence);
    EXPECT_DOUBLE_EQ(sequence->frameSeconds(), 2.0 / 30.0);
    EXPECT_DOUBLE_EQ(open(io::openPc2, still)->frameSeconds(), 1.0 / 30.0);
}

TEST(Mdd, ReadsFramesAndTimes) {
    const auto file = mddFile();
    const auto sequence = open(io::openMdd, file);
    expectTheFrames(*sequence);
    EXPECT_DOUBLE_EQ(sequence->frameSeconds(), 0.5);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& times : {std::array<float, 3>{0, 1, 5}, {0, 0, 0}, {2, 1, 0}, {0, nan, 1}, {0, 1, nan}})
        EXPECT_DOUBLE_EQ(open(io::openMdd, mddFile(times))->frameSeconds(), 1.0 / 30.0);
}

TEST(Sequence, ACutFileSaysHowManyFramesFit) {
    const struct {
        Opener opener;
        std::vector<std::byte> bytes;
    } files[] = {{io::openNpy, npyFile()}, {io::openPc2, pc2File()}, {io::openMdd, mddFile()}};
    for (const auto& file : files) {
        const auto cut = std::span(file.bytes).first(file.bytes.size() - 1);
        EXPECT_SAYS(badInput([&] { open(file.opener, cut); }), "says 3 frames of 4 vertices, but 2 frames fit");
        expectEveryCutIsRefused(file.bytes, [&](std::span<const std::byte> bytes) { open(file.opener, bytes); });
    }
    EXPECT_SAYS(badInput([&] { open(io::openPc2, bytesOf("POINTCACHE2 and more")); }), "20 bytes, fewer");
    auto longer = mddFile();
    longer.push_back({});
    EXPECT_SAYS(badInput([&] { open(io::openMdd, longer); }), "more than the");
}

TEST(Sequence, AValueThatIsNotFiniteIsNamedWithFrameAndVertex) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        auto bytes = npyFile();
        const auto value = io::storeAs(bad, std::endian::little);
        std::copy(value.begin(), value.end(), bytes.end() - 4 * 5);  // z of the last vertex but one
        const auto sequence = open(io::openNpy, bytes);
        std::vector<Vec3f> frame(kVertices);
        sequence->readFrame(1, frame);
        EXPECT_SAYS(badInput([&] { sequence->readFrame(2, frame); }), "frame 2, vertex 2 is not finite");
    }
    FileMaker file = npyStart(npyDict("<f8", false, "(1, 3)"));
    file.put(0.0).put(-1e39).put(0.0);
    const auto sequence = open(io::openNpy, file.bytes());
    std::vector<Vec3f> frame(1);
    EXPECT_SAYS(badInput([&] { sequence->readFrame(0, frame); }), "frame 0, vertex 0 is not finite");
}

TEST(Sequence, AMeshBringsTheTopologyAndMustFit) {
    const auto bytes = npyFile();
    EXPECT_EQ(open(io::openNpy, bytes)->mesh(), nullptr);
    ASSERT_NE(open(io::openNpy, bytes, meshOf(4))->mesh(), nullptr);
    EXPECT_EQ(open(io::openNpy, bytes, meshOf(4))->mesh()->triangles.size(), 1u);
    const std::string message = badInput([&] { open(io::openNpy, bytes, meshOf(5)); });
    EXPECT_SAYS(message, "frames of 4 vertices");
    EXPECT_SAYS(message, "has 5");
}

TEST(Sequence, RawFilesSurviveTruncationAndMutation) {
    const struct {
        Opener opener;
        std::vector<std::byte> bytes;
    } files[] = {{io::openNpy, npyFile()}, {io::openPc2, pc2File()}, {io::openMdd, mddFile()}};
    for (const auto& file : files)
        truncateAndMutate(file.bytes, 3000,
                          [&](std::span<const std::byte> bytes) { readEverything(*open(file.opener, bytes)); });
}

TEST(Sequence, AFolderIsReadInNaturalOrder) {
    EXPECT_TRUE(io::naturalLess("frame2", "frame10"));
    EXPECT_FALSE(io::naturalLess("frame10", "frame2"));
    EXPECT_TRUE(io::naturalLess("a9b2", "a9b10"));
    EXPECT_TRUE(io::naturalLess("f99999999999999999999998", "f99999999999999999999999"));
    EXPECT_TRUE(io::naturalLess("f", "f0") && io::naturalLess("f01", "f1") && !io::naturalLess("f1", "f01"));
    EXPECT_FALSE(io::naturalLess("f1", "f1"));

    const TempFolder folder;
    for (const int k : {1, 2, 10, 100}) {
        const std::string text = "v " + std::to_string(k) + " 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
        writeFile(folder / ("frame" + std::to_string(k) + ".obj"), bytesOf(text));
    }
    writeFile(folder / "notes.txt", bytesOf("hello"));
    for (const auto& path : {folder.path(), folder / "*.obj", folder / "frame[0-9]*.obj"}) {
        const auto sequence = io::openSequence(path);
        ASSERT_EQ(sequence->frameCount(), 4u) << path;
        std::vector<Vec3f> frame(3);
        std::vector<float> order;
        for (std::size_t f = 0; f < 4; ++f) {
            sequence->readFrame(f, frame);
            order.push_back(frame[0].x);
        }
        EXPECT_EQ(order, (std::vector<float>{1, 2, 10, 100})) << path;
        ASSERT_NE(sequence->mesh(), nullptr);
        EXPECT_EQ(sequence->mesh()->triangles.size(), 1u);
    }
    EXPECT_EQ(io::openSequence(folder / "frame?.obj")->frameCount(), 2u);
    EXPECT_EQ(io::openSequence(folder / "frame10.obj")->frameCount(), 1u);
    EXPECT_SAYS(badInput([&] { io::openSequence(folder / "*"); }), "notes.txt, which is not .obj or .ply");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder / "x*"); }), "no file matches");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder.path(), meshOf(4)); }), "has 4");
    io::saveMesh(meshOf(3), folder / "other.ply");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder.path()); }), "both .obj and .ply");
    EXPECT_EQ(io::openSequence(folder / "*.ply")->frameCount(), 1u);
}

TEST(Sequence, NormalsOfMeshFilesAreReadFrameByFrame) {
    const TempFolder folder;
    for (const char* k : {"1", "2", "3"}) {
        const std::string normal = std::string(k) == "3" ? "" : std::string("vn 0 0 ") + k + "\n";
        const char* face = normal.empty() ? "f 1 2 3\n" : "f 1//1 2//1 3//1\n";
        writeFile(folder / (std::string("f") + k + ".obj"), bytesOf("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + normal + face));
    }
    const auto sequence = io::openSequence(folder.path());
    ASSERT_TRUE(sequence->hasNormals());
    std::vector<Vec3f> normals(3);
    sequence->readNormals(1, normals);
    EXPECT_EQ(normals[2], (Vec3f{0, 0, 1}));
    EXPECT_SAYS(badInput([&] { sequence->readNormals(2, normals); }), "f3.obj: has no normals");
    EXPECT_FALSE(io::openSequence(folder / "f3.obj")->hasNormals());
}

TEST(Sequence, AFrameWithAnotherVertexCountIsNamed) {
    const TempFolder folder;
    writeFile(folder / "f1.obj", bytesOf("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    writeFile(folder / "f2.obj", bytesOf("v 0 0 0\nv 1 0 0\n"));
    const auto sequence = io::openSequence(folder.path());
    std::vector<Vec3f> frame(3);
    sequence->readFrame(0, frame);
    const std::string message = badInput([&] { sequence->readFrame(1, frame); });
    EXPECT_SAYS(message, "f2.obj: has 2 vertices");
    EXPECT_SAYS(message, "has 3");
}

TEST(Sequence, AnUnknownOrMissingFileIsBadInput) {
    const TempFolder folder;
    writeFile(folder / "a.abc", bytesOf("x"));
    EXPECT_SAYS(badInput([&] { io::openSequence(folder / "a.abc"); }), ".npy .pc2 .mdd");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder / "b"); }), "no such file");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder / "b.npy"); }), "cannot be read");
    EXPECT_SAYS(badInput([&] { io::openSequence(folder.path()); }), "contains no .obj or .ply");
    EXPECT_SAYS(badInput([&] { io::loadMesh(folder / "a.abc"); }), ".obj .ply .off .glb .gltf .vrm .fbx .dae");
}

TEST(Sequence, AFrameBeyondTheLastOrTheWrongRoomIsRefused) {
    const auto bytes = npyFile();
    const auto sequence = open(io::openNpy, bytes);
    std::vector<Vec3f> frame(kVertices), small(2);
    EXPECT_EQ(errorCode([&] { sequence->readFrame(3, frame); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { sequence->readFrame(0, small); }), ErrorCode::bad_usage);
}
