// Clips from files of other formats.
#include <array>
#include <cmath>
#include <set>

#include "cli/support/avatar.h"
#include "cli/support/glb_file.h"
#include "cli/support/mush_fixture.h"
#include "cli/support/program.h"

namespace {

/// A text FBX file as animation services write it without the mesh: joints in centimeters, the second of which turns.
std::string animationFbx(const std::vector<std::string>& joints, double spacing) {
    std::string models,
        links = "\tC: \"OO\",5001,5000\n\tC: \"OO\",5002,5001\n\tC: \"OP\",5002,2001, \"Lcl Rotation\"\n";
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const std::string id = std::to_string(2000 + j);
        models += "\tModel: " + id + ", \"Model::" + joints[j] + "\", \"LimbNode\" {\n\t\tProperties70:  {\n" +
                  "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\"," +
                  std::to_string(j == 0 ? 0 : spacing * 100) + ",0,0\n\t\t}\n\t}\n";
        links += "\tC: \"OO\"," + id + "," + (j == 0 ? "0" : std::to_string(1999 + j)) + "\n";
    }
    std::string curves;
    for (int axis = 0; axis < 3; ++axis) {
        const std::string id = std::to_string(5100 + axis), turned = axis == 2 ? "60" : "0";
        curves += "\tAnimationCurve: " + id +
                  ", \"AnimCurve::\", \"\" {\n\t\tKeyTime: *2 {\n\t\t\ta: 0,46186158000\n\t\t}\n" +
                  "\t\tKeyValueFloat: *2 {\n\t\t\ta: 0," + turned +
                  "\n\t\t}\n\t\tKeyAttrFlags: *1 {\n\t\t\ta: 4\n\t\t}\n\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: "
                  "0,0,0,0\n\t\t}\n" +
                  "\t\tKeyAttrRefCount: *1 {\n\t\t\ta: 2\n\t\t}\n\t}\n";
        links += "\tC: \"OP\"," + id + ",5002, \"d|" + "XYZ"[axis] + "\"\n";
    }
    return "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nGlobalSettings:  "
           "{\n\tProperties70:  {\n"
           "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n\t}\n}\nObjects:  {\n" +
           models +
           "\tAnimationStack: 5000, \"AnimStack::turn\", \"\" {\n\t}\n\tAnimationLayer: 5001, \"AnimLayer::base\", "
           "\"\" {\n\t}\n"
           "\tAnimationCurveNode: 5002, \"AnimCurveNode::R\", \"\" {\n\t\tProperties70:  {\n"
           "\t\t\tP: \"d|X\", \"Number\", \"\", \"A\",0\n\t\t\tP: \"d|Y\", \"Number\", \"\", \"A\",0\n"
           "\t\t\tP: \"d|Z\", \"Number\", \"\", \"A\",0\n\t\t}\n\t}\n" +
           curves + "}\nConnections:  {\n" + links + "}\n";
}

/// The same motion as Collada.
std::string animationDae(const std::vector<std::string>& joints, double spacing) {
    std::string nodes, close;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        nodes += "<node id=\"" + joints[j] + "\" name=\"" + joints[j] + "\" sid=\"" + joints[j] +
                 "\" type=\"JOINT\"><matrix sid=\"transform\">1 0 0 " + std::to_string(j == 0 ? 0 : spacing) +
                 " 0 1 0 0 0 0 1 0 0 0 0 1</matrix>";
        close += "</node>";
    }
    const std::string x = std::to_string(spacing);
    return "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
           "<asset><unit meter=\"1\" name=\"meter\"/><up_axis>Y_UP</up_axis></asset><library_animations>"
           "<animation id=\"a\"><source id=\"t\"><float_array id=\"ta\" count=\"2\">0 1</float_array><technique_common>"
           "<accessor source=\"#ta\" count=\"2\" stride=\"1\"><param name=\"TIME\" type=\"float\"/></accessor>"
           "</technique_common></source><source id=\"m\"><float_array id=\"ma\" count=\"32\">1 0 0 " +
           x + " 0 1 0 0 0 0 1 0 0 0 0 1 0.5 -0.8660254 0 " + x +
           " 0.8660254 0.5 0 0 0 0 1 0 0 0 0 1</float_array><technique_common><accessor source=\"#ma\" count=\"2\" "
           "stride=\"16\"><param name=\"TRANSFORM\" type=\"float4x4\"/></accessor></technique_common></source>"
           "<source id=\"i\"><Name_array id=\"ia\" count=\"2\">LINEAR LINEAR</Name_array><technique_common><accessor "
           "source=\"#ia\" count=\"2\" stride=\"1\"><param name=\"INTERPOLATION\" type=\"name\"/></accessor>"
           "</technique_common></source><sampler id=\"s\"><input semantic=\"INPUT\" source=\"#t\"/><input "
           "semantic=\"OUTPUT\" source=\"#m\"/><input semantic=\"INTERPOLATION\" source=\"#i\"/></sampler><channel "
           "source=\"#s\" target=\"" +
           joints[1] + "/transform\"/></animation></library_animations><library_visual_scenes><visual_scene id=\"v\">" +
           nodes + close +
           "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#v\"/></scene></COLLADA>";
}

