// pelt cutout.
#include <pelt/io/picture.h>

#include <fstream>

#include "cli/support/mush_fixture.h"

namespace {

using CutoutJson = nlohmann::json;

class CutoutVerb : public MushTest {
protected:
    static constexpr std::size_t kSide = 128;

    /// A ring beside a disc; `background`: opaque, in that gray.
    std::string drawn(const std::string& name, std::optional<int> background = {}, std::size_t width = 2 * kSide) {
        std::vector<std::uint8_t> rgba;
        for (std::size_t y = 0; y < kSide; ++y)
            for (std::size_t x = 0; x < width; ++x) {
                const double px = double(x) + 0.5, py = double(y) + 0.5, r = std::hypot(px - 64, py - 64);
                const bool in = (r < 50 && r > 20) || std::hypot(px - 190, py - 64) < 30;
                const auto far = std::uint8_t(background.value_or(0));
                const std::uint8_t color[] = {200, 60, 30};
                for (const std::uint8_t c : color) rgba.push_back(in ? c : far);
                rgba.push_back(in || background ? 255 : 0);
            }
        write(path(name), pelt::io::toPng(width, kSide, rgba, name));
        return path(name);
    }
    static void write(const std::string& file, std::span<const std::byte> bytes) {
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    }
    CutoutJson cutout(const Words& words, const std::string& output = "flat.glb") {
        Words all{"cutout", "-o", path(output), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
};

}  // namespace

TEST_F(CutoutVerb, APictureBecomesAFlatMeshOneUnitHigh) {
    const CutoutJson json = cutout({drawn("hero.png"), "--triangles", "600"});
    EXPECT_EQ(json.at("parts"), 2);
    EXPECT_NEAR(json.at("triangles").get<double>(), 600, 60);
    EXPECT_GE(json.at("smallest_angle").get<double>(), 15);
    GlbFile glb(path("flat.glb"));
    const std::vector<float> positions = glb.floats(glb.primitive()["attributes"]["POSITION"]);
    float low = 1e9F, high = -1e9F;
    for (std::size_t i = 0; i < positions.size(); i += 3) {
        low = std::min(low, positions[i + 1]);
        high = std::max(high, positions[i + 1]);
        EXPECT_EQ(positions[i + 2], 0);
    }
    EXPECT_NEAR(low, 0, 1e-6);
    EXPECT_NEAR(high, 1, 1e-6);
}

TEST_F(CutoutVerb, TheFileShowsThePictureAsItIs) {
    const std::string picture = drawn("hero.png");
    cutout({picture});
    GlbFile glb(path("flat.glb"));
    const CutoutJson& material = glb.json["materials"][0];
    EXPECT_TRUE(material["doubleSided"]);
    EXPECT_TRUE(material["extensions"].contains("KHR_materials_unlit"));
    EXPECT_EQ(glb.json["extensionsUsed"], CutoutJson({"KHR_materials_unlit"}));
    EXPECT_EQ(glb.json["images"][0]["mimeType"], "image/png");
    const CutoutJson& view = glb.json["bufferViews"][glb.json["images"][0]["bufferView"].get<std::size_t>()];
    const std::vector<std::byte> file = pelt::io::loadPicture(picture).file;
    EXPECT_EQ(view["byteLength"], file.size()) << "not encoded again";
    // A vertex lies where its pixel is: the figure is as wide as it was drawn.
    const CutoutJson& attributes = glb.primitive()["attributes"];
    const std::vector<float> at = glb.floats(attributes["POSITION"]), uv = glb.floats(attributes["TEXCOORD_0"]);
    for (std::size_t v = 1; 3 * v < at.size(); ++v) {
        const double right = double(uv[2 * v] - uv[0]) * 2, down = double(uv[2 * v + 1] - uv[1]);
        EXPECT_NEAR((at[3 * v] - at[0]) * 101 / 128, right, 0.02);
        EXPECT_NEAR((at[1] - at[3 * v + 1]) * 101 / 128, down, 0.02);
    }
}

TEST_F(CutoutVerb, ABackgroundColorMakesTheOutline) {
    const CutoutJson whole = cutout({drawn("hero.png")});
    for (const Words& words : {Words{"--background", "corner"}, Words{"--background", "#eeeeee"}}) {
        Words all{drawn("gray.png", 0xEE)};
        all.insert(all.end(), words.begin(), words.end());
        const CutoutJson json = cutout(all, "gray.glb");
        EXPECT_EQ(json.at("parts"), 2);
        EXPECT_NEAR(json.at("triangles").get<double>(), whole.at("triangles").get<double>(), 60);
    }
    const auto shown = runPelt({"cutout", path("gray.png"), "-o", path("no.glb")});
    EXPECT_EQ(shown.status, 3);
    EXPECT_NE(shown.err.find("--background corner"), std::string::npos) << "says what to do";
    EXPECT_EQ(runPelt({"cutout", path("gray.png"), "--background", "white", "-o", path("no.glb")}).status, 2);
}

TEST_F(CutoutVerb, PicturesAreLayers) {
    const std::string back = drawn("back.png"), front = drawn("front.png");
    const CutoutJson json = cutout({back, front, "--depth", "0.25"});
    EXPECT_EQ(json.at("parts"), 4);
    GlbFile glb(path("flat.glb"));
    ASSERT_EQ(glb.json["meshes"].size(), 2u);
    EXPECT_EQ(glb.json["meshes"][0]["name"], "back");
    const CutoutJson& primitive = glb.json["meshes"][1]["primitives"][0];
    EXPECT_EQ(glb.floats(primitive["attributes"]["POSITION"])[2], 0.25F);
    EXPECT_EQ(glb.json["materials"][primitive["material"].get<std::size_t>()]["name"], "front");
    const auto refused = runPelt({"cutout", back, drawn("narrow.png", {}, kSide), "-o", path("no.glb")});
    EXPECT_EQ(refused.status, 3);
    EXPECT_TRUE(refused.oneErrorLine());
}

TEST_F(CutoutVerb, AFlatFigureIsPosed) {
    cutout({drawn("hero.png")});
    std::ofstream(path("handles.json")) << R"({"handles": [
        {"point": [-1, 0.5, 0], "constraint": "hold"}, {"point": [0, 0.5, 0], "constraint": "hold"},
        {"point": [-0.6, 0.98, 0], "constraint": "position", "offset": [0, 0.2, 0]}]})";
    const CutoutJson json =
        runWell({"pose", path("flat.glb"), "--handles", path("handles.json"), "-o", path("posed.npy"), "--json"})
            .json();
    EXPECT_GT(json.at("energy").back().get<double>(), 0);
}

