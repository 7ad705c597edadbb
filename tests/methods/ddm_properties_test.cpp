// Properties of Direct Delta Mush on scenes.
#include <gtest/gtest.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/lbs.h>
#include <pelt/methods/ddm.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "ddm_rows.h"
#include "deform/ddm/ddm_reference.h"
#include "made_scene.h"

// Numerical properties of Direct Delta Mush, on every scene: relative to the bounding-box diagonal, in double precision
// by the reference and in single by the kernels, with all influences kept.

namespace pelt {
namespace {

using deform::DdmForm;

constexpr DdmForm kForms[] = {DdmForm::v0, DdmForm::v1, DdmForm::v2, DdmForm::v3, DdmForm::v4, DdmForm::eddm};
const char* const kNames[] = {"ddm", "v0", "v1", "v1-printed", "v2", "v3", "v4", "eddm"};

template <class To, class From>
std::vector<To> cast(const std::vector<From>& from) {
    std::vector<To> to;
    for (const From& x : from) to.emplace_back(x);
    return to;
}

/// A scene with rows for some settings.
struct Subject {
    Character character;
    DdmRows<double> rows;
    std::vector<Vec3d> rest;
    double diagonal = 0;

    Subject(Character c, const DdmSettings& settings) : character(std::move(c)) {
        const methods::DdmPlan plan = methods::planDdm(character, settings);
        deform::DdmPreparation preparation(character.mesh, plan.bind);
        preparation.update(plan.options);
        rows = preparation.rows(std::size_t(settings.influences.value_or(0)));
        rest = cast<Vec3d>(character.mesh.positions);
        Vec3d low = rest[0], high = rest[0];
        for (const Vec3d& p : rest)
            for (int i = 0; i < 3; ++i) {
                low[i] = std::min(low[i], p[i]);
                high[i] = std::max(high[i], p[i]);
            }
        diagonal = length(high - low);
    }

    std::size_t joints() const { return character.skeleton.joints.size(); }
    std::vector<Affine3d> pose(double seconds) const {
        return rig::skinMatricesDouble(character.skeleton, &character.clips[0], seconds);
    }
    std::vector<Vec3d> exact(DdmForm form, const std::vector<Affine3d>& bones) const {
        std::vector<Vec3d> posed(rest.size());
        deform::reference::ddm<double>(form, {rest, {}}, rows, bones, {posed, {}});
        return posed;
    }
    std::vector<Vec3d> single(DdmForm form, const std::vector<Affine3d>& bones) const {
        const deform::DdmRig rig = deform::packDdm(character.mesh, toFloat(rows), form);
        deform::DdmPose packed(rig);
        packed.set(cast<Affine3f>(bones));
        std::vector<Vec3f> posed(rest.size());
        deform::evaluate(rig, packed, {}, 0, posed.size(), {posed, {}});
        return cast<Vec3d>(posed);
    }
    /// R_i, from what becomes of three normals.
    std::vector<Mat3d> rotations(DdmForm form, const std::vector<Affine3d>& bones) const {
        std::vector<Mat3d> result(rest.size());
        std::vector<Vec3d> posed(rest.size()), turned(rest.size());
        for (int axis = 0; axis < 3; ++axis) {
            Vec3d unit;
            unit[axis] = 1;
            const std::vector<Vec3d> normals(rest.size(), unit);
            deform::reference::ddm<double>(form, {rest, normals}, rows, bones, {posed, turned});
            for (std::size_t v = 0; v < rest.size(); ++v) result[v].col[axis] = turned[v];
        }
        return result;
    }
};

double farthest(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) {
        const double d = length(a[v] - b[v]);
        most = std::isfinite(d) ? std::max(most, d) : 1e300;
    }
    return most;
}

std::vector<Vec3d> moved(const Affine3d& g, std::vector<Vec3d> points) {
    for (Vec3d& p : points) p = g * p;
    return points;
}

DdmSettings everything() {
    DdmSettings settings;
    settings.influences = 0;
    return settings;
}

#ifdef PELT_SANITIZED
constexpr std::size_t kBipedVertices = 2500;  // making it takes longer than what is tested
#else
constexpr std::size_t kBipedVertices = 6000;
#endif

std::size_t resolutionOf(std::string_view scene) { return scene == "biped" ? kBipedVertices : 400; }

class DdmProperties : public testing::TestWithParam<const char*> {
protected:
    /// Made once for all tests: preparing takes longer than testing.
    const Character& scene() const { return madeScene(GetParam(), resolutionOf(GetParam())); }
    const Subject& subject() const {
        static std::map<std::string, Subject> made;
        return made.try_emplace(GetParam(), scene(), everything()).first->second;
    }
    std::vector<Affine3d> lively(const Subject& s) const {
        const Clip& clip = s.character.clips[0];
        return s.pose(clip.first_key + 0.3 * clip.seconds());
    }
};

const Affine3d kMotion{toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), Vec3d{0.8, -0.5, 0.2}};

