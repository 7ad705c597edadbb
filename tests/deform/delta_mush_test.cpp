#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/delta_mush.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <numeric>

#include "deform/delta_mush/delta_mush_reference.h"
#include "deform/delta_mush/frames.h"
#include "skin_case.h"

namespace pelt::deform {
namespace {

using geometry::LaplacianKind;
using geometry::SmoothingKind;

constexpr DeltaMushFrames kFrames[] = {DeltaMushFrames::procrustes, DeltaMushFrames::tangent};

/// A character in a pose of its first clip.
struct MushCase {
    Mesh mesh;
    SkinWeights weights;
    std::vector<Affine3f> bones;
    DeltaMushOptions options;

    double diagonal() const {
        Vec3f low = mesh.positions[0], high = low;
        for (const Vec3f& p : mesh.positions)
            for (int i = 0; i < 3; ++i) {
                low[i] = std::min(low[i], p[i]);
                high[i] = std::max(high[i], p[i]);
            }
        return length(high - low);
    }
};

MushCase sceneCase(const char* scene, std::size_t resolution, double seconds) {
    const Character character = scenes::find(scene)->make(resolution);
    MushCase c{
        character.mesh, character.weights, rig::skinMatrices(character.skeleton, &character.clips[0], seconds), {}};
    c.options.iterations = 8;
    for (const Vec3f& p : c.mesh.positions) c.options.lambda.push_back(0.6 + 0.3 * std::sin(9 * p.y + 4 * p.x));
    return c;
}

constexpr double kBend = 1.0, kTwist = 3.0;  // seconds in the clips of the bars

Posed mush(const MushCase& c, const RestShape& rest = {}) {
    const DeltaMushRig rig = prepareDeltaMush(c.mesh, c.weights, c.options);
    DeltaMushPose pose(rig);
    pose.set(c.bones);
    Posed posed{std::vector<Vec3f>(c.mesh.vertexCount()), std::vector<Vec3f>(c.mesh.vertexCount())};
    evaluate(rig, pose, rest, 0, c.mesh.vertexCount(), {posed.positions, posed.normals});
    return posed;
}

PosedDouble denseMush(const std::vector<Vec3d>& positions, const MushCase& c, const std::vector<Affine3d>& bones) {
    const auto normals = castAll<Vec3d>(c.mesh.normals);
    const auto matrix = reference::smoothingMatrix(positions, c.mesh.triangles, c.options);
    PosedDouble posed{positions, normals};
    reference::deltaMush({positions, normals}, c.weights, matrix, bones, {posed.positions, posed.normals});
    return posed;
}

PosedDouble denseMush(const MushCase& c) {
    return denseMush(castAll<Vec3d>(c.mesh.positions), c, castAll<Affine3d>(c.bones));
}

Affine3d someMotion() { return {toMatrix(axisAngle(Vec3d{1, -2, 0.5}, 2.3)), Vec3d{0.8, -0.5, 0.2}}; }

std::vector<Vec3d> moved(const Affine3d& g, const std::vector<Vec3d>& points) {
    std::vector<Vec3d> out;
    for (const Vec3d& p : points) out.push_back(g * p);
    return out;
}

/// The case with its vertices in another order and its faces too, each begun at another corner.
MushCase renumbered(const MushCase& c, std::vector<std::size_t>& from) {
    const std::size_t n = c.mesh.vertexCount();
    std::size_t stride = n / 2 + 1;
    while (std::gcd(stride, n) != 1) ++stride;
    MushCase r{{}, {}, c.bones, c.options};
    from.resize(n);
    std::vector<std::uint32_t> to(n);
    for (std::size_t v = 0; v < n; ++v) {
        from[v] = (v * stride + 5) % n;
        to[from[v]] = std::uint32_t(v);
        r.mesh.positions.push_back(c.mesh.positions[from[v]]);
        r.mesh.normals.push_back(c.mesh.normals[from[v]]);
        r.options.lambda[v] = c.options.lambda[from[v]];
        appendVertex(r.weights, c.weights.jointsOf(from[v]), c.weights.weightsOf(from[v]));
    }
    for (const Triangle& t : c.mesh.triangles) r.mesh.triangles.push_back({to[t[1]], to[t[2]], to[t[0]]});
    std::reverse(r.mesh.triangles.begin(), r.mesh.triangles.end());
    return r;
}

/// Every face with vertices of its own.
MushCase split(const MushCase& c) {
    MushCase s{{}, {}, c.bones, c.options};
    s.options.lambda.clear();
    for (const Triangle& t : c.mesh.triangles) {
        const auto first = std::uint32_t(s.mesh.positions.size());
        for (const std::uint32_t v : t) {
            s.mesh.positions.push_back(c.mesh.positions[v]);
            s.mesh.normals.push_back(c.mesh.normals[v]);
            s.options.lambda.push_back(c.options.lambda[v]);
            appendVertex(s.weights, c.weights.jointsOf(v), c.weights.weightsOf(v));
        }
        s.mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return s;
}

TEST(DeltaMush, AgreesWithTheDenseReference) {
    for (const double seconds : {kBend, kTwist})
        for (const LaplacianKind laplacian : {LaplacianKind::uniform, LaplacianKind::cotangent})
            for (const SmoothingKind smoothing : {SmoothingKind::implicit, SmoothingKind::explicit_})
                for (const int iterations : {1, 8}) {
                    MushCase c = sceneCase("bar", 250, seconds);
                    c.options.laplacian = laplacian;
                    c.options.smoothing = smoothing;
                    c.options.iterations = iterations;
                    const Posed posed = mush(c);
                    const PosedDouble dense = denseMush(c);
                    EXPECT_LT(farthest(posed.positions, dense.positions), 1e-6 * c.diagonal())
                        << seconds << ' ' << int(laplacian) << int(smoothing) << ' ' << iterations;
                    EXPECT_LT(farthest(posed.normals, dense.normals), 1e-5);
                }
}

TEST(DeltaMush, ReproducesTheRestPose) {
    for (const char* scene : {"bar", "bar-parts", "branch"})
        for (const DeltaMushFrames frames : kFrames) {
            MushCase c = sceneCase(scene, 500, 0);
            c.bones.assign(c.bones.size(), {});
            c.options.frames = frames;
            EXPECT_LT(farthest(mush(c).positions, c.mesh.positions), 2e-6 * c.diagonal()) << scene;
            EXPECT_LT(farthest(mush(c).normals, c.mesh.normals), 2e-6) << scene;
        }
    MushCase c = sceneCase("bar", 250, 0);
    c.bones.assign(c.bones.size(), {});
    EXPECT_LT(farthest(denseMush(c).positions, c.mesh.positions), 1e-11 * c.diagonal());
}

TEST(DeltaMush, ACommonRigidMotionIsThatMotion) {
    const Affine3d g = someMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("branch", 500, 0);
        c.bones.assign(c.bones.size(), Affine3f(g));
        c.options.frames = frames;
        EXPECT_LT(farthest(mush(c).positions, moved(g, castAll<Vec3d>(c.mesh.positions))), 5e-6 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, 0);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    EXPECT_LT(farthest(denseMush(positions, c, std::vector<Affine3d>(2, g)).positions, moved(g, positions)),
              1e-11 * c.diagonal());
}

TEST(DeltaMush, MovingThePosedBonesMovesTheResult) {  // f(G M) = G f(M)
    const Affine3d g = someMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const auto expected = moved(g, castAll<Vec3d>(mush(c).positions));
        for (Affine3f& b : c.bones) b = Affine3f(g * Affine3d(b));
        EXPECT_LT(farthest(mush(c).positions, expected), 1e-5 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, kBend);
    auto bones = castAll<Affine3d>(c.bones);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    const auto expected = moved(g, denseMush(positions, c, bones).positions);
    for (Affine3d& b : bones) b = g * b;
    EXPECT_LT(farthest(denseMush(positions, c, bones).positions, expected), 1e-9 * c.diagonal());
}

TEST(DeltaMush, MovingTheRestShapeWithItsBonesChangesNothing) {  // f(G U, M G⁻¹) = f(U, M)
    const Affine3d g = someMotion();
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const auto expected = mush(c).positions;
        for (Vec3f& p : c.mesh.positions) p = Vec3f(g * Vec3d(p));
        for (Affine3f& b : c.bones) b = Affine3f(Affine3d(b) * inverse(g));
        EXPECT_LT(farthest(mush(c).positions, expected), 1e-5 * c.diagonal());
    }
    const MushCase c = sceneCase("bar", 250, kBend);
    auto bones = castAll<Affine3d>(c.bones);
    const auto positions = castAll<Vec3d>(c.mesh.positions);
    const auto expected = denseMush(positions, c, bones).positions;
    for (Affine3d& b : bones) b = b * inverse(g);
    EXPECT_LT(farthest(denseMush(moved(g, positions), c, bones).positions, expected), 1e-9 * c.diagonal());
}

TEST(DeltaMush, RenumberingTheVerticesChangesNothing) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kTwist);
        c.options.frames = frames;
        std::vector<std::size_t> from;
        const MushCase r = renumbered(c, from);
        const Posed a = mush(c), b = mush(r);
        for (std::size_t v = 0; v < from.size(); ++v)
            EXPECT_LT(length(b.positions[v] - a.positions[from[v]]), 1e-6 * c.diagonal());
    }
}

