// Bounded biharmonic weights.
#include <gtest/gtest.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/tets.h>
#include <pelt/scenes/scenes.h>

#include <cstring>
#include <fstream>
#include <random>

#include "bind/bbw/biharmonic_system.h"
#include "bind/bbw/diffused_cells.h"
#include "bind/bbw/handle_places.h"
#include "bind/bbw/joint_solver.h"
#include "bind_shapes.h"
#include "shared_data.h"

namespace pelt::bind {
namespace {

using Handles = std::vector<std::vector<std::uint32_t>>;

/// A bar of cubes, each cut into six tets, along x; its points are numbered slice by slice.
TetMesh tetBar(std::uint32_t length, std::uint32_t width) {
    TetMesh bar;
    const std::uint32_t side = width + 1;
    for (std::uint32_t x = 0; x <= length; ++x)
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t z = 0; z < side; ++z)
                bar.positions.push_back({double(x), double(y) - width / 2.0, double(z) - width / 2.0});
    const auto point = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x * side + y) * side + z; };
    constexpr int kPaths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (std::uint32_t x = 0; x < length; ++x)
        for (std::uint32_t y = 0; y < width; ++y)
            for (std::uint32_t z = 0; z < width; ++z)
                for (const auto& path : kPaths) {  // from the lowest corner to the highest, one axis after the other
                    std::array<std::uint32_t, 3> at{x, y, z};
                    Tet tet{point(x, y, z)};
                    for (std::size_t k = 0; k < 3; ++k) {
                        ++at[std::size_t(path[k])];
                        tet[k + 1] = point(at[0], at[1], at[2]);
                    }
                    bar.tets.push_back(tet);
                }
    return bar;
}

/// The bar with its inner points moved about, so that no two tets are alike and cotangents have both signs.
TetMesh crookedBar(std::uint32_t length, std::uint32_t width) {
    TetMesh bar = tetBar(length, width);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> move(-0.2, 0.2);
    for (Vec3d& p : bar.positions) p += Vec3d{move(random), move(random), move(random)};
    return bar;
}

Handles slices(const TetMesh& bar, std::initializer_list<double> at) {
    Handles handles;
    for (const double x : at) {
        handles.emplace_back();
        for (std::uint32_t v = 0; v < bar.vertexCount(); ++v)
            if (std::abs(bar.positions[v].x - x) < 0.01) handles.back().push_back(v);
    }
    return handles;
}

void expectWeights(const HandleWeights& weights, const Handles& handles) {
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        double sum = 0;
        for (const double w : weights.of(v)) {
            ASSERT_GE(w, 0) << "vertex " << v;
            ASSERT_LE(w, 1) << "vertex " << v;
            sum += w;
        }
        ASSERT_NEAR(sum, 1, 1e-12) << "vertex " << v;
    }
    for (std::size_t h = 0; h < handles.size(); ++h)
        for (const std::uint32_t v : handles[h]) EXPECT_EQ(weights.of(v)[h], 1) << "handle " << h << " vertex " << v;
}

void expectSkin(const SkinWeights& skin, std::size_t vertices) {
    ASSERT_EQ(skin.vertexCount(), vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
        float sum = 0;
        for (const float w : skin.weightsOf(v)) {
            ASSERT_GE(w, 0);
            sum += w;
        }
        ASSERT_NEAR(sum, 1, 1e-6) << "vertex " << v;
    }
}

/// An .npy file of eight-byte numbers without its header.
template <class T>
std::vector<T> npyValues(const std::filesystem::path& path, std::size_t count) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.data() + bytes.size() - count * sizeof(T), count * sizeof(T));
    return values;
}

TEST(BoundedBiharmonic, AgreesWithAnIndependentSolver) {
    PELT_NEEDS_SHARED("golden/bbw");
    const auto folder = sharedPath("golden/bbw");
    TetMesh bar;
    const auto coordinates = npyValues<double>(folder / "vertices.npy", 81 * 3);
    const auto corners = npyValues<std::int64_t>(folder / "tets.npy", 192 * 4);
    for (std::size_t v = 0; v < 81; ++v)
        bar.positions.push_back({coordinates[3 * v], coordinates[3 * v + 1], coordinates[3 * v + 2]});
    for (std::size_t t = 0; t < 192; ++t) {
        bar.tets.emplace_back();
        for (std::size_t c = 0; c < 4; ++c) bar.tets.back()[c] = std::uint32_t(corners[4 * t + c]);
    }
    Handles handles;
    for (const char* name : {"handle_0.npy", "handle_1.npy", "handle_2.npy"}) {
        const auto held = npyValues<std::int64_t>(folder / name, 9);
        handles.emplace_back(held.begin(), held.end());
    }
    const HandleWeights weights = boundedBiharmonic(bar, handles);
    expectWeights(weights, handles);
    const auto expected = npyValues<double>(folder / "weights.npy", 81 * 3);
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(weights.values[k], expected[k], 1e-5) << k;
}