TEST_P(DdmProperties, TheRestPoseComesBack) {
    const Subject& s = subject();
    const std::vector<Affine3d> rest(s.joints());
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(s.exact(form, rest), s.rest), 1e-11 * s.diagonal) << kNames[int(form)];
        EXPECT_LE(farthest(s.single(form, rest), s.rest), 2e-6 * s.diagonal) << kNames[int(form)];
    }
}

TEST_P(DdmProperties, ACommonRigidMotionIsThatMotion) {
    const Subject& s = subject();
    const std::vector<Affine3d> bones(s.joints(), kMotion);
    const auto expected = moved(kMotion, s.rest);
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(s.exact(form, bones), expected), 1e-11 * s.diagonal) << kNames[int(form)];
        EXPECT_LE(farthest(s.single(form, bones), expected), 5e-6 * s.diagonal) << kNames[int(form)];
    }
}

TEST_P(DdmProperties, MovingThePosedBonesMovesTheResult) {  // f(G M) = G f(M)
    const Subject& s = subject();
    const auto bones = lively(s);
    std::vector<Affine3d> after;
    for (const Affine3d& b : bones) after.push_back(kMotion * b);
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(s.exact(form, after), moved(kMotion, s.exact(form, bones))), 1e-9 * s.diagonal);
        EXPECT_LE(farthest(s.single(form, after), moved(kMotion, s.single(form, bones))), 1e-5 * s.diagonal);
    }
}

TEST_P(DdmProperties, MovingTheRestShapeWithItsBonesChangesNothing) {  // f(G U, M G^-1) = f(U, M)
    const Subject& s = subject();
    const auto bones = lively(s);
    // Axes change places, which loses no digit of the stored positions.
    const Affine3d g{Mat3d{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}, Vec3d{}};
    Character turned = s.character;
    for (Vec3f& p : turned.mesh.positions) p = Vec3f(g * Vec3d(p));
    for (SkeletonNode& node : turned.skeleton.nodes)
        if (node.parent < 0) node.matrix = g * rig::restLocal(node);
    for (Joint& joint : turned.skeleton.joints) joint.inverse_bind = joint.inverse_bind * inverse(g);
    const Subject t(std::move(turned), everything());
    std::vector<Affine3d> after;
    for (const Affine3d& b : bones) after.push_back(b * inverse(g));
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(t.exact(form, after), s.exact(form, bones)), 1e-9 * s.diagonal) << kNames[int(form)];
        EXPECT_LE(farthest(t.single(form, after), s.single(form, bones)), 1e-5 * s.diagonal) << kNames[int(form)];
    }
}

