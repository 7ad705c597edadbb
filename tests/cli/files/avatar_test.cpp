// VRM avatars through every verb.
#include "cli/support/avatar.h"

#include "cli/support/mush_fixture.h"

/// Avatars: .vrm files of both versions, through every verb that writes characters.
namespace {

class Avatars : public MushTest {
protected:
    /// The biped with a morph target and what an avatar of that version has.
    std::string avatar(int version) {
        GlbFile file(madeOnce("biped300.glb", {"sample", "biped", "--resolution", "300"}));
        const std::size_t count = file.count(file.primitive()["attributes"]["POSITION"]);
        const std::size_t offsets = file.addFloats(std::vector<float>(3 * count, 0.01F), "VEC3");
        file.json["accessors"][offsets]["min"] = {0.01F, 0.01F, 0.01F};
        file.json["accessors"][offsets]["max"] = {0.01F, 0.01F, 0.01F};
        file.primitive()["targets"] = nlohmann::json::array({{{"POSITION", offsets}}});
        const nlohmann::json bones = humanBones(file);
        const std::size_t head = bones["head"]["node"], hips = bones["hips"]["node"];
        std::size_t body = 0;
        while (!file.json["nodes"][body].contains("mesh")) ++body;
        nlohmann::json& extensions = file.json["extensions"];
        if (version == 1) {
            extensions["VRMC_vrm"] = {
                {"specVersion", "1.0"},
                {"meta", {{"name", "Biped"}, {"authors", {"Pelt"}}, {"licenseUrl", "https://vrm.dev/licenses/1.0/"}}},
                {"humanoid", {{"humanBones", bones}}},
                {"expressions",
                 {{"preset", {{"happy", {{"morphTargetBinds", {{{"node", body}, {"index", 0}, {"weight", 1}}}}}}}}}},
                {"firstPerson", {{"meshAnnotations", {{{"node", body}, {"type", "auto"}}}}}}};
            extensions["VRMC_springBone"] = {
                {"specVersion", "1.0"},
                {"colliders", {{{"node", hips}, {"shape", {{"sphere", {{"radius", 0.1}}}}}}}},
                {"colliderGroups", {{{"colliders", {0}}}}},
                {"springs", {{{"joints", {{{"node", head}}}}, {"colliderGroups", {0}}}}}};
        } else {
            extensions["VRM"] = {
                {"exporterVersion", "Pelt"},
                {"meta", {{"title", "Biped"}, {"author", "Pelt"}}},
                {"humanoid", {{"humanBones", humanBonesOfVrm0(file)}}},
                {"blendShapeMaster",
                 {{"blendShapeGroups",
                   {{{"name", "Joy"}, {"binds", {{{"mesh", 0}, {"index", 0}, {"weight", 100}}}}}}}}},
                {"firstPerson",
                 {{"firstPersonBone", head}, {"meshAnnotations", {{{"mesh", 0}, {"firstPersonFlag", "Auto"}}}}}},
                {"secondaryAnimation",
                 {{"boneGroups", {{{"center", -1}, {"bones", {head}}, {"colliderGroups", {0}}}}},
                  {"colliderGroups", {{{"node", hips}, {"colliders", nlohmann::json::array()}}}}}}};
        }
        file.json["extensionsUsed"] = nlohmann::json::array();
        for (const auto& [name, extension] : extensions.items()) file.json["extensionsUsed"].push_back(name);
        file.save(path("avatar.vrm"));
        return path("avatar.vrm");
    }
    RunResult written(const std::function<void(GlbFile&)>& change) {
        GlbFile file(avatar(1));
        change(file);
        file.save(path("broken.vrm"));
        return runPelt({"clean", path("broken.vrm"), "-o", path("out.vrm")});
    }
};

TEST_F(Avatars, KeepTheirBonesExpressionsViewAndSpringsThroughEveryVerb) {
    for (const int version : {0, 1}) {
        const std::string file = avatar(version);
        const nlohmann::json before = GlbFile(file).json;
        for (const Words& verb :
             {Words{"mush"}, Words{"bind"}, Words{"clean"}, Words{"mirror"},
              Words{"limit", "--influences", "2", "--max-joints", "17"}, Words{"bake", "--helpers", "1", "--fps", "3"},
              Words{"bake", "--virtual", "4", "--fps", "3"}, Words{"lod", "--one-file", "--ratios", "0.5"}}) {
            SCOPED_TRACE(verb[0] + std::to_string(version));
            Words words = {verb[0], file, "-o", path("out.vrm")};
            words.insert(words.end(), verb.begin() + 1, verb.end());
            const RunResult run = runPelt(words);
            ASSERT_EQ(run.status, 0) << run.err;
            const GlbFile out(path("out.vrm"));
            for (const auto& [name, extension] : before["extensions"].items())
                EXPECT_EQ(out.json["extensions"][name], extension) << name;
            // What the extensions refer to has kept its index.
            for (std::size_t n = 0; n < before["nodes"].size(); ++n)
                EXPECT_EQ(out.json["nodes"][n].value("name", ""), before["nodes"][n].value("name", "")) << n;
            EXPECT_EQ(out.json["meshes"][0]["primitives"][0]["targets"].size(), 1U);
            EXPECT_EQ(runWell({"info", path("out.vrm"), "--json"}).json()["morphs"].size(), 1U);
        }
    }
}

TEST_F(Avatars, AreRefusedWhereTheyBreakARule) {
    expectFailure(runPelt({"clean", bar(), "-o", path("out.vrm")}), 2, "it is no avatar");
    expectFailure(written([](GlbFile& f) { f.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].erase("hips"); }),
                  2, "it has no humanoid bone hips");
    expectFailure(written([](GlbFile& f) {
                      auto& bones = f.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
                      std::swap(bones["leftHand"], bones["rightFoot"]);
                  }),
                  2, "is not below");
    expectFailure(written([](GlbFile& f) { f.json["extensions"]["VRMC_vrm"]["meta"].erase("authors"); }), 2, "authors");
    expectFailure(written([](GlbFile& f) { f.primitive().erase("targets"); }), 2, "the expression happy");
    expectFailure(
        written([](GlbFile& f) { f.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]["node"] = 999; }),
        2, "a spring refers to an entry of nodes");
    EXPECT_FALSE(std::filesystem::exists(path("out.vrm")));
}

}  // namespace
