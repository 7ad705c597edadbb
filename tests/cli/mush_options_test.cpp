// The options of pelt mush, and which values they refuse.
#include <cmath>
#include <cstring>
#include <limits>

#include "cli/support/mush_fixture.h"
#include "shared_data.h"

// Options of mushing, and values that are refused.

namespace {

class MushOptions : public MushTest {
protected:
    /// The bar with one scalar per vertex in each named attribute.
    std::string barWith(const std::vector<std::pair<std::string, std::function<float(std::size_t)>>>& maps) {
        GlbFile file(sample("bar"));
        const std::size_t count = file.count(file.primitive()["attributes"]["POSITION"]);
        for (const auto& [name, value] : maps) {
            std::vector<float> values(count);
            for (std::size_t v = 0; v < count; ++v) values[v] = value(v);
            file.primitive()["attributes"][name] = file.addFloats(values, "SCALAR");
        }
        file.save(path("maps.glb"));
        return path("maps.glb");
    }

    void expectRefused(const Words& options, int status, const std::string& words, const std::string& input = "") {
        const std::string character = input.empty() ? sample("bar") : input;
        for (Words line : {Words{"mush", character, "-o", path("x.glb")},
                           Words{"deform", character, "--method", "ddm", "-o", path("x.npy")}}) {
            line.insert(line.end(), options.begin(), options.end());
            const RunResult result = runPelt(line);
            expectFailure(result, status, words);
            if (status == 3) {
                EXPECT_NE(result.err.find(character), std::string::npos) << result.err;
            }
        }
        EXPECT_FALSE(std::filesystem::exists(path("x.glb")) || std::filesystem::exists(path("x.npy")));
    }
};

float half(std::size_t) { return 0.5f; }

}  // namespace

TEST_F(MushOptions, NumbersOutOfRangeAreWrongUsage) {
    expectRefused({"--lambda", "-1"}, 2, "lambda");
    expectRefused({"--lambda", "nan"}, 2, "lambda");
    expectRefused({"--kappa", "-0.5"}, 2, "kappa");
    expectRefused({"--alpha", "1"}, 2, "--alpha is '1'; it takes a number from 0 to below 1");
    expectRefused({"--alpha", "-0.1"}, 2, "alpha");
    expectRefused({"--iterations", "-1"}, 2, "iterations");
    expectRefused({"--influences", "-1"}, 2, "influences");
    expectRefused({"--weld", "-1"}, 2, "--weld");
    expectRefused({"--smoothing", "explicit", "--lambda", "1.5"}, 2, "lambda");
    expectRefused({"--smoothing", "explicit", "--lambda", "1", "--kappa", "1.5"}, 2, "kappa");
    expectRefused({"--smoothing", "backwards"}, 2, "--smoothing");
    expectRefused({"--laplacian", "graph"}, 2, "--laplacian");
    expectRefused({"--joint-alpha", "hips"}, 2, "JOINT=a");
    expectRefused({"--joint-alpha", "=0.5"}, 2, "JOINT=a");
    expectFailure(runPelt({"mush", sample("bar"), "-o", path("x.glb"), "--variant", "v6"}), 2, "v6");
    expectFailure(runPelt({"mush", sample("bar"), "-o", path("x.glb"), "--payload", "q8"}), 2, "q8");
}

TEST_F(MushOptions, WhatTheFileDoesNotHaveIsBadInput) {
    expectRefused({"--lambda-map", "_LAMBDA"}, 3, "_LAMBDA");
    expectRefused({"--joint-alpha", "tail=0.2"}, 3, "tail");
    expectRefused({"--exclude", "hat"}, 3, "hat");
}

TEST_F(MushOptions, MapsMustBeNumbersFromZeroOn) {
    const auto at = [](float bad) { return [bad](std::size_t v) { return v == 7 ? bad : 1.0f; }; };
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.0f}) {
        const std::string input = barWith({{"_MAP", at(bad)}});
        for (const char* option : {"--lambda-map", "--kappa-map", "--alpha-map"})
            expectRefused({option, "_MAP"}, 3, "vertex 7", input);
    }
    // Each is in range, but their product is not.
    expectRefused({"--alpha", "0.9", "--alpha-map", "_MAP"}, 2, "alpha", barWith({{"_MAP", at(2)}}));
}