TEST_P(DdmProperties, RenumberingTheVerticesChangesNothing) {
    const Subject& s = subject();
    const auto bones = lively(s);
    const std::size_t count = s.rest.size();
    std::vector<std::uint32_t> to(count);  // a fixed shuffle
    std::iota(to.begin(), to.end(), 0u);
    for (std::size_t v = count; v-- > 1;) std::swap(to[v], to[v * 7919 % (v + 1)]);
    Character shuffled = s.character;
    shuffled.weights = {};
    std::vector<std::uint32_t> from(count);
    for (std::uint32_t v = 0; v < count; ++v) from[to[v]] = v;
    for (std::size_t v = 0; v < count; ++v) {
        shuffled.mesh.positions[v] = s.character.mesh.positions[from[v]];
        appendVertex(shuffled.weights, s.character.weights.jointsOf(from[v]), s.character.weights.weightsOf(from[v]));
    }
    for (Triangle& t : shuffled.mesh.triangles)
        for (std::uint32_t& v : t) v = to[v];
    const Subject other(std::move(shuffled), everything());
    const auto ordered = [&](const std::vector<Vec3d>& positions) {
        std::vector<Vec3d> result(count);
        for (std::size_t v = 0; v < count; ++v) result[v] = positions[to[v]];
        return result;
    };
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(ordered(other.exact(form, bones)), s.exact(form, bones)), 1e-10 * s.diagonal);
        EXPECT_LE(farthest(ordered(other.single(form, bones)), s.single(form, bones)), 1e-5 * s.diagonal);
    }
}

double largestDifference(const std::vector<Mat3d>& a, const std::vector<Mat3d>& b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v)
        for (int c = 0; c < 3; ++c) most = std::max(most, length(a[v].col[c] - b[v].col[c]));
    return most;
}

TEST_P(DdmProperties, BlendingTranslationLeavesRotationsUnchanged) {  // [LeLewis19] Appendix C
    DdmSettings settings = everything();
    settings.alpha = 0;
    const Subject none(scene(), settings);
    settings.alpha = 0.9;
    settings.kappa = 0.3;
    const Subject much(scene(), settings);
    const auto bones = lively(none);
    for (const DdmForm form : {DdmForm::v0, DdmForm::v1})
        EXPECT_LE(largestDifference(none.rotations(form, bones), much.rotations(form, bones)), 1e-8)
            << kNames[int(form)];
    EXPECT_GT(farthest(none.exact(DdmForm::v0, bones), much.exact(DdmForm::v0, bones)), 1e-4 * none.diagonal);
}

TEST_P(DdmProperties, RotationsAreRotationsAlsoInPosesThatProvokeReflections) {
    const Subject& s = subject();
    std::vector<Affine3d> bones(s.joints());
    for (std::size_t j = 0; j < bones.size(); ++j)  // neighbors turned against each other by up to half a turn
        bones[j] = {toMatrix(axisAngle(Vec3d{1, 0.3 * double(j % 5), 0.5}, 3.1 * double(j % 3))),
                    Vec3d{0.3 * double(j % 2), 0, 0}};
    for (const Mat3d& r : s.rotations(DdmForm::v0, bones)) EXPECT_NEAR(determinant(r), 1, 1e-12);
    for (const Vec3d& p : s.single(DdmForm::v0, bones)) EXPECT_TRUE(isFinite(p));
}

TEST_P(DdmProperties, EnhancedIsV0WhereJointsMoveRigidly) {
    const Subject& s = subject();
    const auto bones = lively(s);
    EXPECT_LE(farthest(s.exact(DdmForm::eddm, bones), s.exact(DdmForm::v0, bones)), 1e-10 * s.diagonal);
    EXPECT_LE(farthest(s.single(DdmForm::eddm, bones), s.single(DdmForm::v0, bones)), 1e-5 * s.diagonal);
    EXPECT_LE(farthest(s.single(DdmForm::ddm, bones), s.single(DdmForm::v0, bones)), 0);
}

