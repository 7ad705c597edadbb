// pelt mirror.
#include "cli/support/mush_fixture.h"
#include "shared_data.h"

namespace {

using MirrorJson = nlohmann::json;

class MirrorVerb : public MushTest {
protected:
    MirrorJson mirror(const std::string& input, const Words& words = {}, const std::string& output = "out.glb") {
        Words all{"mirror", input, "-o", path(output), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
    /// A biped whose right side was spoilt: all its vertices follow the first joint of the skin.
    std::string spoilt(const std::string& name = "biped", float nudge = 0) {
        GlbFile glb(sample(name, "1500"));
        MirrorJson& attributes = glb.primitive()["attributes"];
        const std::vector<float> positions = glb.floats(attributes["POSITION"]);
        std::vector<float> weights = glb.floats(attributes["WEIGHTS_0"]), moved = positions;
        for (std::size_t v = 0; 3 * v < positions.size(); ++v) {
            if (positions[3 * v] > -0.02F) continue;
            for (std::size_t i = 0; i < 4; ++i) weights[4 * v + i] = 0.25F;
            // A mesh that is not symmetric: the side is stretched a little.
            moved[3 * v + 1] += nudge * positions[3 * v];
        }
        attributes["WEIGHTS_0"] = glb.addFloats(weights, "VEC4");
        const std::size_t was = attributes["POSITION"];
        attributes["POSITION"] = glb.addFloats(moved, "VEC3");
        for (const char* key : {"min", "max"})
            glb.json["accessors"][attributes["POSITION"].get<std::size_t>()][key] = glb.json["accessors"][was][key];
        glb.save(path("spoilt.glb"));
        return path("spoilt.glb");
    }
};

}  // namespace

TEST_F(MirrorVerb, ASymmetricCharacterDoesNotChange) {
    const MirrorJson first = mirror(sample("biped", "1500"), {}, "symmetric.glb");
    const MirrorJson json = mirror(path("symmetric.glb"));
    EXPECT_EQ(json.at("axis"), "x");
    EXPECT_EQ(json.at("changed"), 0);
    EXPECT_GT(json.at("joint_pairs"), 3);
    EXPECT_EQ(json.at("unmatched"), 0);
    EXPECT_LT(first.at("mean_change"), 0.01) << "the biped is symmetric up to its triangles";
    EXPECT_EQ(readBytes(path("out.glb")), readBytes(path("symmetric.glb"))) << "mirrored twice is mirrored once";
    const MirrorJson back = mirror(path("symmetric.glb"), {"--from", "right"}, "back.glb");
    EXPECT_LT(back.at("mean_change"), 0.01);
}

TEST_F(MirrorVerb, TheGoodSideReplacesTheSpoiltOne) {
    const std::string good = sample("biped", "1500"), file = spoilt();
    const double broken = farthest(deform(good, "lbs"), deform(file, "lbs"));
    mirror(file);
    EXPECT_LT(farthest(deform(good, "lbs"), deform(path("out.glb"), "lbs")), 0.1 * broken);
    mirror(file, {"--from", "right"});
    EXPECT_GT(farthest(deform(good, "lbs"), deform(path("out.glb"), "lbs")), 0.5 * broken) << "both sides spoilt";
}

TEST_F(MirrorVerb, MeshesNeedNotBeExactlySymmetric) {
    const std::string file = spoilt("biped", 0.03F);
    const MirrorJson json = mirror(file);
    EXPECT_GT(json.at("interpolated"), 100);
    EXPECT_LT(json.at("unmatched"), json.at("vertices").get<int>() / 50);
    EXPECT_LE(json.at("influences"), 4);
    const Frames good = deform(sample("biped", "1500"), "lbs");
    EXPECT_LT(farthest(good, deform(path("out.glb"), "lbs")), 0.3 * farthest(good, deform(file, "lbs")));
    mirror(path("out.glb"), {}, "again.glb");
    EXPECT_EQ(readBytes(path("again.glb")), readBytes(path("out.glb")));
}

TEST_F(MirrorVerb, ARigidBindStaysRigid) {
    runWell({"bind", spoilt("biped", 0.03F), "--method", "rigid", "-o", path("rigid.glb"), "-q"});
    EXPECT_EQ(mirror(path("rigid.glb")).at("influences"), 1);
}

TEST_F(MirrorVerb, PaintedMapsAndAlphaOfJointsGoAlong) {
    GlbFile glb(sample("biped", "1500"));
    const std::vector<float> positions = glb.floats(glb.primitive()["attributes"]["POSITION"]);
    std::vector<float> map;
    for (std::size_t v = 0; 3 * v < positions.size(); ++v) map.push_back(positions[3 * v] > 0 ? 1.0F : 0.25F);
    glb.primitive()["attributes"]["_LAMBDA"] = glb.addFloats(map, "SCALAR");
    glb.save(path("painted.glb"));
    const MirrorJson info = runWell({"info", path("painted.glb"), "--json"}).json();
    std::string left;
    for (const MirrorJson& joint : info.at("joints"))
        if (const std::string name = joint.at("name"); name.find("_L") != std::string::npos && left.empty())
            left = name;
    ASSERT_FALSE(left.empty()) << info.at("joints");
    mush(path("painted.glb"), "mushed.glb", {"--lambda-map", "_LAMBDA", "--joint-alpha", left + "=0.9"});
    const MirrorJson json = mirror(path("mushed.glb"));
    EXPECT_EQ(json.at("maps"), MirrorJson({"_LAMBDA"}));
    const GlbFile made(path("out.glb"));
    const std::vector<float> now = made.floats(made.primitive()["attributes"]["_LAMBDA"]);
    for (std::size_t v = 0; v < now.size(); ++v) {
        if (std::abs(positions[3 * v]) <= 0.02F) continue;
        EXPECT_EQ(now[v], 1.0F) << v;
    }
    std::string right = left;
    right.replace(right.find("_L"), 2, "_R");
    EXPECT_NE(made.json.dump().find("\"joint\":\"" + right), std::string::npos)
        << made.primitive()["extensions"]["PELT_direct_delta_mush"]["settings"];
}

TEST_F(MirrorVerb, BadInputIsOneLine) {
    writeBytes(path("bad.glb"), "not a file");
    writeBytes(path("out.glb"), "precious");
    expectFailure(runPelt({"mirror", path("bad.glb"), "-o", path("out.glb")}), 3, "bad.glb");
    EXPECT_EQ(readBytes(path("out.glb")), "precious");
    expectFailure(runPelt({"mirror", sample("arm"), "-o", path("out.glb"), "--axis", "w"}), 2, "--axis");
}

TEST_F(MirrorVerb, RealCharactersInAnyUnitsAndTurns) {
    PELT_NEEDS_SHARED("data/rigged/kaykit/Knight.glb");
    for (const char* file : {"data/rigged/kaykit/Knight.glb", "data/rigged/khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
                             "data/rigged/mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb"}) {
        SCOPED_TRACE(file);
        const MirrorJson json = runPelt({"mirror", sharedPath(file).string(), "-o", path("real.glb"), "--json"}).json();
        EXPECT_GT(json.at("joint_pairs"), 4);
        EXPECT_LT(json.at("mean_change"), 0.1);
        EXPECT_EQ(mirror(path("real.glb")).at("changed"), 0);
    }
}
