// Payloads in glTF: what is written comes back.
#include <gtest/gtest.h>
#include <pelt/io/ddm_storage.h>
#include <pelt/scenes/scenes.h>

#include <cmath>

#include "compressed_maker.h"
#include "payload_maker.h"

namespace pelt::io::test {
namespace {

Loaded reloaded(const Character& c) { return loadGltf(toGlb(c), "saved.glb"); }
Character reload(const Character& c) { return reloaded(c).character; }

TEST(DdmPayloadFile, FloatRowsComeBackBitByBitEditedAndNew) {
    for (const Character& c : {makeStrip().load(), makeTwoParts().load(), scenes::find("bar")->make(200)}) {
        Character in = mushed(c);
        for (int round = 0; round < 2; ++round) {
            const auto [back, warnings] = reloaded(in);
            ASSERT_TRUE(back.ddm);
            EXPECT_EQ(*back.ddm, *in.ddm);
            EXPECT_EQ(back.weights, in.weights);
            EXPECT_TRUE(warnings.empty());
            in.source = nullptr;
        }
    }
}

TEST(DdmPayloadFile, WeightsOfAnySignComeBackBitByBitEditedAndNew) {
    for (const Character& c : {makeStrip().load(), makeTwoParts().load()}) {
        Character in = c;
        in.ddm = makeFittedPayload(c);
        for (int round = 0; round < 2; ++round) {
            const std::vector<std::byte> glb = toGlb(in);
            Json json = jsonOf(glb);
            EXPECT_EQ(payloadOf(json)["fitted"], true);
            EXPECT_EQ(payloadOf(json)["variant"], "v5");
            EXPECT_FALSE(payloadOf(json).contains("settings"));
            const auto [back, warnings] = loadGltf(glb, "saved.glb");
            ASSERT_TRUE(back.ddm);
            EXPECT_EQ(*back.ddm, *in.ddm);
            EXPECT_EQ(back.weights, in.weights) << "the plain skin beside them";
            EXPECT_TRUE(warnings.empty());
            in.source = nullptr;
        }
    }
}

TEST(DdmPayloadFile, TheExtensionIsUsedAndNeverRequired) {
    Json json = jsonOf(toGlb(mushed(makeStrip().load())));
    EXPECT_NE(json["extensionsUsed"].dump().find(kPayloadExtension), std::string::npos);
    EXPECT_EQ(json.value("extensionsRequired", Json::array()).dump().find(kPayloadExtension), std::string::npos);
    EXPECT_EQ(payloadOf(json)["version"], 1);
    EXPECT_EQ(payloadOf(json)["variant"], "v0");
    EXPECT_EQ(payloadOf(json)["encoding"], "float");
    EXPECT_EQ(payloadOf(json)["settings"]["iterations"], 20);
    EXPECT_FALSE(payloadOf(json)["settings"].contains("kappa")) << "what was not set is not said";
}

TEST(DdmPayloadFile, EverySettingThatIsStoredComesBack) {
    DdmSettings all;
    setOptions(all, ddmFields(),
               {{"iterations", {"7"}},
                {"lambda", {"3"}},
                {"kappa", {"2"}},
                {"kappa_iterations", {"4"}},
                {"alpha", {"0.3"}},
                {"translations", {"_SHOULDER"}},
                {"laplacian", {"uniform"}},
                {"smoothing", {"explicit"}},
                {"lambda_map", {"uniform"}},
                {"kappa_map", {"radius"}},
                {"alpha_map", {"_PAINT"}},
                {"joint_alpha", {"hüfte=0.25", "knee=0"}},
                {"connect_parts", {"off"}},
                {"exclude", {"eyes", "hat"}},
                {"bind", {"keep"}},
                {"influences", {"5"}},
                {"weld", {"0.25"}}});
    Character in = mushed(makeStrip().load());
    auto payload = std::make_shared<DdmPayload>(*in.ddm);
    payload->settings = all;
    payload->settings.joints = {"of this run alone"};
    in.ddm = payload;
    EXPECT_EQ(reload(in).ddm->settings, all);
    Json json = jsonOf(toGlb(in));
    EXPECT_EQ(payloadOf(json)["settings"].dump(),
              R"({"iterations":7,"lambda":3.0,"kappa":2.0,"kappaIterations":4,"alpha":0.3,"translations":"_SHOULDER",)"
              R"("laplacian":"uniform","smoothing":"explicit",)"
              R"("lambdaMap":"uniform","kappaMap":"radius","alphaMap":"_PAINT",)"
              R"("jointAlpha":[{"joint":"hüfte","alpha":0.25},{"joint":"knee","alpha":0.0}],"connectParts":false,)"
              R"("exclude":["eyes","hat"],"bind":"keep","influences":5,"weld":0.25})");
}

TEST(DdmPayloadFile, ABlockTakes24BytesAndAVertex16InQ16) {
    for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
        const Character c = mushed(makeTwoParts().load(), encoding);
        Json json = jsonOf(toGlb(c));
        const std::size_t view = payloadOf(json)["bufferView"].get<std::size_t>();
        const std::size_t blocks = c.ddm->rows.joints.size();
        const std::size_t bytes = 20 * 16 + blocks * (encoding == DdmEncoding::q16 ? 24 : 48);
        EXPECT_EQ(json["bufferViews"][view]["byteLength"], bytes);
        EXPECT_EQ(storedBytes(c.ddm->rows, encoding), bytes);
        EXPECT_EQ(payloadOf(json, 0, 1)["bufferView"], view) << "one view for the whole file";
        EXPECT_EQ(json["accessors"].size(), makeTwoParts().json["accessors"].size()) << "the bind is there already";
    }
}

Character mushedFor(DdmVariant variant, DdmEncoding encoding) {
    Character c = mushed(makeTwoParts().load(), encoding);
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->variant = variant;
    payload->rows = reducedTo(contentOf(variant), payload->rows);
    c.ddm = payload;
    return c;
}

TEST(DdmPayloadFile, AVariantsFileHasTheNumbersThatItReadsAndNoOthers) {
    struct {
        DdmVariant variant;
        std::size_t vertex, entry, short_entry;
        int version;
    } const cases[] = {{DdmVariant::v0, 16, 48, 24, 1}, {DdmVariant::v1, 16, 48, 24, 1},
                       {DdmVariant::v2, 16, 24, 12, 3}, {DdmVariant::v3, 16, 24, 12, 3},
                       {DdmVariant::v4, 16, 12, 6, 3},  {DdmVariant::v5, 4, 8, 4, 3}};
    for (const auto& [variant, vertex, entry, short_entry, version] : cases)
        for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
            SCOPED_TRACE(wordOf(variant));
            const Character c = mushedFor(variant, encoding);
            const std::vector<std::byte> glb = toGlb(c);
            Json json = jsonOf(glb);
            EXPECT_EQ(payloadOf(json)["version"], version);
            const std::size_t size = encoding == DdmEncoding::q16 ? short_entry : entry;
            EXPECT_EQ(storedBytes(c.ddm->rows, encoding), 20 * vertex + c.ddm->rows.joints.size() * size);
            const std::size_t view = payloadOf(json)["bufferView"].get<std::size_t>();
            EXPECT_LT(json["bufferViews"][view]["byteLength"].get<std::size_t>(),
                      storedBytes(c.ddm->rows, encoding) + 4 * 8);
            const auto [back, warnings] = loadGltf(glb, "reduced.glb");
            EXPECT_TRUE(warnings.empty());
            EXPECT_EQ(back.ddm->rows, asStored(c.ddm->rows, encoding));
            if (encoding == DdmEncoding::float32) {
                EXPECT_EQ(back.ddm->rows, c.ddm->rows);
            }
            EXPECT_EQ(toGlb(back), glb);
        }
}

