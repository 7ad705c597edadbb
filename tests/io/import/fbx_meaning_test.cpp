// What the properties of an FBX node mean, on edited copies of a file written by hand: the positions expected are the
// format's own formulas, multiplied out.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "import_support.h"

using namespace pelt;

namespace {

constexpr double kFps = 30;
constexpr double kCentimetre = 0.01;

/// A copy of scale_compensation.fbx to edit.
class Script {
public:
    Script() : text_(readBytes(importData("scale_compensation.fbx"))) {}

    /// Replaces the first `from` after the first `where`.
    Script& edit(const std::string& where, const std::string& from, const std::string& to) {
        const std::size_t start = text_.find(where);
        const std::size_t at = start == std::string::npos ? start : text_.find(from, start);
        EXPECT_NE(at, std::string::npos) << where << " … " << from;
        if (at != std::string::npos) text_.replace(at, from.size(), to);
        return *this;
    }
    /// Adds a property to a model.
    Script& property(const std::string& model, const std::string& line) {
        return edit("Model: " + model, "Properties70:  {", "Properties70:  {\n\t\t\tP: " + line);
    }
    Script& inherit(const std::string& model, int type) {
        return edit("Model: " + model, "\"InheritType\", \"enum\", \"\", \"\",2",
                    "\"InheritType\", \"enum\", \"\", \"\"," + std::to_string(type));
    }
    Script& keys(const std::string& curve, const std::string& times, const std::string& values) {
        edit("AnimationCurve: " + curve, "a: 0,46186158000", "a: " + times);
        const std::size_t at = text_.find("KeyValueFloat", text_.find("AnimationCurve: " + curve));
        const std::size_t a = text_.find("a: ", at), end = text_.find('\n', a);
        text_.replace(a, end - a, "a: " + values);
        return *this;
    }
    io::Loaded loaded() const { return io::importCharacter(folder_.write("edited.fbx", text_)); }
    Character load() const { return loaded().character; }
    std::string fault() const { return importFault(folder_.write("edited.fbx", text_)); }

private:
    std::string text_;
    ScratchFolder folder_;
};

Affine3d moved(const Vec3d& t) { return {Mat3d(), t}; }
Affine3d scaled(const Vec3d& s) { return {Mat3d{{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}}, {}}; }
Affine3d turned(const Vec3d& axis, double degrees) {
    return {toMatrix(axisAngle(axis, degrees * std::numbers::pi / 180)), {}};
}
Affine3d turnedX(double degrees) { return turned({1, 0, 0}, degrees); }
Affine3d turnedY(double degrees) { return turned({0, 1, 0}, degrees); }
Affine3d turnedZ(double degrees) { return turned({0, 0, 1}, degrees); }
Vec3d reciprocal(const Vec3d& s) { return {1 / s.x, 1 / s.y, 1 / s.z}; }

/// The three joints' world transforms at a time, in the file's units.
using Worlds = std::function<std::array<Affine3d, 3>(double t)>;

/// Where the strip's points are when the joints stand there: weights and bind positions as in the file.
Frames expectedFrames(const Worlds& worlds, std::size_t frames) {
    const double weights[8][3] = {{1, 0, 0},     {1, 0, 0},     {.5, .5, 0}, {.5, .5, 0},
                                  {0, .25, .75}, {0, .25, .75}, {0, 0, 1},   {0, 0, 1}};
    Frames result;
    for (std::size_t f = 0; f < frames; ++f) {
        const std::array<Affine3d, 3> world = worlds(double(f) / kFps);
        std::vector<Vec3f> points;
        for (int v = 0; v < 8; ++v) {
            const Vec3d rest(100 * (v / 2), 50 * (v % 2), 0);
            Vec3d sum;
            for (int j = 0; j < 3; ++j) sum += world[std::size_t(j)] * moved({-100.0 * j, 0, 0}) * rest * weights[v][j];
            points.emplace_back(sum * kCentimetre);
        }
        result.push_back(points);
    }
    return result;
}

void expectMotion(const Character& character, const Worlds& worlds, std::size_t frames = 31) {
    ASSERT_EQ(character.clips.size(), 1u);
    const Frames expected = expectedFrames(worlds, frames), shown = skinLinearly(character, frames, kFps);
    ASSERT_EQ(character.mesh.vertexCount(), 8u);
    for (std::size_t f = 0; f < frames; ++f)
        for (std::size_t v = 0; v < 8; ++v)
            ASSERT_LT(length(shown[f][v] - expected[f][v]), 3e-6f) << "frame " << f << " vertex " << v;
}

Vec3d rootScale(double t) { return {1 + t, 1 - 0.5 * t, 1}; }
Affine3d root(double t) { return turnedZ(20) * scaled(rootScale(t)); }
const Affine3d kBone = moved({100, 0, 0});
const Affine3d kTipScale = scaled({1, 1.25, 1});

/// The chain with a local transform for joint1 in the middle, plain matrices.
Worlds plainChain(std::function<Affine3d(double)> middle) {
    return [middle](double t) {
        const Affine3d a = root(t), b = a * middle(t);
        return std::array{a, b, b * kBone * kTipScale};
    };
}

}  // namespace

