// Direct Delta Mush on difficult meshes.
#include <gtest/gtest.h>
#include <pelt/methods/ddm.h>
#include <pelt/methods/methods.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cmath>

// Skins that real files have and no textbook does: every method takes them, gives finite numbers, reproduces the rest
// pose, and moves vertices of a single joint with that joint.

namespace pelt::methods {
namespace {

constexpr const char* kEveryMethod[] = {"lbs",    "dqs",    "cor",    "dm",     "dm-tangent", "ddm",
                                        "ddm-v1", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5",     "eddm"};

/// Joints in a chain at these places.
Skeleton chain(const std::vector<Vec3d>& places) {
    Skeleton skeleton;
    for (std::size_t j = 0; j < places.size(); ++j) {
        SkeletonNode node;
        node.name = "joint_" + std::to_string(j);
        node.parent = std::int32_t(j) - 1;
        node.local.translation = j == 0 ? places[0] : places[j] - places[j - 1];
        skeleton.nodes.push_back(node);
        skeleton.joints.push_back({std::uint32_t(j), Affine3d(Mat3d{}, places[j] * -1.0)});
    }
    return skeleton;
}

/// Adds a box on one joint, a part of its own.
void addBox(Character& character, const Vec3d& center, double size, std::uint32_t joint) {
    Mesh& mesh = character.mesh;
    const auto first = std::uint32_t(mesh.positions.size());
    for (int c = 0; c < 8; ++c) {
        const Vec3d corner{c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 4 ? 0.5 : -0.5};
        mesh.positions.emplace_back(center + corner * size);
        appendVertex(character.weights, std::vector<std::uint32_t>{joint}, std::vector<float>{1});
    }
    for (const Triangle& t : std::initializer_list<Triangle>{{0, 2, 3},
                                                             {0, 3, 1},
                                                             {4, 5, 7},
                                                             {4, 7, 6},
                                                             {0, 1, 5},
                                                             {0, 5, 4},
                                                             {2, 6, 7},
                                                             {2, 7, 3},
                                                             {0, 4, 6},
                                                             {0, 6, 2},
                                                             {1, 3, 7},
                                                             {1, 7, 5}})
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

/// A tube along y, one vertex ring on each of `rings` heights, the upper half on joint 1.
Character tube(double radius = 0.1, double height = 1, std::uint32_t rings = 21, std::uint32_t around = 12) {
    Character character;
    character.skeleton = chain({{0, 0, 0}, {0, height / 2, 0}});
    for (std::uint32_t r = 0; r < rings; ++r)
        for (std::uint32_t a = 0; a < around; ++a) {
            const double angle = 6.283185307179586 * a / around, y = height * r / (rings - 1);
            character.mesh.positions.emplace_back(Vec3d{radius * std::cos(angle), y, radius * std::sin(angle)});
            appendVertex(character.weights, std::vector<std::uint32_t>{y > height / 2 ? 1u : 0u},
                         std::vector<float>{1});
            if (r == 0) continue;
            const std::uint32_t b = (a + 1) % around, low = (r - 1) * around, high = r * around;
            character.mesh.triangles.push_back({low + a, high + a, high + b});
            character.mesh.triangles.push_back({low + a, high + b, low + b});
        }
    return character;
}

double sizeOf(const Mesh& mesh) {
    Vec3d low(mesh.positions[0]), high = low;
    double far = 0;
    for (const Vec3f& p : mesh.positions)
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min<double>(low[i], p[i]);
            high[i] = std::max<double>(high[i], p[i]);
            far = std::max<double>(far, std::abs(p[i]));
        }
    return std::max(length(high - low), 0.05 * far);
}

/// Joint j turned by 40 degrees j about z, at its place in the chain.
std::vector<Affine3f> bent(const Skeleton& skeleton) {
    const std::vector<Vec3d> places = rig::jointRestPositions(skeleton);
    std::vector<Affine3f> bones;
    Affine3d world;
    for (std::size_t j = 0; j < places.size(); ++j) {
        const Mat3d turn = toMatrix(axisAngle(Vec3d{0, 0, 1}, j == 0 ? 0.0 : 0.7));
        world = world * Affine3d(turn, places[j] - turn * places[j]);
        bones.emplace_back(world);
    }
    return bones;
}

std::vector<Vec3f> posed(const Character& character, const char* name, const std::vector<Affine3f>& bones) {
    const auto deformer = findMethod(name).prepare(character, {}, {});
    deformer->setPose(bones);
    std::vector<Vec3f> positions(character.mesh.vertexCount());
    deformer->evaluate({}, 0, positions.size(), {positions, {}});
    return positions;
}

/// Every method at rest and bent; DDM and EDDM also from what `mush` stores.
void expectSound(Character character, const char* what) {
    SCOPED_TRACE(what);
    const double size = sizeOf(character.mesh);
    const auto check = [&](const char* method) {
        SCOPED_TRACE(method);
        const std::vector<Affine3f> still(character.skeleton.joints.size());
        const std::vector<Vec3f> rest = posed(character, method, still);
        const std::vector<Vec3f> moved = posed(character, method, bent(character.skeleton));
        double worst = 0;
        std::size_t broken = 0;
        for (std::size_t v = 0; v < rest.size(); ++v) {
            broken += !isFinite(rest[v]) || !isFinite(moved[v]);
            worst = std::max(worst, length(Vec3d(rest[v]) - Vec3d(character.mesh.positions[v])));
        }
        EXPECT_EQ(broken, 0u);
        EXPECT_LE(worst, 5e-6 * size);
    };
    for (const char* method : kEveryMethod) ASSERT_NO_THROW(check(method));
    DdmPayload payload;
    ASSERT_NO_THROW(payload = mush(character, {}));
    EXPECT_TRUE(std::isfinite(payload.expected_error));
    character.ddm = std::make_shared<const DdmPayload>(std::move(payload));
    ASSERT_NO_THROW(check("ddm"));
    ASSERT_NO_THROW(check("eddm"));
}

/// The vertices [first, last) go where joint `joint` takes them.
void expectFollowed(const Character& character, std::size_t first, std::size_t last, std::size_t joint) {
    const std::vector<Affine3f> bones = bent(character.skeleton);
    const std::vector<Vec3f> moved = posed(character, "ddm", bones);
    double worst = 0;
    for (std::size_t v = first; v < last; ++v)
        worst = std::max(worst, length(Vec3d(moved[v]) - Vec3d(bones[joint] * character.mesh.positions[v])));
    EXPECT_LE(worst, 1e-5 * sizeOf(character.mesh));
}

TEST(MushRobust, ManyRigidPartsOnOneJointStayRigid) {
    Character character;
    character.skeleton = chain({{0, 0, 0}, {0, 1, 0}, {0, 2, 0}});
    for (int i = 0; i < 40; ++i) addBox(character, {0.3 * (i % 5), 0.05 * i, 0.2 * (i % 3)}, 0.02 + 0.01 * (i % 7), 2);
    expectSound(character, "forty boxes on one joint");
    expectFollowed(character, 0, character.mesh.vertexCount(), 2);
}

TEST(MushRobust, SmallRigidPartsBesideASkinStayRigid) {
    Character character = tube();
    const std::size_t skin = character.mesh.vertexCount();
    for (int i = 0; i < 10; ++i) addBox(character, {0.11, 0.05 + 0.1 * i, 0}, 1e-3, i < 5 ? 0 : 1);
    expectSound(character, "ten buttons on a tube");
    expectFollowed(character, skin, skin + 40, 0);
    expectFollowed(character, skin + 40, skin + 80, 1);
}

TEST(MushRobust, AHundredTinyTrianglesFollowTheirJoints) {
    Character character;
    character.skeleton = chain({{0, 0, 0}, {0, 1, 0}});
    for (std::uint32_t i = 0; i < 100; ++i) {
        const Vec3d at{std::sin(7.0 * i), 0.02 * i, std::cos(11.0 * i)};
        for (const Vec3d& corner : {Vec3d{0, 0, 0}, Vec3d{1e-5, 0, 0}, Vec3d{0, 1e-5, 0}}) {
            character.mesh.positions.emplace_back(at + corner);
            appendVertex(character.weights, std::vector<std::uint32_t>{i % 2}, std::vector<float>{1});
        }
        character.mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    expectSound(character, "a hundred triangles");
    for (std::size_t i = 0; i < 100; ++i) expectFollowed(character, 3 * i, 3 * i + 3, i % 2);
}

TEST(MushRobust, TinyTrianglesOfTwoJointsAreSmoothed) {
    Character character;
    character.skeleton = chain({{0, 0, 0}, {0, 1, 0}});
    for (std::uint32_t i = 0; i < 100; ++i)
        for (std::uint32_t c = 0; c < 3; ++c) {
            character.mesh.positions.emplace_back(Vec3d{std::sin(7.0 * i) + 1e-5 * c, 0.02 * i + 1e-5 * (c == 1), 0.0});
            appendVertex(character.weights, std::vector<std::uint32_t>{c % 2}, std::vector<float>{1});
            if (c == 2) character.mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
        }
    expectSound(character, "a hundred triangles between two joints");
}

TEST(MushRobust, JointsFarFromTheirSkinAreTaken) {
    for (const double far : {10.0, 1e3, 1e5}) {
        Character character = tube();
        character.skeleton = chain({{far, 0, 0}, {far, 0.5, 0}});
        expectSound(character, "joints far away");
    }
}

TEST(MushRobust, AnyUnitIsTaken) {
    for (const double unit : {1e-20, 1e-12, 1e-7, 1e-3, 1e4, 1e8, 1e12, 1e17, 1e30}) {
        Character character = tube(0.1 * unit, unit);
        SCOPED_TRACE(unit);
        expectSound(character, "a tube in other units");
    }
}

TEST(MushRobust, ScaleDoesNotChangeTheSkin) {
    const auto shape = [](double unit) {
        const Character character = tube(0.1 * unit, unit);
        std::vector<Vec3f> positions = posed(character, "ddm", bent(character.skeleton));
        for (Vec3f& p : positions) p = Vec3f(Vec3d(p) / unit);
        return positions;
    };
    const std::vector<Vec3f> expected = shape(1);
    for (const double unit : {1e-9, 1e-4, 1e4, 1e9, 1e15}) {
        const std::vector<Vec3f> positions = shape(unit);
        double worst = 0;
        for (std::size_t v = 0; v < positions.size(); ++v)
            worst = std::max(worst, double(length(positions[v] - expected[v])));
        EXPECT_LE(worst, 1e-5) << unit;
    }
}

TEST(MushRobust, HugeOffsetsAreTaken) {
    Character character = tube();
    for (Vec3f& p : character.mesh.positions) p = p + Vec3f(1e5f, 0, 0);
    character.skeleton = chain({{1e5, 0, 0}, {1e5, 0.5, 0}});
    expectSound(character, "a tube far from the origin");
}

TEST(MushRobust, FacesWithoutAreaAndVerticesWithoutFacesAreTaken) {
    Character character = tube();
    Mesh& mesh = character.mesh;
    mesh.triangles.push_back({0, 0, 1});
    mesh.triangles.push_back({3, 3, 3});
    mesh.triangles.push_back({0, 12, 24});  // three on a line
    const auto add = [&](const Vec3f& p, std::uint32_t joint) {
        mesh.positions.push_back(p);
        appendVertex(character.weights, std::vector<std::uint32_t>{joint}, std::vector<float>{1});
        return std::uint32_t(mesh.positions.size() - 1);
    };
    add({0.3f, 0.2f, 0}, 1);  // no face
    const std::uint32_t a = add({0.5f, 0.5f, 0}, 0), b = add({0.6f, 0.5f, 0}, 1), c = add({0.7f, 0.5f, 0}, 1);
    mesh.triangles.push_back({a, b, c});  // a part without area
    const std::uint32_t d = add({0.5f, 0.7f, 0}, 0), e = add({0.5f, 0.7f, 0}, 1), f = add({0.5f, 0.7f, 0}, 1);
    mesh.triangles.push_back({d, e, f});  // a part that is a point
    expectSound(character, "faces without area");
    expectFollowed(character, mesh.vertexCount() - 7, mesh.vertexCount() - 6, 1);
}

TEST(MushRobust, AMeshOfOnePointIsTaken) {
    Character character;
    character.skeleton = chain({{0, 0, 0}, {0, 1, 0}});
    character.mesh.positions.emplace_back(1.0f, 2.0f, 3.0f);
    character.mesh.triangles.push_back({0, 0, 0});
    appendVertex(character.weights, std::vector<std::uint32_t>{1}, std::vector<float>{1});
    expectSound(character, "one vertex");
    expectFollowed(character, 0, 1, 1);
}

TEST(MushRobust, PartsThatLieTwiceInOnePlaceAreTaken) {
    Character character = tube();
    const Character again = tube();
    const auto first = std::uint32_t(character.mesh.positions.size());
    for (std::size_t v = 0; v < again.mesh.vertexCount(); ++v) {
        character.mesh.positions.push_back(again.mesh.positions[v]);
        appendVertex(character.weights, again.weights.jointsOf(v), again.weights.weightsOf(v));
    }
    for (const Triangle& t : again.mesh.triangles)
        character.mesh.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
    expectSound(character, "a tube and its lining");
}

TEST(MushRobust, BodiesInOnePlaceStayApart) {
    Character character = tube();
    const Character other = tube();
    const auto first = std::uint32_t(character.mesh.positions.size());
    character.mesh.parts = {{"a", "", 0, first, 0, std::uint32_t(character.mesh.triangles.size()), 0, 0},
                            {"b", "", first, first, std::uint32_t(character.mesh.triangles.size()),
                             std::uint32_t(character.mesh.triangles.size()), 1, 1}};
    for (std::size_t v = 0; v < first; ++v) {
        character.mesh.positions.push_back(other.mesh.positions[v]);
        appendVertex(character.weights, std::vector<std::uint32_t>{other.weights.jointsOf(v)[0] + 2},
                     std::vector<float>{1});
    }
    for (const Triangle& t : other.mesh.triangles)
        character.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    Skeleton two = chain({{0, 0, 0}, {0, 0.5, 0}});
    for (const SkeletonNode& node : two.nodes) {
        character.skeleton.nodes.push_back(node);
        if (node.parent >= 0) character.skeleton.nodes.back().parent = node.parent + 2;
    }
    for (Joint joint : two.joints) {
        joint.node += 2;
        character.skeleton.joints.push_back(joint);
    }
    std::vector<Affine3f> bones = bent(tube().skeleton);
    const Affine3f aside(Affine3d(Mat3d{}, {5, 0, 0}));
    for (int j = 0; j < 2; ++j) bones.push_back(aside * bones[std::size_t(j)]);
    for (const char* method : {"dm", "ddm", "eddm"}) {
        const std::vector<Vec3f> both = posed(character, method, bones);
        const std::vector<Vec3f> alone = posed(tube(), method, {bones[0], bones[1]});
        double worst = 0;
        for (std::size_t v = 0; v < first; ++v)
            worst = std::max({worst, double(length(both[v] - alone[v])),
                              double(length(both[v + first] - Vec3f(5, 0, 0) - alone[v]))});
        EXPECT_LE(worst, 1e-5) << method;
    }
}

TEST(MushRobust, ASeamBetweenTwoNodesOfOneSkinStaysClosed) {
    // The tube cut a ring above the joint into two parts of one body: the ring is there twice.
    Character character = tube();
    const std::size_t cut = 12 * 12, count = character.mesh.vertexCount();
    Character split = character;
    split.mesh = {};
    split.weights = {};
    const auto add = [&](std::size_t v) {
        split.mesh.positions.push_back(character.mesh.positions[v]);
        appendVertex(split.weights, character.weights.jointsOf(v), character.weights.weightsOf(v));
    };
    for (std::size_t v = 0; v < cut + 12; ++v) add(v);
    for (std::size_t v = cut; v < count; ++v) add(v);
    std::uint32_t lower = 0;
    for (const bool upper : {false, true})
        for (const Triangle& t : character.mesh.triangles) {
            if ((*std::min_element(t.begin(), t.end()) >= cut) != upper) continue;
            lower += !upper;
            const std::uint32_t shift = upper ? 12 : 0;
            split.mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
        }
    const auto first = std::uint32_t(cut + 12);
    split.mesh.parts = {{"lower", "", 0, first, 0, lower, 0, 0},
                        {"upper", "", first, std::uint32_t(split.mesh.vertexCount()) - first, lower,
                         std::uint32_t(split.mesh.triangles.size()) - lower, 1, 0}};
    for (const char* method : {"dm", "ddm", "eddm"}) {
        const std::vector<Vec3f> whole = posed(character, method, bent(character.skeleton));
        const std::vector<Vec3f> parts = posed(split, method, bent(character.skeleton));
        for (std::size_t v = 0; v < 12; ++v) EXPECT_EQ(parts[cut + v], parts[first + v]) << method;
        for (std::size_t v = 0; v < count; ++v)
            EXPECT_LE(length(whole[v] - parts[v < cut ? v : v + 12]), 1e-5f) << method;
    }
}

/// A face with as many joints as facial rigs have, closer together than the widths of smoothing: a dome of a head
/// joint's children, each moving the skin next to it.
Character face(std::uint32_t joints) {
    Character character;
    Skeleton& skeleton = character.skeleton;
    skeleton = chain({{0, 0, 0}});
    const auto onDome = [](double u, double v) {
        const double x = 0.1 * (u - 0.5), y = 0.1 * (v - 0.5);
        return Vec3d{x, y, std::sqrt(0.01 - x * x - y * y)};
    };
    Vec3d last;
    for (std::uint32_t j = 1; j < joints; ++j) {
        const Vec3d at = onDome(std::fmod(0.618034 * j, 1.0), j / double(joints)) * 0.8;
        SkeletonNode node;
        node.name = "face_" + std::to_string(j);
        node.parent = j % 3 == 1 ? 0 : std::int32_t(j) - 1;  // short chains, as brows and lips have
        node.local.translation = at - (node.parent == 0 ? Vec3d{} : last);
        last = at;
        skeleton.nodes.push_back(node);
        skeleton.joints.push_back({j, Affine3d(Mat3d{}, at * -1.0)});
    }
    constexpr std::uint32_t kSide = 30;
    const std::vector<Vec3d> places = rig::jointRestPositions(skeleton);
    for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
        const Vec3d u = onDome(i % kSide / (kSide - 1.0), i / kSide / (kSide - 1.0));
        character.mesh.positions.emplace_back(u);
        std::uint32_t nearest = 0;
        for (std::uint32_t j = 1; j < places.size(); ++j)
            if (length(places[j] - u) < length(places[nearest] - u)) nearest = j;
        appendVertex(character.weights, std::vector<std::uint32_t>{nearest}, std::vector<float>{1});
        if (i % kSide == 0 || i < kSide) continue;
        character.mesh.triangles.push_back({i - kSide - 1, i - kSide, i});
        character.mesh.triangles.push_back({i - kSide - 1, i, i - 1});
    }
    return character;
}

TEST(MushInfluences, AreAtMostEightUnlessMoreAreAskedFor) {
    const Character character = face(120);
    MushReport told;
    const DdmPayload payload = mush(character, {}, {}, {}, &told);
    EXPECT_TRUE(told.capped);
    EXPECT_EQ(told.influences, 8u);
    EXPECT_EQ(told.trials.size(), 7u);
    EXPECT_GT(payload.expected_error, 1e-4);
    EXPECT_DOUBLE_EQ(payload.expected_error, told.trials.back().error);

    DdmSettings more;
    more.influences = 12;
    MushReport asked;
    const DdmPayload wider = mush(character, more, {}, {}, &asked);
    EXPECT_FALSE(asked.capped);
    EXPECT_EQ(asked.influences, 12u);
    EXPECT_LT(wider.expected_error, payload.expected_error);
    more.influences = 0;
    MushReport all;
    mush(character, more, {}, {}, &all);
    EXPECT_FALSE(all.capped);
    EXPECT_GT(all.influences, 12u);
}

TEST(MushInfluences, AreTheFewestThatAreEnough) {
    MushReport told;
    const DdmPayload payload = mush(tube(), {}, {}, {}, &told);
    EXPECT_FALSE(told.capped);
    EXPECT_EQ(told.influences, 2u);
    EXPECT_LE(payload.expected_error, 1e-4);
}

}  // namespace
}  // namespace pelt::methods
