// The worst findings of a skin as pictures.
#include "sheet.h"

#include <fmt/format.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/lbs.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/normals.h>
#include <pelt/geometry/ray_tree.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verbs/run/common_options.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kMostLookedAt = 200;  ///< vertices of a place
constexpr int kTurns = 12;

/// Of directions all around, somewhat from above or below, the one from which the most of the vertices are seen: they
/// face it, and nothing is in front of them. The front wins ties.
Vec3f clearestView(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                   std::span<const Vec3f> normals, std::span<const std::uint32_t> vertices) {
    const std::vector<Vec3d> points(positions.begin(), positions.end());
    const geometry::RayTree tree(points, triangles);
    const double diagonal = geometry::boundingDiagonal(positions);
    const std::size_t step = (vertices.size() + kMostLookedAt - 1) / kMostLookedAt;
    Vec3d best{0, 0, 1};
    double most = -1;
    std::vector<geometry::Crossing> hits;
    for (const double height : {0.25, 0.9, -0.6})
        for (int turn = 0; turn < kTurns; ++turn) {
            const double angle = 2 * std::numbers::pi * turn / kTurns;
            const Vec3d toward = normalized(Vec3d{std::sin(angle), height, std::cos(angle)}, best);
            double seen = 0;
            for (std::size_t i = 0; i < vertices.size(); i += step) {
                const double facing = dot(Vec3d(normals[vertices[i]]), toward);
                if (facing <= 0) continue;
                tree.crossings(points[vertices[i]] + toward * (1e-3 * diagonal), toward, 2 * diagonal, hits);
                if (hits.empty()) seen += facing;
            }
            if (seen > 1.02 * most) best = toward, most = seen;
        }
    return Vec3f(best);
}

Closeup closeupOf(const Character& character, const SkinWeights& weights, const measure::SkinPose& at,
                  const measure::Finding& finding, const std::string& caption) {
    const Mesh& mesh = character.mesh;
    Closeup closeup;
    closeup.positions.resize(mesh.vertexCount());
    measure::poseSkin(deform::prepareLbs(mesh, weights), at.bones, {}, closeup.positions);
    closeup.marked.assign(mesh.vertexCount(), 0);
    const std::vector<Vec3f> normals =
        geometry::angleWeightedNormals(closeup.positions, mesh.triangles, geometry::weldByPosition(mesh));
    geometry::Box box = geometry::Box::none();
    for (const std::uint32_t v : finding.vertices) {
        closeup.marked[v] = 1;
        box.grow(Vec3d(closeup.positions[v]));
    }
    closeup.target = Vec3f(box.center());
    closeup.radius = float(std::max(box.diagonal() / 2, 0.05 * geometry::boundingDiagonal(mesh.positions)));
    closeup.toward = clearestView(closeup.positions, mesh.triangles, normals, finding.vertices);
    closeup.caption = caption;
    return closeup;
}

}  // namespace

void drawFindings(Run& run, const Character& character, const Judge& judge, std::span<const measure::Finding> findings,
                  const SkinWeights* after, const std::optional<PictureSize>& size) {
    std::vector<Closeup> closeups;
    for (const measure::Finding& finding : findings) {
        if (finding.severity == measure::Severity::note || finding.vertices.empty() || !finding.pose) continue;
        const measure::SkinPose at = judge.poses().pose(*finding.pose);
        const std::string joint =
            finding.joint < 0 ? "" : rig::jointName(character.skeleton, std::size_t(finding.joint));
        closeups.push_back(
            closeupOf(character, character.weights, at, finding, fmt::format("{} at {}", wordOf(finding.flaw), joint)));
        if (after) {
            Closeup then = closeupOf(character, *after, at, finding, "after");
            const Closeup& now = closeups.back();
            then.target = now.target, then.radius = now.radius, then.toward = now.toward;  // the same view of both
            closeups.push_back(std::move(then));
        }
        if (closeups.size() >= (after ? 2 : 1) * kMostPanels) break;
    }
    if (closeups.empty()) {  // a clean bill of health is a picture too
        measure::Finding none;
        for (std::uint32_t v = 0; v < character.mesh.vertexCount(); ++v) none.vertices.push_back(v);
        closeups.push_back(closeupOf(character, character.weights, judge.poses().pose(0), none, "nothing found"));
        std::fill(closeups.back().marked.begin(), closeups.back().marked.end(), 0);
        closeups.back().toward = {0, 0, 1};
    }
    const CloseupSheet sheet{character.mesh.triangles, closeups, after ? 2 : 0, run.nameOf("character"), size};
    run.draw(sheet, "sheet");
    run.result["sheet"] = run.outputName("sheet");
}

Output sheetOutput() {
    return {.name = "sheet",
            .kinds = {Kind::picture},
            .values = "F.png",
            .summary = "Write a picture of the worst findings, each at its moment with the place marked",
            .required = false,
            .group = kCommon,
            .program_only = true};
}

}  // namespace pelt::verbs