TEST_P(DdmProperties, ACommonAffineMapComesOutExactlyMirroredToo) {
    const Subject& s = subject();
    for (const double sign : {1.0, -1.0}) {
        const Mat3d stretch{{{1.6 * sign, 0.2, 0}, {0.1, 0.7, 0}, {0, 0.3, 1.2}}};
        const Affine3d map{toMatrix(axisAngle(Vec3d{1, 2, 3}, 0.8)) * stretch, Vec3d{0.3, 0.1, -0.2}};
        const std::vector<Affine3d> bones(s.joints(), map);
        EXPECT_LE(farthest(s.exact(DdmForm::eddm, bones), moved(map, s.rest)), 1e-10 * s.diagonal) << sign;
        EXPECT_LE(farthest(s.single(DdmForm::eddm, bones), moved(map, s.rest)), 1e-5 * s.diagonal) << sign;
        EXPECT_LE(farthest(s.single(DdmForm::ddm, bones), moved(map, s.rest)), 1e-5 * s.diagonal) << sign;
    }
}

/// LBS with ω in double precision.
std::vector<Vec3d> plainSkin(const Subject& s, const std::vector<Affine3d>& bones) {
    std::vector<Vec3d> posed(s.rest.size());
    for (std::size_t v = 0; v < posed.size(); ++v)
        for (std::size_t e = s.rows.offsets[v]; e < s.rows.offsets[v + 1]; ++e)
            posed[v] += bones[s.rows.joints[e]] * s.rest[v] * s.rows.blocks[e].w;
    return posed;
}

TEST_P(DdmProperties, TranslationsAreBlendedByTheVariantsAndTurnedByTheFullModel) {
    const Subject& s = subject();
    std::vector<Affine3d> bones(s.joints());
    for (std::size_t j = 0; j < bones.size(); ++j)
        bones[j] = {Mat3d{}, Vec3d{0.2 * double(j % 3), -0.1 * double(j % 2), 0}};
    const auto plain = plainSkin(s, bones);
    for (const DdmForm form : {DdmForm::v2, DdmForm::v3, DdmForm::v4}) {
        EXPECT_LE(farthest(s.exact(form, bones), plain), 1e-12 * s.diagonal) << kNames[int(form)];
        EXPECT_LE(farthest(s.single(form, bones), plain), 1e-6 * s.diagonal) << kNames[int(form)];
    }
    EXPECT_GT(farthest(s.exact(DdmForm::v0, bones), plain), 1e-3 * s.diagonal);
}

TEST_P(DdmProperties, WithoutAlphaV4IsSkinningAboutTheCenters) {  // ψ = ω
    DdmSettings settings = everything();
    settings.alpha = 0;
    const Subject s(scene(), settings);
    const auto bones = lively(s);
    const auto rotations = s.rotations(DdmForm::v4, bones);
    std::vector<Vec3d> expected(s.rest.size());
    for (std::size_t v = 0; v < expected.size(); ++v) {
        for (std::size_t e = s.rows.offsets[v]; e < s.rows.offsets[v + 1]; ++e) {
            EXPECT_NEAR(s.rows.psi[e], s.rows.blocks[e].w, 1e-12);
            expected[v] += bones[s.rows.joints[e]] * s.rows.centers[v] * s.rows.blocks[e].w;
        }
        expected[v] += rotations[v] * (s.rest[v] - s.rows.centers[v]);
    }
    EXPECT_LE(farthest(s.exact(DdmForm::v4, bones), expected), 1e-12 * s.diagonal);
    EXPECT_LE(farthest(s.single(DdmForm::v4, bones), expected), 1e-5 * s.diagonal);
}

TEST_P(DdmProperties, OneJointAVertexIsFollowed) {
    DdmSettings settings = everything();
    settings.lambda = settings.kappa = 0;
    const Subject s(scene(), settings);
    auto bones = lively(s);
    std::vector<Vec3d> expected;
    for (std::size_t v = 0; v < s.rest.size(); ++v) {
        ASSERT_EQ(s.rows.influenceCount(v), 1u);
        expected.push_back(bones[s.rows.joints[s.rows.offsets[v]]] * s.rest[v]);
    }
    for (const DdmForm form : kForms) {
        EXPECT_LE(farthest(s.exact(form, bones), expected), 1e-10 * s.diagonal) << kNames[int(form)];
        EXPECT_LE(farthest(s.single(form, bones), expected), 1e-5 * s.diagonal) << kNames[int(form)];
    }
}

