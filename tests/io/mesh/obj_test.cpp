// Reading .obj.
#include <pelt/io/mesh_file.h>

#include "file_test_tools.h"

using namespace pelt;
using namespace pelt::test;

namespace {

Mesh parseObjText(std::string_view text) { return io::parseObj(bytesOf(text), "test.obj"); }

constexpr const char* kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

std::string squareAnd(const std::string& more) { return kSquare + more; }

}  // namespace

TEST(Obj, ReadsEveryFormOfFaceCorner) {
    const std::string extra = "vt 0.5 0.25\nvn 0 0 2\n";
    for (const char* face : {"f 1 2 3", "f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -4 -3 -2",
                             "f -4/-1/-1 -3/-1/-1 -2/-1/-1", "f 1/ 2/ 3/", "f 1/1/ 2/1/ 3/1/"}) {
        const Mesh mesh = parseObjText(squareAnd(extra + face));
        ASSERT_EQ(mesh.triangles.size(), 1u) << face;
        EXPECT_EQ(mesh.triangles[0], (Triangle{0, 1, 2})) << face;
        EXPECT_EQ(mesh.positions.size(), 4u) << face;
    }
}

TEST(Obj, KeepsOneVertexPerRecordInTheFilesOrder) {
    const Mesh mesh = parseObjText("v 3 0 0\nv 1 0 0\nv 3 0 0\nv 2 0 0\nf 4 1 2\nf 1 2 3\n");
    expectSameBits(mesh.positions, std::vector<Vec3f>{{3, 0, 0}, {1, 0, 0}, {3, 0, 0}, {2, 0, 0}});
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{3, 0, 1}, {0, 1, 2}}));
}

TEST(Obj, ReadsLineEndsJoinsCommentsAndABom) {
    const Mesh expected = parseObjText(squareAnd("f 1 2 3 4\n"));
    for (const char* text :
         {"\xEF\xBB\xBFv 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n",
          "v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\rf 1 2 3 4",
          "v 0 \\\n 0 0\nv 1 0 \\\r\n0\nv\t1 1 0 # corner\nv 0 1 0\nf 1 2\\\n 3\\\n\\\n 4 # done",
          "# C:\\meshes\\\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv +1 1e0 0\n  v 0 1 -0e9\nf 1 2 3 4\ns off"}) {
        const Mesh mesh = parseObjText(text);
        EXPECT_EQ(mesh.positions, expected.positions) << text;
        EXPECT_EQ(mesh.triangles, expected.triangles) << text;
    }
}

TEST(Obj, ReadsAVeryLongLine) {
    std::string text;
    const int corners = 9000;
    for (int i = 0; i < corners; ++i)
        text += "v " + std::to_string(std::cos(6.283185307 * i / corners)) + " " +
                std::to_string(std::sin(6.283185307 * i / corners)) + " 0\n";
    text += "f";
    for (int i = 1; i <= corners; ++i) text += " " + std::to_string(i);
    EXPECT_EQ(parseObjText(text).triangles.size(), std::size_t(corners - 2));
    EXPECT_EQ(parseObjText(std::string(1 << 20, ' ') + "v 0 0 0 " + std::string(1 << 20, '7')).positions.size(), 1u);
}

TEST(Obj, TakesTheFirstCornersUvAtASeam) {
    const Mesh mesh = parseObjText(squareAnd("vt 0 0\nvt 1 0\nvt 1 1\nvt 9 9\nf 1/1 2/2 3/3\nf 1/4 3/3 4\n"));
    EXPECT_EQ(mesh.uvs, (std::vector<Vec2f>{{0, 0}, {1, 0}, {1, 1}, {0, 0}}));
}

TEST(Obj, TakesSharedNormalsAndAveragesOthers) {
    const Mesh mesh = parseObjText(squareAnd("vn 0 0 5\nvn 0 3 0\nf 1//1 2//1 3//1\nf 1//1 3//2 4//2\n"));
    ASSERT_EQ(mesh.normals.size(), 4u);
    EXPECT_EQ(mesh.normals[0], Vec3f(0, 0, 1));
    EXPECT_EQ(mesh.normals[3], Vec3f(0, 1, 0));
    EXPECT_NEAR(mesh.normals[2].y, std::sqrt(0.5f), 1e-6f);
    EXPECT_NEAR(mesh.normals[2].z, std::sqrt(0.5f), 1e-6f);
}

TEST(Obj, HasNoNormalsWhereACornerLacksOneOrOneHasNoDirection) {
    EXPECT_TRUE(parseObjText(squareAnd("vn 0 0 1\nf 1//1 2//1 3\n")).normals.empty());
    EXPECT_TRUE(parseObjText(squareAnd("vn 0 0 0\nf 1//1 2//1 3//1\n")).normals.empty());
    EXPECT_TRUE(parseObjText(squareAnd("vn nan nan nan\nf 1//1 2//1 3//1\n")).normals.empty());
    EXPECT_TRUE(parseObjText(squareAnd("vn 0 0 1\nvn 0 0 -1\nf 1//1 2//1 3//1\nf 1//2 3//1 4//1\n")).normals.empty());
}

