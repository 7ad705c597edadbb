// Characters whose spaces differ, and the poses they must share.
#include <gtest/gtest.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/ddm.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/rig/rest_space.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/bake.h>

#include <cmath>

#include "made_scene.h"
#include "shared_data.h"

/// A file may store its rest pose in other units, lying down or mirrored. No visible result may depend on it.
namespace pelt::verbs {
namespace {

struct Space {
    const char* name;
    Affine3d map;
};

const Vec3d kPlace{0.3, -1, 2};
const Mat3d kTurn = toMatrix(axisAngle(Vec3d{1, 0, 0}, -1.5707963267948966));
const Space kSpaces[] = {
    {"scaled by 100", {Mat3d{} * 100.0, {}}},
    {"scaled by 0.01", {Mat3d{} * 0.01, kPlace * 0.01}},
    {"turned", {kTurn, kPlace}},
    {"scaled and turned", {kTurn * 100.0, kPlace * 50.0}},
    {"mirrored", {Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}}},
    {"scaled unevenly", {Mat3d{{{2, 0, 0}, {0, 0.5, 0}, {0, 0, 1}}}, kPlace}},
};

/// For figures of many joints, on which each takes a while; the bars show the rest.
const std::span<const Space> kFewSpaces = std::span(kSpaces).subspan(3, 1);

/// The same character with its rest pose in another space, through a file; what is posed stays where it was.
Character expressedIn(const Affine3d& map, Character character) {
    rig::transformVertices(character.mesh, 0, character.mesh.vertexCount(), map);
    for (Joint& joint : character.skeleton.joints) joint.inverse_bind = joint.inverse_bind * inverse(map);
    character.source = nullptr;
    character.ddm = nullptr;
    character.from_file.clear();
    return io::loadGltf(io::toGlb(character), "expressed anew").character;
}

double diagonal(std::span<const Vec3f> positions) {
    const auto [low, high] = geometry::boundingBox(positions);
    return double(length(high - low));
}

/// A moment of the first clip, and a pose of the range of motion.
std::vector<std::vector<Vec3f>> posed(const Character& character, const methods::Method& method) {
    std::vector<std::vector<Affine3f>> poses;
    poses.push_back(rig::rangeOfMotion(character.skeleton)[3]);
    if (!character.clips.empty()) {
        const Clip& clip = character.clips.front();
        poses.push_back(rig::skinMatrices(character.skeleton, &clip, clip.first_key + 0.7 * clip.seconds()));
    }
    const std::unique_ptr<methods::Deformer> deformer = method.prepare(character, {}, {});
    std::vector<std::vector<Vec3f>> shapes;
    for (const std::vector<Affine3f>& bones : poses) {
        shapes.emplace_back(character.mesh.vertexCount());
        deformer->setPose(bones);
        deformer->evaluate({}, 0, shapes.back().size(), {shapes.back(), {}});
    }
    return shapes;
}

/// Method by method.
std::vector<std::vector<std::vector<Vec3f>>> posedByAll(const Character& character) {
    std::vector<std::vector<std::vector<Vec3f>>> shapes;
    for (const methods::Method& method : methods::all()) shapes.push_back(posed(character, method));
    return shapes;
}

void expectSamePoses(const std::vector<std::vector<std::vector<Vec3f>>>& all, const Character& other,
                     const std::string& where) {
    for (std::size_t m = 0; m < all.size(); ++m) {
        const methods::Method& method = methods::all()[m];
        // v5 is linear too, but weights that smoothing cuts off may differ by what that costs.
        const double tolerance = method.name == "lbs" ? 1e-5 : method.name == "ddm-v5" ? 1e-4 : 2e-3;
        const std::vector<std::vector<Vec3f>>& expected = all[m];
        const std::vector<std::vector<Vec3f>> got = posed(other, method);
        for (std::size_t p = 0; p < expected.size(); ++p) {
            double farthest = 0;
            for (std::size_t v = 0; v < got[p].size(); ++v)
                farthest = std::max(farthest, double(length(got[p][v] - expected[p][v])));
            EXPECT_LE(farthest / diagonal(expected[p]), tolerance) << where << ", " << method.name << ", pose " << p;
        }
    }
}

void expectSameWork(const Character& character, const Character& other, const std::string& where) {
    methods::MushReport was, is;
    methods::mush(character, {}, {}, {}, &was);
    methods::mush(other, {}, {}, {}, &is);
    EXPECT_EQ(was.influences, is.influences) << where;
    ASSERT_EQ(was.trials.size(), is.trials.size()) << where;
    EXPECT_NEAR(is.trials.back().error, was.trials.back().error, 1e-2 * was.trials.back().error + 1e-7) << where;

    BakeRequest request;
    request.sampling.fps = 4;
    request.helpers = 1;
    const BakeResult a = bake(character, request), b = bake(other, request);
    ASSERT_EQ(a.candidates.size(), b.candidates.size()) << where;
    EXPECT_NEAR(a.candidates[a.chosen].main().e_rms, b.candidates[b.chosen].main().e_rms,
                0.02 * a.candidates[a.chosen].main().e_rms + 1e-3)
        << where;
}

class SpacesOfScenes : public testing::TestWithParam<std::string> {};

TEST_P(SpacesOfScenes, ChangeNothingThatIsPosed) {
    Character character = madeScene(GetParam(), GetParam() == "biped" ? 700 : 400);
    character.source = nullptr;
    character = io::loadGltf(io::toGlb(character), "as it is").character;
    const auto expected = posedByAll(character);
    for (const Space& space : GetParam() == "biped" ? kFewSpaces : std::span<const Space>(kSpaces)) {
        const Character other = expressedIn(space.map, character);
        expectSamePoses(expected, other, space.name);
        if (&space == &kSpaces[3] && GetParam() != "biped") expectSameWork(character, other, space.name);
    }
}

std::vector<std::string> sceneNames() {
    std::vector<std::string> names;
    for (const scenes::Scene& scene : scenes::all()) names.emplace_back(scene.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, SpacesOfScenes, testing::ValuesIn(sceneNames()));

class SpacesOfCharacters : public testing::TestWithParam<const char*> {};

TEST_P(SpacesOfCharacters, ChangeNothingThatIsPosed) {
    const std::string path = std::string("data/") + GetParam();
    PELT_NEEDS_SHARED(path.c_str());
    const Character character = io::loadCharacter(sharedPath(path.c_str())).character;
    const auto expected = posedByAll(character);
    for (const Space& space : kFewSpaces) expectSamePoses(expected, expressedIn(space.map, character), space.name);
    expectSameWork(character, expressedIn(kSpaces[3].map, character), kSpaces[3].name);
}

INSTANTIATE_TEST_SUITE_P(Shared, SpacesOfCharacters,
                         testing::Values("rigged/khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
                                         "rigged/khronos/Fox/glTF-Binary/Fox.glb",
                                         "flagged-no-explicit-licence/rigged/quaternius/modular_men-Casual.glb"));

TEST(Spaces, AScaledRestPoseIsBroughtToTheSizeOfTheFigure) {
    const Character character = scenes::find("bar")->make(200);
    const Character other = expressedIn(kSpaces[3].map, character);
    ASSERT_EQ(other.from_file.size(), 1u);
    EXPECT_NEAR(rig::restScale(other.from_file.front()), 100, 1e-3);
    EXPECT_NEAR(diagonal(other.mesh.positions), diagonal(character.mesh.positions), 1e-5);
}

TEST(Spaces, AFileThatNeedsNoOtherSpaceKeepsItsNumbersToTheBit) {
    const Character character = scenes::find("bar")->make(200);
    const Character loaded = io::loadGltf(io::toGlb(character), "plain").character;
    EXPECT_TRUE(loaded.from_file.empty());
    EXPECT_EQ(loaded.mesh.positions, character.mesh.positions);
}

TEST(Spaces, TheBindPoseIsWhatTheFileStores) {
    Character character = scenes::find("bar")->make(200);
    const std::vector<Vec3f> plain = character.mesh.positions;
    const Affine3d map = kSpaces[3].map;
    const Character other = expressedIn(map, character);
    methods::Sampling sampling;
    sampling.bind_pose = true;
    methods::CharacterSampler sampler(other, methods::findMethod("lbs"), sampling);
    std::vector<Vec3f> positions(plain.size());
    sampler.evaluate(0, positions, {});
    for (std::size_t v = 0; v < plain.size(); ++v)
        EXPECT_LE(length(Vec3d(positions[v]) - map * Vec3d(plain[v])), 1e-6 * 100) << v;
}

TEST(Spaces, SavingKeepsTheSpaceOfTheFile) {
    const Character other = expressedIn(kSpaces[3].map, scenes::find("arm")->make(300));
    Character mushed = other;
    mushed.ddm = std::make_shared<DdmPayload>(methods::mush(other, {}));
    mushed.weights = other.weights;
    const auto [again, warnings] = io::loadGltf(io::toGlb(mushed), "mushed");
    ASSERT_TRUE(warnings.empty()) << warnings.front();
    ASSERT_TRUE(again.ddm);
    EXPECT_EQ(again.mesh.positions, other.mesh.positions);
    EXPECT_EQ(again.ddm->rows, mushed.ddm->rows);
    for (std::size_t j = 0; j < other.skeleton.joints.size(); ++j)
        for (int i = 0; i < 16; ++i)
            EXPECT_EQ(again.skeleton.joints[j].inverse_bind.m[i], other.skeleton.joints[j].inverse_bind.m[i]);
}

TEST(Spaces, APayloadOfAnotherSpaceIsBroughtToThatOfTheCharacter) {
    const Character character = expressedIn(kSpaces[3].map, scenes::find("arm")->make(300));
    Character mushed = character;
    mushed.ddm = std::make_shared<DdmPayload>(methods::mush(character, {}));
    // The nodes' rest turns, as by a program that stores another pose in them: the payload is as it was.
    Character moved = io::loadGltf(io::toGlb(mushed), "mushed").character;
    for (SkeletonNode& node : moved.skeleton.nodes)
        if (node.parent < 0) node.local.rotation = axisAngle(Vec3d{0, 0, 1}, 0.7) * node.local.rotation;
    const Character again = io::loadGltf(io::toGlb(moved), "turned").character;
    ASSERT_TRUE(again.ddm);
    EXPECT_NE(again.ddm->rows, mushed.ddm->rows);
    const auto bones = [](const Character& c) {
        std::vector<Affine3f> maps = rig::skinMatrices(c.skeleton, nullptr, 0);
        return maps;
    };
    std::unique_ptr<methods::Deformer> deformer = methods::findMethod("ddm").prepare(again, {}, {});
    deformer->setPose(bones(again));
    std::vector<Vec3f> got(again.mesh.vertexCount());
    deformer->evaluate({}, 0, got.size(), {got, {}});
    const double size = diagonal(again.mesh.positions);
    for (std::size_t v = 0; v < got.size(); ++v)
        EXPECT_LE(double(length(got[v] - again.mesh.positions[v])), 1e-5 * size) << v;
}

}  // namespace
}  // namespace pelt::verbs
