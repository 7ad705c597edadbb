// V' = M T in the energy E = ½ Σ_k Σ_{E_k} c_ijk |(v'_i - v'_j) - R_k (v_i - v_j)|² [Jacobson12]:
//     E = ½ tr(T^T A T) - Σ_k tr(R_k S_k) + const,    A = M^T L M,    S_k = K_k T.
// Rows of M are sparse (a vertex has few weights), so both are sums of small outer products.
#include "reduction.h"

#include <pelt/core/parallel.h>

#include <algorithm>

namespace pelt::pose {
namespace {

constexpr std::size_t kParts = 8;  ///< sums over vertices are divided this way, whatever the number of threads

/// Both ends of every edge, the coefficients of all sets added.
struct EdgeRows {
    std::vector<std::size_t> offsets;
    std::vector<std::pair<std::uint32_t, double>> neighbors;
};

EdgeRows edgeRows(const Elements& elements) {
    EdgeRows rows;
    rows.offsets.assign(elements.positions.size() + 1, 0);
    for (const EdgeTerm& t : elements.sets.terms) {
        ++rows.offsets[t.i + 1];
        ++rows.offsets[t.j + 1];
    }
    for (std::size_t v = 0; v < elements.positions.size(); ++v) rows.offsets[v + 1] += rows.offsets[v];
    rows.neighbors.resize(rows.offsets.back());
    std::vector<std::size_t> at(rows.offsets.begin(), rows.offsets.end() - 1);
    for (const EdgeTerm& t : elements.sets.terms) {
        rows.neighbors[at[t.i]++] = {t.j, t.c};
        rows.neighbors[at[t.j]++] = {t.i, t.c};
    }
    // One entry per neighbor, so that shared edges are processed once.
    std::size_t out = 0;
    for (std::size_t v = 0; v < elements.positions.size(); ++v) {
        const auto first = rows.neighbors.begin() + std::ptrdiff_t(rows.offsets[v]),
                   last = rows.neighbors.begin() + std::ptrdiff_t(rows.offsets[v + 1]);
        std::stable_sort(first, last, [](const auto& a, const auto& b) { return a.first < b.first; });
        const std::size_t begin = out;
        for (auto it = first; it != last; ++it) {
            if (out > begin && rows.neighbors[out - 1].first == it->first)
                rows.neighbors[out - 1].second += it->second;
            else
                rows.neighbors[out++] = *it;
        }
        rows.offsets[v] = begin;
    }
    rows.offsets.back() = out;
    return rows;
}

/// The row of L M of one vertex, as blocks of four that `touched` lists.
class LaplacianRow {
public:
    LaplacianRow(const Elements& elements, std::span<const ColumnFrame> frames)
        : elements_(elements), frames_(frames), dense_(4 * frames.size(), 0.0), seen_(frames.size(), false) {}

    void compute(const EdgeRows& edges, std::size_t v) {
        for (const std::uint32_t column : touched_) {
            seen_[column] = false;
            std::fill_n(dense_.begin() + 4 * std::ptrdiff_t(column), 4, 0.0);
        }
        touched_.clear();
        double sum = 0;
        for (std::size_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e) {
            sum += edges.neighbors[e].second;
            add(edges.neighbors[e].first, -edges.neighbors[e].second);
        }
        if (sum > 0) add(v, sum);
    }
    std::span<const std::uint32_t> touched() const { return touched_; }
    const double* block(std::uint32_t column) const { return dense_.data() + 4 * std::size_t(column); }

private:
    void add(std::size_t v, double factor) {
        for (std::size_t e = elements_.rows.offsets[v]; e < elements_.rows.offsets[v + 1]; ++e) {
            const std::uint32_t column = elements_.rows.columns[e];
            if (seen_[column]) continue;
            seen_[column] = true;
            touched_.push_back(column);
        }
        forRow(elements_.rows, v, elements_.positions[v], frames_,
               [&](std::size_t row, double x) { dense_[row] += factor * x; });
    }

