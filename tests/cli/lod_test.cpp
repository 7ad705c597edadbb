// pelt lod.
#include "cli/support/decompose_fixture.h"
#include "cli/support/mush_fixture.h"
#include "shared_data.h"

namespace {

using LodJson = nlohmann::json;

class LodVerb : public MushTest {
protected:
    LodJson lod(const std::string& input, const std::string& output, const Words& words = {}) {
        Words all{"lod", input, "-o", output, "--json"};
        all.insert(all.end(), words.begin(), words.end());
        const RunResult run = runPelt(all);
        EXPECT_EQ(run.status, 0) << run.err;
        return run.json();
    }
};

}  // namespace

TEST_F(LodVerb, LevelsHaveTheTrianglesAskedForAndDeformAlike) {
    const std::string arm = sample("arm", "3000");
    const LodJson json = lod(arm, path("lods"));
    ASSERT_EQ(json.at("levels").size(), 3u);
    const double whole = json.at("triangles");
    double before = 0;
    for (std::size_t l = 0; l < 3; ++l) {
        const LodJson& level = json.at("levels")[l];
        EXPECT_NEAR(level.at("triangles").get<double>() / whole, level.at("ratio").get<double>(), 0.01);
        EXPECT_LT(level.at("range_of_motion").at("e_rms"), 4.0);
        EXPECT_GE(level.at("range_of_motion").at("e_rms"), before);
        before = level.at("range_of_motion").at("e_rms");
        const std::string file = level.at("file");
        EXPECT_EQ(std::filesystem::path(file).filename(),
                  std::filesystem::path(arm).stem().string() + "_lod" + std::to_string(l + 1) + ".glb");
        EXPECT_EQ(runWell({"info", file, "--json"}).json().at("triangles"), level.at("triangles"));
        EXPECT_LT(std::filesystem::file_size(file), std::filesystem::file_size(arm));
    }
    if (!expectValid({path("lods/" + std::filesystem::path(arm).stem().string() + "_lod3.glb")}, path("report")))
        GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(LodVerb, MaterialsUvsAndUnknownAttributesStay) {
    const std::string arm = sample("arm", "1000");
    GlbFile glb(arm);
    LodJson& attributes = glb.primitive()["attributes"];
    const std::size_t count = glb.count(attributes["POSITION"]);
    std::vector<float> colors;
    const std::vector<float> positions = glb.floats(attributes["POSITION"]);
    for (std::size_t v = 0; v < count; ++v) {
        colors.insert(colors.end(), {positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]});
    }
    attributes["COLOR_0"] = glb.addFloats(colors, "VEC3");
    glb.json["materials"] = {{{"name", "skin"}, {"extras", {{"shop", 7}}}}};
    glb.save(path("in.glb"));
    lod(path("in.glb"), path("lods"), {"--ratios", "0.3"});
    const GlbFile out(path("lods/in_lod1.glb"));
    EXPECT_EQ(out.json["materials"][0]["extras"]["shop"], 7);
    const LodJson& kept = out.primitive()["attributes"];
    EXPECT_EQ(out.floats(kept["COLOR_0"]), out.floats(kept["POSITION"])) << "each vertex keeps its own attributes";
    EXPECT_EQ(out.json["animations"].size(), glb.json["animations"].size());
}

TEST_F(LodVerb, AMushedCharacterHasAMushedLevel) {
    const std::string arm = sample("arm", "1000");
    const std::string mushed = mush(arm, "mushed.glb");
    const LodJson json = lod(mushed, path("lods"), {"--ratios", "0.4"});
    const std::string file = json.at("levels")[0].at("file");
    EXPECT_EQ(deform(file, "ddm").front().size(), json.at("levels")[0].at("vertices").get<std::size_t>());
    EXPECT_TRUE(GlbFile(file).primitive()["extensions"].contains("PELT_direct_delta_mush"));
    EXPECT_LT(json.at("levels")[0].at("range_of_motion").at("e_rms"), 6.0);
}