TEST(ImportFbx, AJointThatDoesNotInheritScaleIsCompensatedByNodes) {
    const Character character = Script().load();
    expectMotion(character, [](double t) {
        const Affine3d a = root(t);
        const Affine3d b = a * kBone * scaled(reciprocal(rootScale(t))) * turnedZ(60 * t);
        return std::array{a, b, b * kBone * kTipScale};
    });
    const Skeleton& skeleton = character.skeleton;
    ASSERT_TRUE(rig::findJoint(skeleton, "joint1"));
    const SkeletonNode& joint = skeleton.nodes[skeleton.joints[*rig::findJoint(skeleton, "joint1")].node];
    const SkeletonNode& compensate = skeleton.nodes[std::size_t(joint.parent)];
    EXPECT_EQ(compensate.name, "joint1_compensate");
    EXPECT_EQ(skeleton.nodes[std::size_t(compensate.parent)].name, "joint1_translation");
    EXPECT_EQ(skeleton.nodes.size(), 6u) << "joint2's parent is never scaled, so it needs no such nodes";
}

TEST(ImportFbx, CompensationIsOfTheParentsOwnScaleDownAChain) {
    // joint1 gets the scale of 2 in Y; joint2 undoes that one and nothing else.
    const Character character = Script().property("2002", "\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1,2,1").load();
    expectMotion(character, [](double t) {
        const Affine3d a = root(t);
        const Affine3d b = a * kBone * scaled(reciprocal(rootScale(t))) * turnedZ(60 * t) * scaled({1, 2, 1});
        return std::array{a, b, b * kBone * scaled({1, 0.5, 1}) * kTipScale};
    });
}

TEST(ImportFbx, InheritTypeOneIsPlainMatrices) {
    const Character character = Script().inherit("2002", 1).inherit("2003", 1).load();
    EXPECT_EQ(character.skeleton.nodes.size(), 4u);
    expectMotion(character, plainChain([](double t) { return kBone * turnedZ(60 * t); }));
}

TEST(ImportFbx, InheritTypeZeroScalesAfterAllRotations) {
    const Character character = Script().inherit("2002", 0).inherit("2003", 0).load();
    expectMotion(character, [](double t) {
        const Affine3d a = root(t), scales = scaled(rootScale(t));
        const auto joint = [](const Affine3d& rotation_scale, const Affine3d& parent) {
            return Affine3d(rotation_scale.linear(), parent * Vec3d(100, 0, 0));
        };
        const Affine3d b = joint(turnedZ(20) * turnedZ(60 * t) * scales, a);
        return std::array{a, b, joint(turnedZ(20) * turnedZ(60 * t) * scales * kTipScale, b)};
    });
}