TEST(DdmPayloadFile, AllNumbersOfAnOldFileAreKept) {
    Character c = mushed(makeTwoParts().load());
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->variant = DdmVariant::v5;
    c.ddm = payload;
    const std::vector<std::byte> old = toGlb(c);
    Json json = jsonOf(old);
    EXPECT_EQ(payloadOf(json)["version"], 1);
    const Character back = loadGltf(old, "old.glb").character;
    EXPECT_EQ(*back.ddm, *payload);
    EXPECT_EQ(toGlb(back), old);
}

TEST(DdmPayloadFile, RowsWithoutTheNumbersOfTheirVariantAreNotWritten) {
    Character c = mushedFor(DdmVariant::v4, DdmEncoding::float32);
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->variant = DdmVariant::v0;
    c.ddm = payload;
    EXPECT_THROW(toGlb(c), Error);
}

TEST(DdmPayloadFile, AnUnchangedFileComesBackByteByByte) {
    for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
        const std::vector<std::byte> once = toGlb(mushed(makeTwoParts().load(), encoding));
        EXPECT_EQ(toGlb(loadGltf(once, "once.glb").character), once);
    }
}

TEST(DdmPayloadFile, WithoutAPayloadTheFileIsWhatItWas) {
    const GlbMaker maker = makeTwoParts();
    const std::vector<std::byte> with = toGlb(mushed(maker.load()));
    Character c = loadGltf(with, "with.glb").character;
    c.ddm = nullptr;
    EXPECT_EQ(toGlb(c), maker.bytes());
}

