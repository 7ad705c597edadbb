// Reading .mesh.
#include <pelt/io/tet_file.h>

#include "file_test_tools.h"

using namespace pelt;
using namespace pelt::test;

namespace {

TetMesh parseTets(std::string_view text) { return io::parseMedit(bytesOf(text), "test.mesh"); }

const std::string kHead = "MeshVersionFormatted 2\nDimension 3\n";
const std::string kMeditVertices = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1.5 0\n";
const std::string kTets = "Tetrahedra\n1\n1 2 4 3 9\n";

}  // namespace

TEST(Medit, ReadsVerticesAndTetsInAnyOrderAndPassesOverTheRest) {
    for (const std::string& text : {kHead + kMeditVertices + kTets + "End\n", kHead + kTets + kMeditVertices,
                                    kHead + "# faces\nTriangles 2\n1 2 3 0\n2 3 4 0\n" + kMeditVertices +
                                        "RequiredVertices\n0\n" + kTets + "End"}) {
        const TetMesh mesh = parseTets(text);
        EXPECT_EQ(mesh.positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5}})) << text;
        EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 3, 2}})) << text;
    }
}

TEST(Medit, SaysPlaceAndReasonOfAFault) {
    EXPECT_SAYS(badInput([] { parseTets("OFF\n"); }), "is not a MEDIT file");
    EXPECT_SAYS(badInput([] { parseTets(kHead + kMeditVertices + "End\n"); }), "no tetrahedra");
    EXPECT_SAYS(badInput([] { parseTets("MeshVersionFormatted 1\nDimension 2\n"); }), "dimension 2");
    EXPECT_SAYS(badInput([] { parseTets(kHead + "Vertices\n900000000\n0 0 0 0\n"); }), "claims 900000000 vertices");
    EXPECT_SAYS(badInput([] { parseTets(kHead + "Vertices\n-1\n"); }), "is -1");
    EXPECT_SAYS(badInput([] { parseTets(kHead + "Vertices\n1\n0 nan 0 0\n" + kTets); }), "line 5: vertex 1");
    EXPECT_SAYS(badInput([] { parseTets(kHead + "Vertices\n1\n0 x 0 0\n" + kTets); }), "coordinate of vertex 1");
    EXPECT_SAYS(badInput([] { parseTets(kHead + kMeditVertices + "Tetrahedra\n1\n1 2 3 5 0\n"); }), "uses vertex 5");
    EXPECT_SAYS(badInput([] { parseTets(kHead + kMeditVertices + "Tetrahedra\n1\n0 2 3 4 0\n"); }), "counted from 1");
    EXPECT_SAYS(badInput([] { parseTets(kHead + kMeditVertices + "7\n" + kTets); }), "was expected");
}

TEST(Medit, SurvivesTruncationAndMutation) {
    truncateAndMutate(bytesOf(kHead + kMeditVertices + "Triangles 1\n1 2 3 0\n" + kTets + "End\n"), 3000,
                      [](std::span<const std::byte> bytes) { io::parseMedit(bytes, "test.mesh"); });
}
