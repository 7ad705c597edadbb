// Flat figures of `pose`: rotations of their plane, unless a target leaves it.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/verbs/live_pose.h>

namespace pelt::verbs {
namespace {

/// A square of n x n quads in the plane x = 2.
Character flatSquare(std::uint32_t n = 8) {
    Character square;
    for (std::uint32_t y = 0; y <= n; ++y)
        for (std::uint32_t x = 0; x <= n; ++x) {
            square.mesh.positions.emplace_back(2.0f, float(x) / float(n), float(y) / float(n));
            const std::uint32_t v = y * (n + 1) + x;
            if (x == n || y == n) continue;
            square.mesh.triangles.push_back({v, v + 1, v + n + 2});
            square.mesh.triangles.push_back({v, v + n + 2, v + n + 1});
        }
    return square;
}

/// The corners with a map of their places.
template <class Map>
std::vector<PoseHandle> corners(const Map& map) {
    std::vector<PoseHandle> handles;
    for (const double y : {0.0, 1.0})
        for (const double z : {0.0, 1.0}) {
            PoseHandle& corner = handles.emplace_back();
            corner.kind = PoseHandle::Kind::point;
            corner.point = {2, y, z};
            corner.given = PoseHandle::Given::position;
            corner.targets = {{0, map(corner.point)}};
        }
    return handles;
}

const auto flipped = [](const Vec3d& p) { return Vec3d{p.x, -p.y, p.z}; };
const auto spun = [](const Vec3d& p) { return Vec3d{p.x, -p.z, p.y}; };
const auto creased = [](const Vec3d& p) { return Vec3d{2 + p.y * p.z, p.y, p.z}; };

PoseResult posedFlat(const std::vector<PoseHandle>& handles, FlatMode mode, Character square = flatSquare(),
                     bool unreduced = false) {
    PoseRequest request;
    request.flat = mode;
    request.unreduced = unreduced;
    request.iterations = 60;
    PoseWanted wanted;
    wanted.sequence = [](std::span<const Vec3f>) {};
    return poseCharacter(square, handles, request, wanted);
}

std::string refusedFlat(const std::vector<PoseHandle>& handles, Character square = flatSquare()) {
    try {
        posedFlat(handles, FlatMode::on, std::move(square));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "";
}

TEST(FlatPose, AMirroredSquareCostsWhatItShouldAndATurnedOneNothing) {
    for (const bool unreduced : {false, true}) {
        const PoseResult plane = posedFlat(corners(flipped), FlatMode::automatic, flatSquare(), unreduced);
        EXPECT_TRUE(plane.flat);
        EXPECT_GT(plane.energies.back(), unreduced ? 0.1 : 0.3);
        EXPECT_LT(posedFlat(corners(spun), FlatMode::on, flatSquare(), unreduced).energies.back(), 1e-8);
    }
    const PoseResult space = posedFlat(corners(flipped), FlatMode::off);
    EXPECT_FALSE(space.flat);
    EXPECT_LT(space.energies.back(), 1e-8) << "it turns over in space";
}

TEST(FlatPose, ATargetOutsideThePlaneMakesItASheetInSpace) {
    EXPECT_FALSE(posedFlat(corners(creased), FlatMode::automatic).flat);
    EXPECT_NE(refusedFlat(corners(creased)).find("handle 3 (a point): leaves the plane"), std::string::npos);
    std::vector<PoseHandle> handles = corners(spun);
    handles[2].given = PoseHandle::Given::full;
    handles[2].rotations = {{0, {30, 0, 0}}};  // about the normal
    EXPECT_TRUE(posedFlat(handles, FlatMode::automatic).flat);
    handles[2].rotations = {{0, {0, 180, 0}}};  // spun over
    EXPECT_FALSE(posedFlat(handles, FlatMode::automatic).flat);
    Character bent = flatSquare();
    bent.mesh.positions.back().x += 0.01f;
    EXPECT_FALSE(posedFlat(corners(spun), FlatMode::automatic, bent).flat);
    EXPECT_NE(refusedFlat(corners(spun), bent).find("not in one plane"), std::string::npos);
}

TEST(FlatPose, ALivePoserEntersAndLeavesThePlane) {
    const Character square = flatSquare();
    LivePoser live(square, {});
    live.setHandles(corners(flipped));
    EXPECT_NEAR(live.step(60).energy, posedFlat(corners(flipped), FlatMode::automatic).energies.back(), 1e-5);
    live.setTarget(0, {2.5, 0, 0});
    live.setTarget(0, {2, 0, 0});
    const double again = live.step(60).energy;
    EXPECT_GT(again, 0.3);
    live.setTarget(3, {3, -1, 1});
    live.step(1);
    for (const double energy : live.energies()) EXPECT_GT(energy, 0);
}

}  // namespace
}  // namespace pelt::verbs