TEST_P(DdmProperties, PruningByDefaultMovesItByLessThanATenThousandth) {
    const Character& character = scene();
    methods::MushReport report;
    const DdmPayload payload = methods::mush(character, {}, {}, {}, &report);
    EXPECT_LE(payload.expected_error, 1e-4);
    ASSERT_FALSE(report.trials.empty());
    for (std::size_t t = 0; t + 1 < report.trials.size(); ++t) EXPECT_GT(report.trials[t].error, 1e-4);
    EXPECT_EQ(payload.bind, character.weights);
}

std::string sceneName(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::erase(name, '-');
    return name;
}

#ifdef PELT_SANITIZED
const auto kScenes = testing::Values("bar", "bar-parts", "branch");
#else
const auto kScenes = testing::Values("bar", "bar3", "bar-parts", "arm", "branch", "biped");
#endif
INSTANTIATE_TEST_SUITE_P(Scenes, DdmProperties, kScenes, sceneName);

double volume(const std::vector<Vec3d>& p, const std::vector<Triangle>& triangles) {
    double sum = 0;
    for (const Triangle& t : triangles) sum += dot(p[t[0]], cross(p[t[1]], p[t[2]])) / 6;
    return sum;
}

TEST(Ddm, ATwistByAlmostHalfATurnKeepsTheVolumeThatPlainSkinningLoses) {
    DdmSettings settings = everything();
    settings.laplacian = LaplacianKind::uniform;
    settings.iterations = 20;
    settings.lambda = 2;
    settings.kappa = 0.2;
    const Subject s(scenes::find("bar")->make(500), settings);
    const auto joints = rig::jointRestPositions(s.character.skeleton);
    const Mat3d r = toMatrix(axisAngle(normalized(joints[1] - joints[0]), 179 * std::numbers::pi / 180));
    const std::vector<Affine3d> bones{{}, {r, joints[1] - r * joints[1]}};
    const auto& triangles = s.character.mesh.triangles;
    const double rest = volume(s.rest, triangles);
    const double ddm = volume(s.exact(DdmForm::v0, bones), triangles) / rest;
    const double lbs = volume(plainSkin(s, bones), triangles) / rest;
    EXPECT_GE(ddm, lbs + 0.1) << lbs;
}

/// The widest gap between vertices that lie on top of each other at rest but belong to different parts.
double seamGap(const Subject& s, const std::vector<Affine3d>& bones, double reach) {
    const auto posed = s.exact(DdmForm::v0, bones);
    const std::uint32_t split = s.character.mesh.parts.at(1).first_vertex;
    double widest = 0;
    for (std::size_t a = 0; a < split; ++a)
        for (std::size_t b = split; b < posed.size(); ++b) {
            const double rest = length(s.rest[a] - s.rest[b]);
            if (rest <= reach) widest = std::max(widest, length(posed[a] - posed[b]) - rest);
        }
    return widest;
}

TEST(Ddm, ConnectingPartsAtLeastHalvesTheGapOfTheirSeam) {
    const Character character = scenes::find("bar-parts")->make(800);
    DdmSettings settings = everything();
    const Subject tied(character, settings);
    settings.connect_parts = false;
    const Subject loose(character, settings);
    double reach = 1e300;  // the parts' distance at rest
    const std::uint32_t split = character.mesh.parts.at(1).first_vertex;
    for (std::size_t a = 0; a < split; ++a)
        for (std::size_t b = split; b < tied.rest.size(); ++b)
            reach = std::min(reach, length(tied.rest[a] - tied.rest[b]));
    const auto bones = tied.pose(1.0);
    EXPECT_LE(seamGap(tied, bones, 1.01 * reach), 0.5 * seamGap(loose, bones, 1.01 * reach));
    EXPECT_GT(seamGap(loose, bones, 1.01 * reach), 1e-3 * tied.diagonal);
}

