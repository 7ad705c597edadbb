// Iterative Delta Mush [Mancewicz14] in the notation of [LeLewis19] §3.1:
//     u rest positions, v = Σ_j w_j M_j u skinned ones, ũ and ṽ both smoothed, d = u − ũ, x = ṽ + R d.
// Departures: every vertex below is a welded one, so that seams stay closed; a morph target acts after smoothing, x = R
// (u + δ − ũ) + ṽ, as in the direct form, so that it is not smoothed away.
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>

#include <algorithm>
#include <string>

#include "deform/influence_blocks.h"
#include "delta_mush_layout.h"

namespace pelt::deform {
namespace {

void checkMesh(const Mesh& mesh) {
    if (mesh.triangles.empty()) throw Error::badInput("the mesh has no faces: Delta Mush smooths along its surface");
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
        if (!isFinite(mesh.positions[v]))
            throw Error::badInput("the position of vertex " + std::to_string(v) + " is not finite");
    if (!mesh.normals.empty() && mesh.normals.size() != mesh.positions.size())
        throw Error::badInput("the mesh has " + std::to_string(mesh.positions.size()) + " positions but " +
                              std::to_string(mesh.normals.size()) + " normals");
}

void checkOptions(const DeltaMushOptions& options, std::size_t vertex_count) {
    if (options.iterations < 0) throw Error::badUsage("the number of smoothing iterations must not be negative");
    if (!options.lambda.empty() && options.lambda.size() != vertex_count)
        throw Error::badUsage("there are " + std::to_string(options.lambda.size()) + " smoothing strengths for " +
                              std::to_string(vertex_count) + " vertices");
    const bool is_explicit = options.smoothing == geometry::SmoothingKind::explicit_;
    for (std::size_t v = 0; v < options.lambda.size(); ++v) {
        const double lambda = options.lambda[v];
        if (!(lambda >= 0) || !std::isfinite(lambda))
            throw Error::badUsage("the smoothing strength of vertex " + std::to_string(v) +
                                  " must be zero or a positive number");
        if (is_explicit && lambda > 1)
            throw Error::badUsage("explicit smoothing is only stable up to a strength of 1, vertex " +
                                  std::to_string(v) + " has more: use implicit smoothing");
    }
    for (const geometry::ExtraEdge& edge : options.extra_edges) {
        if (edge.a >= vertex_count || edge.b >= vertex_count)
            throw Error::badUsage("an extra edge uses vertex " + std::to_string(std::max(edge.a, edge.b)) +
                                  ", but the mesh has only " + std::to_string(vertex_count));
        if (!(edge.weight > 0) || !std::isfinite(edge.weight))
            throw Error::badUsage("the weight of an extra edge must be a positive number");
    }
}

SkinWeights weightsOfPoints(const SkinWeights& weights, const geometry::Weld& weld) {
    SkinWeights out;
    for (const std::uint32_t v : weld.representative) appendVertex(out, weights.jointsOf(v), weights.weightsOf(v));
    return out;
}

std::vector<geometry::ExtraEdge> edgesOfPoints(std::span<const geometry::ExtraEdge> edges, const geometry::Weld& weld) {
    std::vector<geometry::ExtraEdge> out;
    for (const geometry::ExtraEdge& edge : edges) {
        const std::uint32_t a = weld.welded[edge.a], b = weld.welded[edge.b];
        if (a != b) out.push_back({a, b, edge.weight});
    }
    return out;
}

std::unique_ptr<const SurfaceSmoother> makeSmoother(const geometry::WeldedSurface& surface,
                                                    const DeltaMushOptions& options) {
    const geometry::Weld& weld = surface.weld;
    std::vector<double> lambda(weld.count(), 1.0);
    if (!options.lambda.empty())
        std::transform(weld.representative.begin(), weld.representative.end(), lambda.begin(),
                       [&](std::uint32_t v) { return options.lambda[v]; });
    geometry::Laplacian laplacian = surface.laplacian;
    if (!options.extra_edges.empty())
        laplacian = geometry::withEdges(laplacian, edgesOfPoints(options.extra_edges, weld));
    return std::make_unique<SurfaceSmoother>(std::move(laplacian), surface.positions, options.smoothing,
                                             options.iterations, std::move(lambda));
}

}  // namespace

void storeColumns(std::span<const Vec3d> vectors, std::span<double> columns) {
    const std::size_t count = vectors.size();
    for (std::size_t v = 0; v < count; ++v)
        for (int i = 0; i < 3; ++i) columns[std::size_t(i) * count + v] = vectors[v][i];
}

void loadColumns(std::span<const double> columns, std::span<Vec3d> vectors) {
    const std::size_t count = vectors.size();
    for (std::size_t v = 0; v < count; ++v) vectors[v] = {columns[v], columns[count + v], columns[2 * count + v]};
}

DeltaMushRig prepareDeltaMush(const Mesh& rest, const SkinWeights& weights, const DeltaMushOptions& options) {
    checkMesh(rest);
    checkOptions(options, rest.vertexCount());
    DeltaMushRig::Packed packed;
    packed.joint_count = packInfluences(weights, rest.vertexCount()).joint_count;  // checks the weights
    geometry::SharedSurface surface = options.surface;
    if (!suits(surface, rest.vertexCount(), options.weld_tolerance, options.laplacian))
        surface = geometry::weldSurface(rest, options.weld_tolerance, options.laplacian);
    packed.weld = surface->weld;
    packed.positions = rest.positions;
    packed.normals = rest.normals;
    packed.weights = weightsOfPoints(weights, packed.weld);
    packed.frames = options.frames;
    packed.middle = geometry::boundingBox(rest.positions).center();

    const std::vector<Vec3f>& points = surface->positions;
    for (const Vec3f& p : points) packed.rest.push_back(Vec3d(p) - packed.middle);
    packed.smoother = makeSmoother(*surface, options);
    if (options.frames == DeltaMushFrames::tangent) packed.corners = VertexCorners(surface->triangles, points.size());

    std::vector<double> columns(3 * points.size()), scratch(columns.size());
    storeColumns(packed.rest, columns);
    packed.smoother->smooth(columns, scratch);
    packed.smooth_rest.resize(points.size());
    loadColumns(columns, packed.smooth_rest);
    return {std::make_shared<const DeltaMushRig::Packed>(std::move(packed))};
}

}  // namespace pelt::deform
