// Packs weights into blocks of sixteen vertices, as the kernels read them.
#include "influence_blocks.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace pelt::deform {
namespace {

constexpr double kUnits = 1 << 24;  // every multiple of 1/kUnits up to 1 is a float

struct Influence {
    std::uint32_t joint;
    std::uint32_t lane;
    float weight;
};

void checkShape(const SkinWeights& weights, std::size_t vertex_count) {
    const auto& offsets = weights.offsets;
    if (offsets.empty() || weights.vertexCount() != vertex_count)
        throw Error::badInput("the skin has weights for " +
                              std::to_string(offsets.empty() ? 0 : weights.vertexCount()) + " vertices, the mesh has " +
                              std::to_string(vertex_count) + ": bind the weights to this mesh");
    const bool sound = offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                       offsets.back() == weights.joints.size() && offsets.back() == weights.weights.size();
    if (!sound)
        throw Error::badInput("the skin weights are inconsistent: their offsets do not match their joints and weights");
}

double checkedSum(const SkinWeights& weights, std::size_t vertex, WeightSigns signs) {
    double sum = 0;
    for (const float w : weights.weightsOf(vertex)) {
        if ((signs == WeightSigns::convex && !(w >= 0)) || !std::isfinite(w))
            throw Error::badInput("vertex " + std::to_string(vertex) +
                                  " has a weight that is negative or not a number: bind it again");
        sum += w;
    }
    if (!(sum > 0))
        throw Error::badInput("vertex " + std::to_string(vertex) +
                              " has no weight on any joint: bind it to the skeleton first");
    return sum;
}

/// Appends the influences of one vertex, rounded to units; the remainder is added to the heaviest.
void appendRounded(const SkinWeights& weights, std::size_t vertex, WeightSigns signs, std::vector<Influence>& out) {
    const double scale = kUnits / checkedSum(weights, vertex, signs);
    const auto joints = weights.jointsOf(vertex);
    const auto values = weights.weightsOf(vertex);
    const std::size_t heaviest = heaviestInfluence(weights, vertex);
    double rest = kUnits;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i != heaviest) rest -= std::round(values[i] * scale);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double units = i == heaviest ? rest : std::round(values[i] * scale);
        if (units != 0)
            out.push_back({joints[i], static_cast<std::uint32_t>(vertex % kLanes), static_cast<float>(units / kUnits)});
    }
}

void appendBlock(std::vector<Influence>& influences, InfluenceBlocks& blocks) {
    std::sort(influences.begin(), influences.end(),
              [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
    const std::size_t first = blocks.joints.size();
    for (const Influence& i : influences) {
        if (blocks.joints.size() == first || blocks.joints.back() != i.joint) {
            blocks.joints.push_back(i.joint);
            blocks.rows.emplace_back();
        }
        blocks.rows.back().lane[i.lane] += i.weight;  // sums of units are exact, so repeated joints are too
    }
    if (blocks.joints.size() > std::numeric_limits<std::uint32_t>::max())
        throw Error::badInput("the skin has more influences than Pelt can pack: reduce influences per vertex");
    blocks.offsets.push_back(static_cast<std::uint32_t>(blocks.joints.size()));
}

std::vector<VectorRows> packRows(const std::vector<Vec3f>& vectors) {
    std::vector<VectorRows> rows((vectors.size() + kLanes - 1) / kLanes);
    for (std::size_t v = 0; v < vectors.size(); ++v) {
        VectorRows& row = rows[v / kLanes];
        row.x[v % kLanes] = vectors[v].x;
        row.y[v % kLanes] = vectors[v].y;
        row.z[v % kLanes] = vectors[v].z;
    }
    return rows;
}

}  // namespace

std::size_t heaviestInfluence(const SkinWeights& weights, std::size_t vertex) {
    const auto joints = weights.jointsOf(vertex);
    const auto values = weights.weightsOf(vertex);
    std::size_t best = 0;
    for (std::size_t i = 1; i < joints.size(); ++i)
        if (values[i] > values[best] || (values[i] == values[best] && joints[i] < joints[best])) best = i;
    return best;
}

InfluenceBlocks packInfluences(const SkinWeights& weights, std::size_t vertex_count, WeightSigns signs) {
    checkShape(weights, vertex_count);
    InfluenceBlocks blocks;
    blocks.vertex_count = vertex_count;
    blocks.offsets.push_back(0);
    std::vector<Influence> influences;
    for (std::size_t first = 0; first < vertex_count; first += kLanes) {
        const std::size_t last = std::min(vertex_count, first + kLanes);
        influences.clear();
        for (std::size_t v = first; v < last; ++v) appendRounded(weights, v, signs, influences);
        appendBlock(influences, blocks);
        blocks.joint_count = std::max<std::size_t>(blocks.joint_count, blocks.joints.back() + std::size_t(1));
    }
    return blocks;
}

RestMesh packRest(const Mesh& mesh) {
    if (!mesh.normals.empty() && mesh.normals.size() != mesh.positions.size())
        throw Error::badInput("the mesh has " + std::to_string(mesh.positions.size()) + " positions but " +
                              std::to_string(mesh.normals.size()) + " normals");
    return {mesh.positions.size(), packRows(mesh.positions), packRows(mesh.normals)};
}

}  // namespace pelt::deform
