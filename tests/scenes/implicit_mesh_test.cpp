// Meshes of implicit surfaces.
#include "scenes/implicit/implicit_mesh.h"

#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <cmath>
#include <map>

namespace pelt::scenes {
namespace {

ImplicitSurface ball(double radius, bool symmetric) {
    ImplicitSurface surface;
    surface.value = [radius](const Vec3d& p) { return length(p) - radius; };
    surface.edge_length = [](const Vec3d&, double scale) { return scale; };
    surface.low = Vec3d(-1, -1, -1) * 1.1;
    surface.high = Vec3d(1, 1, 1) * 1.1;
    surface.cell = 0.1;
    surface.symmetric = symmetric;
    return surface;
}

TEST(ImplicitMesh, ABallIsClosedRoundAndEvenWithAndWithoutMirror) {
    for (const bool symmetric : {false, true}) {
        const ImplicitMesh mesh = meshImplicitSurface(ball(1, symmetric), 2000);
        EXPECT_NEAR(double(mesh.positions.size()), 2000, 200);
        EXPECT_GE(mesh.smallest_angle, 25);
        for (const Vec3d& p : mesh.positions) ASSERT_NEAR(length(p), 1, 1e-5);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
        double volume = 0;
        for (const Triangle& t : mesh.triangles) {
            for (int k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
            volume += dot(mesh.positions[t[0]], cross(mesh.positions[t[1]], mesh.positions[t[2]])) / 6;
        }
        for (const auto& [side, count] : sides) {
            ASSERT_EQ(count, 1);
            ASSERT_EQ(sides.count({side.second, side.first}), 1u);
        }
        EXPECT_NEAR(volume, 4.18879, 0.03);
        EXPECT_EQ(mesh.positions.size() + mesh.triangles.size() - sides.size() / 2, 2u);
    }
}

TEST(ImplicitMesh, SizesFollowTheFunction) {
    ImplicitSurface surface = ball(1, true);
    surface.edge_length = [](const Vec3d& p, double scale) { return scale * (1.5 + p.y); };
    const ImplicitMesh mesh = meshImplicitSurface(surface, 4000);
    double top = 0, bottom = 0;
    int at_top = 0, at_bottom = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d &a = mesh.positions[t[0]], &b = mesh.positions[t[1]];
        if (a.y > 0.8) top += length(b - a), ++at_top;
        if (a.y < -0.8) bottom += length(b - a), ++at_bottom;
    }
    EXPECT_NEAR((top / at_top) / (bottom / at_bottom), 2.4 / 0.6, 0.8);
}

TEST(ImplicitMesh, SaysWhatIsWrongWithTheBox) {
    ImplicitSurface away = ball(1, false);
    away.value = [](const Vec3d&) { return 5.0; };
    EXPECT_THROW(meshImplicitSurface(away, 1000), Error);
    ImplicitSurface cut = ball(1, false);
    cut.high.y = 0.5;
    EXPECT_THROW(meshImplicitSurface(cut, 1000), Error);
    ImplicitSurface flat = ball(1, false);
    flat.cell = 0;
    EXPECT_THROW(meshImplicitSurface(flat, 1000), Error);
}

}  // namespace
}  // namespace pelt::scenes