TEST(BoundedBiharmonic, WeightsAreBoundedSumToOneAndAreOneAtTheirHandles) {
    const TetMesh bar = crookedBar(12, 3);
    Handles handles{{0, 1, 5}, {100}, {60, 61}, {std::uint32_t(bar.vertexCount() - 1)}, {140}};
    expectWeights(boundedBiharmonic(bar, handles), handles);
}

/// Without multipliers of the wrong sign: free weights feel no force but that of the sum, which all handles share at a
/// vertex; those on a bound are pushed against it.
TEST(BoundedBiharmonic, NoWeightsWithSumOneWouldLowerTheEnergyOfAllHandlesTogether) {
    const TetMesh bar = crookedBar(14, 3);
    const Handles handles{{3}, {95}, {150, 151}, {220}, {30}};
    const bbw::BiharmonicSystem system =
        bbw::biharmonicSystem(bar.positions, geometry::tetLaplacian(bar), geometry::tetMass(bar), handles);
    const HandleWeights weights = boundedBiharmonic(bar, handles);
    Eigen::MatrixXd w(system.size(), Eigen::Index(handles.size()));
    for (int row = 0; row < system.size(); ++row)
        for (std::size_t h = 0; h < handles.size(); ++h)
            w(row, Eigen::Index(h)) = weights.of(system.vertex[std::size_t(row)])[h];
    const Eigen::MatrixXd force = system.energy * w;
    std::size_t bounded = 0;
    for (int row = 0; row < system.size(); ++row) {
        if (system.owners[std::size_t(row)] > 0) continue;
        Eigen::Index heaviest = 0;
        w.row(row).maxCoeff(&heaviest);
        for (Eigen::Index h = 0; h < w.cols(); ++h) {
            const double push = (force(row, h) - force(row, heaviest)) / system.energy.coeff(row, row);
            EXPECT_GT(push, -1e-7) << "row " << row << " handle " << h;
            if (w(row, h) > 1e-8) {
                EXPECT_LT(push, 1e-7) << "row " << row << " handle " << h;
            }
            bounded += w(row, h) == 0;
        }
    }
    EXPECT_GT(bounded, 50u);
}

TEST(BoundedBiharmonic, WeightsCutOffBeforeTheEndStillHaveTheirBoundsAndSums) {
    const TetMesh bar = crookedBar(10, 2);
    const Handles handles{{3}, {45}, {80}};
    const bbw::BiharmonicSystem system =
        bbw::biharmonicSystem(bar.positions, geometry::tetLaplacian(bar), geometry::tetMass(bar), handles);
    Eigen::MatrixXd weights = Eigen::MatrixXd::Constant(system.size(), 3, 1.0 / 3);
    for (std::size_t h = 0; h < 3; ++h)
        for (const int row : system.handle_rows[h])
            for (int k = 0; k < 3; ++k) weights(row, k) = k == int(h);
    EXPECT_FALSE(bbw::solveJointly(
                     system, weights, [](double) {}, 2)
                     .solved);
    EXPECT_GE(weights.minCoeff(), 0);
    for (int row = 0; row < system.size(); ++row) EXPECT_NEAR(weights.row(row).sum(), 1, 1e-12);
}

TEST(BoundedBiharmonic, TheStartHasBoundsAndSumsAndEndsSomewhere) {
    const TetMesh bar = crookedBar(30, 2);
    const Handles handles{{3}, {95}, {150, 151}, {220}};
    const bbw::BiharmonicSystem system =
        bbw::biharmonicSystem(bar.positions, geometry::tetLaplacian(bar), geometry::tetMass(bar), handles);
    const Eigen::MatrixXd weights = bbw::diffusedCells(system, [](double) {});
    EXPECT_GE(weights.minCoeff(), 0);
    for (int row = 0; row < system.size(); ++row) EXPECT_NEAR(weights.row(row).sum(), 1, 1e-12);
    for (std::size_t h = 0; h < handles.size(); ++h)
        for (const int row : system.handle_rows[h]) EXPECT_EQ(weights(row, Eigen::Index(h)), 1);
    EXPECT_GT((weights.array() == 0).count(), weights.size() / 4);
}

