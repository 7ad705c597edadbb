// Compressed glTF: meshopt and Draco.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>

#include "compressed_maker.h"

namespace pelt::io::test {
namespace {

SkinWeights allToJoint(std::size_t vertices, std::uint32_t joint) {
    SkinWeights weights;
    for (std::size_t v = 0; v < vertices; ++v) appendVertex(weights, std::vector{joint}, std::vector{1.0F});
    return weights;
}

TEST(GltfCompressed, MeshoptGivesTheNumbersOfThePlainFile) {
    Character packed = makeMeshoptStrip().load(), plain = makeStrip().load();
    // The codec may start a triangle at another corner.
    for (Character* c : {&packed, &plain})
        for (Triangle& t : c->mesh.triangles) std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    expectEqual(packed, plain);
}

TEST(GltfCompressed, DracoInOrderGivesTheNumbersOfThePlainFile) {
    expectEqual(makeDracoStrip().load(), makeStrip().load());
}

TEST(GltfCompressed, DracoShufflesVerticesButKeepsThemWhole) {
    const Character packed = makeDracoStrip(0).load(), plain = makeStrip().load();
    EXPECT_EQ(sortedVertices(packed), sortedVertices(plain));
    EXPECT_EQ(packed.mesh.triangles.size(), plain.mesh.triangles.size());
}

TEST(GltfCompressed, TooLittleMemoryIsNotTheFilesFault) {
#ifdef PELT_SANITIZED
    GTEST_SKIP() << "a sanitizer takes terabytes of address space";
#endif
    const std::vector<std::byte> bytes = makeDracoStrip(10, 30000).bytes();
    int short_of_memory = 0;
    for (const rlim_t mebibytes : {4, 12, 24, 48, 2000}) {
        const pid_t child = ::fork();
        if (child == 0) {
            rlim_t pages = 0;
            std::ifstream("/proc/self/statm") >> pages;
            const rlim_t most = pages * 4096 + (mebibytes << 20);
            const rlimit limit{most, most};
            ::setrlimit(RLIMIT_AS, &limit);
            try {
                loadGltf(bytes, "large.glb");
                ::_exit(0);
            } catch (const Error& error) {
                ::_exit(error.code() == ErrorCode::system ? 1 : 3);
            } catch (const std::bad_alloc&) {
                ::_exit(1);
            }
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFEXITED(status)) << mebibytes;
        EXPECT_NE(WEXITSTATUS(status), 3) << mebibytes;
        short_of_memory += WEXITSTATUS(status) == 1;
    }
    EXPECT_GT(short_of_memory, 1);
    EXPECT_LT(short_of_memory, 5) << "with enough it is read";
}

TEST(GltfCompressed, UnchangedPrimitivesStayCompressed) {
    for (const GlbMaker& maker : {makeMeshoptStrip(), makeDracoStrip()}) {
        const Character c = maker.load();
        const std::vector<std::byte> saved = toGlb(c);
        EXPECT_EQ(jsonOf(saved), jsonOf(maker.bytes()));
        expectEqual(loadGltf(saved, "saved.glb").character, c);
    }
}

TEST(GltfCompressed, AChangedPrimitiveGoesOutPlainAndTheExtensionLeaves) {
    for (const GlbMaker& maker : {makeMeshoptStrip(), makeDracoStrip(), makeDracoStrip(0)}) {
        Character c = maker.load();
        c.weights = allToJoint(c.mesh.vertexCount(), 1);
        const std::vector<std::byte> saved = toGlb(c);
        const std::string text = jsonOf(saved).dump();
        EXPECT_EQ(text.find("EXT_meshopt_compression"), std::string::npos) << text;
        EXPECT_EQ(text.find("KHR_draco_mesh_compression"), std::string::npos) << text;
        EXPECT_NE(text.find("TEST_nobody_knows"), std::string::npos);
        EXPECT_EQ(jsonOf(saved)["buffers"].size(), 1U);
        expectEqual(loadGltf(saved, "saved.glb").character, c);
    }
}

/// The ratified name of the same extension.
GlbMaker makeKhronosMeshoptStrip() {
    GlbMaker maker = makeMeshoptStrip();
    std::string text = maker.json.dump();
    for (std::size_t at = 0; (at = text.find("EXT_meshopt", at)) != std::string::npos;) text.replace(at, 3, "KHR");
    maker.json = Json::parse(text);
    return maker;
}

TEST(GltfCompressed, MeshoptIsReadUnderItsRatifiedNameToo) {
    const GlbMaker maker = makeKhronosMeshoptStrip();
    Character c = maker.load();
    expectEqual(c, makeMeshoptStrip().load());
    EXPECT_EQ(jsonOf(toGlb(c)), jsonOf(maker.bytes()));
    c.weights = allToJoint(c.mesh.vertexCount(), 1);
    EXPECT_EQ(jsonOf(toGlb(c)).dump().find("meshopt"), std::string::npos);
    expectEqual(loadGltf(toGlb(c), "saved.glb").character, c);
}

TEST(GltfCompressed, MovedVerticesGoOutPlain) {
    for (const GlbMaker& maker : {makeMeshoptStrip(), makeDracoStrip()}) {
        Character c = maker.load();
        c.mesh.positions[2] = {5, 6, 7};
        expectEqual(loadGltf(toGlb(c), "moved.glb").character, c);
    }
}

TEST(GltfCompressed, OnlyTheChangedPrimitiveIsUnpacked) {
    GlbMaker maker = makeDracoStrip();
    Json second = maker.json["meshes"][0]["primitives"][0];
    maker.json["meshes"][0]["primitives"].push_back(second);
    Character c = maker.load();
    ASSERT_EQ(c.mesh.vertexCount(), 20U);
    SkinWeights weights;
    for (std::size_t v = 0; v < 20; ++v)
        appendVertex(weights, v < 10 ? c.weights.jointsOf(v) : std::span<const std::uint32_t>(std::array{0U, 1U}),
                     v < 10 ? c.weights.weightsOf(v) : std::span<const float>(std::array{0.5F, 0.5F}));
    c.weights = weights;
    const std::vector<std::byte> saved = toGlb(c);
    const Json json = jsonOf(saved);
    EXPECT_TRUE(json["meshes"][0]["primitives"][0].contains("extensions"));
    EXPECT_FALSE(json["meshes"][0]["primitives"][1].contains("extensions"));
    EXPECT_EQ(json["extensionsRequired"], Json({"KHR_draco_mesh_compression"}));
    expectEqual(loadGltf(saved, "saved.glb").character, c);
}

TEST(GltfCompressed, PlainDataBesideDracoIsPreferred) {
    GlbMaker maker = makeStrip();
    maker.json["meshes"][0]["primitives"][0]["extensions"] = {
        {"KHR_draco_mesh_compression", {{"bufferView", 0}, {"attributes", {{"POSITION", 0}}}}}};
    expectEqual(maker.load(), makeStrip().load());  // view 0 holds no Draco data at all
}

/// Where another process unpacks, each try takes one: every third byte is for the sanitizers, which unpack in theirs.
#ifdef PELT_UNPACKS_HERE
constexpr std::size_t kBreakEvery = 3;
#else
constexpr std::size_t kBreakEvery = 13;
#endif

TEST(GltfCompressed, BrokenDataIsBadInput) {
    for (const GlbMaker& good : {makeMeshoptStrip(), makeDracoStrip(), makeDracoStrip(0)})
        for (std::size_t i = 0; i < good.binary.size(); i += kBreakEvery) {
            GlbMaker bad = good;
            bad.binary[i] ^= std::byte(0xFF);
            try {
                bad.load();
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::bad_input);
            }
        }
}

TEST(GltfCompressed, CountsBeyondWhatTheBytesCanHoldAreRefused) {
    GlbMaker maker = makeMeshoptStrip();
    Json& view = maker.json["bufferViews"][maker.json["accessors"][0]["bufferView"].get<std::size_t>()];
    view["extensions"]["EXT_meshopt_compression"]["count"] = 100000000;
    EXPECT_THROW(maker.load(), Error);
}

}  // namespace
}  // namespace pelt::io::test