TEST(ImportFbx, PivotsOffsetsPreAndPostRotationAndTheOrderCount) {
    const Character character = Script()
                                    .inherit("2002", 1)
                                    .inherit("2003", 1)
                                    .property("2002", "\"RotationActive\", \"bool\", \"\", \"\",1")
                                    .property("2002", "\"RotationOrder\", \"enum\", \"\", \"\",3")
                                    .property("2002", "\"PreRotation\", \"Vector3D\", \"Vector\", \"\",10,20,30")
                                    .property("2002", "\"PostRotation\", \"Vector3D\", \"Vector\", \"\",-5,40,15")
                                    .property("2002", "\"RotationPivot\", \"Vector3D\", \"Vector\", \"\",10,5,-3")
                                    .property("2002", "\"RotationOffset\", \"Vector3D\", \"Vector\", \"\",1,2,3")
                                    .property("2002", "\"ScalingPivot\", \"Vector3D\", \"Vector\", \"\",-4,6,8")
                                    .property("2002", "\"ScalingOffset\", \"Vector3D\", \"Vector\", \"\",7,-2,1")
                                    .property("2002", "\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1.5,0.5,2")
                                    .edit("AnimationCurveNode: 4101", "\"d|X\", \"Number\", \"\", \"A\",0",
                                          "\"d|X\", \"Number\", \"\", \"A\",25")
                                    .load();
    expectMotion(character, plainChain([](double t) {
                     const Affine3d pre = turnedZ(30) * turnedY(20) * turnedX(10);
                     const Affine3d post = turnedZ(15) * turnedY(40) * turnedX(-5);
                     const Affine3d rotation = turnedZ(60 * t) * turnedX(25);  // YXZ: Y first, then X, then Z
                     return kBone * moved({1, 2, 3}) * moved({10, 5, -3}) * pre * rotation * inverse(post) *
                            moved({-10, -5, 3}) * moved({7, -2, 1}) * moved({-4, 6, 8}) * scaled({1.5, 0.5, 2}) *
                            moved({4, -6, -8});
                 }));
}

TEST(ImportFbx, PreRotationWithoutRotationActiveDoesNotCount) {
    const Character character = Script()
                                    .inherit("2002", 1)
                                    .inherit("2003", 1)
                                    .property("2002", "\"PreRotation\", \"Vector3D\", \"Vector\", \"\",10,20,30")
                                    .load();
    expectMotion(character, plainChain([](double t) { return kBone * turnedZ(60 * t); }));
}

TEST(ImportFbx, CubicKeysFollowTheirTangents) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1);
    // User tangents: leaves with 90 degrees per second and arrives with -30.
    script.edit("AnimationCurve: 4202", "a: 4\n", "a: 1032\n")
        .edit("AnimationCurve: 4202", "a: 0,0,0,0", "a: 90,-30,0,0");
    expectMotion(script.load(), plainChain([](double t) {
                     const double h01 = t * t * (3 - 2 * t), h10 = t * (1 - t) * (1 - t), h11 = t * t * (t - 1);
                     return kBone * turnedZ(60 * h01 + 90 * h10 - 30 * h11);
                 }));
}

TEST(ImportFbx, ConstantKeysJump) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1).edit("AnimationCurve: 4202", "a: 4\n", "a: 2\n");
    script.keys("4202", "0,23093079000,46186158000", "0,40,60");
    expectMotion(script.load(), plainChain([](double t) {
                     return kBone * turnedZ(t < 0.4999 ? 0 : t < 0.9999 ? 40 : 60);
                 }));
}

TEST(ImportFbx, TurnsOfMoreThanHalfACircleBetweenTwoKeysAreKept) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1).keys("4202", "0,46186158000", "0,720");
    expectMotion(script.load(), plainChain([](double t) { return kBone * turnedZ(720 * t); }));
}

TEST(ImportFbx, AStackIsCutToItsOwnTimesAndBeginsAtZero) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1);
    script.edit("AnimationStack: 4000", "\"\" {",
                "\"\" {\n\t\tProperties70:  {\n\t\t\tP: \"LocalStart\", \"KTime\", \"Time\", \"\",15395386000\n"
                "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",30790772000\n\t\t}");
    const Character character = script.load();
    ASSERT_EQ(character.clips.size(), 1u);
    EXPECT_EQ(character.clips[0].name, "stretch");
    EXPECT_NEAR(character.clips[0].first_key, 0, 1e-7);
    EXPECT_NEAR(character.clips[0].last_key, 1.0 / 3, 1e-6);
    expectMotion(
        character,
        [](double t) { return plainChain([](double time) { return kBone * turnedZ(60 * time); })(t + 1.0 / 3); }, 11);
}

TEST(ImportFbx, AnAdditiveLayerIsAdded) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1);
    script.edit("Objects:", "AnimationCurve: 4200",
                "AnimationLayer: 4002, \"AnimLayer::extra\", \"\" {\n\t\tProperties70:  {\n"
                "\t\t\tP: \"Weight\", \"Number\", \"\", \"A\",50\n\t\t}\n\t}\n"
                "\tAnimationCurveNode: 4102, \"AnimCurveNode::R\", \"\" {\n\t}\n\tAnimationCurve: 4200");
    script.edit("Connections:", "C: \"OO\",4001,4000",
                "C: \"OO\",4001,4000\n\tC: \"OO\",4002,4000\n\tC: \"OO\",4102,4002\n\tC: \"OP\",4102,2002, \"Lcl "
                "Rotation\"\n\tC: \"OP\",4202,4102, \"d|Z\"");
    expectMotion(script.load(), plainChain([](double t) { return kBone * turnedZ(60 * t * 1.5); }));
}

