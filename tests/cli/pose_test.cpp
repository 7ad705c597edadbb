// pelt pose.
#include <pelt/io/sequence_file.h>

#include <cmath>
#include <map>

#include "cli/support/glb_file.h"
#include "cli/support/glb_player.h"
#include "cli/support/program.h"

namespace {

using PoseJson = nlohmann::json;
using PosePoint = std::array<float, 3>;

const std::string kIdentity = "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]";

class PoseVerb : public CliTest {
protected:
    /// Writes the handles and returns the file's name.
    std::string handles(const std::string& list) const {
        writeBytes(path("h.json"), "{\"handles\": [" + list + "]}");
        return path("h.json");
    }
    RunResult pose(const std::string& list, const std::vector<std::string>& more = {},
                   const std::string& out = "out.npy") const {
        std::vector<std::string> words = {"pose", bar(), "--handles", handles(list), "-o", path(out), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return runPelt(words);
    }
    void expectRefused(const std::string& list, const std::string& words) const {
        SCOPED_TRACE(list);
        const RunResult result = pose(list);
        EXPECT_EQ(result.status, 3) << result.err;
        EXPECT_TRUE(result.oneErrorLine()) << result.err;
        EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    }
};

std::vector<PosePoint> poseFrame(const std::string& file, std::size_t frame = 0) {
    const auto sequence = pelt::io::openSequence(file);
    std::vector<pelt::Vec3f> points(sequence->vertexCount());
    sequence->readFrame(frame, points);
    std::vector<PosePoint> out;
    for (const pelt::Vec3f& p : points) out.push_back({p.x, p.y, p.z});
    return out;
}

double poseDistance(const PosePoint& a, const PosePoint& b) {
    return std::hypot(double(a[0] - b[0]), double(a[1] - b[1]), double(a[2] - b[2]));
}

std::string fullHandle(const std::string& joint, const std::string& transform = kIdentity) {
    return R"({"joint": ")" + joint + R"(", "constraint": "full", "transform": )" + transform + "}";
}

}  // namespace

TEST_F(PoseVerb, TheExactPoseMeetsItsTargetsAndTheEnergyNeverRises) {
    const std::vector<PosePoint> rest = [&] {
        runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
        return poseFrame(path("rest.npy"));
    }();
    for (const char* energy : {"spokes", "spokes-and-rims", "triangles", "tets"}) {
        SCOPED_TRACE(energy);
        const RunResult result = pose(fullHandle("joint0") + R"(, {"region": [3, 4], "constraint": "free"},
                {"point": [0.0, 1.0, 0.0], "constraint": "position", "target": [0.5, 0.6, 0.1]})",
                                      {"--energy", energy, "--extra-weights", "5"});
        ASSERT_EQ(result.status, 0) << result.err;
        const PoseJson json = result.json();
        EXPECT_EQ(json.at("verb"), "pose");
        EXPECT_EQ(json.at("frames"), 1);
        EXPECT_EQ(json.at("bones"), 2);
        const auto energies = json.at("energy").get<std::vector<double>>();
        ASSERT_GT(energies.size(), 5u);
        for (std::size_t i = 1; i < energies.size(); ++i) EXPECT_LE(energies[i], energies[i - 1] * (1 + 1e-12));
        EXPECT_GT(energies.back(), 0);
        const std::vector<PosePoint> posed = poseFrame(path("out.npy"));
        ASSERT_EQ(posed.size(), rest.size());
        std::size_t nearest = 0;
        for (std::size_t v = 0; v < rest.size(); ++v)
            if (poseDistance(rest[v], {0, 1, 0}) < poseDistance(rest[nearest], {0, 1, 0})) nearest = v;
        EXPECT_LT(poseDistance(posed[nearest], {0.5f, 0.6f, 0.1f}), 1e-5);
    }
}