TEST(DdmPayloadFile, MushingAgainReplacesThePayloadAndKeepsTheBind) {
    Character c = mushed(makeTwoParts().load());
    c.weights = keepHeaviest(c.weights, 1);
    const std::vector<std::byte> once = toGlb(c);
    Character again = loadGltf(once, "once.glb").character;
    EXPECT_EQ(again.ddm->bind, c.ddm->bind) << "the skin before the fallback";
    auto other = std::make_shared<DdmPayload>(*again.ddm);
    for (float& x : other->rows.psi) x = 1 - x;
    other->encoding = DdmEncoding::q16;
    again.ddm = other;
    const std::vector<std::byte> twice = toGlb(again);
    EXPECT_LT(twice.size(), once.size());
    const Character back = loadGltf(twice, "twice.glb").character;
    EXPECT_EQ(back.ddm->rows, asStored(other->rows, DdmEncoding::q16));
    EXPECT_EQ(back.ddm->bind, c.ddm->bind);
    EXPECT_EQ(back.weights, c.weights);
    again.ddm = c.ddm;
    EXPECT_EQ(toGlb(again).size(), once.size());
}

TEST(DdmPayloadFile, ABindThatTheFileDoesNotHaveIsWritten) {
    Character c = mushed(makeStrip().load());
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->bind = keepHeaviest(c.weights, 1);
    c.ddm = payload;
    EXPECT_EQ(*reload(c).ddm, *payload);
    payload->bind = {};
    EXPECT_EQ(*reload(c).ddm, *payload);
}

void expectCloseRows(const DdmRows<float>& a, const DdmRows<float>& b) {
    ASSERT_EQ(a.offsets, b.offsets);
    EXPECT_EQ(a.centers, b.centers);
    for (std::size_t v = 0; v < a.vertexCount(); ++v) {
        double largest = 0, omega = 0, psi = 0, sum[3] = {0, 0, 0};
        for (std::size_t e = a.offsets[v]; e < a.offsets[v + 1]; ++e)
            largest = std::max({largest, std::abs(double(b.blocks[e].xx)), std::abs(double(b.blocks[e].yy)),
                                std::abs(double(b.blocks[e].zz))});
        for (std::size_t e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
            std::size_t f = b.offsets[v];
            while (b.joints[f] != a.joints[e]) ++f;
            EXPECT_NEAR(a.blocks[e].w, b.blocks[f].w, 1.6e-5);
            EXPECT_NEAR(a.psi[e], b.psi[f], 1.6e-5);
            EXPECT_NEAR(a.blocks[e].xy, b.blocks[f].xy, largest / 32000);
            EXPECT_NEAR(a.blocks[e].yy, b.blocks[f].yy, largest / 32000);
            EXPECT_NEAR(a.blocks[e].y, b.blocks[f].y, 1e-4);
            omega += a.blocks[e].w, psi += a.psi[e];
            sum[0] += a.blocks[e].x, sum[1] += a.blocks[e].y, sum[2] += a.blocks[e].z;
        }
        EXPECT_NEAR(omega, 1, 2e-7);
        EXPECT_NEAR(psi, 1, 2e-7);
        for (const double s : sum) EXPECT_EQ(s, 0);
    }
}