TEST(Obj, GivesPartsWhereGroupsUseRangesOfTheirOwn) {
    const Mesh mesh = parseObjText(
        "o body\nusemtl skin\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 9 9 9\no hat\ng brim of it\nusemtl felt\n"
        "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 5 6 8 7\n");
    ASSERT_EQ(mesh.parts.size(), 2u);
    EXPECT_EQ(mesh.parts[0].name, "body");
    EXPECT_EQ(mesh.parts[0].material, "skin");
    EXPECT_EQ(mesh.parts[0].vertex_count, 4u);
    EXPECT_EQ(mesh.parts[1].name, "brim of it");
    EXPECT_EQ(mesh.parts[1].material, "felt");
    EXPECT_EQ(mesh.parts[1].first_vertex, 4u);
    EXPECT_EQ(mesh.parts[1].vertex_count, 4u);
    EXPECT_EQ(mesh.parts[1].first_triangle, 1u);
    EXPECT_EQ(mesh.parts[1].triangle_count, 2u);
}

TEST(Obj, FallsBackToCoarserPartsWhereMaterialsOrGroupsShareVertices) {
    const std::string second = "o b\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 5 6 7\n";
    const Mesh materials = parseObjText(squareAnd("o a\nusemtl m\nf 1 2 3\nusemtl n\nf 1 3 4\n" + second));
    ASSERT_EQ(materials.parts.size(), 2u);
    EXPECT_EQ(materials.parts[0].name, "a");
    EXPECT_EQ(materials.parts[0].material, "");
    EXPECT_EQ(materials.parts[0].triangle_count, 2u);
    const Mesh groups = parseObjText(squareAnd("o a\ng x\nf 1 2 3\ng y\nf 1 3 4\n" + second));
    ASSERT_EQ(groups.parts.size(), 2u);
    EXPECT_EQ(groups.parts[0].name, "a");
    EXPECT_TRUE(parseObjText(squareAnd("o a\nf 1 2 3\no b\nf 1 3 4\n")).parts.empty());
    EXPECT_TRUE(parseObjText(squareAnd("f 1 2 3 4\n")).parts.empty());
}

TEST(Obj, SaysLineAndReasonOfAFault) {
    EXPECT_SAYS(badInput([] { parseObjText("v 0 0 0\nv 1 x 0\n"); }), "test.obj: line 2: y is 'x', not a number");
    EXPECT_SAYS(badInput([] { parseObjText("v 0 0\n"); }), "line 1: z is missing");
    EXPECT_SAYS(badInput([] { parseObjText("v 0 0 1e39\n"); }), "line 1");
    EXPECT_SAYS(badInput([] { parseObjText("v 0 0 0\nv 0 nan 0\n"); }), "line 2: vertex 1 is not finite");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2 5\n")); }),
                "line 5: a face uses vertex 5, but the file has 4");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1/1 2/1 3/1\n")); }),
                "texture coordinate 1, but the file has 0");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2 0\n")); }), "indices start at 1");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2 -5\n")); }), "before the first");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2 4294967296\n")); }), "out of range");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2 99999999999999999999\n")); }), "not a face corner");
    EXPECT_SAYS(badInput([] { parseObjText(squareAnd("f 1 2\n")); }), "a face of 2 corners");
    EXPECT_SAYS(badInput([] { parseObjText("# nothing\n"); }), "no vertices");
    EXPECT_SAYS(badInput([] { parseObjText(""); }), "no vertices");
}

TEST(Obj, ComesBackBitByBit) {
    const TempFolder folder;
    Mesh mesh = gridMesh(8);
    const std::vector<Vec3f> points = anyPoints(mesh.positions.size(), 3);
    mesh.positions = points;
    io::saveMesh(mesh, folder / "a.obj");
    const Mesh back = io::loadMesh(folder / "a.obj");
    expectSameBits(back.positions, mesh.positions);
    expectSameBits(back.normals, mesh.normals);
    EXPECT_EQ(back.uvs, mesh.uvs);
    EXPECT_EQ(back.triangles, mesh.triangles);
    ASSERT_EQ(back.parts.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(back.parts[i].name, mesh.parts[i].name);
        EXPECT_EQ(back.parts[i].material, mesh.parts[i].material);
        EXPECT_EQ(back.parts[i].first_vertex, mesh.parts[i].first_vertex);
        EXPECT_EQ(back.parts[i].vertex_count, mesh.parts[i].vertex_count);
        EXPECT_EQ(back.parts[i].first_triangle, mesh.parts[i].first_triangle);
        EXPECT_EQ(back.parts[i].triangle_count, mesh.parts[i].triangle_count);
    }
}

TEST(Obj, PointsWithoutFacesComeBackWithNormalsAndUvs) {
    const TempFolder folder;
    Mesh mesh = gridMesh(4);
    mesh.triangles.clear();
    mesh.parts.clear();
    io::saveMesh(mesh, folder / "a.obj");
    const Mesh back = io::loadMesh(folder / "a.obj");
    expectSameBits(back.positions, mesh.positions);
    expectSameBits(back.normals, mesh.normals);
    EXPECT_EQ(back.uvs, mesh.uvs);
}

TEST(Obj, SurvivesTruncationAndMutation) {
    const auto file = bytesOf(
        "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\nusemtl m\nf 1/1/1 2/2/1 3/1/1 4/2/1\\\n\ng "
        "b\n"
        "v 0 0 1 1 1 1\nv 1 0 1\nv 1 1 1\r\nf -1 -2 -3\nf 5//1 6//1 7//1 # end\n");
    truncateAndMutate(file, 3000, [](std::span<const std::byte> bytes) { io::parseObj(bytes, "test.obj"); });
}