class MotionFiles : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        GlbFile file(bar());
        file.json.erase("animations");
        file.save(path("still.glb"));
        const auto info = runWell({"info", bar(), "--json"}).json()["joints"];
        for (const auto& joint : info) joints_.push_back(joint["name"]);
        const auto place = [&](std::size_t j, int axis) { return info[j]["position"][axis].get<double>(); };
        double squared = 0;
        for (int axis = 0; axis < 3; ++axis) squared += std::pow(place(1, axis) - place(0, axis), 2);
        spacing_ = std::sqrt(squared);
    }
    /// What everybody does with a file that has clips alone.
    void expectUseful(const std::string& file) {
        const auto info = runWell({"info", file, "--json"}).json();
        EXPECT_EQ(info["vertices"], 0) << file;
        EXPECT_EQ(info["clips"].size(), 1U) << file;
        EXPECT_EQ(info["bones"], joints_.size()) << file;
        EXPECT_EQ(info["problems"], nlohmann::json::array()) << file;
        const RunResult played =
            runPelt({"deform", path("still.glb"), "--clips", file, "--fps", "4", "--json", "-o", path("x.npy")});
        ASSERT_EQ(played.status, 0) << played.err;
        EXPECT_EQ(played.json()["frames"], 5) << file;
        const Frames frames = readFrames(path("x.npy"));
        EXPECT_GT(farthest({frames.front()}, {frames.back()}), 0.2) << file;
        for (const Words& words : {Words{"deform", file, "-o", path("y.npy")}, Words{"mush", file, "-o", path("y.glb")},
                                   Words{"transfer", bar(), file, "-o", path("y.glb")}})
            expectFailure(runPelt(words), 3, "has no mesh; use its clips with another character: --clips");
    }

    std::vector<std::string> joints_;
    double spacing_ = 1;
};

TEST_F(MotionFiles, OfFbxAreDescribedAndPlayedByOthers) {
    writeBytes(path("walk.fbx"), animationFbx(joints_, spacing_));
    expectUseful(path("walk.fbx"));
}

TEST_F(MotionFiles, OfColladaAreDescribedAndPlayedByOthers) {
    writeBytes(path("walk.dae"), animationDae(joints_, spacing_));
    expectUseful(path("walk.dae"));
}

TEST_F(MotionFiles, OfAvatarsArePlayedByTheirBonesWhateverTheNodesAreCalled) {
    const std::string biped = madeOnce("biped300.glb", {"sample", "biped", "--resolution", "300"});
    GlbFile avatar(biped), motion(biped);
    // The other bones of the biped do not play: they are no bones of a human here.
    const nlohmann::json bones = humanBones(motion);
    std::set<std::size_t> known;
    for (const auto& bone : bones) known.insert(bone["node"].get<std::size_t>());
    auto& channels = motion.json["animations"][0]["channels"];
    for (std::size_t c = channels.size(); c-- > 0;)
        if (!known.contains(channels[c]["target"]["node"].get<std::size_t>())) channels.erase(c);
    motion.json["animations"] = nlohmann::json::array({motion.json["animations"][0]});
    avatar.json["animations"] = motion.json["animations"];
    avatar.save(path("own.glb"));
    motion.json["extensions"]["VRMC_vrm_animation"] = {{"specVersion", "1.0"}, {"humanoid", {{"humanBones", bones}}}};
    for (std::size_t n = 0; n < motion.json["nodes"].size(); ++n) {
        motion.json["nodes"][n]["name"] = "n" + std::to_string(n);
        motion.json["nodes"][n].erase("mesh");
        motion.json["nodes"][n].erase("skin");
    }
    motion.json.erase("meshes");
    motion.json.erase("skins");
    motion.save(path("dance.vrma"));
    avatar.json.erase("animations");
    avatar.json["extensions"]["VRMC_vrm"] = {{"specVersion", "1.0"}, {"humanoid", {{"humanBones", bones}}}};
    avatar.save(path("avatar.vrm"));
    EXPECT_EQ(runWell({"info", path("dance.vrma"), "--json"}).json()["vertices"], 0);
    runWell({"deform", path("own.glb"), "--fps", "3", "-o", path("a.npy")});
    runWell({"deform", path("avatar.vrm"), "--clips", path("dance.vrma"), "--fps", "3", "-o", path("b.npy")});
    EXPECT_LT(farthest(readFrames(path("a.npy")), readFrames(path("b.npy"))), 1e-5);

    // An avatar of VRM 0 faces the other way.
    GlbFile old(path("avatar.vrm"));
    old.json["extensions"] = {{"VRM", {{"humanoid", {{"humanBones", humanBonesOfVrm0(old)}}}}}};
    const std::size_t root = old.json["nodes"].size();
    old.json["nodes"].push_back(
        {{"name", "turned"}, {"rotation", {0, 1, 0, 0}}, {"children", old.json["scenes"][0]["nodes"]}});
    old.json["scenes"][0]["nodes"] = nlohmann::json::array({root});
    old.save(path("old.vrm"));
    runWell({"deform", path("old.vrm"), "--clips", path("dance.vrma"), "--fps", "3", "-o", path("c.npy")});
    Frames turned = readFrames(path("c.npy"));
    for (auto& frame : turned)
        for (pelt::Vec3f& p : frame) p = {-p.x, p.y, -p.z};
    EXPECT_LT(farthest(readFrames(path("a.npy")), turned), 1e-5);
}

}  // namespace