TEST(DdmPayloadFile, Q16RoundsOnceAndKeepsTheSums) {
    const Character c = mushed(scenes::find("bar")->make(300), DdmEncoding::q16, 0.4);
    const Character back = reload(c);
    ASSERT_TRUE(back.ddm);
    expectCloseRows(back.ddm->rows, c.ddm->rows);
    EXPECT_EQ(back.ddm->rows, asStored(c.ddm->rows, DdmEncoding::q16));
    EXPECT_EQ(asStored(back.ddm->rows, DdmEncoding::q16), back.ddm->rows);
    EXPECT_EQ(asStored(c.ddm->rows, DdmEncoding::float32), c.ddm->rows);
}

TEST(DdmPayloadFile, Q16TakesMomentsOfAnySize) {
    const Character c = mushed(scenes::find("bar")->make(100));
    for (const float scale : {1e-15F, 1e-6F, 1.0F, 1e4F, 1e15F}) {
        DdmRows<float> rows = c.ddm->rows;
        for (DdmBlock<float>& b : rows.blocks) {
            for (float* x : {&b.xx, &b.xy, &b.xz, &b.yy, &b.yz, &b.zz}) *x *= scale * scale;
            for (float* x : {&b.x, &b.y, &b.z}) *x *= scale;
        }
        for (Vec3f& p : rows.centers) p *= scale;
        const DdmRows<float> stored = asStored(rows, DdmEncoding::q16);
        double error = 0, size = 0;
        for (std::size_t e = 0; e < rows.blocks.size(); ++e) {
            error = std::max(error, std::abs(double(stored.blocks[e].yy) - double(rows.blocks[e].yy)));
            size = std::max(size, std::abs(double(rows.blocks[e].yy)));
        }
        EXPECT_LT(error, size / 30000) << scale;
    }
}

TEST(DdmPayloadFile, RowsThatAreNotCenteredAreCenteredWhileLoading) {
    // The same Ω about another center p - d: χ' grows by ω d and Ω' by χ' d^T + d χ'^T + ω d d^T.
    const Character c = mushed(makeStrip().load());
    const Vec3f d{0.125F, -0.25F, 0.5F};
    auto moved = std::make_shared<DdmPayload>(*c.ddm);
    for (DdmBlock<float>& b : moved->rows.blocks) {
        const DdmBlock<float> a = b;
        b.xx += 2 * a.x * d.x + a.w * d.x * d.x, b.yy += 2 * a.y * d.y + a.w * d.y * d.y;
        b.zz += 2 * a.z * d.z + a.w * d.z * d.z, b.xy += a.x * d.y + a.y * d.x + a.w * d.x * d.y;
        b.xz += a.x * d.z + a.z * d.x + a.w * d.x * d.z, b.yz += a.y * d.z + a.z * d.y + a.w * d.y * d.z;
        b.x += a.w * d.x, b.y += a.w * d.y, b.z += a.w * d.z;
    }
    for (Vec3f& p : moved->rows.centers) p -= d;
    Character other = c;
    other.ddm = moved;
    const Character back = reload(other);
    ASSERT_TRUE(back.ddm);
    const DdmRows<float>&is = back.ddm->rows, &was = c.ddm->rows;
    for (std::size_t v = 0; v < was.vertexCount(); ++v) EXPECT_LT(length(is.centers[v] - was.centers[v]), 1e-6F);
    for (std::size_t e = 0; e < was.blocks.size(); ++e) {
        EXPECT_NEAR(is.blocks[e].xx, was.blocks[e].xx, 1e-6);
        EXPECT_NEAR(is.blocks[e].xy, was.blocks[e].xy, 1e-6);
        EXPECT_NEAR(is.blocks[e].yz, was.blocks[e].yz, 1e-6);
        EXPECT_NEAR(is.blocks[e].z, was.blocks[e].z, 1e-6);
    }
}

