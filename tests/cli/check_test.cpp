// pelt check and pelt fix.
#include <filesystem>
#include <fstream>

#include "cli/support/mush_fixture.h"

namespace {

using CheckJson = nlohmann::json;

class CheckVerb : public MushTest {
protected:
    static std::string bytesOf(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Each vertex on one bone: at the elbow it folds within an edge.
    std::string rigidArm() {
        const std::string file = path("rigid_arm.glb");
        runWell({"sample", "arm", "--resolution", "300", "-o", file});
        return file;
    }
    static std::size_t faultsIn(const CheckJson& report) {
        std::size_t faults = 0;
        for (const CheckJson& finding : report["findings"]) faults += finding["severity"] == "fault";
        return faults;
    }
};

}  // namespace

TEST_F(CheckVerb, ARigidArmFoldsAndTheReportSaysWhereAndWhen) {
    const CheckJson report = runWell({"check", rigidArm(), "--json"}).json();
    ASSERT_EQ(faultsIn(report), 1u);
    const CheckJson& crease = report["findings"][0];
    EXPECT_EQ(crease["kind"], "crease");
    EXPECT_TRUE(crease["joint"].is_string());
    EXPECT_TRUE(crease["moment"]["time"].is_number());
    EXPECT_GT(crease["vertices"], 0);
    EXPECT_LT(report["score"], 90);
}

TEST_F(CheckVerb, AFaultIsStatusFourUnlessAnEarlierReportHasIt) {
    const std::string arm = rigidArm();
    EXPECT_EQ(runPelt({"check", arm, "--fail-on", "fault"}).status, 4);
    EXPECT_EQ(runPelt({"check", arm, "--min-score", "90"}).status, 4);
    std::ofstream(path("known.json")) << runWell({"check", arm, "--json"}).json().dump();
    runWell({"check", arm, "--fail-on", "fault", "--min-score", "90", "--baseline", path("known.json")});
}

TEST_F(CheckVerb, FixMendsTheFoldAndCopiesWhatPasses) {
    const CheckJson report = runWell({"fix", rigidArm(), "-o", path("fixed.glb"), "--json"}).json();
    EXPECT_GT(report["after"], report["before"]);
    EXPECT_EQ(report["done"][0]["kind"], "crease");
    EXPECT_EQ(faultsIn(runWell({"check", path("fixed.glb"), "--json"}).json()), 0u);
    runWell({"fix", path("fixed.glb"), "-o", path("again.glb")});
    EXPECT_EQ(bytesOf(path("again.glb")), bytesOf(path("fixed.glb")));
}

TEST_F(CheckVerb, ASheetIsAPictureAndWrongInputIsRefusedInOneLine) {
    runWell({"check", rigidArm(), "--sheet", path("sheet.png"), "--size", "400x300"});
    EXPECT_GT(std::filesystem::file_size(path("sheet.png")), 1000u);
    std::ofstream(path("bad.json")) << "[]";
    expectFailure(runPelt({"check", rigidArm(), "--baseline", path("bad.json")}), 3, "bad.json");
    expectFailure(runPelt({"check", rigidArm(), "--for", "amiga"}), 2, "--for");
}