TEST_F(MushOptions, AMapMultipliesItsNumber) {
    const std::string input = barWith({{"_HALF", half}});
    const Frames halved = deform(input, "ddm", {"--lambda", "4", "--kappa", "1", "--alpha", "0.5"});
    const Words twice = {"--lambda",    "8",     "--lambda-map", "_HALF",   "--kappa",     "2",
                         "--kappa-map", "_HALF", "--alpha",      "0.99999", "--alpha-map", "_HALF"};
    EXPECT_LE(farthest(deform(input, "ddm", twice), halved), 1e-5);
    EXPECT_GT(farthest(deform(input, "ddm", {"--lambda", "8", "--kappa", "2", "--alpha", "0.5"}), halved), 1e-3);
}

TEST_F(MushOptions, AMapOfZerosLeavesTheBindAsItIs) {
    const std::string input = barWith({{"_ZERO", [](std::size_t) { return 0.0f; }}});
    runWell({"bind", input, "--method", "rigid", "-o", path("rigid.glb")});
    EXPECT_LE(farthest(deform(input, "ddm", {"--lambda-map", "_ZERO", "--kappa-map", "_ZERO"}),
                       deform(path("rigid.glb"), "lbs")),
              2e-6);
}

TEST_F(MushOptions, TranslationsFollowTheWeightsOfTheFileWhereTheyAreAskedTo) {
    const std::string input = barWith({{"_NONE", [](std::size_t) { return 0.0f; }},
                                       {"_ALL", [](std::size_t) { return 1.0f; }},
                                       {"_TWO", [](std::size_t v) { return v == 5 ? 2.0f : 0.0f; }}});
    const Words all = {"--influences", "0", "--alpha", "0.99999"};
    const auto posed = [&](const std::string& translations) {
        Words words = all;
        words.insert(words.end(), {"--translations", translations});
        return deform(input, "ddm-v5", words);
    };
    const Frames bind = posed("bind"), file = posed("file");
    EXPECT_EQ(bind, deform(input, "ddm-v5", all));
    EXPECT_EQ(bind, posed("_NONE"));
    EXPECT_EQ(file, posed("_ALL"));
    EXPECT_GT(farthest(bind, file), 1e-2);
    EXPECT_LE(farthest(file, deform(input, "lbs")), 1e-4) << "with α near 1, ω are the file's own weights";
    expectRefused({"--translations", "_TWO"}, 3, "is 2 at vertex 5", input);
    expectRefused({"--translations", "_SHOULDER"}, 3, "_SHOULDER", input);
    runWell({"mush", input, "--translations", "file", "-o", path("m.glb")});
    const auto settings = runWell({"info", path("m.glb"), "--json"}).json().at("ddm").at("settings");
    EXPECT_EQ(settings.at("translations"), "file");
    runWell({"mush", path("m.glb"), "-o", path("again.glb")});
    EXPECT_EQ(readBytes(path("again.glb")), readBytes(path("m.glb"))) << "from the weights before the mush";
}

TEST_F(MushOptions, AFileMushedForOneVariantIsMushedAgainForWhatNeedsMore) {
    const std::string input = sample("bar"), small = mush(input, "v5.glb", {"--variant", "v5"});
    EXPECT_LT(2 * std::filesystem::file_size(small) - std::filesystem::file_size(input),
              std::filesystem::file_size(mush(input, "v0.glb")));
    EXPECT_LE(farthest(deform(small, "ddm"), deform(path("v0.glb"), "ddm-v5")), 1e-6);
    for (const std::string method : {"ddm-v0", "ddm-v2", "ddm-v4", "eddm"})
        EXPECT_LE(farthest(deform(small, method), deform(input, method)), 1e-6) << method;
    EXPECT_LE(farthest(deform(mush(small, "again.glb", {"--variant", "v0"}), "ddm"), deform(path("v0.glb"), "ddm")),
              1e-6);
}

