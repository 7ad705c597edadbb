// pelt render.
#include <pelt/io/character_file.h>
#include <pelt/scenes/scenes.h>

#include "cli/support/glb_file.h"
#include "cli/support/program.h"

namespace {

class Render : public CliTest {
protected:
    /// Width and height from the picture's header.
    std::pair<int, int> sizeOf(const std::string& name) {
        const std::string bytes = readBytes(path(name));
        EXPECT_EQ(bytes.substr(1, 3), "PNG");
        const auto number = [&](std::size_t at) {
            int value = 0;
            for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
            return value;
        };
        return {number(16), number(20)};
    }
    nlohmann::json render(const std::vector<std::string>& words) {
        std::vector<std::string> all = {"render", bar(), "-o", path("r.png"), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
};

}  // namespace

TEST_F(Render, OnePoseHasTheSizeAskedFor) {
    const nlohmann::json json = render({"--size", "96x64"});
    EXPECT_EQ(sizeOf("r.png"), std::make_pair(96, 64));
    EXPECT_EQ(json.at("panels").size(), 1u);
    EXPECT_FALSE(json["panels"][0].contains("seconds"));  // the rest pose
}

TEST_F(Render, WithoutAClipTheCharacterStandsAsItsNodesRest) {
    // Files whose bind pose lies down are common: a node above the joints rotates the character upright, as viewers
    // show it.
    pelt::Character lying = pelt::scenes::find("bar")->make(400);
    for (pelt::Joint& joint : lying.skeleton.joints)
        joint.inverse_bind =
            joint.inverse_bind * pelt::toAffine({{}, pelt::axisAngle(pelt::Vec3d{1, 0, 0}, 1.5), {1, 1, 1}});
    pelt::io::saveCharacter(lying, path("lying.glb"));
    const auto picture = [&](const std::string& file, const std::vector<std::string>& words) {
        std::vector<std::string> all = {"render", file, "-o", path("r.png"), "--size", "96x64", "--quiet"};
        all.insert(all.end(), words.begin(), words.end());
        runWell(all);
        return readBytes(path("r.png"));
    };
    EXPECT_EQ(picture(bar(), {}), picture(bar(), {"--bind-pose"}));
    EXPECT_NE(picture(path("lying.glb"), {}), picture(path("lying.glb"), {"--bind-pose"}));
}

TEST_F(Render, MethodsShowWhatTheyMakeOfPosedNodesWithoutAClip) {
    GlbFile posed(bar());
    posed.json.erase("animations");
    const std::size_t joint = posed.json["skins"][0]["joints"].back();
    posed.json["nodes"][joint]["rotation"] = {0, 0.8, 0, 0.6};
    posed.save(path("posed.glb"));
    const auto sheet = [&](const std::vector<std::string>& words) {
        std::vector<std::string> all = {"render", path("posed.glb"), "-o",    path("r.png"),
                                        "--size", "160x100",         "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json().at("panels");
    };
    EXPECT_FALSE(sheet({})[0].contains("method"));
    const nlohmann::json panels = sheet({"--method", "lbs,dqs", "--color", "error"});
    ASSERT_EQ(panels.size(), 2u);
    EXPECT_EQ(panels[0].at("method"), "lbs");
    EXPECT_EQ(panels[1].at("method"), "dqs");
    EXPECT_GT(panels[1].at("max").get<double>(), 1e-3);
    EXPECT_EQ(sheet({"--method", "lbs,dqs", "--bind-pose"}).size(), 1u);
}

TEST_F(Render, AMethodWithoutASkinIsAWarning) {
    writeBytes(path("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const RunResult result =
        runPelt({"render", path("tri.obj"), "--method", "dqs,lbs", "--size", "160x100", "-o", path("t.png")});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(withoutProgress(result.err),
              "pelt: warning: " + path("tri.obj") + ": has no skin, so --method has no effect\n");
    runWell({"render", path("tri.obj"), bar(), "--method", "dqs", "--size", "160x100", "-o", path("t.png")});
}

TEST_F(Render, OptionsOfMethodsReachThePanelsOfThoseThatHaveThem) {
    const auto panels = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"--method", "lbs,ddm", "--color", "error", "--size", "300x200"};
        words.insert(words.end(), options.begin(), options.end());
        return render(words).at("panels");
    };
    const double usual = panels({})[1].at("max"), soft = panels({"--lambda", "100"})[1].at("max");
    EXPECT_GT(soft, 1.1 * usual);
    const RunResult idle =
        runPelt({"render", bar(), "--method", "lbs,dqs", "--lambda", "9", "--size", "300x200", "-o", path("r.png")});
    EXPECT_EQ(withoutProgress(idle.err), "pelt: warning: " + bar() + ": --lambda has no effect on lbs, dqs\n");
}

TEST_F(Render, AContactSheetHasTheSizeAskedForToo) {
    const nlohmann::json json = render({"--size", "600x400", "--method", "lbs,dqs", "--frame", "0,50%,-1f"});
    EXPECT_EQ(sizeOf("r.png"), std::make_pair(600, 400));
    ASSERT_EQ(json.at("panels").size(), 6u);
    EXPECT_EQ(json["panels"][0].at("method"), "lbs");
    EXPECT_EQ(json["panels"][1].at("method"), "dqs");
    EXPECT_EQ(json["panels"][0].at("seconds"), json["panels"][1].at("seconds"));
    EXPECT_LT(json["panels"][0].at("seconds").get<double>(), json["panels"][2].at("seconds").get<double>());
    EXPECT_LT(json["panels"][2].at("seconds").get<double>(), json["panels"][4].at("seconds").get<double>());
}

TEST_F(Render, MethodsMayBeRepeatedInsteadOfListed) {
    const nlohmann::json json = render({"--size", "300x200", "--method", "dqs", "--method", "lbs", "--frame", "0.1"});
    ASSERT_EQ(json.at("panels").size(), 2u);
    EXPECT_EQ(json["panels"][0].at("method"), "dqs");
    EXPECT_NEAR(json["panels"][1].at("seconds").get<double>(), 0.1, 1e-9);
}

TEST_F(Render, EveryColoringDrawsADifferentPicture) {
    const std::string joint = runWell({"info", bar(), "--json"}).json().at("joints")[1].at("name");
    const std::vector<std::vector<std::string>> colorings = {
        {"--color", "plain"},
        {"--color", "weights"},
        {"--color", "joint", joint},
        {"--skeleton"},
        {"--camera", "back"},
        {"--camera", "-40,30"},
        {"--method", "lbs,dqs", "--color", "error"},
    };
    std::set<std::string> pictures;
    for (std::vector<std::string> words : colorings) {
        words.insert(words.end(), {"--size", "320x200"});
        render(words);
        EXPECT_EQ(sizeOf("r.png"), std::make_pair(320, 200));
        EXPECT_TRUE(pictures.insert(readBytes(path("r.png"))).second) << words[0] << " " << words[1];
    }
    for (std::vector<std::string> words : {std::vector<std::string>{"--color=joint=" + joint},
                                           {"--color", "joint " + joint},
                                           {"--color=joint " + joint}}) {
        words.insert(words.end(), {"--size", "320x200"});
        render(words);
        EXPECT_TRUE(pictures.count(readBytes(path("r.png")))) << words[0] << " " << words[1];
    }
}

TEST_F(Render, ErrorColorsReportTheDistanceToTheFirst) {
    const nlohmann::json json = render({"--method", "lbs,dqs", "--color", "error", "--size", "320x200"});
    EXPECT_FALSE(json.at("panels")[0].contains("max"));
    EXPECT_GT(json.at("panels")[1].at("max").get<double>(), 0.0);
}

TEST_F(Render, SequencesAndMeshesAreDrawnToo) {
    runWell({"deform", bar(), "--frames", ":4", "-o", path("s.npy")});
    const nlohmann::json json = runWell({"render", path("s.npy"), "--mesh", bar(), "--frame", "0f,3f", "--size",
                                         "200x100", "-o", path("s.png"), "--json"})
                                    .json();
    EXPECT_EQ(json.at("panels")[1].at("frame"), 3);
    writeBytes(path("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    runWell({"render", path("tri.obj"), bar(), "--size", "200x100", "-o", path("t.png")});
}

TEST_F(Render, TheHeatMapOfACompareIsAPicture) {
    runWell({"deform", bar(), "--method", "dqs", "-o", path("dqs.npy")});
    runWell({"compare", bar(), path("dqs.npy"), "--heatmap", path("h.png"), "--size", "400x240"});
    EXPECT_EQ(sizeOf("h.png"), std::make_pair(400, 240));
    runWell({"compare", path("dqs.npy"), path("dqs.npy"), "--mesh", bar(), "--heatmap", path("z.png"), "--size",
             "400x240"});
    expectFailure(runPelt({"compare", bar(), bar(), "--heatmap", path("h.png"), "--size", "20x20"}), 2, "no room");
}