    const Elements& elements_;
    std::span<const ColumnFrame> frames_;
    std::vector<double> dense_;
    std::vector<char> seen_;
    std::vector<std::uint32_t> touched_;
};

/// Vectors of the few vertices that a cluster touches, so that each one's row of M is used once.
class VertexSums {
public:
    explicit VertexSums(std::size_t vertices) : sums_(vertices), seen_(vertices, 0) {}

    void add(std::uint32_t v, const Vec3d& x) {
        if (!seen_[v]) {
            seen_[v] = 1;
            touched_.push_back(v);
        }
        sums_[v] += x;
    }
    template <class Use>
    void drain(const Use& use) {
        for (const std::uint32_t v : touched_) {
            use(v, sums_[v]);
            sums_[v] = {};
            seen_[v] = 0;
        }
        touched_.clear();
    }

private:
    std::vector<Vec3d> sums_;
    std::vector<char> seen_;
    std::vector<std::uint32_t> touched_;
};

}  // namespace

Eigen::MatrixXd systemMatrix(const Elements& elements, std::span<const ColumnFrame> frames) {
    const EdgeRows edges = edgeRows(elements);
    const auto size = Eigen::Index(4 * frames.size());
    const std::size_t vertices = elements.positions.size();
    std::vector<Eigen::MatrixXd> parts(kParts);
    parallelFor(kParts, 1, [&](std::size_t part, std::size_t) {
        Eigen::MatrixXd& a = parts[part];
        a.setZero(size, size);
        LaplacianRow row(elements, frames);
        for (std::size_t v = part * vertices / kParts; v < (part + 1) * vertices / kParts; ++v) {
            row.compute(edges, v);
            forRow(elements.rows, v, elements.positions[v], frames, [&](std::size_t at, double x) {
                double* column = a.data() + at * std::size_t(size);
                for (const std::uint32_t touched : row.touched()) {
                    const double* block = row.block(touched);
                    for (std::size_t i = 0; i < 4; ++i) column[4 * touched + i] += x * block[i];
                }
            });
        }
    });
    for (std::size_t part = 1; part < kParts; ++part) parts[0] += parts[part];
    return 0.5 * (parts[0] + parts[0].transpose());
}

Eigen::MatrixXd covarianceMatrix(const Elements& elements, std::span<const ColumnFrame> frames) {
    // Terms by cluster: one task owns the rows of a cluster.
    std::vector<std::size_t> offsets(elements.clusters + 1, 0);
    for (const EdgeTerm& t : elements.sets.terms) ++offsets[elements.cluster[t.set] + 1];
    for (std::size_t k = 0; k < elements.clusters; ++k) offsets[k + 1] += offsets[k];
    std::vector<std::uint32_t> order(elements.sets.terms.size());
    std::vector<std::size_t> at(offsets.begin(), offsets.end() - 1);
    for (std::uint32_t t = 0; t < order.size(); ++t) order[at[elements.cluster[elements.sets.terms[t].set]]++] = t;

    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Rows k_matrix = Rows::Zero(Eigen::Index(3 * elements.clusters), Eigen::Index(4 * frames.size()));
    const std::size_t grain = std::max<std::size_t>(1, elements.clusters / 32);
    parallelFor(elements.clusters, grain, [&](std::size_t first, std::size_t last) {
        VertexSums sums(elements.positions.size());
        for (std::size_t k = first; k < last; ++k) {
            for (std::size_t e = offsets[k]; e < offsets[k + 1]; ++e) {
                const EdgeTerm& t = elements.sets.terms[order[e]];
                const Vec3d edge = (elements.positions[t.i] - elements.positions[t.j]) * t.c;
                sums.add(t.i, edge);
                sums.add(t.j, -edge);
            }
            sums.drain([&](std::uint32_t v, const Vec3d& sum) {
                forRow(elements.rows, v, elements.positions[v], frames, [&](std::size_t column, double x) {
                    for (int a = 0; a < 3; ++a) k_matrix(Eigen::Index(3 * k) + a, Eigen::Index(column)) += sum[a] * x;
                });
            });
        }
    });
    return k_matrix;
}

}  // namespace pelt::pose