TEST_F(MushOptions, DeltaMushWorksOnOtherMethodsAndOnSequences) {
    const std::string input = sample("bar"), frames = path("dqs.npy");
    const Frames dqs = deform(input, "dqs"), rigid = deform(input, "dm");
    std::filesystem::rename(path("frames.npy"), path("dm.npy"));
    deform(input, "dqs");
    std::filesystem::rename(path("frames.npy"), frames);
    for (const std::string method : {"dm", "dm-tangent"}) {
        const Frames over = deform(input, method, {"--frames", "::10", "--base", "dqs"});
        EXPECT_LE(farthest(deform(input, method, {"--frames", "::10", "--base", frames}), over), 1e-7);
        EXPECT_LE(farthest(deform(input, method, {"--frames", "::10", "--base", "dqs", "--lambda", "0"}), dqs), 2e-6);
        EXPECT_GT(farthest(over, rigid), 1e-3);
        EXPECT_LE(farthest(deform(input, method, {"--frames", "::10", "--base", "lbs"}),
                           deform(input, method, {"--frames", "::10", "--bind", "keep"})),
                  2e-6);
    }
    const auto refused = [&](const Words& options, int status, const std::string& words) {
        Words line = {"deform", input, "--method", "dm", "-o", path("x.npy")};
        line.insert(line.end(), options.begin(), options.end());
        expectFailure(runPelt(line), status, words);
    };
    refused({"--base", "dsq"}, 2, "--base dsq: neither a file nor a method; did you mean 'dqs'?");
    refused({"--base", path("none.npy")}, 3, "none.npy");
    refused({"--base", frames}, 3, "samples in its clip, but there are " + std::to_string(dqs.size()) + " meshes");
    refused({"--base", frames, "--bind-pose"}, 2, "--bind-pose excludes --base");
    const RunResult idle = runPelt({"deform", input, "--base", "dqs", "-o", path("x.npy")});
    EXPECT_EQ(idle.status, 0);
    EXPECT_NE(idle.err.find("--base has no effect on lbs"), std::string::npos) << idle.err;

    const Words bake = {"bake", input, "--from", "dm", "--frames", "::10", "-o", path("baked.glb"), "--json", "--base"};
    const auto baked = [&](const std::string& base) {
        Words line = bake;
        line.push_back(base);
        return runWell(line).json();
    };
    const auto by_method = baked("dqs"), by_frames = baked(frames), over_lbs = baked("lbs");
    EXPECT_TRUE(by_method.contains("range_of_motion"));
    EXPECT_FALSE(by_frames.contains("range_of_motion")) << "there are meshes for the clip alone";
    const auto error = [](const nlohmann::json& of) { return of.at("candidates")[0].at("rms").get<double>(); };
    EXPECT_NEAR(error(by_method), error(by_frames), 1e-6);
    EXPECT_GT(std::abs(error(by_method) - error(over_lbs)), 1e-3);
    expectFailure(runPelt({"bake", input, "--base", "dqs", "-o", path("x.glb")}), 2, "--base is what dm");
    expectFailure(runPelt({"bake", input, "--from", "dm", "--base", "dqs", "--virtual", "8", "-o", path("x.glb")}), 2,
                  "--base");
}

TEST_F(MushOptions, AJointsAlphaChangesTheSkinAroundItAndNoOther) {
    const std::string input = sample("branch", "2000");
    const auto joints = runWell({"info", input, "--json"}).json().at("joints");
    const std::string last = joints.back().at("name");
    const Frames plain = deform(input, "ddm"), changed = deform(input, "ddm", {"--joint-alpha", last + "=0"});
    std::size_t moved = 0, still = 0;
    for (std::size_t v = 0; v < plain[0].size(); ++v) {
        const double most = farthest(plain, changed, v, 1);
        moved += most > 1e-4;
        still += most < 1e-5;
    }
    EXPECT_GT(moved, plain[0].size() / 50);
    EXPECT_GT(still, plain[0].size() / 3);
}

TEST_F(MushOptions, AnExcludedPartKeepsItsBind) {
    const std::string input = sample("bar-parts");
    const GlbFile file(input);
    const auto info = runWell({"info", input, "--json"}).json();
    const std::string excluded = info.at("parts").at(0).at("name");
    const std::size_t count = file.count(file.primitive()["attributes"]["POSITION"]);
    runWell({"bind", input, "--method", "rigid", "-o", path("rigid.glb")});
    const Frames rigid = deform(path("rigid.glb"), "lbs");
    EXPECT_LE(farthest(deform(input, "ddm", {"--exclude", excluded}), rigid, 0, count), 2e-6);
    EXPECT_GT(farthest(deform(input, "ddm"), rigid, 0, count), 1e-3);
}

