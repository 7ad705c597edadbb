// Reading .off.
#include <pelt/io/mesh_file.h>

#include "file_test_tools.h"

using namespace pelt;
using namespace pelt::test;

namespace {

Mesh parseOffText(std::string_view text) { return io::parseOff(bytesOf(text), "test.off"); }

}  // namespace

TEST(Off, ReadsItsPrefixesCommentsAndColors) {
    const std::string counts = " 3 1 0\n", face = "3 0 1 2 255 0 0\n";
    const std::string files[] = {
        "OFF\n# a comment\n3 1 0\n\n0 0 0\n1 0 0 # here too\n0 1 0\n" + face,
        "OFF" + counts + "0 0 0\n1 0 0\n0 1 0\n" + face,
        "3 1 0\n0 0 0\n1 0 0\n0 1 0\n" + face,
        "COFF" + counts + "0 0 0 1 1 1 1\n1 0 0 1 1 1\n0 1 0 255 255 255 255\n" + face,
        "NOFF" + counts + "0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n" + face,
        "STOFF" + counts + "0 0 0 .5 1\n1 0 0 .5 1\n0 1 0 .5 1\r\n" + face,
        "STCNOFF" + counts + "0 0 0 0 0 1 9 9 9 9 .5 1\n1 0 0 0 0 1 9 9 9 .5 1\n0 1 0 0 0 1 9 9 9 9 .5 1\n" + face};
    for (const std::string& file : files) {
        const Mesh mesh = parseOffText(file);
        expectSameBits(mesh.positions, std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
        EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}})) << file;
        const bool has_normals = file.find('N') < 5, has_uvs = file.starts_with("ST");
        EXPECT_EQ(mesh.normals, std::vector<Vec3f>(has_normals ? 3 : 0, Vec3f(0, 0, 1)));
        EXPECT_EQ(mesh.uvs, std::vector<Vec2f>(has_uvs ? 3 : 0, Vec2f{0.5f, 1}));
    }
}

TEST(Off, SaysPlaceAndReasonOfAFault) {
    EXPECT_SAYS(badInput([] { parseOffText(""); }), "is not an OFF file");
    EXPECT_SAYS(badInput([] { parseOffText("OFF BINARY\n"); }), "binary OFF is not supported");
    EXPECT_SAYS(badInput([] { parseOffText("4OFF\n1 0 0\n"); }), "not in three dimensions");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n-3 1 0\n"); }), "is -3");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n4000000000000 1 0\n0 0 0\n"); }), "at most 1 fit");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n1 4000000000000 0\n0 0 0\n3 0 0 0\n"); }), "4000000000000 faces");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n1 1 0\n0 0 0\n4000000000000 0 0 0\n"); }), "4000000000000 corners");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n1 1 0\n0 0 0\n3 0 0 1 \n"); }), "line 4: face 0 uses vertex 1");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n1 1 0\n0 inf 0\n3 0 0 0 \n"); }), "line 3: vertex 0 is not finite");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n0 0 0\n"); }), "no vertices");
    EXPECT_SAYS(badInput([] { parseOffText("OFF\n2 1 0\n0 0 0\n0 0 \n3 0 0 0"); }), "face");
}

TEST(Off, SurvivesTruncationAndMutation) {
    for (const char* text : {"OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 1 0 0\n",
                             "STNOFF\n3 1 0\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 1 0\n1 1 0 0 0 1 1 1\n3 0 1 2\n"})
        truncateAndMutate(bytesOf(text), 3000,
                          [](std::span<const std::byte> bytes) { io::parseOff(bytes, "test.off"); });
}
