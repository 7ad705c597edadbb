// Fewer triangles.
#include <gtest/gtest.h>
#include <pelt/geometry/mesh_report.h>
#include <pelt/geometry/simplify.h>
#include <pelt/geometry/submesh.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace pelt::geometry {
namespace {

/// A tube around y, closed in u by a seam: the first and the last column have equal positions and different UVs.
Mesh seamedTube(std::uint32_t around, std::uint32_t rows) {
    Mesh mesh;
    for (std::uint32_t r = 0; r <= rows; ++r)
        for (std::uint32_t a = 0; a <= around; ++a) {
            const double angle = a == around ? 0 : 2 * std::numbers::pi * a / around;
            mesh.positions.emplace_back(float(std::cos(angle)), float(4.0 * r / rows), float(std::sin(angle)));
            mesh.uvs.push_back({float(a) / float(around), float(r) / float(rows)});
        }
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t a = 0; a < around; ++a) {
            const std::uint32_t v = r * (around + 1) + a, up = v + around + 1;
            mesh.triangles.push_back({v, up, v + 1});
            mesh.triangles.push_back({v + 1, up, up + 1});
        }
    mesh.parts.push_back(
        {"tube", "", 0, std::uint32_t(mesh.positions.size()), 0, std::uint32_t(mesh.triangles.size())});
    return mesh;
}

std::vector<Vec3d> pointsOf(const Mesh& mesh, const Weld& weld) {
    std::vector<Vec3d> points;
    for (const std::uint32_t v : weld.representative) points.emplace_back(mesh.positions[v]);
    return points;
}

TEST(Simplify, KeepsSeamsOpenEdgesAndTopology) {
    const Mesh mesh = seamedTube(24, 40);
    const Weld weld = weldByPosition(mesh);
    const std::size_t targets[] = {800, 300};
    const auto levels = simplify(
        {mesh.triangles, weld.welded, {pointsOf(mesh, weld)}, seamSides(mesh, weld.welded), mesh.uvs, {}}, targets);
    ASSERT_EQ(levels.size(), 2u);
    for (std::size_t l = 0; l < 2; ++l) {
        EXPECT_LE(levels[l].size(), targets[l]);
        const Mesh level = submesh(mesh, levels[l]);
        const Weld again = weldByPosition(level);
        const MeshReport report = inspectMesh(level, again);
        EXPECT_EQ(report.connected_parts, 1u);
        EXPECT_EQ(report.non_manifold_edges, 0u);
        EXPECT_GT(report.seam_vertices, 0u);
        // A copy at the seam has u = 0 on one side and u = 1 on the other, so that no face spans the texture.
        for (const Triangle& t : level.triangles) {
            float low = 1, high = 0;
            for (const std::uint32_t v : t) {
                low = std::min(low, level.uvs[v].x);
                high = std::max(high, level.uvs[v].x);
            }
            EXPECT_LT(high - low, 0.5f);
        }
        // Both ends are still rings of radius 1.
        for (const float end : {0.0f, 4.0f}) {
            int at_end = 0;
            for (const Vec3f& p : level.positions) at_end += p.y == end;
            EXPECT_GE(at_end, 6);
        }
    }
}

TEST(Simplify, WhatBendsInAPoseKeepsItsVertices) {
    const Mesh mesh = seamedTube(24, 40);
    const Weld weld = weldByPosition(mesh);
    const std::vector<Vec3d> rest = pointsOf(mesh, weld);
    std::vector<Vec3d> bent = rest;
    for (Vec3d& p : bent)
        if (p.y > 2) p = {p.x + (p.y - 2), 2 + (p.y - 2) * 0.2 - p.x * 0.5, p.z};
    const std::size_t target[] = {400};
    const auto rows_at_bend = [&](const std::vector<Triangle>& triangles) {
        std::set<float> heights;
        for (const Triangle& t : triangles)
            for (const std::uint32_t v : t)
                if (std::abs(mesh.positions[v].y - 2) < 0.35f) heights.insert(mesh.positions[v].y);
        return heights.size();
    };
    const auto still = simplify({mesh.triangles, weld.welded, {rest}, seamSides(mesh, weld.welded), {}, {}}, target);
    const auto posed =
        simplify({mesh.triangles, weld.welded, {rest, bent}, seamSides(mesh, weld.welded), {}, {}}, target);
    EXPECT_GT(rows_at_bend(posed[0]), 1u);
    double kept_still = 0, kept_posed = 0;
    for (const auto& [level, kept] : {std::pair{&still[0], &kept_still}, {&posed[0], &kept_posed}}) {
        std::set<std::uint32_t> used;
        for (const Triangle& t : *level)
            for (const std::uint32_t v : t)
                if (std::abs(mesh.positions[v].y - 2) < 0.15f) used.insert(weld.welded[v]);
        *kept = double(used.size());
    }
    EXPECT_GT(kept_posed, 1.3 * kept_still);
}

