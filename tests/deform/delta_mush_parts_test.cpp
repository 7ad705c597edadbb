// Delta Mush on parts, pieces and edges between them.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include "deform/delta_mush/frames.h"
#include "mush_case.h"

// Parts, frames and edge cases of Delta Mush.

namespace pelt::deform {
namespace {

using geometry::SmoothingKind;

TEST(DeltaMush, AVertexWithoutSmoothingFollowsItsJoint) {
    MushCase c = sceneCase("bar", 500, kBend);
    for (std::size_t v = 0; v < c.mesh.vertexCount(); v += 3) c.options.lambda[v] = 0;
    const Posed posed = mush(c);
    for (std::size_t v = 0; v < c.mesh.vertexCount(); v += 3) {
        const Affine3f& bone = c.bones[c.weights.jointsOf(v)[0]];
        EXPECT_LT(length(posed.positions[v] - bone * c.mesh.positions[v]), 1e-6);
        EXPECT_LT(length(posed.normals[v] - bone.linear() * c.mesh.normals[v]), 1e-5);
    }
}

TEST(DeltaMush, WithoutIterationsItIsLinearBlendSkinning) {
    MushCase c = sceneCase("bar", 500, kBend);
    c.options.iterations = 0;
    const Posed posed = mush(c);
    for (std::size_t v = 0; v < c.mesh.vertexCount(); ++v)
        EXPECT_LT(length(posed.positions[v] - c.bones[c.weights.jointsOf(v)[0]] * c.mesh.positions[v]), 1e-6);
}

TEST(DeltaMush, APartOnOneJointStaysRigid) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar-parts", 500, kBend);  // the upper part is on joint 1 alone
        c.options.frames = frames;
        const Posed posed = mush(c);
        const MeshPart& upper = c.mesh.parts[1];
        for (std::size_t v = upper.first_vertex; v < upper.first_vertex + upper.vertex_count; ++v)
            EXPECT_LT(length(posed.positions[v] - c.bones[1] * c.mesh.positions[v]), 2e-6);
    }
}

/// Each vertex of the first part within `reach` of the second with its nearest there.
std::vector<geometry::ExtraEdge> edgesAcross(const Mesh& mesh, float reach) {
    std::vector<geometry::ExtraEdge> edges;
    const std::uint32_t second = mesh.parts[1].first_vertex;
    for (std::uint32_t a = 0; a < second; ++a) {
        std::uint32_t nearest = second;
        for (std::uint32_t b = second; b < mesh.vertexCount(); ++b)
            if (length(mesh.positions[b] - mesh.positions[a]) < length(mesh.positions[nearest] - mesh.positions[a]))
                nearest = b;
        if (length(mesh.positions[nearest] - mesh.positions[a]) < reach) edges.push_back({a, nearest, 2.0});
    }
    return edges;
}

TEST(DeltaMush, ExtraEdgesHoldPartsTogether) {
    MushCase c = sceneCase("bar-parts", 1500, kBend);
    c.options.lambda.assign(c.mesh.vertexCount(), 2.0);
    c.options.iterations = 20;
    const auto edges = edgesAcross(c.mesh, 0.03f);
    ASSERT_GT(edges.size(), 20u);
    const auto widest = [&] {
        const Posed posed = mush(c);
        double gap = 0;
        for (const geometry::ExtraEdge& e : edges) {
            const double rest = length(c.mesh.positions[e.a] - c.mesh.positions[e.b]);
            gap = std::max(gap, std::abs(length(posed.positions[e.a] - posed.positions[e.b]) - rest));
        }
        return gap;
    };
    const double apart = widest();
    c.options.extra_edges = edges;
    EXPECT_LT(widest(), apart / 2);
}

TEST(DeltaMush, ExtraEdgesAgreeWithTheDenseReference) {
    MushCase c = sceneCase("bar-parts", 300, kBend);
    c.options.extra_edges = edgesAcross(c.mesh, 0.06f);
    ASSERT_GT(c.options.extra_edges.size(), 5u);
    c.options.extra_edges.push_back({0, 1, 0.7});                    // an edge that is there already
    c.options.extra_edges.push_back(c.options.extra_edges.front());  // twice the same
    EXPECT_LT(farthest(mush(c).positions, denseMush(c).positions), 1e-6 * c.diagonal());
}

TEST(DeltaMush, TangentFramesAreCloseToProcrustesFramesInAGentleBend) {
    const Character bar = scenes::find("bar")->make(1500);
    MushCase c{bar.mesh, bar.weights, {{}, {}}, {}};
    const Vec3d joint{0, 0.5, 0};
    const Mat3d turn = toMatrix(axisAngle(Vec3d{0, 0, 1}, 0.4));
    c.bones[1] = Affine3f(Affine3d(turn, joint - turn * joint));
    c.options.lambda.assign(c.mesh.vertexCount(), 3.0);
    const Posed procrustes = mush(c);
    c.options.frames = DeltaMushFrames::tangent;
    const Posed tangent = mush(c);
    EXPECT_LT(farthest(tangent.positions, procrustes.positions), 0.01 * c.diagonal());
    EXPECT_GT(farthest(tangent.positions, procrustes.positions), 1e-5 * c.diagonal());
}