TEST_F(MushOptions, GoldenMapsFromTheAttributesOfAFile) {
    PELT_NEEDS_SHARED("golden");
    const std::filesystem::path folder = sharedPath("golden") / "y-cotangent-maps";
    GlbFile file(folder / "input.glb");
    for (const std::string name : {"lambda", "kappa", "alpha"}) {
        const std::string npy = readBytes(folder / ("D_" + name + ".npy"));
        const std::size_t header = 10 + std::uint8_t(npy.at(8)) + 256 * std::uint8_t(npy.at(9));
        std::vector<double> exact((npy.size() - header) / sizeof(double));
        std::memcpy(exact.data(), npy.data() + header, exact.size() * sizeof(double));
        file.primitive()["attributes"]["_" + name] =
            file.addFloats(std::vector<float>(exact.begin(), exact.end()), "SCALAR");
    }
    file.save(path("y.glb"));
    const Words options = {"--bind",       "keep",   "--laplacian",  "cotangent", "--iterations", "15",
                           "--lambda",     "1",      "--kappa",      "0.2",       "--alpha",      "0.8",
                           "--influences", "0",      "--lambda-map", "_lambda",   "--kappa-map",  "_kappa",
                           "--alpha-map",  "_alpha", "--fps",        "4"};
    const std::pair<std::string, std::string> methods[] = {{"ddm-v0", "ddm-v0"},
                                                           {"ddm-v1", "ddm-v1"},
                                                           {"ddm-v2", "ddm-v2"},
                                                           {"ddm-v3", "ddm-v3"},
                                                           {"ddm-v4", "ddm-v4"},
                                                           {"eddm", "eddm"},
                                                           {"ddm-v5", "ddm-v5-lbs"},
                                                           {"ddm-v5-dqs", "ddm-v5-dqs"},
                                                           {"dm", "delta-mush-procrustes"},
                                                           {"ddm-v1-printed", "ddm-v1-printed"}};
    for (const auto& [method, expected] : methods)
        EXPECT_LE(farthest(readFrames((folder / ("expected_" + expected + ".npy")).string()),
                           deform(path("y.glb"), method, options)),
                  1e-5)
            << method;
}

TEST_F(MushOptions, MorphTargetsTurnWithTheSkinUnderEveryMethod) {  // x = R (u + δ) + t
    GlbFile file(sample("bar"));
    const auto& attributes = file.primitive()["attributes"];
    const std::vector<float> positions = file.floats(attributes["POSITION"]);
    const std::size_t count = positions.size() / 3;
    std::vector<float> offsets(positions.size(), 0.0f);
    for (std::size_t v = 0; v < count; ++v) offsets[3 * v + 2] = 0.1f;
    file.primitive()["targets"] = {{{"POSITION", file.addFloats(offsets, "VEC3")}}};
    file.json["meshes"][0]["weights"] = {1.0};
    file.save(path("morphed.glb"));
    mush(path("morphed.glb"), "m.glb");
    for (const std::string method : {"lbs", "dqs", "cor", "dm", "dm-tangent", "ddm", "ddm-v0", "ddm-v1", "ddm-v2",
                                     "ddm-v3", "ddm-v4", "ddm-v5", "ddm-v5-dqs", "eddm"}) {
        SCOPED_TRACE(method);
        const Frames with = deform(path("m.glb"), method), without = deform(mush(sample("bar"), "p.glb"), method);
        // Every vertex is displaced by about the length of the target's offset, rotated but not stretched; linear
        // blends may shorten it and v1 and v3 keep the distance from their center instead.
        const bool rotates = method.find("v1") == std::string::npos && method.find("v3") == std::string::npos &&
                             method != "lbs" && method != "ddm-v5";
        for (std::size_t f = 0; f < with.size(); ++f)
            for (std::size_t v = 0; v < count; ++v) {
                const float pushed = length(with[f][v] - without[f][v]);
                ASSERT_LE(pushed, rotates ? 0.1001f : 0.2f) << f << " " << v;
                ASSERT_GE(pushed, rotates ? 0.0999f : 0.0f) << f << " " << v;
            }
        const pelt::Vec3f first = with[0][0] - without[0][0];
        EXPECT_LT(length(first - pelt::Vec3f(0, 0, 0.1f)), 1e-4f);
    }
}
