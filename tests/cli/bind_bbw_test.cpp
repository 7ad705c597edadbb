// pelt bind --method bbw.
#include "cli/support/program.h"

namespace {

class BindBbw : public CliTest {
protected:
    std::string branch() {
        runWell({"sample", "branch", "--resolution", "400", "-o", path("branch.glb")});
        return path("branch.glb");
    }
};

TEST_F(BindBbw, GivesSmoothWeightsOfAtMostKJointsAndKeepsTheRest) {
    const std::string input = branch();
    const nlohmann::json before = runWell({"info", input, "--json"}).json();
    for (const int k : {2, 0}) {
        const nlohmann::json bound = runWell({"bind", input, "--method", "bbw", "--lattice", "4000", "--influences",
                                              std::to_string(k), "-o", path("b.glb"), "--json"})
                                         .json();
        EXPECT_EQ(bound.at("method"), "bbw");
        EXPECT_EQ(bound.at("from"), "volume");
        EXPECT_NEAR(bound.at("tets"), 4000, 1000);
        EXPECT_EQ(bound.at("max_influences"), k == 0 ? 3 : k);
        const nlohmann::json after = runWell({"info", path("b.glb"), "--json"}).json();
        EXPECT_EQ(after.at("max_influences"), bound.at("max_influences"));
        for (const char* key : {"vertices", "triangles", "joints", "clips"}) EXPECT_EQ(after.at(key), before.at(key));
    }
}

TEST_F(BindBbw, SaysWhatItSolvedOn) {
    const RunResult result = runWell({"bind", bar(), "--method", "bbw", "--lattice", "2000", "-o", path("b.glb")});
    EXPECT_NE(result.out.find("2 bones, solved on"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find(" tetrahedra"), std::string::npos) << result.out;
}

TEST_F(BindBbw, TheSameBytesOnAnyNumberOfThreads) {
    const std::string input = branch();
    runWell({"bind", input, "--method", "bbw", "--lattice", "4000", "--threads", "1", "-o", path("one.glb")});
    runWell({"bind", input, "--method", "bbw", "--lattice", "4000", "-o", path("all.glb")});
    EXPECT_EQ(readBytes(path("one.glb")), readBytes(path("all.glb")));
}

TEST_F(BindBbw, TakesTetsFromAFileAndRefusesBadOnes) {
    // One large tet around the whole bar: the weights are linear in it.
    const std::string head = "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n";
    const std::string corners = "-9 -9 -9 0\n30 -9 -9 0\n-9 30 -9 0\n-9 -9 30 0\n";
    writeBytes(path("one.mesh"), head + corners + "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    const nlohmann::json bound =
        runWell({"bind", bar(), "--method", "bbw", "--tets", path("one.mesh"), "-o", path("b.glb"), "--json"}).json();
    EXPECT_EQ(bound.at("tets"), 1);

    writeBytes(path("bad.mesh"), head + corners + "Tetrahedra\n1\n1 2 3 9 0\nEnd\n");
    expectFailure(runPelt({"bind", bar(), "--method", "bbw", "--tets", path("bad.mesh"), "-o", path("x.glb")}), 3,
                  "bad.mesh");
    expectFailure(runPelt({"bind", bar(), "--method", "bbw", "--tets", path("no.mesh"), "-o", path("x.glb")}), 3,
                  "no.mesh");
    expectFailure(runPelt({"bind", bar(), "--tets", path("one.mesh"), "-o", path("x.glb")}), 2, "--method bbw");
}

}  // namespace