TEST_F(LodVerb, OneFileIsValidAndOpensAsTheOriginal) {
    const std::string arm = sample("arm", "1000");
    const LodJson json = lod(arm, path("all.glb"), {"--one-file", "--ratios", "0.5,0.2"});
    const GlbFile out(path("all.glb"));
    std::size_t links = 0;
    for (const auto& node : out.json["nodes"])
        if (node.contains("extensions")) {
            ++links;
            ASSERT_EQ(node["extensions"]["MSFT_lod"]["ids"].size(), 2u);
            for (std::size_t l = 0; l < 2; ++l) {
                const LodJson& level = out.json["nodes"][node["extensions"]["MSFT_lod"]["ids"][l].get<std::size_t>()];
                const LodJson& mesh = out.json["meshes"][level["mesh"].get<std::size_t>()];
                EXPECT_EQ(out.count(mesh["primitives"][0]["indices"]) / 3,
                          json.at("levels")[l].at("triangles").get<std::size_t>());
                EXPECT_EQ(level["skin"], node["skin"]);
            }
        }
    EXPECT_EQ(links, 1u);
    EXPECT_LT(farthest(deform(arm, "lbs"), deform(path("all.glb"), "lbs")), 1e-7);
    if (!expectValid({path("all.glb")}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(LodVerb, AFileWithLevelsIsSimplifiedAsTheCharacterThatItShows) {
    const std::string arm = sample("arm", "1000");
    const LodJson first = lod(arm, path("all.glb"), {"--one-file", "--ratios", "0.5,0.2"});
    const LodJson direct = lod(arm, path("direct"), {"--ratios", "0.4"});
    const LodJson again = lod(path("all.glb"), path("again"), {"--ratios", "0.4"});
    EXPECT_EQ(again.at("triangles"), direct.at("triangles"));
    EXPECT_EQ(again.at("levels")[0].at("triangles"), direct.at("levels")[0].at("triangles"));
    const std::string file = path("again/all_lod1.glb");
    EXPECT_EQ(runWell({"info", file, "--json"}).json().at("triangles"), again.at("levels")[0].at("triangles"));
    const GlbFile level(file);
    EXPECT_EQ(level.json["meshes"].size(), 1u) << "the levels of the original are gone";
    EXPECT_EQ(level.json["nodes"].size(), GlbFile(arm).json["nodes"].size());
    EXPECT_FALSE(level.json.contains("extensionsUsed"));

    lod(path("all.glb"), path("twice.glb"), {"--one-file", "--ratios", "0.3"});
    EXPECT_EQ(runWell({"info", path("twice.glb"), "--json"}).json().at("triangles"), first.at("triangles"));
    EXPECT_EQ(GlbFile(path("twice.glb")).json["meshes"].size(), 2u) << "new levels in the place of the old ones";
    EXPECT_LT(std::filesystem::file_size(path("twice.glb")), std::filesystem::file_size(path("all.glb")));
    for (const std::string& out : {file, path("twice.glb")})
        if (!expectValid({out}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(LodVerb, FacesWithoutAreaAreRefused) {
    GlbFile glb(sample("arm"));
    LodJson& attributes = glb.primitive()["attributes"];
    attributes["POSITION"] = glb.addFloats(std::vector<float>(3 * glb.count(attributes["POSITION"])), "VEC3");
    glb.save(path("flat.glb"));
    expectFailure(runPelt({"lod", path("flat.glb"), "-o", path("lods")}), 3,
                  "no triangle with three different corners");
}

TEST_F(LodVerb, BadInputIsOneLineAndLeavesTheOldFiles) {
    const std::string arm = sample("arm");
    std::filesystem::create_directory(path("lods"));
    const std::string old = path("lods/" + std::filesystem::path(arm).stem().string() + "_lod1.glb");
    writeBytes(old, "old");
    expectFailure(runPelt({"lod", arm, "-o", path("lods"), "--ratios", "0.2,0.5"}), 2, "--ratios");
    expectFailure(runPelt({"lod", arm, "-o", path("lods"), "--ratios", "1.5"}), 2, "--ratios");
    expectFailure(runPelt({"lod", arm, "-o", path("lods.glb")}), 2, "--one-file");
    expectFailure(runPelt({"lod", arm, "-o", path("no/such")}), 1, "does not exist");
    expectFailure(runPelt({"lod", path("none.glb"), "-o", path("lods")}), 3, "none.glb");
    RunOptions full;
    full.file_size_limit = 20000;
    const RunResult run = runPelt({"lod", arm, "-o", path("lods"), "-q"}, full);
    EXPECT_NE(run.status, 0);
    EXPECT_EQ(readBytes(old), "old");
}

TEST_F(LodVerb, TheNumberOfThreadsChangesNoByte) {
    const std::string arm = sample("arm", "1000");
    lod(arm, path("one"), {"--threads", "1"});
    lod(arm, path("four"), {"--threads", "4"});
    for (const auto& file : std::filesystem::directory_iterator(path("one")))
        EXPECT_EQ(readBytes(file.path()), readBytes(path("four/" + file.path().filename().string())));
}

TEST_F(LodVerb, RealCharactersAreSimplified) {
    PELT_NEEDS_SHARED("data/rigged/kaykit/Knight.glb");
    for (const char* name : {"kaykit/Knight.glb", "raylib/robot.glb", "RobotExpressive/RobotExpressive.glb"}) {
        const std::string file = sharedPath("data/rigged").string() + "/" + name;
        if (!std::filesystem::exists(file)) continue;
        const LodJson json = lod(file, path("lods"), {"--ratios", "0.5"});
        const double reached = json.at("levels")[0].at("triangles").get<double>() / json.at("triangles").get<double>();
        EXPECT_LT(reached, 0.6) << name;
        EXPECT_LT(json.at("levels")[0].at("range_of_motion").at("e_rms"), 10.0) << name;
        runWell({"info", json.at("levels")[0].at("file").get<std::string>(), "--json", "-q"});
    }
}