/// Each triangle cut into four; new vertices take the bind of the end they are nearer to their bone's side of.
Character subdivided(const Character& from) {
    Character to = from;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        const auto key = std::minmax(a, b);
        const auto [at, fresh] = middles.try_emplace(key, std::uint32_t(to.mesh.positions.size()));
        if (fresh) {
            to.mesh.positions.push_back((from.mesh.positions[a] + from.mesh.positions[b]) * 0.5f);
            appendVertex(to.weights, from.weights.jointsOf(key.first), from.weights.weightsOf(key.first));
        }
        return at->second;
    };
    to.mesh.triangles.clear();
    to.mesh.normals.clear();
    for (const Triangle& t : from.mesh.triangles) {
        const std::uint32_t a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
        to.mesh.triangles.insert(to.mesh.triangles.end(), {{t[0], a, c}, {a, t[1], b}, {c, b, t[2]}, {a, b, c}});
    }
    to.mesh.parts.clear();
    to.source = nullptr;
    return to;
}

TEST(Ddm, ASubdividedMeshDeformsLikeTheCoarseOne) {
#ifdef PELT_SANITIZED
    const std::vector<const char*> names = {"bar", "arm"};  // saves a minute and runs the same code
#else
    const std::vector<const char*> names = {"bar", "arm", "biped"};
#endif
    for (const char* name : names) {
        const Character& coarse = madeScene(name, resolutionOf(name) * 2);
        const Subject a(coarse, everything()), b(subdivided(coarse), everything());
        double sum = 0;
        const Clip& clip = coarse.clips.back();
        constexpr int kPoses = 8;
        for (int p = 0; p < kPoses; ++p) {
            const auto bones =
                rig::skinMatricesDouble(coarse.skeleton, &clip, clip.first_key + clip.seconds() * (p + 0.5) / kPoses);
            const auto x = a.exact(DdmForm::v0, bones), y = b.exact(DdmForm::v0, bones);
            for (std::size_t v = 0; v < x.size(); ++v) sum += dot(x[v] - y[v], x[v] - y[v]);
        }
        EXPECT_LE(std::sqrt(sum / double(kPoses * a.rest.size())), 0.005 * a.diagonal) << name;
    }
}

TEST(Ddm, LeftAndRightDeformAlikeOnASymmetricCharacter) {
    const Subject s(madeScene("biped", kBipedVertices), everything());
    const Affine3d mirror{Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, Vec3d{}};
    // Mirror the pose: the left joint takes the right one's motion, reflected.
    const auto bones = s.pose(0.4);
    std::vector<Affine3d> mirrored(bones.size());
    for (std::size_t j = 0; j < bones.size(); ++j) {
        std::string name = rig::jointName(s.character.skeleton, j);
        if (name.ends_with("_L"))
            name.replace(name.size() - 2, 2, "_R");
        else if (name.ends_with("_R"))
            name.replace(name.size() - 2, 2, "_L");
        mirrored[j] = mirror * bones[*rig::findJoint(s.character.skeleton, name)] * mirror;
    }
    const auto left = s.exact(DdmForm::v0, bones), right = s.exact(DdmForm::v0, mirrored);
    std::map<std::tuple<double, double, double>, std::size_t> at;
    for (std::size_t v = 0; v < s.rest.size(); ++v) at[{s.rest[v].x, s.rest[v].y, s.rest[v].z}] = v;
    std::size_t pairs = 0;
    for (std::size_t v = 0; v < s.rest.size(); ++v) {
        const auto twin = at.find({s.rest[v].x == 0 ? s.rest[v].x : -s.rest[v].x, s.rest[v].y, s.rest[v].z});
        if (twin == at.end()) continue;
        ++pairs;
        EXPECT_LE(length(mirror * left[v] - right[twin->second]), 2e-3 * s.diagonal) << v;
    }
    EXPECT_GT(pairs, s.rest.size() / 2);
}

}  // namespace
}  // namespace pelt
