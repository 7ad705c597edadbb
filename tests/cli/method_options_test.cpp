// Options of methods, wherever methods are taken.
#include "cli/support/program.h"

namespace {

class MethodOptions : public CliTest {
protected:
    std::string deformed(const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> words = {"deform", bar(), "-o", path(name)};
        words.insert(words.end(), more.begin(), more.end());
        runWell(words);
        return readBytes(path(name));
    }
};

TEST_F(MethodOptions, CentersOfRotationTakeTheirs) {
    const std::string plain = deformed("a.npy", {"--method", "cor"});
    EXPECT_EQ(deformed("b.npy", {"--method", "cor", "--sigma", "0.1", "--weight-cell", "0.0078125"}), plain);
    EXPECT_NE(deformed("c.npy", {"--method", "cor", "--sigma", "0.5"}), plain);
    EXPECT_NE(deformed("d.npy", {"--method", "cor", "--weight-cell", "0"}), plain);
}

TEST_F(MethodOptions, OutsideTheirRangeAreRefusedByTheirFlag) {
    const auto refuse = [&](const std::string& flag, const std::string& value) {
        expectFailure(runPelt({"deform", bar(), "--method", "cor", flag, value, "-o", path("x.npy")}), 2, flag);
    };
    refuse("--sigma", "0");
    refuse("--sigma", "wide");
    refuse("--weight-cell", "-0.1");
    refuse("--weight-cell", "2");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(MethodOptions, OfAnotherMethodAreAWarning) {
    for (const std::string flag : {"--sigma", "--alpha"}) {
        const RunResult result =
            runPelt({"deform", bar(), "--method", "dqs", flag, "0.2", "--json", "-o", path("x.npy")});
        EXPECT_EQ(result.status, 0) << result.err;
        ASSERT_EQ(result.json().at("warnings").size(), 1u);
        EXPECT_NE(result.json()["warnings"][0].get<std::string>().find(flag + " has no effect on dqs"),
                  std::string::npos);
    }
}

TEST_F(MethodOptions, AreGivenOnce) {
    expectFailure(runPelt({"mush", bar(), "--alpha", "0.1", "--alpha", "0.2", "-o", path("x.glb")}), 2, "--alpha");
}

TEST_F(MethodOptions, BakingTakesThemToo) {
    runWell({"bake", bar(), "--from", "cor", "--sigma", "0.5", "-o", path("wide.glb")});
    runWell({"bake", bar(), "--from", "cor", "-o", path("plain.glb")});
    EXPECT_NE(readBytes(path("wide.glb")), readBytes(path("plain.glb")));
}

}  // namespace