TEST(TangentFrames, FollowTheNormalAndTheEdgesRoundIt) {
    const std::vector<Vec3d> rest{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    const std::vector<Triangle> fan{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}};
    const VertexCorners corners(fan, 5);
    const Mat3d turn = toMatrix(axisAngle(Vec3d{1, 2, -1}, 2.0));
    std::vector<Vec3d> posed;
    for (const Vec3d& p : rest) posed.push_back(turn * Vec3d{2 * p.x, 0.5 * p.y, 0} + Vec3d{3, 4, 5});
    Mat3d rotation;
    ASSERT_TRUE(tangentRotation(corners.of(0), 0, rest, posed, rotation));
    for (int c = 0; c < 3; ++c) EXPECT_LT(length(rotation.col[c] - turn.col[c]), 1e-12);
}

TEST(TangentFrames, ThereIsNoneWhereTheSurfaceHasNoNormal) {
    const std::vector<Vec3d> rest{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const VertexCorners corners(std::vector<Triangle>{{0, 1, 2}}, 3);
    Mat3d rotation;
    EXPECT_FALSE(tangentRotation(corners.of(0), 0, rest, line, rotation));
    EXPECT_FALSE(tangentRotation(corners.of(0), 0, line, rest, rotation));
}

TEST(DeltaMush, ResultsAreTheSameBitsOnAnyThreadsAndForAnyCut) {
    for (const DeltaMushFrames frames : kFrames)
        for (const SmoothingKind smoothing : {SmoothingKind::implicit, SmoothingKind::explicit_}) {
            MushCase c = sceneCase("bar", 3000, kBend);
            c.options.frames = frames;
            c.options.smoothing = smoothing;
            setThreadCount(1);
            const Posed one = mush(c);
            setThreadCount(0);
            const DeltaMushRig rig = prepareDeltaMush(c.mesh, c.weights, c.options);
            DeltaMushPose pose(rig);
            pose.set(c.bones);
            Posed cut{c.mesh.positions, c.mesh.normals};  // in place
            const std::size_t count = c.mesh.vertexCount();
            for (std::size_t first = 0; first < count; first += 17)
                evaluate(rig, pose, {cut.positions, cut.normals}, first, std::min<std::size_t>(17, count - first),
                         {cut.positions, cut.normals});
            EXPECT_TRUE(sameBits(cut.positions, one.positions));
            EXPECT_TRUE(sameBits(cut.normals, one.normals));
        }
}

TEST(DeltaMush, EvaluationCannotThrow) {
    const DeltaMushRig rig;
    DeltaMushPose* pose = nullptr;
    static_assert(noexcept(evaluate(rig, *pose, {}, 0, 0, {})));
}

TEST(DeltaMush, ExtremePosesGiveNumbers) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        Affine3f& bone = c.bones[1];
        for (const Mat3f& a : {Mat3f{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, Mat3f{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                               Mat3f{{{2, 0, 0}, {0, 0, 0}, {1, 0, 3}}}}) {
            bone = Affine3f(a, {});
            const Posed posed = mush(c);
            for (const Vec3f& p : posed.positions) EXPECT_TRUE(isFinite(p));
            for (const Vec3f& n : posed.normals) EXPECT_NEAR(length(n), 1, 1e-5);
        }
    }
}

template <class Change>
std::string refusal(const Change& change, ErrorCode code) {
    MushCase c = sceneCase("bar", 250, 0);
    change(c);
    try {
        prepareDeltaMush(c.mesh, c.weights, c.options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.what();
    }
    return "no error";
}

TEST(DeltaMush, RefusesNumbersThatMakeNoSense) {
    const auto says = [](const std::string& message, const char* part) {
        EXPECT_NE(message.find(part), std::string::npos) << message;
    };
    constexpr ErrorCode usage = ErrorCode::bad_usage, input = ErrorCode::bad_input;
    says(refusal([](MushCase& c) { c.options.iterations = -1; }, usage), "iterations");
    says(refusal([](MushCase& c) { c.options.lambda[7] = -0.1; }, usage), "vertex 7");
    says(refusal([](MushCase& c) { c.options.lambda[7] = NAN; }, usage), "vertex 7");
    says(refusal([](MushCase& c) { c.options.lambda.pop_back(); }, usage), "strengths");
    says(refusal(
             [](MushCase& c) {
                 c.options.smoothing = SmoothingKind::explicit_;
                 c.options.lambda[3] = 1.01;
             },
             usage),
         "explicit");
    says(refusal([](MushCase& c) { c.options.extra_edges = {{0, 100000, 1}}; }, usage), "100000");
    says(refusal([](MushCase& c) { c.options.extra_edges = {{0, 1, -1}}; }, usage), "extra edge");
    says(refusal([](MushCase& c) { c.options.weld_tolerance = -1; }, usage), "tolerance");
    says(refusal([](MushCase& c) { c.mesh.triangles.clear(); }, input), "no faces");
    says(refusal([](MushCase& c) { c.mesh.triangles[0][0] = 100000; }, input), "100000");
    says(refusal([](MushCase& c) { c.mesh.positions[5].y = INFINITY; }, input), "vertex 5");
    says(refusal([](MushCase& c) { c.mesh.normals.pop_back(); }, input), "normals");
    says(refusal([](MushCase& c) { c.weights = {}; }, input), "weights");
}

}  // namespace
}  // namespace pelt::deform