TEST(DeltaMush, SplitCopiesComeOutBitEqualAndLikeTheWholeMesh) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kTwist);
        c.options.frames = frames;
        const Posed whole = mush(c), parts = mush(split(c));
        std::vector<std::uint32_t> first(c.mesh.vertexCount(), 0xffffffffu);
        for (std::uint32_t corner = 0; corner < parts.positions.size(); ++corner) {
            const std::uint32_t v = c.mesh.triangles[corner / 3][corner % 3];
            if (first[v] == 0xffffffffu) first[v] = corner;
            EXPECT_EQ(parts.positions[corner], parts.positions[first[v]]);
            EXPECT_EQ(parts.normals[corner], parts.normals[first[v]]);
            EXPECT_LT(length(parts.positions[corner] - whole.positions[v]), 1e-6 * c.diagonal());
        }
    }
}

TEST(DeltaMush, NearCopiesTurnAlikeWhenWelded) {
    MushCase c = sceneCase("bar", 500, kBend);
    MushCase s = split(c);
    for (std::size_t v = 0; v < s.mesh.vertexCount(); ++v) s.mesh.positions[v].x += v % 2 ? 1e-5f : 0.0f;
    s.options.weld_tolerance = 3e-5f;
    const Posed whole = mush(c), parts = mush(s);
    for (std::size_t corner = 0; corner < parts.positions.size(); ++corner)
        EXPECT_LT(length(parts.positions[corner] - whole.positions[c.mesh.triangles[corner / 3][corner % 3]]), 1e-4);
}

