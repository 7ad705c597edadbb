// Free poses as plain files.
#include <cmath>
#include <fstream>
#include <set>

#include "cli/support/mush_fixture.h"

namespace {

using PlainJson = nlohmann::json;

class PosePlain : public MushTest {
protected:
    std::string handles(const std::string& name, const PlainJson& list) {
        std::ofstream(path(name)) << PlainJson{{"handles", list}};
        return path(name);
    }
    std::string smoothBiped() {
        runWell({"sample", "biped", "--resolution", "1500", "--skin", "smooth", "-o", path("smooth.glb")});
        return path("smooth.glb");
    }
    /// The body is held, a hand is pulled beyond its reach, so that the arm gets longer.
    std::string stretched() {
        return handles(
            "stretched.json",
            {{{"joints", {"pelvis", "foot_L", "foot_R"}}, {"constraint", "hold"}},
             {{"joint", "hand_L"}, {"constraint", "position"}, {"offsets", {{0, {0, 0, 0}}, {0.2, {0.3, 0.4, 0.2}}}}}});
    }
    PlainJson pose(const std::string& file, const std::string& by, const Words& words, const std::string& output) {
        Words all{"pose", file, "--handles", by, "--free", "--no-cache", "-o", path(output), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
};

}  // namespace

TEST_F(PosePlain, TheFilePlaysTheFreePose) {
    const std::string file = smoothBiped();
    const PlainJson free = pose(file, stretched(), {}, "free.npy"), json = pose(file, stretched(), {}, "bent.glb");
    EXPECT_FALSE(json.at("rigid"));
    EXPECT_EQ(json.at("frames"), free.at("frames"));
    EXPECT_LE(json.at("e_rms"), 3);
    EXPECT_LE(json.at("influences"), 8);
    runWell({"deform", path("bent.glb"), "--method", "lbs", "-o", path("played.npy")});
    const Frames played = readFrames(path("played.npy")), wanted = readFrames(path("free.npy"));
    ASSERT_EQ(played.size(), wanted.size());
    EXPECT_NEAR(farthest(played, wanted), json.at("max").get<double>(), 1e-5) << "the error is that of the file";
    EXPECT_LT(farthest(played, wanted), 2e-5) << "its weights were few enough already";
}

TEST_F(PosePlain, JointsKeepTheirNamesAndAffineOnesAreTwoNodes) {
    const std::string file = smoothBiped();
    pose(file, stretched(), {}, "bent.glb");
    const PlainJson before = runWell({"info", file, "--json"}).json(),
                    after = runWell({"info", path("bent.glb"), "--json"}).json();
    std::set<std::string> names, found;
    for (const PlainJson& joint : before.at("joints")) names.insert(joint.at("name"));
    for (const PlainJson& joint : after.at("joints")) found.insert(joint.at("name"));
    for (const std::string& name : names) EXPECT_TRUE(found.contains(name)) << name;
    GlbFile glb(path("bent.glb"));
    std::size_t nested = 0;
    for (const PlainJson& node : glb.json["nodes"])
        if (node.value("name", "").ends_with("_stretch")) {
            ++nested;
            ASSERT_EQ(node["children"].size(), 1u);
            const PlainJson& inner = glb.json["nodes"][node["children"][0].get<std::size_t>()];
            EXPECT_EQ(inner["name"].get<std::string>() + "_stretch", node["name"]);
        }
    EXPECT_GT(nested, 0u) << "a stretched arm";
    EXPECT_TRUE(after.at("problems").empty()) << after.at("problems");
}

TEST_F(PosePlain, InfluencesAndTheErrorAreJudged) {
    const std::string file = smoothBiped();
    const PlainJson few = pose(file, stretched(), {"--influences", "1"}, "few.glb");
    EXPECT_EQ(few.at("influences"), 1);
    EXPECT_GT(few.at("e_rms"), 0.5);
    const auto judged = runPelt({"pose", file, "--handles", path("stretched.json"), "--free", "--no-cache", "-o",
                                 path("judged.glb"), "--influences", "1", "--max-error", "0.1"});
    EXPECT_EQ(judged.status, 4);
    EXPECT_TRUE(std::filesystem::exists(path("judged.glb"))) << "written all the same";
    EXPECT_EQ(
        runPelt({"pose", file, "--handles", path("stretched.json"), "-o", path("no.glb"), "--influences", "4"}).status,
        2)
        << "a clip of rigid joints keeps the weights";
}

TEST_F(PosePlain, AMeshWithoutJointsGetsItsHandles) {
    runWell({"deform", sample("bar", "400"), "--bind-pose", "-o", path("bar.obj")});
    const PlainJson ends = {{{"point", {0, 0, 0}}, {"constraint", "hold"}},
                            {{"point", {0, 0.5, 0.15}}, {"constraint", "position"}, {"offset", {0.1, 0, 0}}},
                            {{"point", {0, 1, 0}}, {"constraint", "position"}, {"offset", {0.4, -0.3, 0}}}};
    const PlainJson json = pose(path("bar.obj"), handles("ends.json", ends), {}, "bent.glb");
    EXPECT_LT(json.at("e_rms"), 0.01) << "three handles, eight influences";
    pose(path("bar.obj"), path("ends.json"), {}, "free.npy");
    EXPECT_LT(farthest(deform(path("bent.glb"), "lbs"), readFrames(path("free.npy"))), 2e-5);
    const PlainJson extra = pose(path("bar.obj"), path("ends.json"), {"--extra-weights", "15"}, "extra.glb");
    EXPECT_GT(extra.at("e_rms"), json.at("e_rms")) << "joints alone cannot do what extra weights do";
}
