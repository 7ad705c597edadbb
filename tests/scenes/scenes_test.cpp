// What every scene is.
#include <gtest/gtest.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/mesh_report.h>
#include <pelt/scenes/scenes.h>

#include <set>

#include "scene_checks.h"
#include "self_intersection.h"

namespace pelt::scenes {
namespace {

/// Every built-in character except the biped, which has separate tests.
class EveryScene : public testing::TestWithParam<std::string_view> {
protected:
    const Scene& scene() const { return *find(GetParam()); }
    bool inTwoParts() const { return GetParam() == "bar-parts"; }
};

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, testing::Values("bar", "bar3", "bar-parts", "arm", "branch"),
                         [](const auto& test) {
                             std::string name(test.param);
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

TEST_P(EveryScene, IsAClosedManifoldOfGenusZeroThatFacesOutwards) {
    for (const std::size_t resolution : {1500, 5000}) {
        const Mesh mesh = scene().make(resolution).mesh;
        const auto report = geometry::inspectMesh(mesh, geometry::weldByPosition(mesh.positions));
        EXPECT_TRUE(report.closed());
        EXPECT_EQ(report.isolated_vertices + report.duplicate_faces + report.zero_area_faces, 0u);
        EXPECT_EQ(report.seam_vertices, 0u);
        EXPECT_EQ(report.connected_parts, inTwoParts() ? 2u : 1u);
        // Closed: three edges for two faces. Every part of genus 0 gives 2.
        const long euler = long(mesh.vertexCount()) - long(mesh.triangles.size()) / 2;
        EXPECT_EQ(euler, 2 * long(report.connected_parts));
        EXPECT_GT(signedVolume(mesh.positions, mesh.triangles), 0);
        EXPECT_GE(smallestAngle(mesh.positions, mesh.triangles), 15);
        EXPECT_EQ(countSelfIntersections(mesh.positions, mesh.triangles), 0u);
    }
}

TEST_P(EveryScene, HasAboutAsManyVerticesAsAskedFor) {
    for (const std::size_t resolution : {1000, 2300, 9000}) {
        const auto count = double(scene().make(resolution).mesh.vertexCount());
        EXPECT_NEAR(count / double(resolution), 1, 0.15) << resolution;
    }
    const auto standard = double(scene().make(0).mesh.vertexCount());
    EXPECT_NEAR(standard / double(scene().default_resolution), 1, 0.15);
}

TEST_P(EveryScene, SurvivesAnAbsurdResolution) {
    const Mesh mesh = scene().make(1).mesh;
    EXPECT_TRUE(geometry::inspectMesh(mesh, geometry::weldByPosition(mesh.positions)).closed());
    EXPECT_GE(smallestAngle(mesh.positions, mesh.triangles), 15);
}

TEST_P(EveryScene, IsOfHumanSizeWithUnitNormalsThatPointOutwards) {
    const Mesh mesh = scene().make(2000).mesh;
    const double diagonal = geometry::boundingDiagonal(mesh.positions);
    EXPECT_GT(diagonal, 0.5);
    EXPECT_LT(diagonal, 3);
    ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
    std::vector<Vec3f> grown = mesh.positions;
    for (std::size_t v = 0; v < grown.size(); ++v) {
        EXPECT_NEAR(length(mesh.normals[v]), 1, 1e-5);
        grown[v] += mesh.normals[v] * 1e-3f;
    }
    EXPECT_GT(signedVolume(grown, mesh.triangles), signedVolume(mesh.positions, mesh.triangles));
}

TEST_P(EveryScene, RestsWhereItIsBound) {
    const Skeleton skeleton = scene().make(1000).skeleton;
    for (const Affine3d& m : rig::skinMatricesDouble(skeleton, nullptr, 0)) {
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(m.m[i], i % 5 == 0, 1e-14);
    }
}

TEST_P(EveryScene, IsBoundRigidlyAndEveryJointHasVertices) {
    const Character character = scene().make(1000);
    ASSERT_EQ(character.weights.vertexCount(), character.mesh.vertexCount());
    std::set<std::uint32_t> used;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
        ASSERT_EQ(character.weights.influenceCount(v), 1u);
        EXPECT_EQ(character.weights.weightsOf(v)[0], 1.0f);
        used.insert(character.weights.jointsOf(v)[0]);
    }
    EXPECT_EQ(used.size(), character.skeleton.joints.size());
}

TEST_P(EveryScene, PartsCoverTheMesh) {
    const Mesh mesh = scene().make(1000).mesh;
    std::uint32_t vertices = 0, triangles = 0;
    for (const MeshPart& part : mesh.parts) {
        EXPECT_EQ(part.first_vertex, vertices);
        EXPECT_EQ(part.first_triangle, triangles);
        vertices += part.vertex_count;
        triangles += part.triangle_count;
    }
    EXPECT_EQ(vertices, mesh.positions.size());
    EXPECT_EQ(triangles, mesh.triangles.size());
    EXPECT_EQ(mesh.parts.size(), inTwoParts() ? 2u : 1u);
}

TEST_P(EveryScene, MovesInANaturalClipAndBendsAndTwistsEveryJointToItsLimits) {
    const Character character = scene().make(1000);
    ASSERT_GE(character.clips.size(), 2u);
    EXPECT_NE(character.clips[0].name, "range_of_motion");
    EXPECT_GT(character.clips[0].seconds(), 1);
    const Clip& motion = rig::findClip(character, "range_of_motion");
    for (std::uint32_t j = 0; j < character.skeleton.joints.size(); ++j) {
        const auto channel = std::find_if(motion.channels.begin(), motion.channels.end(), [&](const Channel& c) {
            return c.target == character.skeleton.joints[j].node && c.path == ChannelPath::rotation;
        });
        ASSERT_NE(channel, motion.channels.end()) << j;
        double most = 0;
        for (std::size_t k = 0; k < channel->times.size(); ++k) {
            const Quatd q{channel->values[4 * k], channel->values[4 * k + 1], channel->values[4 * k + 2],
                          channel->values[4 * k + 3]};
            EXPECT_NEAR(dot(q, q), 1, 1e-6);
            most = std::max(most, 2 * std::acos(std::min(1.0, std::abs(q.w))) * 57.29577951308232);
        }
        EXPECT_GT(most, 75) << j;
    }
    for (const Clip& clip : character.clips) {
        // Both start and end at rest.
        for (const double t : {clip.first_key, clip.last_key}) {
            for (const Affine3d& m : rig::skinMatricesDouble(character.skeleton, &clip, t)) {
                for (int i = 0; i < 16; ++i) EXPECT_NEAR(m.m[i], i % 5 == 0, 1e-6);
            }
        }
    }
}

TEST_P(EveryScene, IsTheSameBytesOnAnyNumberOfThreads) {
    setThreadCount(1);
    const Character serial = scene().make(2000);
    const SkinWeights serial_weights = smoothWeights(serial);
    setThreadCount(2);
    const Character parallel = scene().make(2000);
    const SkinWeights parallel_weights = smoothWeights(parallel);
    setThreadCount(0);
    EXPECT_EQ(serial.mesh.positions, parallel.mesh.positions);
    EXPECT_EQ(serial.mesh.normals, parallel.mesh.normals);
    EXPECT_EQ(serial.mesh.triangles, parallel.mesh.triangles);
    EXPECT_EQ(serial_weights, parallel_weights);
}

TEST(Scenes, AreFoundByNameAndUnknownOnesAreNot) {
    std::set<std::string_view> names;
    for (const Scene& scene : all()) {
        EXPECT_EQ(find(scene.name), &scene);
        EXPECT_FALSE(scene.summary.empty());
        names.insert(scene.name);
    }
    EXPECT_EQ(names, (std::set<std::string_view>{"arm", "bar", "bar-parts", "bar3", "biped", "branch"}));
    EXPECT_EQ(find("teapot"), nullptr);
    EXPECT_EQ(find(""), nullptr);
}

TEST(BarParts, BothSidesOfTheCutAreOnTheSameBoneAndNearlyTouch) {
    const Character character = find("bar-parts")->make(3000);
    const std::uint32_t split = character.mesh.parts[1].first_vertex;
    double nearest = 1e9;
    for (std::uint32_t a = 0; a < split; ++a) {
        for (std::uint32_t b = split; b < character.mesh.vertexCount(); ++b) {
            const double distance = length(Vec3d(character.mesh.positions[a]) - Vec3d(character.mesh.positions[b]));
            nearest = std::min(nearest, distance);
            if (distance < 0.02) {
                ASSERT_EQ(character.weights.joints[a], character.weights.joints[b]);
            }
        }
    }
    EXPECT_GT(nearest, 1e-3);
    EXPECT_LT(nearest, 0.01);
    const std::set<std::uint32_t> lower(character.weights.joints.begin(), character.weights.joints.begin() + split);
    EXPECT_EQ(lower.size(), 2u);  // the joint lies in the lower part, away from the cut
}

}  // namespace
}  // namespace pelt::scenes