TEST_F(PoseVerb, AllJointsGivenIsWhatDeformGives) {
    // The second joint rotated in place by 90 degrees about z, as a transform of rest space.
    const std::string turned = "[0,1,0,0, -1,0,0,0, 0,0,1,0, 0.5,0.5,0,1]";
    for (const char* method : {"lbs", "dqs", "ddm-v0"}) {
        ASSERT_EQ(pose(fullHandle("joint0") + "," + fullHandle("joint1", turned), {"--method", method}).status, 0);
        const std::vector<PosePoint> posed = poseFrame(path("out.npy"));
        ASSERT_EQ(pose(fullHandle("joint0") + "," + fullHandle("joint1", turned), {}, "clip.glb").status, 0);
        runWell({"deform", path("clip.glb"), "--method", method, "-o", path("same.npy")});
        const std::vector<PosePoint> expected = poseFrame(path("same.npy"));
        ASSERT_EQ(posed.size(), expected.size());
        for (std::size_t v = 0; v < posed.size(); ++v) EXPECT_LT(poseDistance(posed[v], expected[v]), 2e-5) << v;
    }
}

TEST_F(PoseVerb, KeyedTargetsGiveAClipOfJointsThatKeepTheirLengths) {
    const RunResult result = pose(
        fullHandle("joint0") +
            R"(, {"point": [0, 1, 0], "constraint": "position", "targets": [[0, [0, 1, 0]], [0.5, [0.3, 0.9, 0]]]})",
        {}, "clip.glb");
    ASSERT_EQ(result.status, 0) << result.err;
    const PoseJson json = result.json();
    EXPECT_EQ(json.at("frames"), 16);
    EXPECT_EQ(json.at("frame_energy").size(), 16u);
    EXPECT_LT(json.at("rms").get<double>(), 0.05);
    EXPECT_GT(json.at("rms").get<double>(), 0);
    const GlbFile file(path("clip.glb"));
    ASSERT_GT(file.json["animations"].size(), 1u) << "the character's own clips stay";
    EXPECT_EQ(file.json["animations"][0]["name"], "pose");
    const GlbPlayer player(file, 0);
    ASSERT_EQ(player.times().size(), 16u);
    EXPECT_FLOAT_EQ(player.times().back(), 0.5f);
    // The child joint keeps its translation: the bone above it is as long as at rest.
    for (const auto& channel : file.json["animations"][0]["channels"]) {
        if (channel["target"]["path"] != "translation") continue;
        const auto& sampler = file.json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
        const std::vector<float> keys = file.floats(sampler["output"].get<std::size_t>());
        const auto& node = file.json["nodes"][channel["target"]["node"].get<std::size_t>()];
        const auto rest = node.value("translation", std::vector<double>{0, 0, 0});
        for (std::size_t k = 0; k < keys.size() / 3; ++k)
            EXPECT_NEAR(std::hypot(keys[3 * k], keys[3 * k + 1], keys[3 * k + 2]),
                        std::hypot(rest[0], rest[1], rest[2]), 1e-5);
    }
    const auto first = player.pose(0), last = player.pose(15);
    double moved = 0;
    for (std::size_t v = 0; v < first.size(); ++v)
        moved = std::max(moved, std::hypot(last[v][0] - first[v][0], last[v][1] - first[v][1]));
    EXPECT_GT(moved, 0.2);
}

TEST_F(PoseVerb, BetweenKeysTargetsMoveStraight) {
    const RunResult result =
        pose(fullHandle("joint0") +
             R"(, {"point": [0, 1, 0], "constraint": "position", "targets": [[1, [0, 1, 0]], [1.4, [0.4, 0.8, 0]]]})");
    ASSERT_EQ(result.status, 0) << result.err;
    ASSERT_EQ(result.json().at("frames"), 13);
    for (std::size_t frame = 0; frame < 13; ++frame) {
        const auto t = float(frame) / 12;
        double nearest = 1;
        for (const PosePoint& p : poseFrame(path("out.npy"), frame))
            nearest = std::min(nearest, poseDistance(p, {0.4f * t, 1 - 0.2f * t, 0}));
        EXPECT_LT(nearest, 1e-5) << frame;
    }
}

