// Reading .ply.
#include <pelt/io/mesh_file.h>

#include "file_test_tools.h"
#include "io/bytes/byte_order.h"

using namespace pelt;
using namespace pelt::test;

namespace {

Mesh parsePlyBytes(std::span<const std::byte> bytes) { return io::parsePly(bytes, "test.ply"); }
Mesh parsePlyBytes(std::string_view text) { return parsePlyBytes(bytesOf(text)); }

/// A PLY file in any of the three formats from one description.
class PlyMaker {
public:
    PlyMaker(const std::string& format, const std::string& header)
        : is_ascii_(format == "ascii"), order_(format == "binary_big_endian" ? std::endian::big : std::endian::little) {
        bytes_ = bytesOf("ply\nformat " + format + " 1.0\ncomment made for a test\n" + header + "end_header\n");
    }
    template <class T>
    PlyMaker& put(T value) {
        if (is_ascii_) {
            const auto text = bytesOf(std::to_string(value) + " ");
            bytes_.insert(bytes_.end(), text.begin(), text.end());
        } else {
            const auto data = io::storeAs(value, order_);
            bytes_.insert(bytes_.end(), data.begin(), data.end());
        }
        return *this;
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    bool is_ascii_;
    std::endian order_;
    std::vector<std::byte> bytes_;
};

/// Unknown elements and properties, odd orders and types, lists of two widths, UVs and normals.
std::vector<std::byte> richFile(const std::string& format) {
    PlyMaker ply(format,
                 "element camera 2\nproperty list uchar double pose\nproperty short id\n"
                 "element vertex 5\nproperty double z\nproperty uchar red\nproperty float x\nproperty int y\n"
                 "property list ushort short tags\nproperty float nx\nproperty float ny\nproperty float nz\n"
                 "property float texture_u\nproperty float texture_v\nobj_info x\n"
                 "element edge 1\nproperty int a\n"
                 "element face 2\nproperty uchar flag\nproperty list uint ushort vertex_index\nproperty float area\n");
    for (short c = 0; c < 2; ++c) ply.put(std::uint8_t(2)).put(0.5).put(-1.5).put(c);
    for (int v = 0; v < 5; ++v) {
        ply.put(double(v) * 0.25).put(std::uint8_t(200)).put(float(v) - 2.5f).put(std::int32_t(-v * v));
        ply.put(std::uint16_t(v));
        for (int k = 0; k < v; ++k) ply.put(std::int16_t(-k));
        ply.put(0.0f).put(0.0f).put(-1.0f).put(float(v) * 0.125f).put(0.5f);
    }
    ply.put(std::int32_t(7));
    ply.put(std::uint8_t(1)).put(std::uint32_t(3));
    for (int k = 0; k < 3; ++k) ply.put(std::uint16_t(k));
    ply.put(2.0f).put(std::uint8_t(0)).put(std::uint32_t(4));
    for (int k : {4, 3, 2, 1}) ply.put(std::uint16_t(k));
    ply.put(1.0f);
    return ply.bytes();
}

const char* const kFormats[] = {"ascii", "binary_little_endian", "binary_big_endian"};

}  // namespace

TEST(Ply, ReadsAnyOrderTypeAndFormatAndSkipsWhatItDoesNotKnow) {
    for (const char* format : kFormats) {
        const Mesh mesh = parsePlyBytes(richFile(format));
        ASSERT_EQ(mesh.positions.size(), 5u) << format;
        for (int v = 0; v < 5; ++v) {
            EXPECT_EQ(mesh.positions[v], Vec3f(float(v) - 2.5f, float(-v * v), float(v) * 0.25f)) << format;
            EXPECT_EQ(mesh.normals[v], Vec3f(0, 0, -1)) << format;
            EXPECT_EQ(mesh.uvs[v], (Vec2f{float(v) * 0.125f, 0.5f})) << format;
        }
        ASSERT_EQ(mesh.triangles.size(), 3u) << format;
        EXPECT_EQ(mesh.triangles[0], (Triangle{0, 1, 2})) << format;
    }
}

TEST(Ply, ReadsTriangleStripsWithRestarts) {
    PlyMaker ply("binary_little_endian",
                 "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\n"
                 "property list int int vertex_indices\n");
    for (int v = 0; v < 15; ++v) ply.put(float(v));
    ply.put(std::int32_t(8));
    for (int k : {0, 1, 2, 3, -1, 2, 3, 4}) ply.put(std::int32_t(k));
    EXPECT_EQ(parsePlyBytes(ply.bytes()).triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
}

TEST(Ply, ReadsFacesBeforeVerticesAndWindowsLineEnds) {
    const Mesh mesh = parsePlyBytes(
        "ply\r\nformat ascii 1.0\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\nelement vertex 3\r\n"
        "property float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n3 2 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0");
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{2, 1, 0}}));
    EXPECT_EQ(mesh.positions[2], Vec3f(0, 1, 0));
}

