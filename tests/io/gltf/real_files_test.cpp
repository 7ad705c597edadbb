// Real glTF files through reading and writing.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/ddm_storage.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "compressed_maker.h"
#include "payload_maker.h"
#include "shared_data.h"

namespace pelt::io::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> gltfFiles(const char* folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(sharedPath(folder)))
        if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(GltfRealFiles, EveryRiggedAndConformanceFileSurvivesARoundTripBitByBit) {
    PELT_NEEDS_SHARED("data/rigged");
    for (const char* folder : {"data/rigged", "data/conformance"})
        for (const fs::path& file : gltfFiles(folder)) {
            SCOPED_TRACE(file.string());
            const Character c = loadCharacter(file).character;
            expectEqual(loadGltf(toGlb(c), "again.glb").character, c);
        }
}

TEST(GltfRealFiles, EveryRiggedFileCarriesAPayloadAndLosesItAgain) {
    PELT_NEEDS_SHARED("data/rigged");
    for (const char* folder : {"data/rigged", "data/conformance"})
        for (const fs::path& file : gltfFiles(folder)) {
            SCOPED_TRACE(file.string());
            Character c = loadCharacter(file).character;
            if (c.weights.empty()) continue;
            c.ddm = makePlainPayload(c);
            const std::vector<std::byte> mushed = toGlb(c);
            Character back = loadGltf(mushed, "mushed.glb").character;
            ASSERT_TRUE(back.ddm);
            EXPECT_TRUE(*back.ddm == *c.ddm);
            expectEqual(back, c);
            EXPECT_TRUE(toGlb(back) == mushed) << "unchanged, yet not the same bytes";
            c.ddm = nullptr;
            const std::size_t before = toGlb(c).size();
            EXPECT_GE(mushed.size(), before + storedBytes(makePlainPayload(c)->rows, DdmEncoding::float32));
            back.ddm = nullptr;
            const std::vector<std::byte> without = toGlb(back);
            EXPECT_FALSE(loadGltf(without, "without.glb").character.ddm);
            EXPECT_LT(without.size(), mushed.size() - storedBytes(makePlainPayload(c)->rows, DdmEncoding::float32));
        }
}

TEST(GltfRealFiles, JsonOfABinaryFileComesBackEqual) {
    PELT_NEEDS_SHARED("data/rigged");
    for (const fs::path& file : gltfFiles("data/rigged")) {
        if (file.extension() != ".glb") continue;
        SCOPED_TRACE(file.string());
        std::ifstream stream(file, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        EXPECT_EQ(jsonOf(toGlb(loadCharacter(file).character)), jsonOf(std::as_bytes(std::span(text))));
    }
}

TEST(GltfRealFiles, RobotExpressiveIsNormalizedWithOneWarning) {
    PELT_NEEDS_SHARED("data/rigged/RobotExpressive");
    const auto [c, warnings] = loadCharacter(sharedPath("data/rigged/RobotExpressive/RobotExpressive.glb"));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("1.755"), std::string::npos) << warnings[0];
}

TEST(GltfRealFiles, MalformedFilesLoadOrAreRefused) {
    PELT_NEEDS_SHARED("data/malformed");
    std::size_t count = 0;
    for (const fs::path& file : gltfFiles("data/malformed")) {
        ++count;
        try {
            const Character c = loadCharacter(file).character;
            toGlb(c);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
            EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
        }
    }
    EXPECT_EQ(count, 97U);
}

