// Optimized centers of rotation [LeHodgins16]. Departures: the paper refines the mesh until neighboring weights differ
// little and searches triangles by distance in weight space; here every triangle counts with its mean weights, and
// equal ones are merged (similar_triangles.h).
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/cor.h>

#include <algorithm>
#include <string>

#include "deform/influence_blocks.h"
#include "similar_triangles.h"

namespace pelt::deform {
namespace {

const CorField kCorFields[] = {
    {ranged({"sigma", "S", "How different weights may be to count as similar, above 0 (default: 0.1)"},
            {0, std::numeric_limits<double>::infinity(), true}),
     &CorOptions::sigma},
    {ranged({"weight_cell", "W", "Merge triangles with weights this close; 0: exact sum (default: 1/128)"}, {0, 1}),
     &CorOptions::weight_cell},
};

void check(const Mesh& rest, const SkinWeights& weights, const CorOptions& options) {
    if (!(options.sigma > 0) || !std::isfinite(options.sigma))
        throw Error::badUsage("`sigma` is " + std::to_string(options.sigma) + "; it must be a positive number");
    if (!(options.weight_cell >= 0) || !(options.weight_cell <= 1))
        throw Error::badUsage("`weight_cell` is " + std::to_string(options.weight_cell) +
                              "; it must be between 0 and 1");
    packInfluences(weights, rest.vertexCount());  // throws if they do not match
    for (const Triangle& t : rest.triangles)
        if (*std::max_element(t.begin(), t.end()) >= rest.vertexCount())
            throw Error::badInput("a triangle uses vertex " + std::to_string(*std::max_element(t.begin(), t.end())) +
                                  ", but the mesh has only " + std::to_string(rest.vertexCount()));
}

}  // namespace

std::span<const CorField> corFields() { return kCorFields; }

std::vector<Vec3d> corCenters(const Mesh& rest, const SkinWeights& weights, const CorOptions& options,
                              const Progress& progress) {
    check(rest, weights, options);
    const WeightRows rows = rowsOfVertices(weights);
    const EqualRows groups = groupEqualRows(rows);
    progress.report("centers", 0);
    const SimilarTriangles triangles(rest, rowsOfTriangles(rows, rest.triangles), rows, options.weight_cell);
    progress.report("centers", 0.3);

    std::vector<SimilarTriangles::Sum> sums(groups.first.size());
    parallelFor(sums.size(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t g = first; g < last; ++g) sums[g] = triangles.around(rows.of(groups.first[g]), options.sigma);
    });
    std::vector<Vec3d> centers;
    for (std::size_t v = 0; v < rest.vertexCount(); ++v) {
        const SimilarTriangles::Sum& sum = sums[groups.group[v]];
        centers.push_back(sum.weight > 0 ? sum.moment / sum.weight : Vec3d(rest.positions[v]));
    }
    progress.report("centers", 1);
    return centers;
}

DdmRows<float> corRows(const Mesh& rest, const SkinWeights& weights, const CorOptions& options,
                       const Progress& progress) {
    DdmRows<float> rows;
    for (const Vec3d& p : corCenters(rest, weights, options, progress)) rows.centers.emplace_back(p);
    for (std::size_t v = 0; v < rest.vertexCount(); ++v) {
        SkinWeights sorted;  // normalized, the heaviest first
        appendVertex(sorted, weights.jointsOf(v), weights.weightsOf(v));
        for (std::size_t i = 0; i < sorted.joints.size(); ++i) {
            DdmBlock<float> block;
            block.w = sorted.weights[i];
            rows.joints.push_back(sorted.joints[i]);
            rows.blocks.push_back(block);
            rows.psi.push_back(block.w);
        }
        rows.offsets.push_back(std::uint32_t(rows.joints.size()));
    }
    return rows;
}

}  // namespace pelt::deform