TEST_F(PoseVerb, LimitsHoldJointsBack) {
    writeBytes(path("limits.json"), R"({"default": {"bend": 10, "twist": 5}})");
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.5, 0.5, 0]})";
    ASSERT_EQ(pose(list, {"--keep-lengths"}).status, 0);
    const std::vector<PosePoint> free = poseFrame(path("out.npy"));
    ASSERT_EQ(pose(list, {"--limits", path("limits.json")}).status, 0);
    const std::vector<PosePoint> held = poseFrame(path("out.npy"));
    const auto reach = [](const std::vector<PosePoint>& points) {
        float x = 0;
        for (const PosePoint& p : points) x = std::max(x, p[0]);
        return x;
    };
    EXPECT_GT(reach(free), 0.4f);
    EXPECT_LT(reach(held), 0.3f);
}

TEST_F(PoseVerb, AMeshWithoutJointsIsHeldByPointsAndRegions) {
    runWell({"deform", bar(), "--bind-pose", "-o", path("frames")});
    std::string mesh;
    for (const auto& entry : std::filesystem::directory_iterator(path("frames"))) mesh = entry.path().string();
    const std::string list = R"({"point": [0, 0, 0], "constraint": "full", "transform": )" + kIdentity + R"(},
        {"point": [0, 1, 0], "constraint": "position", "target": [0.4, 0.8, 0]},
        {"point": [0.1, 0.5, 0], "constraint": "free"})";
    const RunResult result = runPelt({"pose", mesh, "--handles", handles(list), "-o", path("mesh.npy"), "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json().at("bones"), 3);
    const std::vector<PosePoint> posed = poseFrame(path("mesh.npy"));
    double nearest = 1;
    for (const PosePoint& p : posed) nearest = std::min(nearest, poseDistance(p, {0.4f, 0.8f, 0}));
    EXPECT_LT(nearest, 1e-5);
    ASSERT_EQ(runPelt({"pose", mesh, "--handles", handles(list), "-o", path("mesh.glb")}).status, 0);
    EXPECT_EQ(runWell({"info", path("mesh.glb"), "--json"}).json().at("bones"), 3);
}

TEST_F(PoseVerb, TheSameBytesOnAnyNumberOfThreads) {
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.3, 0.8, 0]})";
    for (const char* out : {"out.npy", "out.glb"}) {
        ASSERT_EQ(pose(list, {"--threads", "1", "--extra-weights", "4"}, out).status, 0);
        const std::string one = readBytes(path(out));
        ASSERT_EQ(pose(list, {"--threads", "2", "--extra-weights", "4"}, out).status, 0);
        EXPECT_EQ(one, readBytes(path(out)));
    }
}

TEST_F(PoseVerb, GoesOnUntilNothingChangesAndSaysWhereItWasStopped) {
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.5, 0.6, 0.1]})";
    const RunResult settled = pose(list, {});
    EXPECT_EQ(settled.json().at("converged"), true);
    EXPECT_EQ(settled.json().at("energy_kind"), "spokes-and-rims");
    const RunResult stopped = pose(list, {"--iterations", "3"});
    EXPECT_EQ(stopped.json().at("converged"), false);
    EXPECT_EQ(stopped.json().at("energy").size(), 3u);
    EXPECT_GT(stopped.json().at("energy").back(), settled.json().at("energy").back());
}

TEST_F(PoseVerb, RigidJointsAreMeasuredAgainstTheExactPose) {
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.5, 0.6, 0.1]})";
    const double clip = pose(list, {}, "out.glb").json().at("rms");
    EXPECT_GT(clip, 1e-4);
    EXPECT_NEAR(pose(list, {"--keep-lengths"}, "out.glb").json().at("rms").get<double>(), clip, 1e-7);
    EXPECT_NEAR(pose(list, {"--keep-lengths"}).json().at("rms").get<double>(), clip, 1e-7);
}