TEST(DeltaMush, AMorphTargetIsTurnedWithItsVertex) {  // x = R (u + δ) + t
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("bar", 500, kBend);
        c.options.frames = frames;
        const Posed posed = mush(c);
        std::vector<Vec3f> morphed = c.mesh.positions;
        for (std::size_t v = 0; v < morphed.size(); ++v) morphed[v] += c.mesh.normals[v] * 0.25f;
        const Posed with_morph = mush(c, {morphed, {}});
        for (std::size_t v = 0; v < morphed.size(); ++v)
            EXPECT_LT(length(with_morph.positions[v] - posed.positions[v] - posed.normals[v] * 0.25f), 1e-6);
        EXPECT_TRUE(sameBits(with_morph.normals, posed.normals));
    }
}

TEST(DeltaMush, NormalsKeepTheirLength) {
    for (const DeltaMushFrames frames : kFrames) {
        MushCase c = sceneCase("branch", 500, 1);
        c.options.frames = frames;
        for (const Vec3f& n : mush(c).normals) EXPECT_NEAR(length(n), 1, 1e-5);
    }
}

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
std::vector<ExtraEdge> edgesAcross(const Mesh& mesh, float reach) {
    std::vector<ExtraEdge> edges;
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
        for (const ExtraEdge& e : edges) {
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
