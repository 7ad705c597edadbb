// The biped.
#include "scenes/biped/biped.h"

#include <gtest/gtest.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/rig/clip.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <set>

#include "scene_checks.h"
#include "scenes/biped/biped_clips.h"
#include "scenes/biped/biped_skeleton.h"
#include "self_intersection.h"

namespace pelt::scenes {
namespace {

const Character& biped20k() {
    static const Character biped = makeBiped(20000);
    return biped;
}

/// Skeleton and clips without the skin, for what does not need it.
Character bareBiped() {
    Character biped;
    biped.skeleton = bipedSkeleton();
    biped.clips = bipedClips();
    return biped;
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;

Edge edgeOf(const Triangle& t, int k) { return std::minmax(t[k], t[(k + 1) % 3]); }

/// The triangles on either side of each edge.
std::map<Edge, std::vector<std::size_t>> edgesOf(const Mesh& mesh) {
    std::map<Edge, std::vector<std::size_t>> edges;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) edges[edgeOf(mesh.triangles[t], k)].push_back(t);
    return edges;
}

void expectClosedAndSphereLike(const Mesh& mesh) {
    const auto edges = edgesOf(mesh);
    std::set<Edge> directed;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(directed.insert({t[k], t[(k + 1) % 3]}).second) << "turned triangle";
    for (const auto& [edge, faces] : edges) ASSERT_EQ(faces.size(), 2u) << edge.first << "-" << edge.second;
    const long euler = long(mesh.positions.size()) - long(edges.size()) + long(mesh.triangles.size());
    EXPECT_EQ(euler, 2);
    const auto adjacency = geometry::vertexAdjacency(mesh.triangles, mesh.positions.size());
    EXPECT_EQ(geometry::connectedParts(adjacency).count, 1u);
    // Two cones that meet in a point would pass all of that: every vertex must have one fan of triangles.
    std::vector<std::size_t> corners(mesh.positions.size());
    for (const Triangle& t : mesh.triangles)
        for (const std::uint32_t v : t) ++corners[v];
    for (std::size_t v = 0; v < corners.size(); ++v) ASSERT_EQ(corners[v], adjacency.of(v).size()) << v;
}

double volume(const Mesh& mesh) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
        sum += dot(a, cross(b, c)) / 6;
    }
    return sum;
}

struct Cut {
    std::size_t edges = 0;
    double round = 0;      // length of the cut
    double mean_edge = 0;  // of the edges crossed
};

/// The closed curve in which the plane through `point` cuts the skin nearest to it.
Cut cutNear(const Mesh& mesh, const std::map<Edge, std::vector<std::size_t>>& edges, const Vec3d& point,
            const Vec3d& normal) {
    const auto height = [&](std::uint32_t v) { return dot(Vec3d(mesh.positions[v]) - point, normal); };
    std::map<Edge, Vec3d> crossed;
    for (const auto& [edge, faces] : edges) {
        const double a = height(edge.first), b = height(edge.second);
        if ((a < 0) == (b < 0)) continue;
        const Vec3d p(mesh.positions[edge.first]), q(mesh.positions[edge.second]);
        crossed[edge] = p + (q - p) * (a / (a - b));
    }
    const auto nearest = std::min_element(crossed.begin(), crossed.end(), [&](const auto& a, const auto& b) {
        return length(a.second - point) < length(b.second - point);
    });
    Cut cut;
    Edge at = nearest->first;
    std::size_t face = edges.at(at)[0];
    do {
        ++cut.edges;
        cut.mean_edge += length(Vec3d(mesh.positions[at.first]) - Vec3d(mesh.positions[at.second]));
        for (int k = 0; k < 3; ++k) {
            const Edge other = edgeOf(mesh.triangles[face], k);
            if (other == at || crossed.count(other) == 0) continue;
            cut.round += length(crossed[other] - crossed[at]);
            at = other;
            break;
        }
        const auto& faces = edges.at(at);
        face = faces[0] == face ? faces[1] : faces[0];
    } while (at != nearest->first);
    cut.mean_edge /= double(cut.edges);
    return cut;
}

/// Where each joint's bone ends: at the mean of its children; a leaf goes on in its parent's direction.
std::vector<Vec3d> boneEnds(const Skeleton& skeleton, const std::vector<Vec3d>& at) {
    const auto parents = rig::jointParents(skeleton);
    std::vector<Vec3d> ends(at.size());
    for (std::size_t j = 0; j < at.size(); ++j) {
        Vec3d sum;
        int children = 0;
        for (std::size_t k = 0; k < at.size(); ++k)
            if (parents[k] == int(j)) sum += at[k], ++children;
        const Vec3d before = parents[j] < 0 ? at[j] : at[std::size_t(parents[j])];
        ends[j] = children > 0 ? sum / double(children) : at[j] + (at[j] - before) * 0.8;
    }
    return ends;
}

class BipedOf : public testing::TestWithParam<std::size_t> {};

