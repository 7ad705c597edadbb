// Weights from another mesh.
#include <gtest/gtest.h>
#include <pelt/bind/transfer.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/ray_tree.h>

#include "jacket.h"
#include "made_scene.h"

namespace pelt::bind {
namespace {

double weightDistance(const SkinWeights& a, const SkinWeights& b, std::size_t v) {
    double sum = 0;
    const auto of = [v](const SkinWeights& weights, std::uint32_t joint) {
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            if (weights.jointsOf(v)[i] == joint) return double(weights.weightsOf(v)[i]);
        return 0.0;
    };
    for (const std::uint32_t j : a.jointsOf(v)) sum += std::abs(of(a, j) - of(b, j));
    for (const std::uint32_t j : b.jointsOf(v))
        if (of(a, j) == 0) sum += of(b, j);
    return sum / 2;
}

double meanWeightDistance(const SkinWeights& a, const SkinWeights& b) {
    double sum = 0;
    for (std::size_t v = 0; v < a.vertexCount(); ++v) sum += weightDistance(a, b, v);
    return sum / double(a.vertexCount());
}

/// A closed box at `center`, appended as a part of its own.
void addBox(Mesh& mesh, const Vec3f& center, float size) {
    const auto first = std::uint32_t(mesh.positions.size());
    for (int c = 0; c < 8; ++c)
        mesh.positions.push_back(center +
                                 Vec3f((c & 1) ? size : -size, (c & 2) ? size : -size, (c & 4) ? size : -size));
    for (const Triangle& t : {Triangle{0, 2, 1},
                              {1, 2, 3},
                              {4, 5, 6},
                              {5, 7, 6},
                              {0, 1, 4},
                              {1, 5, 4},
                              {2, 6, 3},
                              {3, 6, 7},
                              {0, 4, 2},
                              {2, 4, 6},
                              {1, 3, 5},
                              {3, 7, 5}})
        mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

TEST(Transfer, AMeshKeepsItsOwnWeights) {
    const Character& biped = smoothScene("biped", 6000);
    const TransferredWeights made = transferWeights(biped.mesh, biped.weights, biped.mesh);
    EXPECT_EQ(made.count(TransferOrigin::copied), biped.mesh.vertexCount());
    EXPECT_LT(meanWeightDistance(made.weights, biped.weights), 1e-6);
}

TEST(Transfer, ToAnotherResolutionAndBackChangesLittle) {
    const Character &coarse = smoothScene("biped", 6000), &fine = smoothScene("biped", 12000);
    const TransferredWeights there = transferWeights(coarse.mesh, coarse.weights, fine.mesh);
    const TransferredWeights back = transferWeights(fine.mesh, there.weights, coarse.mesh);
    EXPECT_LT(meanWeightDistance(back.weights, coarse.weights), 0.02);
    EXPECT_GT(there.count(TransferOrigin::copied), fine.mesh.vertexCount() * 99 / 100);
}

/// The number of vertices of the body that come through the jacket, over poses that lower the arms by up to 70° and
/// bend the elbows by up to 90°.
std::size_t comingThrough(const RaisedBody& body, const Jacket& jacket, const SkinWeights& weights) {
    std::size_t count = 0;
    // Not near the hems: there rays leave through the openings.
    std::vector<bool> hem(jacket.cover.size(), false);
    const geometry::Adjacency ring = geometry::vertexAdjacency(jacket.mesh.triangles, hem.size());
    std::vector<std::size_t> faces(hem.size(), 0);
    for (const Triangle& t : jacket.mesh.triangles)
        for (const std::uint32_t v : t) ++faces[v];
    for (std::size_t v = 0; v < hem.size(); ++v) hem[v] = faces[v] != ring.of(v).size();
    for (int n = 0; n < 3; ++n) {
        std::vector<bool> wider = hem;
        for (std::size_t v = 0; v < hem.size(); ++v)
            for (const std::uint32_t u : ring.of(v)) wider[v] = wider[v] || hem[u];
        hem = wider;
    }
    for (const auto& [raise, bend] : {std::pair{-30.0, 0.0}, {0.0, 0.0}, {-30.0, 45.0}, {-30.0, 90.0}, {30.0, 90.0}}) {
        const std::vector<Affine3d> bones = body.bonesOf(raise, bend);
        const std::vector<Vec3d> skin = blended(body.character.mesh, body.character.weights, bones);
        const std::vector<Vec3d> cloth = blended(jacket.mesh, weights, bones);
        const geometry::RayTree tree(cloth, jacket.mesh.triangles);
        for (std::size_t v = 0; v < hem.size(); ++v) {
            if (hem[v]) continue;
            count += geometry::enclosureOf(tree, skin[jacket.cover[v]]).winding <= 0;
        }
    }
    return count;
}

TEST(Transfer, AJacketCoversTheArmsAtBendsWhereNearestPointsLetThemThrough) {
    std::size_t before = 0, now = 0;
    for (const auto& [raised, gap] : {std::pair{20.0, 0.03}, {40.0, 0.06}}) {
        const RaisedBody body = raiseArms(smoothScene("biped", 6000), raised);
        const Mesh& skin = body.character.mesh;
        const SkinWeights& weights = body.character.weights;
        const Jacket jacket = makeJacket(body.character, gap);
        before += comingThrough(body, jacket, transferWeights(skin, weights, jacket.mesh, {.fill = false}).weights);
        now += comingThrough(body, jacket, transferWeights(skin, weights, jacket.mesh).weights);
    }
    RecordProperty("nearest", int(before));
    RecordProperty("transferred", int(now));
    EXPECT_GT(before, 100u);
    EXPECT_LE(double(now), 0.2 * double(before));
}

TEST(Transfer, SmallLoosePiecesMoveAsAWhole) {
    const Character& bar = smoothScene("bar", 3000);
    // A button over the bend, where the weights of the bar change.
    const geometry::Box box = geometry::boundingBox(bar.mesh.positions);
    const Vec3d center = box.center();
    Mesh to = bar.mesh;
    const auto first = to.vertexCount();
    const float size = float(0.02 * box.diagonal());
    addBox(to, Vec3f(float(box.high.x) + size, float(center.y), float(center.z)), size);
    to.normals.clear();
    to.parts.clear();
    const TransferredWeights made = transferWeights(bar.mesh, bar.weights, to);
    EXPECT_EQ(made.rigid_pieces, 1u);
    ASSERT_EQ(made.weights.vertexCount(), first + 8);
    for (std::size_t v = first; v < first + 8; ++v) {
        EXPECT_EQ(made.origin[v], TransferOrigin::rigid);
        EXPECT_EQ(weightDistance(made.weights, made.weights, v), 0);
        EXPECT_TRUE(std::ranges::equal(made.weights.weightsOf(v), made.weights.weightsOf(first)));
        EXPECT_TRUE(std::ranges::equal(made.weights.jointsOf(v), made.weights.jointsOf(first)));
    }
    EXPECT_GT(made.weights.influenceCount(first), 1u);  // it follows the skin beneath it
    for (std::size_t v = 0; v < first; ++v) EXPECT_EQ(made.origin[v], TransferOrigin::copied);
}

TEST(Transfer, AVertexFarAwayIsFilledFromItsNeighbors) {
    const Character& bar = smoothScene("bar", 3000);
    Mesh to = bar.mesh;
    const geometry::Box box = geometry::boundingBox(bar.mesh.positions);
    // A bulge at the middle, far from the bar.
    for (Vec3f& p : to.positions)
        if (p.x > box.center().x && std::abs(p.y - box.center().y) < 0.15 * (box.high.y - box.low.y))
            p.x += float(0.3 * box.diagonal());
    const TransferredWeights made = transferWeights(bar.mesh, bar.weights, to);
    EXPECT_GT(made.count(TransferOrigin::filled), 20u);
    for (std::size_t v = 0; v < to.vertexCount(); ++v) {
        double sum = 0;
        for (const float w : made.weights.weightsOf(v)) sum += double(w);
        EXPECT_NEAR(sum, 1, 1e-5);
        if (made.origin[v] == TransferOrigin::filled) {
            EXPECT_LT(weightDistance(made.weights, bar.weights, v), 0.35);
        }
    }
}

TEST(Transfer, TheLiningOfAClothCopiesFromTheSkinThatItFaces) {
    const Character& bar = smoothScene("bar", 3000);
    // Two layers around the bar, the inner one facing it.
    Mesh to;
    for (const float gap : {0.03f, 0.02f})
        for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v)
            to.positions.push_back(bar.mesh.positions[v] + bar.mesh.normals[v] * gap);
    const auto count = std::uint32_t(bar.mesh.vertexCount());
    for (const Triangle& t : bar.mesh.triangles) {
        to.triangles.push_back(t);
        to.triangles.push_back({t[0] + count, t[2] + count, t[1] + count});
    }
    // Joined into one shell, so that the orientation of the layers is known.
    to.triangles.push_back({0, 1, count});
    to.triangles.push_back({1, count + 1, count});
    const TransferredWeights made = transferWeights(bar.mesh, bar.weights, to);
    double worst = 0;
    for (std::uint32_t v = count; v < 2 * count; ++v) {
        SkinWeights inner, own;
        appendVertex(inner, made.weights.jointsOf(v), made.weights.weightsOf(v));
        appendVertex(own, bar.weights.jointsOf(v - count), bar.weights.weightsOf(v - count));
        worst = std::max(worst, weightDistance(inner, own, 0));
    }
    EXPECT_LT(worst, 0.1);
}

TEST(Transfer, TheNumberOfThreadsChangesNothing) {
    const Character& body = smoothScene("biped", 6000);
    const Jacket jacket = makeJacket(body, 0.05);
    TransferredWeights one, all;
    withThreads(1, [&] { one = transferWeights(body.mesh, body.weights, jacket.mesh); });
    withThreads(4, [&] { all = transferWeights(body.mesh, body.weights, jacket.mesh); });
    EXPECT_TRUE(one.weights == all.weights);
}

TEST(Transfer, RefusesMeshesThatDoNotLieOnEachOtherAndWrongOptions) {
    const Character& bar = smoothScene("bar", 3000);
    Mesh away = bar.mesh;
    for (Vec3f& p : away.positions) p.x += 100;
    const auto code = [&](const Mesh& to, const TransferOptions& options) {
        try {
            transferWeights(bar.mesh, bar.weights, to, options);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::gate;
    };
    EXPECT_EQ(code(away, {}), ErrorCode::bad_input);
    EXPECT_EQ(code({}, {}), ErrorCode::bad_input);
    EXPECT_EQ(code(bar.mesh, {.distance = 0}), ErrorCode::bad_usage);
    EXPECT_EQ(code(bar.mesh, {.angle = 200}), ErrorCode::bad_usage);
    EXPECT_THROW(transferWeights(bar.mesh, {}, bar.mesh), Error);
}

}  // namespace
}  // namespace pelt::bind
