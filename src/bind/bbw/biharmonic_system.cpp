// The energy of bounded biharmonic weights over the vertices of a tet mesh.
#include "biharmonic_system.h"

#include <pelt/geometry/local_smoothing.h>

#include <algorithm>
#include <numeric>

namespace pelt::bind::bbw {
namespace {

/// Slivers have almost no mass, and dividing by it would dominate everything else.
constexpr double kLeastMass = 1e-8;  // of the mean

Matrix permuted(const geometry::Laplacian& laplacian, std::span<const std::uint32_t> vertex,
                std::span<const int> row_of) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(laplacian.weights.size() + vertex.size());
    for (std::size_t v = 0; v < vertex.size(); ++v) {
        entries.emplace_back(row_of[v], row_of[v], laplacian.diagonal[v]);
        for (std::size_t e = laplacian.edges.offsets[v]; e < laplacian.edges.offsets[v + 1]; ++e)
            entries.emplace_back(row_of[v], row_of[laplacian.edges.neighbors[e]], -laplacian.weights[e]);
    }
    Matrix result(Eigen::Index(vertex.size()), Eigen::Index(vertex.size()));
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

/// Assigns every row to the handle that reaches it over the fewest edges, the first on ties, by breadth-first search.
void growCells(BiharmonicSystem& system) {
    system.cell.assign(std::size_t(system.size()), -1);
    std::vector<int> ring, next;
    for (std::size_t h = 0; h < system.handle_rows.size(); ++h)
        for (const int row : system.handle_rows[h]) {
            if (system.cell[std::size_t(row)] >= 0) continue;
            system.cell[std::size_t(row)] = int(h);
            ring.push_back(row);
        }
    double rings = 0, reached = 0;
    for (int away = 1; !ring.empty(); ++away, ring.swap(next)) {
        next.clear();
        for (const int row : ring)
            for (Matrix::InnerIterator it(system.laplacian, row); it; ++it) {
                int& cell = system.cell[std::size_t(it.row())];
                if (cell >= 0 || it.value() == 0) continue;
                cell = system.cell[std::size_t(row)];
                next.push_back(int(it.row()));
            }
        rings += away * double(next.size());
        reached += double(next.size());
    }
    if (reached > 0) system.mean_ring = rings / reached;
}

}  // namespace

BiharmonicSystem biharmonicSystem(std::span<const Vec3d> positions, const geometry::Laplacian& laplacian,
                                  std::span<const double> mass, std::span<const std::vector<std::uint32_t>> handles) {
    BiharmonicSystem system;
    system.vertex = geometry::eliminationOrder(laplacian, std::vector<Vec3f>(positions.begin(), positions.end()));
    std::vector<int> row_of(system.vertex.size());
    for (int row = 0; row < system.size(); ++row) row_of[system.vertex[std::size_t(row)]] = row;
    system.laplacian = permuted(laplacian, system.vertex, row_of);

    const double mean = std::accumulate(mass.begin(), mass.end(), 0.0) / double(std::max<std::size_t>(mass.size(), 1));
    system.mass.resize(system.size());
    for (int row = 0; row < system.size(); ++row)
        system.mass[row] = std::max(mass[system.vertex[std::size_t(row)]], kLeastMass * (mean > 0 ? mean : 1.0));
    system.energy = system.laplacian * system.mass.cwiseInverse().asDiagonal() * system.laplacian;

    system.owners.assign(std::size_t(system.size()), 0);
    system.handle_rows.resize(handles.size());
    for (std::size_t h = 0; h < handles.size(); ++h) {
        auto& rows = system.handle_rows[h];
        for (const std::uint32_t v : handles[h]) rows.push_back(row_of[v]);
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        for (const int row : rows) ++system.owners[std::size_t(row)];
    }
    growCells(system);
    return system;
}

}  // namespace pelt::bind::bbw