TEST_P(BipedOf, IsClosedAndManifoldOfGenusZeroWithoutSharpAnglesOrSelfIntersection) {
    const std::size_t wanted = GetParam();
    const Mesh mesh = wanted == 20000 ? biped20k().mesh : makeBiped(wanted).mesh;
    if (wanted > 0) {
        EXPECT_NEAR(double(mesh.positions.size()) / double(wanted), 1, 0.1);
    }
    expectClosedAndSphereLike(mesh);
    EXPECT_GE(smallestAngle(mesh.positions, mesh.triangles), 15);
    EXPECT_EQ(countSelfIntersections(mesh.positions, mesh.triangles), 0u);
    EXPECT_NEAR(volume(mesh), 0.067, 0.02);  // positive: it faces outwards
    const auto [low, high] = std::minmax_element(mesh.positions.begin(), mesh.positions.end(),
                                                 [](const Vec3f& a, const Vec3f& b) { return a.y < b.y; });
    EXPECT_NEAR(low->y, 0, 0.005);
    EXPECT_NEAR(high->y, 1.75, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Vertices, BipedOf, testing::Values(0, 20000, 55000), testing::PrintToStringParamName());

TEST(Biped, IsItsOwnMirrorImageWithItsBindAndSkeleton) {
    const Character& biped = biped20k();
    const auto key = [](const Vec3f& p) { return std::array{p.x == 0 ? 0.0f : p.x, p.y, p.z}; };
    const auto flip = [](const Vec3f& p) { return Vec3f(-p.x, p.y, p.z); };
    std::map<std::array<float, 3>, std::uint32_t> at;
    for (std::uint32_t v = 0; v < biped.mesh.positions.size(); ++v) at[key(biped.mesh.positions[v])] = v;
    ASSERT_EQ(at.size(), biped.mesh.positions.size());
    const auto mirrorName = [](std::string name) {
        if (name.ends_with("_L"))
            name.back() = 'R';
        else if (name.ends_with("_R"))
            name.back() = 'L';
        return name;
    };
    std::vector<std::uint32_t> image(at.size());
    for (std::uint32_t v = 0; v < image.size(); ++v) {
        const auto found = at.find(key(flip(biped.mesh.positions[v])));
        ASSERT_NE(found, at.end()) << v;
        image[v] = found->second;
        EXPECT_EQ(key(flip(biped.mesh.normals[v])), key(biped.mesh.normals[image[v]]));
        ASSERT_EQ(mirrorName(rig::jointName(biped.skeleton, biped.weights.jointsOf(v)[0])),
                  rig::jointName(biped.skeleton, biped.weights.jointsOf(image[v])[0]));
    }
    std::set<std::array<std::uint32_t, 3>> faces;
    const auto rotated = [](Triangle t) {
        std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
        return t;
    };
    for (const Triangle& t : biped.mesh.triangles) faces.insert(rotated(t));
    for (const Triangle& t : biped.mesh.triangles)
        ASSERT_TRUE(faces.count(rotated({image[t[0]], image[t[2]], image[t[1]]})));
    const auto joints = rig::jointRestPositions(biped.skeleton);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto other = rig::findJoint(biped.skeleton, mirrorName(rig::jointName(biped.skeleton, j)));
        ASSERT_TRUE(other);
        EXPECT_EQ(joints[*other], Vec3d(-joints[j].x, joints[j].y, joints[j].z));
    }
}

TEST(Biped, HasTwelveEdgesRoundEveryBone) {
    const Character& biped = biped20k();
    const auto at = rig::jointRestPositions(biped.skeleton);
    const auto ends = boneEnds(biped.skeleton, at);
    const auto edges = edgesOf(biped.mesh);
    for (std::size_t j = 0; j < at.size(); ++j) {
        const Cut cut = cutNear(biped.mesh, edges, (at[j] + ends[j]) * 0.5, normalized(ends[j] - at[j]));
        EXPECT_GE(cut.edges, 12u) << rig::jointName(biped.skeleton, j);
        // A cut crosses about two edges for each that it would take to go round: ask for the latter too.
        EXPECT_GE(cut.round / cut.mean_edge, 12) << rig::jointName(biped.skeleton, j);
    }
}

TEST(Biped, EveryJointOwnsOneConnectedPatchOfSkin) {
    const Character& biped = biped20k();
    EXPECT_GE(biped.skeleton.joints.size(), 22u);
    ASSERT_EQ(biped.weights.vertexCount(), biped.mesh.positions.size());
    ASSERT_EQ(maxInfluences(biped.weights), 1u);
    const auto owner = [&](std::uint32_t v) { return biped.weights.jointsOf(v)[0]; };
    const auto adjacency = geometry::vertexAdjacency(biped.mesh.triangles, biped.mesh.positions.size());
    std::vector<int> patches(biped.skeleton.joints.size()), vertices(patches);
    std::vector<bool> seen(biped.mesh.positions.size());
    for (std::uint32_t seed = 0; seed < seen.size(); ++seed) {
        ++vertices[owner(seed)];
        if (seen[seed]) continue;
        ++patches[owner(seed)];
        seen[seed] = true;
        for (std::vector<std::uint32_t> stack{seed}; !stack.empty();) {
            const std::uint32_t v = stack.back();
            stack.pop_back();
            for (const std::uint32_t n : adjacency.of(v)) {
                if (seen[n] || owner(n) != owner(seed)) continue;
                seen[n] = true;
                stack.push_back(n);
            }
        }
    }
    for (std::size_t j = 0; j < patches.size(); ++j) {
        EXPECT_EQ(patches[j], 1) << rig::jointName(biped.skeleton, j);
        EXPECT_GE(vertices[j], 20) << rig::jointName(biped.skeleton, j);
    }
}