TEST_F(CutoutVerb, WhatIsNoPictureIsRefusedInOneLine) {
    const std::string good = drawn("hero.png");
    const std::vector<std::byte> bytes = pelt::io::loadPicture(good).file;
    const std::vector<std::uint8_t> clear(4 * 20 * 20, 0);
    write(path("clear.png"), pelt::io::toPng(20, 20, clear, "clear"));
    write(path("cut.png"), std::span(bytes).first(bytes.size() / 2));
    write(path("empty.png"), {});
    std::vector<std::byte> huge = bytes;  // claims 65536 x 65536 pixels
    for (const std::size_t at : {16, 20})
        for (std::size_t k = 0; k < 4; ++k) huge[at + k] = std::byte(k == 1 ? 1 : 0);
    write(path("huge.png"), huge);
    write(path("text.png"), std::as_bytes(std::span("not a picture")));
    for (const std::string name : {"clear", "cut", "empty", "huge", "text", "missing"}) {
        const auto refused = runPelt({"cutout", path(name + ".png"), "-o", path("no.glb")});
        EXPECT_EQ(refused.status, 3) << name;
        EXPECT_TRUE(refused.oneErrorLine()) << refused.err;
        EXPECT_NE(refused.err.find(name + ".png"), std::string::npos) << "names the file";
        EXPECT_LT(refused.max_resident, 200u << 20);
    }
    EXPECT_FALSE(std::filesystem::exists(path("no.glb")));
    const std::vector<std::uint8_t> dot(4, 200);
    write(path("dot.png"), pelt::io::toPng(1, 1, dot, "dot"));
    EXPECT_EQ(cutout({path("dot.png"), "--triangles", "10"}).at("parts"), 1);
}
