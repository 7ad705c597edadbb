// FBX from memory: old versions, and files that claim more than they have.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip.h>

#include "io/import/import_support.h"

using namespace pelt;

namespace {

io::Loaded load(const std::string& text) { return io::loadBytes(std::as_bytes(std::span(text)), "test.fbx"); }

std::string faultOf(const std::string& text) {
    try {
        load(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A binary file of one record "Vertices" with one array of doubles that claims `count` numbers in `packed` bytes.
std::string arrayFile(std::uint32_t count, const std::string& packed) {
    std::string file("Kaydara FBX Binary  \0\x1a\0", 23);
    put(file, std::uint32_t(7400));
    const std::size_t start = file.size(), values = 1 + 12 + packed.size();
    put(file, static_cast<std::uint32_t>(start + 13 + 8 + values));
    put(file, std::uint32_t(1));
    put(file, static_cast<std::uint32_t>(values));
    file += "\x08Verticesd";
    put(file, count);
    put(file, std::uint32_t(1));
    put(file, static_cast<std::uint32_t>(packed.size()));
    return file + packed + std::string(13, '\0');
}

}  // namespace

TEST(FbxRead, Version6HasItsMeshSkinShapesAndTakes) {
    const Character character = load(readBytes(importData("version_6.fbx"))).character;
    EXPECT_EQ(character.mesh.vertexCount(), 4u);
    ASSERT_EQ(character.mesh.parts.size(), 1u);
    EXPECT_EQ(character.mesh.parts[0].material, "red");
    ASSERT_EQ(character.mesh.morphs.size(), 1u);
    EXPECT_FLOAT_EQ(character.mesh.morphs[0].default_weight, 0.25F);
    ASSERT_EQ(character.clips.size(), 1u);
    EXPECT_EQ(character.clips[0].name, "turn");
    const std::vector<Vec3f> end = skinLinearlyAt(character, &character.clips[0], 1);
    EXPECT_LT(length(end[1] - Vec3f{0, 1, 0}), 1e-6F) << "turned by 90 degrees";
    EXPECT_LT(length(end[2] - Vec3f{-1.1F, 1, 0}), 1e-6F) << "and the shape fully on";
    const std::vector<Vec3f> before = skinLinearlyAt(character, &character.clips[0], 0.5);
    EXPECT_NEAR(length(before[3] - before[0]), 1.025F, 1e-6F) << "a constant key of the shape";
}

TEST(FbxRead, ArraysThatClaimGigabytesAreRefusedBeforeMemoryIsTaken) {
    EXPECT_NE(faultOf(arrayFile(1000000000, std::string(100, 'x'))).find("unpack to too much memory"),
              std::string::npos);
    EXPECT_FALSE(faultOf(arrayFile(4000000000U, "")).empty());
}

TEST(FbxRead, DamagedKeysAreLeftOutAndCyclesDoNoHarm) {
    const std::string text = readBytes(importData("scale_compensation.fbx"));
    const std::size_t curve = text.find("AnimationCurve: 4202"),
                      values = text.find("a: ", text.find("KeyValueFloat", curve));
    std::string nan = text;
    nan.replace(values, text.find('\n', values) - values, "a: nan,60");
    EXPECT_EQ(load(nan).character.clips.size(), 1u);
    const std::string cyclic = replaced(text, "C: \"OO\",2003,2002", "C: \"OO\",2003,2002\n\tC: \"OO\",2001,2003");
    EXPECT_EQ(load(cyclic).character.mesh.vertexCount(), 8u);
}

TEST(FbxRead, FacesOfPointsThatTheMeshDoesNotHaveAreBadInput) {
    const std::string text = readBytes(importData("version_6.fbx"));
    EXPECT_NE(faultOf(replaced(text, "0,1,2,-4", "0,1,999999999,-4")).find("uses vertex 999999999 of 4"),
              std::string::npos);
    EXPECT_NE(faultOf(replaced(text, "Vertices: 0,0,0,100", "Vertices: nan,0,0,100")).find("is not finite"),
              std::string::npos);
}

TEST(FbxRead, AMeshOnABoneMovesRigidlyWithIt) {
    std::string text = readBytes(importData("version_6.fbx"));
    text = replaced(text, "Connect: \"OO\", \"Deformer::skin\", \"Model::strip\"\n", "");
    text = replaced(text, "\"Model::strip\", \"Model::Scene\"", "\"Model::strip\", \"Model::hip\"");
    const Character character = load(text).character;
    ASSERT_FALSE(character.weights.empty());
    const std::vector<Vec3f> end = skinLinearlyAt(character, &character.clips[0], 1);
    EXPECT_LT(length(end[1] - Vec3f{0, 1, 0}), 1e-6F);
}