TEST(Biped, RestPoseIsTheIdentity) {
    for (const Affine3d& m : rig::skinMatricesDouble(bipedSkeleton(), nullptr, 0)) {
        const Affine3d identity;
        for (int i = 0; i < 16; ++i) EXPECT_EQ(m.m[i], identity.m[i]);
    }
}

TEST(Biped, WalkLoopsAndKeepsItsFeetOnTheGround) {
    const Character& biped = biped20k();
    const Clip& walk = rig::findClip(biped, "walk");
    EXPECT_NEAR(walk.seconds(), 1.2, 0.1);
    const auto first = rig::skinMatricesDouble(biped.skeleton, &walk, walk.first_key);
    const auto last = rig::skinMatricesDouble(biped.skeleton, &walk, walk.last_key);
    for (std::size_t j = 0; j < first.size(); ++j)
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(first[j].m[i], last[j].m[i], 1e-6);
    for (const double t : rig::sampleTimes(walk, 30)) {
        const auto m = rig::skinMatrices(biped.skeleton, &walk, t);
        float lowest = 1;
        for (std::uint32_t v = 0; v < biped.mesh.positions.size(); ++v)
            lowest = std::min(lowest, (m[biped.weights.jointsOf(v)[0]] * biped.mesh.positions[v]).y);
        EXPECT_NEAR(lowest, 0, 0.02) << t;
    }
}

TEST(Biped, WalkingFeetFollowTheGroundWhileTheyCarry) {
    const Character biped = bareBiped();
    const Clip& walk = rig::findClip(biped, "walk");
    const std::size_t toes = *rig::findJoint(biped.skeleton, "toes_L");
    const Vec3d ball = rig::jointRestPositions(biped.skeleton)[toes];
    const auto ballAt = [&](double t) { return rig::skinMatricesDouble(biped.skeleton, &walk, t)[toes] * ball; };
    // Flat from a tenth of the cycle to a third: the ball of the foot goes back at one speed and does not drift aside.
    const Vec3d from = ballAt(0.15), to = ballAt(0.40);
    const double speed = (to.z - from.z) / 0.25;
    EXPECT_LT(speed, -0.8);
    for (double t = 0.15; t <= 0.41; t += 1.0 / 30) {
        EXPECT_NEAR(ballAt(t).z, from.z + speed * (t - 0.15), 0.01) << t;
        EXPECT_NEAR(ballAt(t).x, from.x, 0.005) << t;
        EXPECT_NEAR(ballAt(t).y, ball.y, 0.005) << t;
    }
}

TEST(Biped, RangeOfMotionTurnsEveryJointAndEndsAtRest) {
    const Character biped = bareBiped();
    const Clip& clip = rig::findClip(biped, "range_of_motion");
    EXPECT_NEAR(double(rig::sampleTimes(clip, 30).size()), 200, 10);
    std::vector<double> largest(biped.skeleton.nodes.size());
    for (const double t : rig::sampleTimes(clip, 30)) {
        const auto locals = rig::sampleLocals(biped.skeleton, &clip, t);
        for (std::size_t n = 0; n < locals.size(); ++n) {
            const Mat3d r = locals[n].linear();
            const double cosine = std::clamp((r(0, 0) + r(1, 1) + r(2, 2) - 1) / 2, -1.0, 1.0);
            largest[n] = std::max(largest[n], std::acos(cosine) * 180 / std::numbers::pi);
        }
    }
    for (std::size_t n = 0; n < largest.size(); ++n) EXPECT_GE(largest[n], 10) << biped.skeleton.nodes[n].name;
    for (const double t : {clip.first_key, clip.last_key}) {
        for (const Affine3d& m : rig::skinMatricesDouble(biped.skeleton, &clip, t))
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(m.m[i], Affine3d().m[i], 1e-6);
    }
}

TEST(Biped, IsTheSameOnAnyNumberOfThreads) {
    setThreadCount(1);
    const Character one = makeBiped(0);
    setThreadCount(2);
    const Character two = makeBiped(0);
    setThreadCount(0);
    ASSERT_EQ(one.mesh.positions.size(), two.mesh.positions.size());
    EXPECT_EQ(std::memcmp(one.mesh.positions.data(), two.mesh.positions.data(), one.mesh.positions.size() * 12), 0);
    EXPECT_EQ(one.mesh.triangles, two.mesh.triangles);
    EXPECT_EQ(one.weights, two.weights);
}

}  // namespace
}  // namespace pelt::scenes