TEST_F(PoseVerb, ExtraWeightsAreOfTheKindAskedFor) {
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.3, 0.8, 0]})";
    std::map<std::string, double> energy;
    for (const char* kind : {"modes", "bumps"}) {
        const RunResult result = pose(list, {"--extra-weights", "4", "--extra-kind", kind});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.json().at("extra_weights"), 4);
        energy[kind] = result.json().at("energy").back();
    }
    EXPECT_NE(energy["modes"], energy["bumps"]);
    EXPECT_EQ(pose(list, {"--extra-weights", "4"}).json().at("energy").back(), energy["modes"]);
    EXPECT_EQ(pose(list, {"--extra-weights", "4", "--extra-kind", "some"}).status, 2);
}

TEST_F(PoseVerb, BadHandlesAreOneLineAndStatus3) {
    const std::string point = R"({"point": [0, 1, 0], "constraint": "position", "target": )";
    expectRefused("", "no handle is constrained");
    expectRefused(R"({"joint": "joint0", "constraint": "free"})", "no handle is constrained");
    expectRefused(R"({"joint": "nose", "constraint": "free"})", "(joint 'nose'): no joint 'nose'");
    expectRefused(fullHandle("elbow"), "joint 'elbow'");
    expectRefused(fullHandle("joint0") + "," + fullHandle("joint0"), "twice");
    expectRefused(R"({"joint": "joint0", "constraint": "position"})", "needs either target");
    expectRefused(R"({"joint": "joint0", "constraint": "full"})", "needs a transform");
    expectRefused(R"({"joint": "joint0", "constraint": "full", "transform": [1, 2]})", "16 numbers");
    expectRefused(R"({"joint": "joint0", "constraint": "still", "target": [0, 0, 0]})", "needs a constraint: hold");
    expectRefused(R"({"joint": "joint0", "constraint": "hold", "target": [0, 0, 0]})", "is held, but has a target");
    expectRefused(R"({"joint": "joint0", "constraint": "free", "rotation": [0, 0, 0]})", "is free, but has");
    expectRefused(R"({"joint": "joint0", "constraint": "position", "offset": [0, 1]})", "3 numbers as offset");
    expectRefused(R"({"joint": "joint0", "constraint": "position", "offset": [0, 1, 0], "target": [0, 1, 0]})",
                  "needs either target");
    expectRefused(R"({"joint": "joint0", "constraint": "position", "offset": [0, 1, 0], "rotation": [0, 1, 0]})",
                  "no rotation");
    expectRefused(R"({"joint": "joint0", "constraint": "position", "offsets": [0, 1, 0]})", "offsets as [[time");
    expectRefused(R"({"joint": "joint0", "constraint": "rotation", "offset": [0, 1, 0]})", "needs either rotation");
    expectRefused(R"({"joint": "joint0", "constraint": "rotation", "rotations": []})", "rotations as [[time");
    expectRefused(R"({"joint": "joint0", "constraint": "rotation", "rotation": ["a", 0, 0]})", "rotation that is not");
    expectRefused(R"({"joint": "joint0", "constraint": "full", "offset": [0, 1, 0]})", "together with a rotation");
    expectRefused(R"({"joint": "joint0", "constraint": "full", "rotation": [0, 1, 0], "transform": )" + kIdentity + "}",
                  "already determines everything");
    expectRefused(R"({"joints": [], "constraint": "hold"})", "list of names");
    expectRefused(R"({"joints": ["joint0", 3], "constraint": "hold"})", "list of names");
    expectRefused(R"({"joints": ["joint0", "elbow"], "constraint": "hold"})", "handle 0 (joint 'elbow')");
    expectRefused(R"({"joints": ["joint0", "joint0"], "constraint": "hold"})", "twice");
    expectRefused(R"({"joints": ["joint0", "joint1"], "constraint": "position", "target": [0, 0, 0]})", "one target");
    expectRefused(R"({"joint": "joint0", "joints": ["joint1"], "constraint": "hold"})", "exactly one");
    expectRefused(R"({"point": [0, 1, 0], "constraint": "rotation", "rotation": [0, 0, 9]})",
                  "only possible for joints");
    expectRefused(R"({"joint": "joint0", "point": [0, 0, 0], "constraint": "free"})", "exactly one");
    expectRefused(point + "[0, null, 0]}", "not finite");
    expectRefused(point + "[0, 1e999, 0]}", "");
    expectRefused(point + "[0, NaN, 0]}", "h.json: line 1: is not valid JSON");
    expectRefused("\n\n" + point + "[0, 1 0]}", "h.json: line 3: is not valid JSON");
    expectRefused(fullHandle("elbow"), "h.json: handle 0");
    expectRefused(R"({"point": [0, 1, 0], "constraint": "position", "targets": [[-1, [0, 1, 0]], [0, [0, 1, 0]]]})",
                  "before time 0");
    expectRefused(R"({"point": [50, 1, 0], "constraint": "position", "target": [0, 0, 0]})", "outside the mesh");
    expectRefused(R"({"region": [], "constraint": "position", "target": [0, 0, 0]})", "empty region");
    expectRefused(R"({"region": [999999], "constraint": "position", "target": [0, 0, 0]})", "999999");
    expectRefused(point + "[0, 1, 0]}," + point + "[0.2, 1, 0]}", "in the place of handle 0");
    expectRefused(R"({"region": [3], "constraint": "hold"}, {"region": [4], "constraint": "hold"},
                     {"region": [3, 4], "constraint": "position", "offset": [0.2, 0, 0]})",
                  "contradicts");
    expectRefused(R"({"segment": [[0, 0, 0], [0, 1, 0]], "constraint": "hold"})", "only a mesh without joints");
    expectRefused(R"({"point": [0, 1, 0], "constraint": "full", "transform": )" + kIdentity + "}",
                  "only possible for joints");
    expectRefused(R"({"point": [0, 1, 0], "constraint": "position", "targets": [[1, [0, 1, 0]], [0, [0, 1, 0]]]})",
                  "do not increase");
    expectRefused(R"({"joint": "joint0", "constraint": "free", "color": 3})", "color");
    writeBytes(path("h.json"), "[]");
    expectFailure(runPelt({"pose", bar(), "--handles", path("h.json"), "-o", path("out.npy")}), 3, "list of handles");
    expectFailure(runPelt({"pose", bar(), "--handles", path("none.json"), "-o", path("out.npy")}), 3, "cannot be read");
    expectFailure(runPelt({"pose", bar(), "--handles", path(""), "-o", path("out.npy")}), 3, "folder");
    EXPECT_EQ(pose(fullHandle("joint0"), {"--method", "magic"}).status, 2);
}