TEST(ImportFbx, ZUpMetresBecomeYUpMetres) {
    Script script;
    script.edit("GlobalSettings", "\"UpAxis\", \"int\", \"Integer\", \"\",1",
                "\"UpAxis\", \"int\", \"Integer\", \"\",2");
    script.edit("GlobalSettings", "\"FrontAxis\", \"int\", \"Integer\", \"\",2",
                "\"FrontAxis\", \"int\", \"Integer\", \"\",1");
    script.edit("GlobalSettings", "\"FrontAxisSign\", \"int\", \"Integer\", \"\",1",
                "\"FrontAxisSign\", \"int\", \"Integer\", \"\",-1");
    script.edit("GlobalSettings", "\"UnitScaleFactor\", \"double\", \"Number\", \"\",1",
                "\"UnitScaleFactor\", \"double\", \"Number\", \"\",100");
    const Character turned = script.load(), plain = Script().load();
    for (const double t : {0.0, 0.3, 1.0}) {
        const std::vector<Vec3f> a = skinLinearlyAt(plain, &plain.clips[0], t);
        const std::vector<Vec3f> b = skinLinearlyAt(turned, &turned.clips[0], t);
        for (std::size_t v = 0; v < a.size(); ++v)
            EXPECT_LT(length(b[v] - Vec3f(a[v].x, a[v].z, -a[v].y) * 100.0f), 1e-3f);
    }
    EXPECT_LT(length(turned.mesh.normals[0] - Vec3f(0, 1, 0)), 1e-6f);
}

TEST(ImportFbx, LeftHandedAxesAreMirroredWithTheirFacesTurned) {
    Script script;
    script.edit("GlobalSettings", "\"CoordAxisSign\", \"int\", \"Integer\", \"\",1",
                "\"CoordAxisSign\", \"int\", \"Integer\", \"\",-1");
    const Character mirrored = script.load();
    const std::vector<Vec3f> posed = skinLinearlyAt(mirrored, nullptr, 0),
                             plain = skinLinearlyAt(Script().load(), nullptr, 0);
    EXPECT_LT(length(posed[6] - Vec3f(-plain[6].x, plain[6].y, plain[6].z)), 1e-6f);
    const Triangle t = mirrored.mesh.triangles[0];
    const std::vector<Vec3f>& p = mirrored.mesh.positions;
    EXPECT_GT(dot(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]), mirrored.mesh.normals[t[0]]), 0);
}

TEST(ImportFbx, JointsOfOneNameGetNamesOfTheirOwnAndKeepTheirWeights) {
    Script script;
    script.inherit("2002", 1).inherit("2003", 1).edit("Objects:", "Model::joint2", "Model::joint0");
    const auto [character, warnings] = script.loaded();
    EXPECT_TRUE(rig::findJoint(character.skeleton, "joint0"));
    EXPECT_TRUE(rig::findJoint(character.skeleton, "joint0_2"));
    EXPECT_TRUE(warnings.empty());
    expectMotion(character, plainChain([](double t) { return kBone * turnedZ(60 * t); }));
}

TEST(ImportFbx, BonesWithoutASkinAreJointsToBindTo) {
    Script script;
    script.edit("Connections:", "C: \"OO\",3000,1000", "");
    const Character character = script.load();
    EXPECT_TRUE(character.weights.empty());
    EXPECT_EQ(character.mesh.vertexCount(), 8u);
    ASSERT_EQ(character.skeleton.joints.size(), 3u);
    EXPECT_LT(length(rig::jointRestPositions(character.skeleton)[0] - Vec3d(0, 0, 0)), 1e-9);
}

TEST(ImportFbx, CoincidentControlPointsStayApart) {
    // Point 6 lies on point 4 and has the same normal; only their numbers tell them apart.
    Script script;
    script.edit("Geometry: 1000", "300,0,0,300,50,0", "200,0,0,300,50,0");
    EXPECT_EQ(script.load().mesh.vertexCount(), 8u);
}