TEST(Ply, ChecksCountsAgainstTheFileBeforeReserving) {
    const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
    for (const std::string format : kFormats) {
        const std::string start = "ply\nformat " + format + " 1.0\n";
        EXPECT_SAYS(
            badInput([&] { parsePlyBytes(start + "element vertex 4000000000000\n" + xyz + "end_header\n0 0 0\n"); }),
            "says 4000000000000 of element 'vertex', but at most");
        EXPECT_SAYS(
            badInput([&] {
                parsePlyBytes(start + "element none 9000000000000000000\nelement vertex 9\n" + xyz + "end_header\n");
            }),
            "says 9 of element 'vertex'");
    }
    PlyMaker list("binary_little_endian",
                  "element vertex 1\n" + xyz + "element face 1\nproperty list uint int vertex_indices\n");
    list.put(0.0f).put(0.0f).put(0.0f).put(std::uint32_t(0xffffffff));
    EXPECT_SAYS(badInput([&] { parsePlyBytes(list.bytes()); }),
                "face 0: the list 'vertex_indices' of 4294967295 items");
}

TEST(Ply, SaysPlaceAndReasonOfAFault) {
    const std::string start = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n";
    const std::string vertices =
        start + "property float z\nelement face 1\nproperty list int int vertex_indices\nend_header\n";
    EXPECT_SAYS(badInput([&] { parsePlyBytes("solid\n"); }), "does not begin with 'ply'");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(start); }), "no 'end_header'");
    EXPECT_SAYS(badInput([&] { parsePlyBytes("ply\nelement vertex 0\nend_header\n"); }), "no 'format'");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(start + "end_header\n0 0 0 0 0 0"); }), "no property 'z'");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(start + "property quad z\n"); }), "line 6: property type 'quad'");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 nan 0 3 0 1 2"); }),
                "vertex 2: the position is not finite");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 1 0 3 0 1 3"); }),
                "face 0 uses vertex 3, but there are 3");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 1 0 3 0 1 -1"); }), "face 0: vertex index -1");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 1 0 -3 0 1 1"); }), "has length -3");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 1 0 2 0 1"); }), "a face of 2 corners");
    EXPECT_SAYS(badInput([&] { parsePlyBytes(vertices + "0 0 0 1 0 0 0 q 0 3 0 1 2"); }),
                "vertex 2: 'q' is not a number");
}

TEST(Ply, RefusesADoubleBeyondAFloat) {
    PlyMaker ply("binary_little_endian", "element vertex 1\nproperty double x\nproperty double y\nproperty double z\n");
    ply.put(0.0).put(1e300).put(0.0);
    EXPECT_SAYS(badInput([&] { parsePlyBytes(ply.bytes()); }), "vertex 0: the position is not finite");
}

TEST(Ply, ComesBackBitByBit) {
    const TempFolder folder;
    Mesh mesh = gridMesh(9);
    mesh.positions = anyPoints(mesh.positions.size(), 5);
    for (const bool plain : {false, true}) {
        if (plain) mesh.normals.clear(), mesh.uvs.clear();
        io::saveMesh(mesh, folder / "a.PLY");
        const Mesh back = io::loadMesh(folder / "a.PLY");
        expectSameBits(back.positions, mesh.positions);
        expectSameBits(back.normals, mesh.normals);
        EXPECT_EQ(back.uvs, mesh.uvs);
        EXPECT_EQ(back.triangles, mesh.triangles);
    }
}

TEST(Ply, SurvivesTruncationAndMutation) {
    for (const char* format : kFormats)
        truncateAndMutate(richFile(format), 2000, [](std::span<const std::byte> bytes) { parsePlyBytes(bytes); });
}

TEST(Ply, ABinaryFileCutAnywhereIsRefused) {
    for (const char* format : {"binary_little_endian", "binary_big_endian"})
        expectEveryCutIsRefused(richFile(format), [](std::span<const std::byte> bytes) { parsePlyBytes(bytes); });
}