/// A ball of the radius around the place, as another part.
void addBall(Mesh& mesh, float radius, const Vec3f& place, std::uint32_t around, std::uint32_t rows) {
    const auto first = std::uint32_t(mesh.positions.size()), triangle = std::uint32_t(mesh.triangles.size());
    const auto at = [&](std::uint32_t r, std::uint32_t a) {
        const double up = std::numbers::pi * r / rows, turn = 2 * std::numbers::pi * (a % around) / around;
        return place +
               Vec3f{float(std::sin(up) * std::cos(turn)), float(std::cos(up)), float(std::sin(up) * std::sin(turn))} *
                   radius;
    };
    mesh.positions.push_back(at(0, 0));
    for (std::uint32_t r = 1; r < rows; ++r)
        for (std::uint32_t a = 0; a < around; ++a) mesh.positions.push_back(at(r, a));
    mesh.positions.push_back(at(rows, 0));
    const auto index = [&](std::uint32_t r, std::uint32_t a) {
        return r == 0 ? first : r == rows ? first + 1 + around * (rows - 1) : first + 1 + around * (r - 1) + a % around;
    };
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t a = 0; a < around; ++a) {
            if (r > 0) mesh.triangles.push_back({index(r, a), index(r, a + 1), index(r + 1, a)});
            if (r + 1 < rows) mesh.triangles.push_back({index(r, a + 1), index(r + 1, a + 1), index(r + 1, a)});
        }
    mesh.parts.push_back({"ball", "", first, std::uint32_t(mesh.positions.size()) - first, triangle,
                          std::uint32_t(mesh.triangles.size()) - triangle});
}

TEST(Simplify, ASmallRoundPartIsNotSacrificedToLayersThatLieClose) {
    Mesh mesh = seamedTube(24, 40);
    mesh.uvs.clear();
    const std::size_t of_tube = mesh.positions.size();
    for (std::size_t v = 0; v < of_tube; ++v) {  // uneven, so that any move costs something
        Vec3f& p = mesh.positions[v];
        const float thick = 1 + 0.01f * std::sin(float(7 * p.y)) * (p.x + p.z);
        p.x *= thick, p.z *= thick;
    }
    addBall(mesh, 0.1f, {1.5f, 2, 0}, 20, 12);
    const Weld weld = weldByPosition(mesh);
    std::vector<double> reach(weld.count(), 0.1);
    for (std::size_t v = 0; v < of_tube; ++v) reach[weld.welded[v]] = 1e-4;  // something lies right below the tube
    const std::size_t target = mesh.triangles.size() / 5;
    SimplifyInput input{mesh.triangles, weld.welded, {pointsOf(mesh, weld)}, seamSides(mesh, weld.welded), {}, {}};
    input.reach = reach;
    const auto left = simplify(input, {&target, 1}).front();
    EXPECT_LE(left.size(), target);
    const auto of_ball =
        std::size_t(std::count_if(left.begin(), left.end(), [&](const Triangle& t) { return t[0] >= of_tube; }));
    EXPECT_GE(of_ball, 12U);  // 4 are the fewest that a part may have
    // Its faces look where they did.
    double least = 1;
    for (const Triangle& t : left) {
        if (t[0] < of_tube) continue;
        const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
        const Vec3d out = normalized((a + b + c) / 3.0 - Vec3d{1.5, 2, 0});
        least = std::min(least, dot(normalized(cross(b - a, c - a)), out));
    }
    EXPECT_GT(least, 0.7);
}

TEST(Simplify, FlatShadingIsNoSeam) {
    // Every face has vertices of its own.
    const Mesh smooth = seamedTube(24, 40);
    Mesh flat;
    for (const Triangle& t : smooth.triangles) {
        const auto first = std::uint32_t(flat.positions.size());
        const Vec3f a = smooth.positions[t[0]], b = smooth.positions[t[1]], c = smooth.positions[t[2]];
        for (const std::uint32_t v : t) {
            flat.positions.push_back(smooth.positions[v]);
            flat.uvs.push_back(smooth.uvs[v]);
            flat.normals.push_back(normalized(cross(b - a, c - a)));
        }
        flat.triangles.push_back({first, first + 1, first + 2});
    }
    const Weld weld = weldByPosition(flat);
    const std::size_t target[] = {400};
    const auto levels = simplify(
        {flat.triangles, weld.welded, {pointsOf(flat, weld)}, seamSides(flat, weld.welded), flat.uvs, flat.normals},
        target);
    EXPECT_LE(levels[0].size(), 400u);
    for (const Triangle& t : levels[0]) {
        const Vec3f a = flat.positions[t[0]], b = flat.positions[t[1]], c = flat.positions[t[2]];
        for (const std::uint32_t v : t) EXPECT_GT(dot(flat.normals[v], normalized(cross(b - a, c - a))), 0.5f);
    }
}

TEST(Simplify, NoPartDisappears) {
    Mesh mesh = seamedTube(6, 2);
    const Weld weld = weldByPosition(mesh);
    const std::size_t target[] = {0};
    const auto levels = simplify(
        {mesh.triangles, weld.welded, {pointsOf(mesh, weld)}, seamSides(mesh, weld.welded), mesh.uvs, {}}, target);
    EXPECT_GT(levels[0].size(), 0u);
}

}  // namespace
}  // namespace pelt::geometry