TEST(BoundedBiharmonic, HandlesThatHoldEveryVertexLeaveNothingToSeek) {
    const TetMesh bar = tetBar(1, 1);
    Handles handles(2);
    for (std::uint32_t v = 0; v < bar.vertexCount(); ++v) handles[v % 2].push_back(v);
    expectWeights(boundedBiharmonic(bar, handles), handles);
}

TEST(BoundedBiharmonic, ALoneHandleHasAllTheWeight) {
    const TetMesh bar = tetBar(4, 1);
    for (const double w : boundedBiharmonic(bar, Handles{{5}}).values) EXPECT_EQ(w, 1);
}

TEST(BoundedBiharmonic, AVertexOfTwoHandlesIsShared) {
    const TetMesh bar = tetBar(8, 1);
    Handles handles = slices(bar, {0, 8});
    const auto middle = slices(bar, {4})[0];
    for (auto& handle : handles) handle.insert(handle.end(), middle.begin(), middle.end());
    const HandleWeights weights = boundedBiharmonic(bar, handles);
    for (const std::uint32_t v : middle)
        for (const double w : weights.of(v)) EXPECT_EQ(w, 0.5);
}

TEST(BoundedBiharmonic, APieceWithoutHandleFollowsTheNearestOneAsAWhole) {
    TetMesh bar = tetBar(6, 1);
    const Handles handles = slices(bar, {0, 6});
    const auto first = std::uint32_t(bar.vertexCount());
    for (const Vec3d& p : tetBar(1, 1).positions) bar.positions.push_back(p + Vec3d{5, 0, 2});
    for (Tet tet : tetBar(1, 1).tets) {
        for (std::uint32_t& v : tet) v += first;
        bar.tets.push_back(tet);
    }
    bar.positions.push_back({-3, 0, 0});  // and a point that no tet uses
    const HandleWeights weights = boundedBiharmonic(bar, handles);
    for (std::uint32_t v = first; v + 1 < bar.vertexCount(); ++v) EXPECT_EQ(weights.of(v)[1], 1) << v;
    EXPECT_EQ(weights.of(bar.vertexCount() - 1)[0], 1);
}

TEST(BoundedBiharmonic, TheSameBytesOnAnyNumberOfThreads) {
    const TetMesh bar = crookedBar(12, 3);
    const Handles handles{{0}, {50}, {100}, {150}, {200}};
    setThreadCount(1);
    const HandleWeights one = boundedBiharmonic(bar, handles);
    setThreadCount(0);
    EXPECT_EQ(one.values, boundedBiharmonic(bar, handles).values);
}

TEST(BoundedBiharmonic, StopsWhenAskedTo) {
    const TetMesh bar = tetBar(8, 2);
    for (const double from : {0.1, 0.5}) {  // while bones are solved one by one, and all together
        double last = 0;
        const Progress stop([&](std::string_view, double fraction) { return (last = fraction) < from; });
        try {
            boundedBiharmonic(bar, Handles{{0}, {30}, {50}}, stop);
            FAIL() << "went on";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::cancelled);
        }
        EXPECT_LT(last, from + 0.4);
    }
}

TEST(BiharmonicWeights, ASegmentBetweenTwoRowsOfPointsHoldsBoth) {
    std::vector<Vec3d> points;
    for (int k = 0; k < 5; ++k)
        for (const double side : {-0.5, 0.5}) points.push_back({double(k), side, 0});
    std::vector<std::uint32_t> held;
    bbw::holdSegment(points, 1, 1, {{1, 0, 0}, {3, 0, 0}}, held);
    EXPECT_EQ(held, (std::vector<std::uint32_t>{2, 3, 4, 5, 6, 7}));
    held.clear();
    bbw::holdSegment(points, 1, 1, {{2, 9, 0}, {2, 5, 0}}, held);  // outside the shape
    EXPECT_EQ(held, (std::vector<std::uint32_t>{5}));
}