TEST_F(PoseVerb, HeldAndTurnedJointsNeedNoMatrices) {
    const std::string list = R"({"joint": "joint0", "constraint": "hold"},
        {"joint": "joint1", "constraint": "rotation", "rotations": [[0, [0, 0, 0]], [1, [0, 0, -90]]]})";
    const RunResult result = pose(list, {"--fps", "4"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json().at("frames"), 5);
    EXPECT_EQ(result.json().at("rigid"), true);
    runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
    const std::vector<PosePoint> rest = poseFrame(path("rest.npy")), start = poseFrame(path("out.npy")),
                                 end = poseFrame(path("out.npy"), 4);
    for (std::size_t v = 0; v < rest.size(); ++v) {
        EXPECT_LT(poseDistance(start[v], rest[v]), 1e-5);
        if (rest[v][1] > 0.95f) {
            const PosePoint turned{rest[v][1] - 0.5f, 0.5f - rest[v][0], rest[v][2]};
            EXPECT_LT(poseDistance(end[v], turned), 0.01);
        }
    }
    // Matrices give the same result.
    const std::string turned = "[0,-1,0,0, 1,0,0,0, 0,0,1,0, -0.5,0.5,0,1]";
    ASSERT_EQ(pose(fullHandle("joint0") + "," + fullHandle("joint1", turned), {"--keep-lengths"}, "same.npy").status,
              0);
    const std::vector<PosePoint> same = poseFrame(path("same.npy"));
    for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LT(poseDistance(end[v], same[v]), 0.01);
}