TEST(DdmPayloadFile, JointIndicesAreThoseOfEachPrimitivesSkin) {
    // A second node shows the mesh with a skin that lists the joints the other way round.
    GlbMaker maker = makeStrip();
    maker.json["skins"].push_back(maker.json["skins"][0]);
    maker.json["skins"][0].erase("inverseBindMatrices");
    maker.json["skins"][1].erase("inverseBindMatrices");
    maker.json["skins"][1]["joints"] = {maker.json["skins"][0]["joints"][1], maker.json["skins"][0]["joints"][0]};
    maker.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 1}});
    const Character c = maker.load();
    ASSERT_EQ(c.skeleton.joints.size(), 2U);
    const Character in = mushed(c), back = reload(in);
    ASSERT_TRUE(back.ddm);
    EXPECT_EQ(*back.ddm, *in.ddm);
    EXPECT_EQ(back.weights, in.weights);
    EXPECT_EQ(jsonOf(toGlb(in))["meshes"].size(), 2U) << "one payload cannot mean two skins";

    GlbMaker same = makeStrip();
    same.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 0}});
    const Character shared = mushed(same.load());
    EXPECT_EQ(jsonOf(toGlb(shared))["meshes"].size(), 1U);
    EXPECT_EQ(*reload(shared).ddm, *shared.ddm);
}

TEST(DdmPayloadFile, TwoSkinsThatDifferOnlyInTheirMatricesGetAMeshEach) {
    GlbMaker maker = makeStrip();
    maker.json["skins"].push_back({{"joints", maker.json["skins"][0]["joints"]}});
    maker.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 1}});
    Character c = maker.load();
    ASSERT_EQ(c.skeleton.joints.size(), 3U) << "the root's matrix is the identity in both";
    c.ddm = makePlainPayload(c);
    const Character back = reload(c);
    ASSERT_TRUE(back.ddm);
    EXPECT_EQ(*back.ddm, *c.ddm);
    EXPECT_EQ(jsonOf(toGlb(c))["meshes"].size(), 2U);
}

TEST(DdmPayloadFile, NewNamesBindsAndJointsKeepThePayload) {
    Character c = reload(mushed(makeStrip().load()));
    const DdmPayload was = *c.ddm;
    c.skeleton.nodes[1].name = "renamed";
    c.skeleton.nodes[1].local.translation.y = 1.25;
    c.skeleton.joints[1].inverse_bind = Affine3d(Mat3d{}, Vec3d{0, -1.25, 0});
    c.skeleton.nodes.push_back({"helper", 1, {}, {}});
    c.skeleton.joints.push_back({2, Affine3d(Mat3d{}, Vec3d{0, -1.25, 0})});
    const Character back = reload(c);
    ASSERT_TRUE(back.ddm);
    EXPECT_EQ(*back.ddm, was);
    EXPECT_EQ(back.skeleton.joints.size(), 3U);
}

TEST(DdmPayloadFile, CompressedPrimitivesGoOutPlain) {
    for (const GlbMaker& maker : {makeMeshoptStrip(), makeDracoStrip(0), makeDracoStrip(1)}) {
        const Character in = mushed(maker.load());
        const std::vector<std::byte> saved = toGlb(in);
        EXPECT_EQ(jsonOf(saved).dump().find("compression"), std::string::npos);
        const Character back = loadGltf(saved, "plain.glb").character;
        ASSERT_TRUE(back.ddm);
        EXPECT_EQ(*back.ddm, *in.ddm);
        expectEqual(back, in);
    }
}

}  // namespace
}  // namespace pelt::io::test
