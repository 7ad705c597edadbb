// Files whose nodes rest elsewhere than their skin was bound.
#include <pelt/core/affine.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/support/glb_file.h"
#include "cli/support/mush_fixture.h"

/// Files whose nodes rest in another pose than the bind pose, and files with several skins.
namespace {

using pelt::Affine3d;
using pelt::Mat3d;
using pelt::Quatd;
using pelt::Vec3d;
using pelt::Vec3f;

class RestPoses : public MushTest {
protected:
    static std::string biped() { return madeOnce("biped300.glb", {"sample", "biped", "--resolution", "300"}); }

    static std::size_t nodeOf(const GlbFile& file, const std::string& name) {
        for (std::size_t n = 0; n < file.json["nodes"].size(); ++n)
            if (file.json["nodes"][n].value("name", "") == name) return n;
        ADD_FAILURE() << name;
        return 0;
    }
    /// Turns a node at rest; what the bind pose is stays.
    static void turn(GlbFile& file, const std::string& name, const Vec3d& axis, double degrees) {
        auto& node = file.json["nodes"][nodeOf(file, name)];
        Quatd was;
        if (node.contains("rotation"))
            was = {node["rotation"][0], node["rotation"][1], node["rotation"][2], node["rotation"][3]};
        const Quatd now = was * pelt::axisAngle(axis, degrees * 3.14159265358979 / 180);
        node["rotation"] = {now.x, now.y, now.z, now.w};
    }
    static std::vector<Affine3d> inverseBinds(const GlbFile& file) {
        const std::vector<float> values = file.floats(file.json["skins"][0]["inverseBindMatrices"]);
        std::vector<Affine3d> binds(values.size() / 16);
        for (std::size_t i = 0; i < values.size(); ++i) binds[i / 16].m[i % 16] = double(values[i]);
        return binds;
    }
    static std::size_t addMatrices(GlbFile& file, const std::vector<Affine3d>& matrices) {
        std::vector<float> values;
        for (const Affine3d& m : matrices)
            for (const double x : m.m) values.push_back(float(x));
        return file.addFloats(values, "MAT4");
    }
    /// A second mesh like the first, a little thicker, with a skin in a space of its own; `joints`: of the first skin.
    static void addCoat(GlbFile& file, const Affine3d& space, const std::vector<Affine3d>& binds,
                        const nlohmann::json& joints) {
        const nlohmann::json primitive = file.primitive();
        std::vector<float> positions = file.floats(primitive["attributes"]["POSITION"]);
        const std::vector<float> normals = file.floats(primitive["attributes"]["NORMAL"]);
        Vec3d low{1e9, 1e9, 1e9}, high = low * -1.0;
        for (std::size_t i = 0; i + 2 < positions.size(); i += 3) {
            const Vec3d thicker = Vec3d{positions[i], positions[i + 1], positions[i + 2]} +
                                  Vec3d{normals[i], normals[i + 1], normals[i + 2]} * 0.01;
            const Vec3d p = space * thicker;
            for (int c = 0; c < 3; ++c) {
                positions[i + std::size_t(c)] = float(p[c]);
                low[c] = std::min(low[c], double(float(p[c]))), high[c] = std::max(high[c], double(float(p[c])));
            }
        }
        nlohmann::json coat = primitive;
        for (const char* name : {"NORMAL", "TANGENT"}) coat["attributes"].erase(name);
        coat["attributes"]["POSITION"] = file.addFloats(positions, "VEC3");
        auto& accessor = file.json["accessors"][coat["attributes"]["POSITION"].get<std::size_t>()];
        accessor["min"] = {low.x, low.y, low.z};
        accessor["max"] = {high.x, high.y, high.z};
        std::vector<Affine3d> own;
        for (const Affine3d& bind : binds) own.push_back(bind * inverse(space));
        file.json["skins"].push_back({{"joints", joints}, {"inverseBindMatrices", addMatrices(file, own)}});
        file.json["meshes"].push_back({{"name", "coat"}, {"primitives", {coat}}});
        file.json["scenes"][0]["nodes"].push_back(file.json["nodes"].size());
        file.json["nodes"].push_back(
            {{"name", "coat"}, {"mesh", file.json["meshes"].size() - 1}, {"skin", file.json["skins"].size() - 1}});
    }
    /// Both meshes of a frame on each other: the coat is as thick everywhere as it was made.
    static void expectOneFigure(const std::vector<Vec3f>& frame, double thickness, const char* where,
                                double play = 1.5) {
        const std::size_t half = frame.size() / 2;
        double least = 1e9, most = 0;
        for (std::size_t v = 0; v < half; ++v) {
            const double d = double(length(frame[v] - frame[half + v]));
            least = std::min(least, d), most = std::max(most, d);
        }
        EXPECT_GT(least, thickness / play / play) << where;
        EXPECT_LT(most, play * thickness) << where;
    }
};

TEST_F(RestPoses, AFewDegreesOffTheBindPoseAreNoOtherSpace) {
    GlbFile file(biped());
    const std::string plain = biped();
    turn(file, "pelvis", {1, 0, 0}, 9);
    turn(file, "spine", {1, 0, 0}, 6);
    turn(file, "upper_arm_L", {0, 0, 1}, 30);
    turn(file, "upper_arm_R", {0, 0, 1}, -20);
    file.save(path("leaning.glb"));
    const RunResult told = runWell({"info", path("leaning.glb")});
    EXPECT_EQ(told.out.find("rest pose"), std::string::npos) << told.out;
    for (const char* how : {"--bind-pose", "--clip=@range"}) {
        Words words{"deform", "", "-o", ""};
        if (how == std::string("--bind-pose"))
            words.push_back(how);
        else
            words.insert(words.end(), {"--clip", "@range", "--fps", "1"});
        words[1] = plain, words[3] = path("a.npy");
        runWell(words);
        words[1] = path("leaning.glb"), words[3] = path("b.npy");
        runWell(words);
        EXPECT_LT(farthest(readFrames(path("a.npy")), readFrames(path("b.npy"))), 1e-5) << how;
    }
}

TEST_F(RestPoses, SeveralSkinsHaveOneBindPoseInTheSpaceOfTheFigure) {
    // The coat is stored in centimeters and lying, and the nodes rest in another pose than both were bound in.
    const Affine3d space(toMatrix(pelt::axisAngle(Vec3d{1, 0, 0}, -1.5707963267948966)) * 100.0, Vec3d{5, 0, 20});
    GlbFile file(biped());
    const auto joints = file.json["skins"][0]["joints"];
    addCoat(file, space, inverseBinds(file), joints);
    turn(file, "upper_arm_L", {0, 0, 1}, 40);
    turn(file, "spine", {1, 0, 0}, 10);
    file.save(path("dressed.glb"));
    runWell({"deform", path("dressed.glb"), "--bind-pose", "-o", path("bind.npy")});
    expectOneFigure(readFrames(path("bind.npy"))[0], 0.01, "bind pose");
    runWell({"deform", path("dressed.glb"), "--fps", "1", "-o", path("clip.npy")});
    expectOneFigure(readFrames(path("clip.npy"))[1], 0.01, "clip", 4);  // bends squeeze it
    // An export of the bind pose lies on the character.
    runWell({"deform", path("dressed.glb"), "--bind-pose", "-o", path("bind.obj")});
    const auto moved =
        runWell({"transfer", path("dressed.glb"), path("bind.obj"), "-o", path("t.glb"), "--json"}).json();
    EXPECT_GT(moved["copied"].get<double>(), 0.9 * moved["vertices"].get<double>());
}

TEST_F(RestPoses, ASkinOnJointsOfItsOwnStandsBesideTheOthersAsItsNodesDo) {
    // A second skin on copies of the joints, each below the joint that it copies, in another space.
    const Affine3d space(Mat3d{} * 100.0, Vec3d{});
    GlbFile file(biped());
    const auto joints = file.json["skins"][0]["joints"];
    const std::vector<Affine3d> binds = inverseBinds(file);
    nlohmann::json own = nlohmann::json::array();
    for (const auto& joint : joints) {
        const std::size_t node = file.json["nodes"].size();
        file.json["nodes"].push_back({{"name", "own_" + std::to_string(node)}});
        file.json["nodes"][joint.get<std::size_t>()]["children"].push_back(node);
        own.push_back(node);
    }
    addCoat(file, space, binds, own);
    turn(file, "pelvis", {0, 1, 0}, 50);  // both skins' means would be turned differently
    turn(file, "head", {0, 1, 0}, 60);
    file.save(path("hair.glb"));
    runWell({"deform", path("hair.glb"), "--bind-pose", "-o", path("bind.npy")});
    expectOneFigure(readFrames(path("bind.npy"))[0], 0.01, "bind pose");
}

TEST_F(RestPoses, LevelsOfDetailStandWhereTheCharacterStands) {
    GlbFile file(biped());
    turn(file, "pelvis", {1, 0, 0}, 40);
    turn(file, "spine", {0, 0, 1}, 25);
    turn(file, "thigh_L", {1, 0, 0}, -50);
    file.save(path("posed.glb"));
    const auto levels = [&](const std::string& of) {
        return runWell({"lod", of, "--ratios", "0.5,0.3", "-o", path("lods"), "--json"}).json()["levels"];
    };
    const auto plain = levels(biped()), posed = levels(path("posed.glb"));
    for (std::size_t l = 0; l < 2; ++l)
        for (const char* where : {"rest", "range_of_motion"})
            EXPECT_LT(posed[l][where]["e_rms"].get<double>(), 1.3 * plain[l][where]["e_rms"].get<double>() + 0.5)
                << where << l;
}

}  // namespace