TEST_F(PoseVerb, FullTakesAnOffsetOrATargetWithARotation) {
    for (const char* place :
         {R"("offset": [0.1, 0, 0])", R"("target": [0.1, 0, 0])", R"("offsets": [[0, [0.1, 0, 0]]])"}) {
        const std::string list =
            R"({"joint": "joint0", "constraint": "full", )" + std::string(place) + R"(, "rotation": [0, 90, 0]})";
        ASSERT_EQ(pose(list).status, 0);
        runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
        const std::vector<PosePoint> rest = poseFrame(path("rest.npy")), posed = poseFrame(path("out.npy"));
        for (std::size_t v = 0; v < rest.size(); ++v)
            EXPECT_LT(poseDistance(posed[v], {rest[v][2] + 0.1f, rest[v][1], -rest[v][0]}), 0.005) << place;
    }
}

TEST_F(PoseVerb, PlacesSayWhereEachHandleStartedShouldBeAndIs) {
    const std::string list = R"({"joint": "joint0", "constraint": "hold"}, {"joint": "joint1", "constraint": "free"},
        {"point": [0, 1, 0], "constraint": "position", "offsets": [[0, [0, 0, 0]], [0.1, [0.2, -0.1, 0]]]})";
    const RunResult result = pose(list, {}, "clip.glb");
    ASSERT_EQ(result.status, 0) << result.err;
    const PoseJson json = result.json(), places = json.at("places");
    ASSERT_EQ(places.size(), 2u) << "a free joint goes nowhere";
    EXPECT_EQ(places[0].at("handle"), 0);
    EXPECT_EQ(places[0].at("joint"), "joint0");
    EXPECT_EQ(places[0].at("start"), places[0].at("target"));
    EXPECT_EQ(places[1].at("handle"), 2);
    EXPECT_FALSE(places[1].contains("joint"));
    // The mean of the skin that the handle holds, in the last frame of the clip that was written.
    runWell({"deform", path("clip.glb"), "-o", path("played.npy")});
    runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
    const std::vector<PosePoint> rest = poseFrame(path("rest.npy")), last = poseFrame(path("played.npy"), 3);
    std::size_t held = 0;
    for (std::size_t v = 0; v < rest.size(); ++v)
        if (poseDistance(rest[v], {0, 1, 0}) < poseDistance(rest[held], {0, 1, 0})) held = v;
    const auto at = [&](const char* name) { return places[1].at(name).get<PosePoint>(); };
    EXPECT_LT(poseDistance(at("start"), rest[held]), 1e-6);
    EXPECT_LT(poseDistance(at("target"), {rest[held][0] + 0.2f, rest[held][1] - 0.1f, rest[held][2]}), 1e-6);
    EXPECT_LT(poseDistance(at("posed"), last[held]), 1e-5);
    EXPECT_NEAR(places[1].at("missed").get<double>(), poseDistance(at("posed"), at("target")), 1e-6);
    EXPECT_GE(json.at("missed").get<double>(), places[1].at("missed").get<double>());
}

TEST_F(PoseVerb, SeveralJointsMoveAlike) {
    ASSERT_EQ(pose(R"({"joints": ["joint0", "joint1"], "constraint": "position", "offset": [0.2, 0.1, 0.3]})").status,
              0);
    runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
    const std::vector<PosePoint> rest = poseFrame(path("rest.npy")), posed = poseFrame(path("out.npy"));
    for (std::size_t v = 0; v < rest.size(); ++v)
        EXPECT_LT(poseDistance(posed[v], {rest[v][0] + 0.2f, rest[v][1] + 0.1f, rest[v][2] + 0.3f}), 0.005);
}

