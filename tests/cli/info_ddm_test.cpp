// What pelt info says of a mushed file.
#include <pelt/io/character_file.h>

#include "cli/support/program.h"

namespace {

class InfoMushed : public CliTest {
protected:
    /// The bar with an artificial payload: rigid rows, except that every third vertex follows two joints.
    std::string mushedBar(pelt::DdmEncoding encoding) {
        pelt::Character c = pelt::io::loadCharacter(bar()).character;
        auto payload = std::make_shared<pelt::DdmPayload>();
        payload->encoding = encoding;
        payload->variant = pelt::DdmVariant::v2;
        payload->settings.iterations = 20;
        payload->settings.lambda = 3.5;
        payload->settings.joint_alpha = {{"hip", 0.5}};
        payload->expected_error = 2.5e-5;
        for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v) {
            const std::uint32_t joints = v % 3 == 0 ? 2 : 1;
            for (std::uint32_t j = 0; j < joints; ++j) {
                payload->rows.joints.push_back(j);
                payload->rows.blocks.push_back({1, 0, 0, 1, 0, 1, 0, 0, 0, 1.0F / float(joints)});
                payload->rows.psi.push_back(1.0F / float(joints));
            }
            payload->rows.offsets.push_back(static_cast<std::uint32_t>(payload->rows.joints.size()));
            payload->rows.centers.push_back(c.mesh.positions[v]);
        }
        payload->bind = c.weights;
        blocks_ = payload->rows.joints.size();
        vertices_ = c.mesh.vertexCount();
        c.ddm = payload;
        pelt::io::saveCharacter(c, path("mushed.glb"));
        return path("mushed.glb");
    }

    std::size_t blocks_ = 0, vertices_ = 0;
};

TEST_F(InfoMushed, SaysVariantInfluencesBytesErrorAndSettings) {
    const nlohmann::json json = runWell({"info", mushedBar(pelt::DdmEncoding::q16), "--json"}).json().at("ddm");
    EXPECT_EQ(json.at("variant"), "v2");
    EXPECT_EQ(json.at("encoding"), "q16");
    EXPECT_EQ(json.at("max_influences"), 2);
    const std::size_t two = (vertices_ + 2) / 3;
    EXPECT_EQ(json.at("influences"), nlohmann::json({std::size_t(0), vertices_ - two, two}));
    EXPECT_EQ(json.at("blocks"), blocks_);
    EXPECT_EQ(json.at("bytes"), blocks_ * 24 + vertices_ * 16);
    EXPECT_NEAR(json.at("bytes_per_vertex").get<double>(), 16 + 24.0 * double(blocks_) / double(vertices_), 1e-9);
    EXPECT_EQ(json.at("expected_error"), 2.5e-5);
    EXPECT_EQ(json.at("settings").at("iterations"), 20);
    EXPECT_EQ(json["settings"].at("lambda"), 3.5);
    EXPECT_EQ(json["settings"].at("joint_alpha").at("hip"), 0.5);
    EXPECT_FALSE(json["settings"].contains("kappa"));
}

TEST_F(InfoMushed, SaysItInWordsToo) {
    const std::string text = runWell({"info", mushedBar(pelt::DdmEncoding::float32)}).out;
    EXPECT_NE(text.find("mushed       Direct Delta Mush v2, at most 2 joints"), std::string::npos) << text;
    EXPECT_NE(text.find("expected error 2.5e-05 of the diagonal"), std::string::npos) << text;
    EXPECT_NE(text.find("lambda 3.5, laplacian cotangent, smoothing implicit, joint_alpha hip=0.5"), std::string::npos)
        << text;
}

TEST_F(InfoMushed, SaysNothingWithoutAPayload) {
    EXPECT_FALSE(runWell({"info", bar(), "--json"}).json().contains("ddm"));
    EXPECT_EQ(runWell({"info", bar()}).out.find("mushed"), std::string::npos);
}

}  // namespace