TEST(BoundedBiharmonic, HandlesThatCannotBeAreRefused) {
    const TetMesh bar = tetBar(2, 1);
    EXPECT_THROW(boundedBiharmonic(bar, Handles{}), Error);
    EXPECT_THROW(boundedBiharmonic(bar, Handles{{0}, {}}), Error);
    EXPECT_THROW(boundedBiharmonic(bar, Handles{{99}}), Error);
    TetMesh broken = bar;
    broken.positions[3].y = NAN;
    try {
        boundedBiharmonic(broken, Handles{{0}});
        FAIL() << "took it";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("vertex 3"), std::string::npos) << error.what();
    }
}

TEST(BoundedBiharmonic, SplitVerticesOfASurfaceGetEqualWeights) {
    Mesh mesh = scenes::find("bar")->make(200).mesh;
    const auto count = std::uint32_t(mesh.vertexCount());
    const std::vector<Triangle> triangles = mesh.triangles;
    for (std::uint32_t v = 0; v < count; ++v) mesh.positions.push_back(mesh.positions[v]);
    for (std::size_t t = 0; t < triangles.size(); t += 2)
        for (std::uint32_t& v : mesh.triangles[t]) v += count;
    const HandleWeights weights = boundedBiharmonic(mesh, Handles{{0}, {count / 2}});
    for (std::uint32_t v = 0; v < count; ++v) ASSERT_EQ(weights.of(v)[0], weights.of(v + count)[0]);
    expectWeights(weights, {{0, count}, {count / 2}});
}

TEST(BiharmonicWeights, PointsAndRegionsHoldTheirVerticesExactly) {
    const Mesh mesh = scenes::find("bar")->make(300).mesh;
    std::vector<BiharmonicHandle> handles(2);
    handles[0].points.push_back(Vec3d(mesh.positions[10]));
    const auto last = std::uint32_t(mesh.vertexCount() - 1);
    handles[1].region = {last, last - 1};
    for (const auto domain : {BiharmonicDomain::volume, BiharmonicDomain::surface}) {
        const auto result = biharmonicWeights(mesh, handles, {domain, nullptr, 3000});
        EXPECT_EQ(result.domain, domain);
        EXPECT_NEAR(result.weights.of(10)[0], 1, 1e-12);
        EXPECT_NEAR(result.weights.of(last)[1], 1, 1e-12);
        EXPECT_NEAR(result.weights.of(last - 1)[1], 1, 1e-12);
    }
}

TEST(BiharmonicWeights, BodiesInOnePlaceAreNotSewnTogether) {
    Mesh mesh = scenes::find("bar")->make(200).mesh;
    const auto count = std::uint32_t(mesh.vertexCount()), faces = std::uint32_t(mesh.triangles.size());
    mesh.positions.insert(mesh.positions.end(), mesh.positions.begin(), mesh.positions.begin() + count);
    for (std::uint32_t t = 0; t < faces; ++t) {
        const Triangle face = mesh.triangles[t];
        mesh.triangles.push_back({face[0] + count, face[1] + count, face[2] + count});
    }
    mesh.parts = {{"one", "", 0, count, 0, faces, 0, 0}, {"other", "", count, count, faces, faces, 1, 1}};
    std::vector<BiharmonicHandle> handles(2);
    handles[0].region = {10};
    handles[1].region = {count + 10};
    const auto result = biharmonicWeights(mesh, handles, {BiharmonicDomain::surface, nullptr, 3000});
    for (std::uint32_t v = 0; v < count; ++v) {
        EXPECT_NEAR(result.weights.of(v)[0], 1, 1e-9);
        EXPECT_NEAR(result.weights.of(count + v)[1], 1, 1e-9);
    }
}

