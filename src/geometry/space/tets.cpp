// The cotangent Laplacian of a volume: for the edge ij of a tet and its opposite edge kl with dihedral angle t,
//     w_ij += |kl| cot(t) / 6,
// the integral of the product of the two corners' gradients, with the opposite sign.
#include <pelt/core/error.h>
#include <pelt/geometry/tets.h>

#include <algorithm>

namespace pelt::geometry {
namespace {

void checkTets(const TetMesh& mesh) {
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (const std::uint32_t v : mesh.tets[t]) {
            if (v < mesh.vertexCount()) continue;
            throw Error::badInput("tet " + std::to_string(t) + " uses vertex " + std::to_string(v) +
                                  ", but the volume has only " + std::to_string(mesh.vertexCount()));
        }
    }
}

std::size_t edgeEntry(const Adjacency& edges, std::uint32_t row, std::uint32_t column) {
    const auto neighbors = edges.of(row);
    return edges.offsets[row] +
           std::size_t(std::lower_bound(neighbors.begin(), neighbors.end(), column) - neighbors.begin());
}

}  // namespace

double tetVolume(const TetMesh& mesh, std::size_t tet) {
    const Tet& t = mesh.tets[tet];
    const Vec3d& p = mesh.positions[t[0]];
    return std::abs(dot(mesh.positions[t[1]] - p, cross(mesh.positions[t[2]] - p, mesh.positions[t[3]] - p))) / 6;
}

std::array<double, 6> tetCotangents(const TetMesh& mesh, std::size_t tet) {
    std::array<double, 6> weights{};
    const Tet& t = mesh.tets[tet];
    std::array<Vec3d, 4> normals;  // of the opposite faces, outwards, with twice the area as length
    for (std::size_t c = 0; c < 4; ++c) {
        const Vec3d &p = mesh.positions[t[c]], &a = mesh.positions[t[(c + 1) % 4]];
        normals[c] = cross(mesh.positions[t[(c + 2) % 4]] - a, mesh.positions[t[(c + 3) % 4]] - a);
        if (dot(normals[c], p - a) > 0) normals[c] = -normals[c];
    }
    const double volume = tetVolume(mesh, tet);
    for (std::size_t e = 0; e < 6; ++e) {
        // The gradient of a corner's hat function is the opposite face's normal / (6 volume), pointing inwards.
        const double weight = -dot(normals[kTetEdges[e][0]], normals[kTetEdges[e][1]]) / (36 * volume);
        weights[e] = std::isfinite(weight) ? weight : 0.0;
    }
    return weights;
}

Adjacency tetAdjacency(const TetMesh& mesh) {
    checkTets(mesh);
    std::vector<std::vector<std::uint32_t>> of(mesh.vertexCount());
    for (const Tet& t : mesh.tets)
        for (const auto& [a, b] : kTetEdges) {
            if (t[a] == t[b]) continue;
            of[t[a]].push_back(t[b]);
            of[t[b]].push_back(t[a]);
        }
    Adjacency result;
    for (auto& neighbors : of) {
        std::sort(neighbors.begin(), neighbors.end());
        neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
        result.neighbors.insert(result.neighbors.end(), neighbors.begin(), neighbors.end());
        result.offsets.push_back(std::uint32_t(result.neighbors.size()));
    }
    return result;
}

Laplacian tetLaplacian(const TetMesh& mesh) {
    Laplacian laplacian;
    laplacian.edges = tetAdjacency(mesh);
    laplacian.weights.assign(laplacian.edges.neighbors.size(), 0.0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const std::array<double, 6> weights = tetCotangents(mesh, t);
        for (std::size_t e = 0; e < 6; ++e) {
            const std::uint32_t i = mesh.tets[t][kTetEdges[e][0]], j = mesh.tets[t][kTetEdges[e][1]];
            if (i == j) continue;
            laplacian.weights[edgeEntry(laplacian.edges, i, j)] += weights[e];
            laplacian.weights[edgeEntry(laplacian.edges, j, i)] += weights[e];
        }
    }
    laplacian.diagonal.assign(mesh.vertexCount(), 0.0);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e)
            laplacian.diagonal[v] += laplacian.weights[e];
    return laplacian;
}

std::vector<double> tetMass(const TetMesh& mesh) {
    checkTets(mesh);
    std::vector<double> mass(mesh.vertexCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const double quarter = tetVolume(mesh, t) / 4;
        for (const std::uint32_t v : mesh.tets[t]) mass[v] += quarter;
    }
    return mass;
}

std::vector<double> interpolate(const TetEmbedding& embedding, std::span<const double> lattice_values,
                                std::size_t columns) {
    if (lattice_values.size() != embedding.lattice.vertexCount() * columns)
        throw Error::badUsage("there are " + std::to_string(lattice_values.size()) + " values for " +
                              std::to_string(embedding.lattice.vertexCount()) + " lattice points");
    std::vector<double> values(embedding.vertexCount() * columns, 0.0);
    for (std::size_t v = 0; v < embedding.vertexCount(); ++v)
        for (std::size_t c = 0; c < 4; ++c) {
            const double share = embedding.barycentric[v][c];
            const double* row = lattice_values.data() + embedding.lattice.tets[embedding.tet[v]][c] * columns;
            for (std::size_t k = 0; k < columns; ++k) values[v * columns + k] += share * row[k];
        }
    return values;
}

}  // namespace pelt::geometry
