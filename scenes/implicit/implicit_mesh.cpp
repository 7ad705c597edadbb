// Isotropic remeshing on an implicit surface.
//   [BotschKobbelt04] M. Botsch, L. Kobbelt: A Remeshing Approach to Multiresolution Modeling, SGP 2004, section 4:
//   split edges longer than 4/3 of the target length, collapse those shorter than 4/5, flip toward valence 6, relax
//   tangentially, project. Departures: the target length varies over the surface; the projection is onto the field's
//   zero set; the relaxation moves to the centroid of the ring weighted by area over squared length (a Lloyd step);
//   the boundary on the mirror plane slides along it; a last phase flips edges and moves vertices to increase the
//   smallest angle.

#include "implicit_mesh.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

#include "implicit_mesh_grid.h"
#include "implicit_mesh_remesh.h"

namespace pelt::scenes {
namespace {

constexpr int kCoarseRounds = 3, kFineRounds = 5;
constexpr int kCorrections = 4;

/// The edge length that gives `vertex_count` vertices if triangles were equilateral: A / h² = (√3/2) V.
double scaleFor(const ImplicitSurface& surface, const GridMesh& grid, double vertex_count) {
    constexpr std::size_t kEvery = 7;  // a sample of the triangles is sufficient
    const auto count = [&](double scale) {
        double sum = 0;
        for (std::size_t i = 0; i < grid.triangles.size(); i += kEvery) {
            const Triangle& t = grid.triangles[i];
            const Vec3d &a = grid.positions[t[0]], &b = grid.positions[t[1]], &c = grid.positions[t[2]];
            const double h = surface.edge_length((a + b + c) / 3.0, scale);
            sum += 0.5 * length(cross(b - a, c - a)) / (h * h);
        }
        return sum * kEvery * (surface.symmetric ? 2 : 1) * 2 / std::sqrt(3.0);
    };
    double low = std::log(1e-5 * length(surface.high - surface.low)),
           high = std::log(length(surface.high - surface.low));
    for (int i = 0; i < 24; ++i) {
        const double middle = 0.5 * (low + high);
        (count(std::exp(middle)) > vertex_count ? low : high) = middle;
    }
    return std::exp(0.5 * (low + high));
}

double fullCount(const EditMesh& mesh, bool symmetric) {
    const auto on_plane = std::count(mesh.border.begin(), mesh.border.end(), 1);
    return symmetric ? 2.0 * double(mesh.position.size()) - double(on_plane) : double(mesh.position.size());
}

void checkBorder(const EditMesh& mesh, bool symmetric) {
    for (std::size_t v = 0; v < mesh.position.size(); ++v) {
        if (mesh.border[v] && !(symmetric && mesh.position[v].x == 0)) {
            throw Error::badUsage("implicit surface: the surface leaves its box, or its field is steeper than said");
        }
    }
}

ImplicitMesh mirrored(const EditMesh& mesh, bool symmetric) {
    ImplicitMesh result;
    const auto count = static_cast<std::uint32_t>(mesh.position.size());
    std::vector<std::uint32_t> index(count), image(count);
    const auto append = [&](std::uint32_t v, std::vector<std::uint32_t>& slot, double sign) {
        slot[v] = static_cast<std::uint32_t>(result.positions.size());
        result.positions.emplace_back(sign * mesh.position[v].x, mesh.position[v].y, mesh.position[v].z);
    };
    for (std::uint32_t v = 0; v < count; ++v)
        if (!mesh.border[v]) append(v, index, 1);
    result.positive_count = result.positions.size();
    for (std::uint32_t v = 0; v < count; ++v)
        if (mesh.border[v]) append(v, index, 1), image[v] = index[v];
    result.plane_count = result.positions.size() - result.positive_count;
    const std::vector<Triangle> half = mesh.triangles();
    for (const Triangle& t : half) result.triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
    if (!symmetric) return result;
    for (std::uint32_t v = 0; v < count; ++v)
        if (!mesh.border[v]) append(v, image, -1);
    for (const Triangle& t : half) result.triangles.push_back({image[t[0]], image[t[2]], image[t[1]]});
    return result;
}

/// Progress in processed vertices. The remaining work is estimated from the remaining iterations, each over the
/// requested number of vertices; as measured, a vertex costs as much in the grid as in an iteration, and an improvement
/// step a third of that.
class Effort {
public:
    Effort(const Progress& progress, double grid_vertices, double wanted, bool halves)
        : progress_(progress), done_(grid_vertices) {
        // Each halving of the edge length quadruples the number of vertices, so all earlier levels together have a
        // third of the last. Iterations process a tenth more vertices than the final mesh has.
        const double rounds = 1.1 * ((halves ? 4.0 / 3 : 0) + kCoarseRounds + kCorrections);
        total_ = done_ + wanted * (rounds + kImprovement * kFineRounds);
        report();
    }
    void round(const EditMesh& mesh) { add(double(mesh.position.size())); }
    void improvement(const EditMesh& mesh) { add(kImprovement * double(mesh.position.size())); }

private:
    static constexpr double kImprovement = 0.35;
    static constexpr double kShare = 0.92;  // fraction of generating a character; the rest is its bind and normals

    void add(double vertices) {
        done_ += vertices;
        report();
    }
    void report() const { progress_.report("generate", kShare * std::min(1.0, done_ / total_)); }

    const Progress& progress_;
    double done_, total_ = 1;
};

}  // namespace

Vec3d fieldGradient(const ImplicitSurface& surface, const Vec3d& p, double step) {
    // Differences along the four diagonals of a tetrahedron: second order, four values.
    static constexpr double kCorner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    Vec3d g;
    for (const auto& c : kCorner) {
        const Vec3d e(c[0], c[1], c[2]);
        g += e * surface.value(p + e * step);
    }
    return g / (4 * step);
}

ImplicitMesh meshImplicitSurface(const ImplicitSurface& surface, std::size_t vertex_count, const Progress& progress) {
    progress.report("generate", 0);
    const GridMesh grid = polygonize(surface);
    double scale = scaleFor(surface, grid, double(vertex_count));
    Remesher remesher(surface, EditMesh(grid.positions, grid.triangles));
    checkBorder(remesher.mesh(), surface.symmetric);
    // From the grid's size down by halves: an edge across a groove that the grid did not resolve must not be split into
    // many pieces at once, because these would be projected to both walls at random.
    const double smallest = remesher.smallestSize(scale);
    Effort effort(progress, double(grid.positions.size()), double(vertex_count) / (surface.symmetric ? 2 : 1),
                  smallest < surface.cell);
    for (double shortest = surface.cell; shortest > smallest; shortest /= 2) {
        remesher.round(scale, shortest);
        effort.round(remesher.mesh());
    }
    for (int i = 0; i < kCoarseRounds; ++i) {
        remesher.round(scale);
        effort.round(remesher.mesh());
    }
    for (int i = 0; i < kCorrections; ++i) {
        const double ratio = fullCount(remesher.mesh(), surface.symmetric) / double(vertex_count);
        if (i > 0 && std::abs(ratio - 1) < 0.02) break;
        scale *= std::sqrt(ratio);
        remesher.round(scale);
        effort.round(remesher.mesh());
    }
    for (int i = 0; i < kFineRounds; ++i) {
        remesher.improve();
        effort.improvement(remesher.mesh());
    }
    const double angle = remesher.improveWorst();
    ImplicitMesh result = mirrored(remesher.mesh(), surface.symmetric);
    result.smallest_angle = angle;
    result.scale = scale;
    return result;
}

}  // namespace pelt::scenes