TEST(BindBiharmonic, ASymmetricCharacterGetsSymmetricWeights) {
    const Character bar = scenes::find("branch")->make(600);
    const auto bind = bindBiharmonic(bar.mesh, bar.skeleton, 0, {BiharmonicDomain::volume, nullptr, 6000});
    expectSkin(bind.weights, bar.mesh.vertexCount());
    EXPECT_EQ(bind.domain, BiharmonicDomain::volume);
    const auto positions = rig::jointRestPositions(bar.skeleton);
    const auto mirroredJoint = [&](std::uint32_t joint) {
        for (std::uint32_t j = 0; j < positions.size(); ++j)
            if (length(positions[j] - Vec3d{-positions[joint].x, positions[joint].y, positions[joint].z}) < 1e-4)
                return j;
        return joint;
    };
    const auto weightOf = [&](std::size_t v, std::uint32_t joint) {
        for (std::size_t k = 0; k < bind.weights.influenceCount(v); ++k)
            if (bind.weights.jointsOf(v)[k] == joint) return bind.weights.weightsOf(v)[k];
        return 0.0f;
    };
    std::size_t pairs = 0;
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) {
        const Vec3f p = bar.mesh.positions[v];
        for (std::size_t u = 0; u < bar.mesh.vertexCount(); ++u) {
            const Vec3f q = bar.mesh.positions[u];
            if (std::abs(p.x + q.x) + std::abs(p.y - q.y) + std::abs(p.z - q.z) > 1e-6f) continue;
            ++pairs;
            for (std::uint32_t j = 0; j < positions.size(); ++j)
                ASSERT_NEAR(weightOf(v, j), weightOf(u, mirroredJoint(j)), 1e-4) << v << " joint " << j;
        }
    }
    EXPECT_GT(pairs, bar.mesh.vertexCount() / 2);
}

TEST(BindBiharmonic, ABarOfTwoJointsFadesFromOneToTheOther) {
    const Character bar = scenes::find("bar")->make(400);
    const auto bind = bindBiharmonic(bar.mesh, bar.skeleton, 0, {BiharmonicDomain::volume, nullptr, 8000});
    expectSkin(bind.weights, bar.mesh.vertexCount());
    const double joint = rig::jointRestPositions(bar.skeleton)[1].y;
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) {
        const double y = bar.mesh.positions[v].y;
        if (std::abs(y - joint) > 0.25 * joint) {
            EXPECT_EQ(bind.weights.jointsOf(v)[0], y > joint ? 1u : 0u) << "height " << y;
        }
    }
    EXPECT_EQ(maxInfluences(bind.weights), 2u);
}

TEST(BindBiharmonic, KeepsAsManyInfluencesAsAsked) {
    const Character branch = scenes::find("branch")->make(400);
    const auto bind = bindBiharmonic(branch.mesh, branch.skeleton, 2, {BiharmonicDomain::volume, nullptr, 4000});
    expectSkin(bind.weights, branch.mesh.vertexCount());
    EXPECT_EQ(maxInfluences(bind.weights), 2u);
}

TEST(BindBiharmonic, OpenMeshesFlatMeshesAndMeshesInPartsWork) {
    Character open = scenes::find("bar")->make(400);
    open.mesh.triangles.resize(open.mesh.triangles.size() * 3 / 4);
    expectSkin(bindBiharmonic(open.mesh, open.skeleton, 0, {BiharmonicDomain::automatic, nullptr, 4000}).weights,
               open.mesh.vertexCount());

    const Character parts = scenes::find("bar-parts")->make(400);
    expectSkin(bindBiharmonic(parts.mesh, parts.skeleton, 0, {BiharmonicDomain::automatic, nullptr, 4000}).weights,
               parts.mesh.vertexCount());

    Character flat = scenes::find("bar")->make(400);
    for (Vec3f& p : flat.mesh.positions) p.z = 0;
    const auto bind = bindBiharmonic(flat.mesh, flat.skeleton);
    EXPECT_EQ(bind.domain, BiharmonicDomain::surface);
    expectSkin(bind.weights, flat.mesh.vertexCount());
}

TEST(BindBiharmonic, TetsThatAreGivenAreUsed) {
    const TetMesh bar = tetBar(8, 2);
    Mesh skin;
    for (const Vec3d& p : bar.positions) skin.positions.push_back(Vec3f(p));
    const Skeleton skeleton = skeletonOf({{0, 0, 0}, {4, 0, 0}, {8, 0, 0}}, {-1, 0, 1});
    BiharmonicOptions options;
    options.tets = &bar;
    const auto bind = bindBiharmonic(skin, skeleton, 0, options);
    EXPECT_EQ(bind.domain_tets, bar.tets.size());
    expectSkin(bind.weights, skin.vertexCount());

    for (Vec3f& p : skin.positions) p = p * 10.0f;  // centimeters, say
    EXPECT_THROW(bindBiharmonic(skin, skeleton, 0, options), Error);
}

}  // namespace
}  // namespace pelt::bind
