// Meshes without a skin, and clips of other files.
#include "cli/support/glb_file.h"
#include "cli/support/program.h"

namespace {

/// The built-in bar with a triangle attached to its last joint.
class PropsAndClips : public CliTest {
protected:
    std::string withHat() {
        GlbFile file(bar());
        const std::size_t positions = file.addFloats({0, 0, 0, 0.1f, 0, 0, 0, 0.1f, 0}, "VEC3");
        file.json["accessors"][positions]["min"] = {0.0, 0.0, 0.0};
        file.json["accessors"][positions]["max"] = {0.1, 0.1, 0.0};
        nlohmann::json primitive = {{"attributes", {{"POSITION", positions}}}};
        file.json["meshes"].push_back({{"name", "hat"}, {"primitives", nlohmann::json::array({primitive})}});
        const std::size_t node = file.json["nodes"].size();
        file.json["nodes"].push_back({{"name", "hook"}, {"mesh", file.json["meshes"].size() - 1}});
        const std::size_t joint = file.json["skins"][0]["joints"].back();
        file.json["nodes"][joint]["children"].push_back(node);
        file.save(path("hat.glb"));
        return path("hat.glb");
    }
    /// The bar without its animation.
    std::string still() {
        GlbFile file(bar());
        file.json.erase("animations");
        file.save(path("still.glb"));
        return path("still.glb");
    }
    /// Its joints and animation alone, under other names.
    std::string motion() {
        GlbFile file(bar());
        for (auto& node : file.json["nodes"]) {
            node.erase("mesh");
            node.erase("skin");
            if (node.contains("name")) node["name"] = "mixamorig:" + node["name"].get<std::string>();
        }
        file.json.erase("meshes");
        file.json.erase("skins");
        file.save(path("motion.glb"));
        return path("motion.glb");
    }
};

TEST_F(PropsAndClips, ComeAfterTheSkinInEverythingThatHasVertices) {
    const std::string hat = withHat();
    const std::size_t skin = runWell({"info", bar(), "--json"}).json()["vertices"];
    const auto info = runWell({"info", hat, "--json"}).json();
    EXPECT_EQ(info["vertices"], skin + 3);
    EXPECT_EQ(info["skinned_vertices"], skin);
    EXPECT_EQ(info["bones"], runWell({"info", bar(), "--json"}).json()["bones"]);
    ASSERT_EQ(info["props"].size(), 1U);
    EXPECT_EQ(info["props"][0], (nlohmann::json{{"name", "hat"}, {"node", "hook"}, {"vertices", 3}}));
    for (const char* output : {"a.npy", "a.glb", "a.pc2", "folder"})
        EXPECT_EQ(runWell({"deform", hat, "--method", "ddm", "--json", "--frames", ":2", "--normals", path("n.npy"),
                           "-o", path(output)})
                      .json()["vertices"],
                  skin + 3);
    EXPECT_EQ(runWell({"deform", hat, "--bind-pose", "--json", "-o", path("b.obj")}).json()["vertices"], skin + 3);
    EXPECT_EQ(runWell({"deform", hat, "--no-props", "--json", "-o", path("c.npy")}).json()["vertices"], skin);
    EXPECT_EQ(runWell({"render", hat, "--json", "--size", "64x64", "-o", path("p.png")}).json()["vertices"], skin + 3);
    runWell({"render", hat, "--color", "weights", "--method", "lbs,ddm", "--size", "400x200", "-o", path("w.png")});
    const auto bare = runWell({"deform", bar(), "--json", "-o", path("bare.npy")}).json();
    EXPECT_EQ(runWell({"compare", path("c.npy"), path("bare.npy"), "--mesh", hat, "--json"}).json()["max"], 0);
    EXPECT_EQ(runWell({"compare", hat, hat, "--mesh", hat, "--json"}).json()["vertices"], skin + 3);
}

TEST_F(PropsAndClips, SequencesWithAndWithoutThemServeAsExamples) {
    const std::string hat = withHat();
    runWell({"deform", hat, "--fps", "4", "-o", path("with.npy")});
    runWell({"deform", hat, "--fps", "4", "--no-props", "-o", path("without.npy")});
    for (const char* frames : {"with.npy", "without.npy"}) {
        runWell({"fit", hat, path(frames), "--fps", "4", "--extra-joints", "none", "-o", path("fit.glb")});
        runWell({"bake", hat, "--from", path(frames), "--fps", "4", "-o", path("bake.glb")});
        for (const char* made : {"fit.glb", "bake.glb"})
            EXPECT_EQ(runWell({"info", path(made), "--json"}).json()["props"].size(), 1U) << made;
    }
}

TEST_F(PropsAndClips, APosedSequenceHasThemToo) {
    const std::string hat = withHat();
    const auto info = runWell({"info", hat, "--json"}).json();
    const std::string joint = info["joints"].back()["name"];
    const auto at = info["joints"].back()["position"];
    const nlohmann::json handles = {
        {"handles", nlohmann::json::array({{{"joint", info["joints"][0]["name"]},
                                            {"constraint", "full"},
                                            {"transform", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}},
                                           {{"joint", joint}, {"constraint", "position"}, {"target", at}}})}};
    writeBytes(path("h.json"), handles.dump());
    runWell({"pose", hat, "--handles", path("h.json"), "-o", path("posed.npy")});
    EXPECT_EQ(runWell({"info", path("posed.npy"), "--json"}).json()["vertices"], info["vertices"]);
}

TEST_F(PropsAndClips, ClipsComeFromAnotherFileByTheNamesOfJoints) {
    const std::string still_bar = still(), lent = motion();
    runWell({"deform", bar(), "-o", path("own.npy")});
    runWell({"deform", still_bar, "--clips", lent, "-o", path("lent.npy")});
    EXPECT_LT(runWell({"compare", path("own.npy"), path("lent.npy"), "--json"}).json()["max"].get<double>(), 1e-6);
    runWell({"mush", still_bar, "--clips", lent, "-o", path("mushed.glb")});
    EXPECT_EQ(runWell({"info", path("mushed.glb"), "--json"}).json()["clips"],
              runWell({"info", bar(), "--json"}).json()["clips"]);
    EXPECT_EQ(runWell({"info", lent, "--json"}).json()["vertices"], 0);
    expectFailure(runPelt({"deform", lent, "-o", path("x.npy")}), 3, "has no mesh");
    expectFailure(runPelt({"deform", bar(), "--clips", still_bar, "-o", path("x.npy")}), 3, "has no clips");
    GlbFile fish(lent);
    for (auto& node : fish.json["nodes"]) node["name"] = "fin";
    fish.save(path("fish.glb"));
    expectFailure(runPelt({"deform", bar(), "--clips", path("fish.glb"), "-o", path("x.npy")}), 3, "none of its");
}

TEST_F(PropsAndClips, TheRangeOfMotionIsAClipOfEveryCharacter) {
    const std::string still_bar = still();
    expectFailure(runPelt({"deform", still_bar, "-o", path("x.npy")}), 3, "--clip @range");
    const auto made =
        runWell({"deform", still_bar, "--clip", "@range", "--fps", "2", "--json", "-o", path("r.npy")}).json();
    EXPECT_EQ(made["clip"], "@range");
    EXPECT_EQ(made["frames"], 55);
    writeBytes(path("none.json"), R"({"default": {"bend": 0, "twist": 0}})");
    runPelt(
        {"deform", still_bar, "--clip", "@range", "--fps", "2", "--limits", path("none.json"), "-o", path("n.npy")});
    EXPECT_GT(runWell({"compare", path("r.npy"), path("n.npy"), "--json"}).json()["max"].get<double>(), 0.1);
    runWell({"render", still_bar, "--clip", "@range", "--size", "64x64", "-o", path("r.png")});
    runWell({"compare", still_bar, bar(), "--clip", "@range", "--fps", "2"});
    runWell({"bake", still_bar, "--clip", "@range", "--fps", "2", "-o", path("b.glb")});
    runWell({"fit", still_bar, path("r.npy"), "--clip", "@range", "--fps", "2", "-o", path("f.glb")});
    expectFailure(runPelt({"deform", bar(), "--limits", path("none.json"), "-o", path("x.npy")}), 2, "--limits");
}

}  // namespace
