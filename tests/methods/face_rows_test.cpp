// Direct Delta Mush on faces with joints of their own.
#include <gtest/gtest.h>
#include <pelt/geometry/normals.h>
#include <pelt/methods/ddm.h>
#include <pelt/rig/range_of_motion.h>

#include <array>
#include <cmath>

namespace pelt::methods {
namespace {

/// A sheet in the plane z = 0, two units wide, on a head joint below a neck; five joints lie on the upper half.
struct Face {
    Character character;
    std::vector<std::uint32_t> brows;
    static constexpr std::uint32_t kWide = 41;

    explicit Face(std::size_t joints) {
        add("neck", -1, {0, -1, -0.5});
        add("head", 0, {0, 0, -0.5});
        for (std::size_t j = 0; j < joints; ++j) {
            brows.push_back(std::uint32_t(character.skeleton.joints.size()));
            add("brow", 1, {-0.12 + 0.06 * double(j), 0.5, 0});
        }
        Mesh& mesh = character.mesh;
        for (std::uint32_t y = 0; y < kWide; ++y)
            for (std::uint32_t x = 0; x < kWide; ++x) {
                mesh.positions.emplace_back(-1 + 0.05F * float(x), -1 + 0.05F * float(y), 0.0F);
                appendRow(Vec3d(mesh.positions.back()));
                if (x == 0 || y == 0) continue;
                const std::uint32_t v = y * kWide + x;
                mesh.triangles.push_back({v - kWide - 1, v - kWide, v});
                mesh.triangles.push_back({v - kWide - 1, v, v - 1});
            }
    }
    void add(const char* name, std::int32_t parent, const Vec3d& at) {
        const Vec3d above = parent < 0 ? Vec3d{} : rig::jointRestPositions(character.skeleton)[std::size_t(parent)];
        character.skeleton.nodes.push_back({name, parent, {at - above, {}, {1, 1, 1}}, {}});
        character.skeleton.joints.push_back(
            {std::uint32_t(character.skeleton.nodes.size() - 1), inverse(Affine3d(Mat3d{}, at))});
    }
    /// The neck below, the head above, and brows that fade out around them.
    void appendRow(const Vec3d& p) {
        const std::vector<Vec3d> places = rig::jointRestPositions(character.skeleton);
        std::vector<std::uint32_t> joints{0, 1};
        const double low = std::clamp(0.5 - 2 * p.y - 1, 0.0, 1.0);
        std::vector<float> weights{float(low), float(1 - low)};
        for (const std::uint32_t brow : brows) {
            const double near = length(p - places[brow]) / 0.1;
            if (near > 1) continue;
            joints.push_back(brow);
            weights.push_back(float(2 * (1 - near) * (1 - near)));
        }
        appendVertex(character.weights, joints, weights);
    }
};

TEST(FaceRows, KeepTheArtistsWeightsWhereAFaceHasJoints) {
    const Face face(5);
    const DdmPlan plan = planDdm(face.character, {});
    std::size_t kept = 0;
    for (std::size_t v = 0; v < plan.bind.vertexCount(); ++v) {
        const auto joints = face.character.weights.jointsOf(v);
        const bool brow = std::any_of(joints.begin(), joints.end(), [](std::uint32_t j) { return j > 1; });
        kept += brow;
        ASSERT_EQ(plan.bind.influenceCount(v), brow ? joints.size() : 1U) << v;
    }
    EXPECT_GT(kept, 10U);
    DdmSettings chosen;
    chosen.exclude_joints = {"neck"};
    EXPECT_EQ(maxInfluences(planDdm(face.character, chosen).bind), 1U) << "joints that were chosen are used rigidly";
    EXPECT_EQ(maxInfluences(planDdm(Face(2).character, {}).bind), 1U) << "two joints beside each other are no face";
}

TEST(FaceRows, ABeadWithWeightsKeepsItsNormals) {
    Face face(0);
    Character& character = face.character;
    const auto first = std::uint32_t(character.mesh.positions.size());
    const Vec3d center{0.5, -0.25, 0.05};
    for (int k = 0; k < 6; ++k) {
        Vec3d p = center;
        p[k / 2] += k % 2 ? 0.008 : -0.008;
        character.mesh.positions.emplace_back(float(p.x), float(p.y), float(p.z));
        // Weights as a brush leaves them: without regard for so small a thing.
        appendVertex(character.weights, std::array{0U, 1U}, std::array{0.2F + 0.12F * float((k * 4) % 6), 0.5F});
    }
    for (const std::uint32_t z : {4U, 5U})
        for (const std::uint32_t y : {2U, 3U})
            for (const std::uint32_t x : {0U, 1U}) {
                const bool flip = (x + y + z) % 2 == 0;
                character.mesh.triangles.push_back({first + x, first + (flip ? z : y), first + (flip ? y : z)});
            }
    DdmSettings keep;
    keep.bind = DdmBind::keep;
    mushCharacter(character, keep);
    const auto deformer = findMethod("ddm").prepare(character, {}, {});
    const geometry::Weld weld = geometry::weldByPosition(character.mesh);
    const std::vector<Vec3f> rest =
        geometry::angleWeightedNormals(character.mesh.positions, character.mesh.triangles, weld);
    for (const auto& bones : rig::rangeOfMotion(character.skeleton)) {
        deformer->setPose(bones);
        std::vector<Vec3f> at(rest.size()), normals(rest.size());
        deformer->evaluate({{}, rest}, 0, rest.size(), {at, normals});
        const auto shown = geometry::angleWeightedNormals(at, character.mesh.triangles, weld);
        for (std::size_t v = first; v < at.size(); ++v) ASSERT_GT(dot(shown[v], normals[v]), 0.9F) << v;
    }
}

}  // namespace
}  // namespace pelt::methods