/// Everything that saving can change: weights with 6 influences, three joints more (one on a node of its own, one a new
/// root, one per second binding), a clip more, a mushed skin.
Character changed(Character c) {
    if (c.weights.empty()) return c;
    const SkinWeights bind = c.weights;
    c.skeleton.nodes.push_back({"pelt_helper", static_cast<std::int32_t>(c.skeleton.joints[0].node), {}, {}});
    c.skeleton.joints.push_back({static_cast<std::uint32_t>(c.skeleton.nodes.size() - 1), {}});
    c.skeleton.nodes.push_back({"pelt_root", -1, {}, {}});
    c.skeleton.joints.push_back({static_cast<std::uint32_t>(c.skeleton.nodes.size() - 1), {}});
    c.skeleton.joints.push_back({c.skeleton.joints[0].node, Affine3d(Mat3d{}, Vec3d{1, 1, 1})});
    SkinWeights weights;
    for (std::size_t v = 0; v < c.weights.vertexCount(); ++v) {
        std::vector<std::uint32_t> joints(c.weights.jointsOf(v).begin(), c.weights.jointsOf(v).end());
        std::vector<float> values(c.weights.weightsOf(v).begin(), c.weights.weightsOf(v).end());
        for (std::size_t k = 0; k < 3; ++k) {
            joints.push_back(static_cast<std::uint32_t>(c.skeleton.joints.size() - 1 - k));
            values.push_back(0.1F * static_cast<float>(1 + (v + k) % 7));
        }
        appendVertex(weights, joints, values);
    }
    c.weights = std::move(weights);
    const auto payload = makePlainPayload(c);
    payload->bind = bind;
    c.ddm = payload;
    Clip clip{"pelt_clip", 0, 1, {}};
    clip.channels.push_back({ChannelPath::rotation,
                             c.skeleton.joints[0].node,
                             Interpolation::linear,
                             4,
                             {0, 1},
                             {0, 0, 0, 1, 0, 0, 0.6F, 0.8F}});
    c.clips.push_back(clip);
    return c;
}

using Issues = std::map<std::string, int>;

/// What the validator says about each file: "errors CODE" -> how often. Empty where it cannot be run.
std::map<std::string, Issues> validate(const std::vector<fs::path>& files) {
    std::string command = std::string("'") + kTestData + "/../../scripts/validate_gltf'";
    for (const fs::path& file : files) command += " '" + file.string() + "'";
    std::map<std::string, Issues> out;
    std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    std::string text;
    char part[4096];
    while (pipe && std::fgets(part, sizeof part, pipe)) text += part;
    if (pipe) ::pclose(pipe);
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
        const Json line = Json::parse(text.substr(at, end - at));
        Issues& issues = out[line["file"].get<std::string>()];
        for (const char* kind : {"errors", "warnings"})
            for (const Json& issue : line[kind]) {
                const std::string full = issue.get<std::string>();
                ++issues[kind + (" " + full.substr(0, full.find(' ')))];
            }
    }
    return out;
}

TEST(GltfValidator, SavingAddsNoErrorAndNoWarning) {
    const TemporaryFolder folder;
    std::vector<fs::path> before, same_before, unchanged, edited, made;
    const auto add = [&](const fs::path& file) {
        const std::string stem = std::to_string(before.size());
        const Character c = loadCharacter(file).character, other = changed(c);
        before.push_back(file);
        edited.push_back(folder / (stem + "b.glb"));
        made.push_back(folder / (stem + "c.glb"));
        if (file.extension() == ".gltf") {  // a .glb comes back byte by byte, which other tests see
            same_before.push_back(file);
            unchanged.push_back(folder / (stem + "a.gltf"));
            saveCharacter(c, unchanged.back());
        }
        saveCharacter(other, edited.back());
        Character fresh = other;
        fresh.source = nullptr;
        saveCharacter(fresh, made.back());
    };
    int serial = 0;
    for (const GlbMaker& maker : {makeStrip(), makeMeshoptStrip(), makeDracoStrip(0)}) {
        const fs::path file = folder / ("in" + std::to_string(serial++) + ".glb");
        const std::vector<std::byte> bytes = maker.bytes();
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        add(file);
    }
    if (fs::exists(sharedPath("data/rigged")))
        for (const char* root : {"data/rigged", "data/conformance"})
            for (const fs::path& file : gltfFiles(root)) add(file);
    const auto was = validate(before);
    if (was.empty()) GTEST_SKIP() << "needs node and gltf-validator (npm install --prefix build/npm gltf-validator)";
    const auto same = validate(unchanged), now = validate(edited), fresh = validate(made);
    for (std::size_t i = 0; i < unchanged.size(); ++i)
        EXPECT_EQ(same.at(unchanged[i].string()), was.at(same_before[i].string())) << same_before[i];
    for (std::size_t i = 0; i < before.size(); ++i) {
        SCOPED_TRACE(before[i].string());
        const Issues& allowed = was.at(before[i].string());
        for (const auto& [issue, count] : now.at(edited[i].string()))
            EXPECT_TRUE(allowed.contains(issue) && allowed.at(issue) >= count) << issue << " x " << count;
        for (const auto& [issue, count] : fresh.at(made[i].string())) ADD_FAILURE() << "new document: " << issue;
    }
}

}  // namespace
}  // namespace pelt::io::test