TEST_F(PoseVerb, ARotationOfTheWorldGoesXThenYThenZ) {
    // x by 90 rotates up to front (+z), y by 90 rotates front to the side (+x): the bar's top ends at +x.
    ASSERT_EQ(pose(R"({"joint": "joint0", "constraint": "full", "offset": [0, 0, 0], "rotation": [90, 90, 0]})").status,
              0);
    float right = 0;
    for (const PosePoint& p : poseFrame(path("out.npy"))) right = std::max(right, p[0]);
    EXPECT_GT(right, 0.95f);
}

TEST_F(PoseVerb, StartsFromAMomentOfAClip) {
    const PoseJson info = runWell({"info", bar(), "--json"}).json();
    const std::string clip = info.at("clips")[0].at("name");
    const double seconds = info.at("clips")[0].at("seconds");
    const std::string hold = R"({"joints": ["joint0", "joint1"], "constraint": "hold"})";
    ASSERT_EQ(pose(hold, {"--clip", clip, "--at", std::to_string(seconds)}).status, 0);
    runWell({"deform", bar(), "--clip", clip, "-o", path("clip.npy")});
    const auto sequence = pelt::io::openSequence(path("clip.npy"));
    const std::vector<PosePoint> there = poseFrame(path("clip.npy"), sequence->frameCount() - 1),
                                 posed = poseFrame(path("out.npy"));
    for (std::size_t v = 0; v < there.size(); ++v) EXPECT_LT(poseDistance(posed[v], there[v]), 2e-3);
    expectFailure(pose(hold, {"--at", "0.5"}), 2, "--clip");
    expectFailure(pose(hold, {"--clip", clip, "--at", "99"}), 2, "is outside");
    expectFailure(pose(hold, {"--clip", "dance"}), 3, "dance");
}

TEST_F(PoseVerb, TheFreePoseIsThereWhereItIsAskedFor) {
    const std::string list = R"({"joint": "joint0", "constraint": "hold"},
        {"joint": "joint1", "constraint": "position", "offset": [0, 0.2, 0]})";
    const PoseJson rigid = pose(list).json(), free = pose(list, {"--free"}, "free.npy").json();
    EXPECT_EQ(rigid.at("rigid"), true);
    EXPECT_EQ(free.at("rigid"), false);
    const auto top = [&](const char* file) {
        float y = 0;
        for (const PosePoint& p : poseFrame(path(file))) y = std::max(y, p[1]);
        return y;
    };
    EXPECT_LT(top("out.npy"), 1.01f) << "bones do not stretch";
    EXPECT_GT(top("free.npy"), 1.08f);
    EXPECT_GT(rigid.at("missed").get<double>(), 0.15);
    EXPECT_EQ(pose(list, {"--free", "--keep-lengths"}).status, 2);
}

TEST_F(PoseVerb, ACacheChangesNothingButTheTime) {
    const std::string list =
        fullHandle("joint0") + R"(, {"point": [0, 1, 0], "constraint": "position", "target": [0.3, 0.8, 0]})";
    const std::filesystem::path cache = std::filesystem::path(std::getenv("XDG_CACHE_HOME")) / "pelt";
    for (const char* out : {"out.npy", "out.glb"}) {
        ASSERT_EQ(pose(list, {"--no-cache", "--extra-weights", "4"}, out).status, 0);
        EXPECT_FALSE(std::filesystem::exists(cache)) << "--no-cache keeps nothing";
        const std::string without = readBytes(path(out));
        for (int run = 0; run < 3; ++run) {
            ASSERT_EQ(pose(list, {"--extra-weights", "4"}, out).status, 0);
            EXPECT_EQ(readBytes(path(out)), without) << run;
            ASSERT_FALSE(std::filesystem::is_empty(cache));
            if (run == 1)  // damaged
                for (const auto& entry : std::filesystem::directory_iterator(cache))
                    std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
        }
        std::filesystem::remove_all(cache);
    }
}
