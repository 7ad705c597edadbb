// Direct Delta Mush [LeLewis19], the precomputation of §3.4, in double precision.
//
//   u_i   rest position (homogeneous)        w_ij   bind of joint j on vertex i
//   B, C  p smoothing steps with λ D_λ, κ D_κ (Eqs. 2b rev., 12 rev.), columns sum to 1
//   Ψ_ij = Σ_k B_ki w_kj u_k u_k^T   (Eq. 6b rev.)        w'_ij = Σ_k C_ki w_kj   (Eq. 12 rev.)
//   p_i   from Σ_j Ψ_ij                                   Ω_ij  of Eq. 11 rev.
//
// Column i of B holds the steps' values at vertex i: with X stored by rows of vertices, the steps of
// (I + λ D_λ D_L^-1 L) X = X_0 give them. Ten channels a joint suffice, Ψ being symmetric, and only where the joint
// reaches. Seams are welded for all of it; split copies get equal rows.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "ddm_rows.h"

namespace pelt::deform {
namespace {

using geometry::LocalSmoother;
using geometry::SparseChannels;

/// Progress of work that many threads do; reports come one at a time.
class SharedProgress {
public:
    SharedProgress(const Progress& progress, std::string_view stage, std::size_t total)
        : progress_(progress), stage_(stage), total_(double(std::max<std::size_t>(total, 1))) {
        progress_.report(stage_, 0);
    }
    void done(std::size_t amount) {
        const std::lock_guard lock(mutex_);
        done_ += double(amount);
        progress_.report(stage_, done_ / total_);
    }

private:
    const Progress& progress_;
    std::string_view stage_;
    double total_, done_ = 0;
    std::mutex mutex_;
};

void checkRange(const std::vector<double>& values, std::size_t count, const char* name, double below) {
    if (values.size() != count)
        throw Error::badUsage(std::string(name) + " has " + std::to_string(values.size()) + " values for " +
                              std::to_string(count) + " vertices");
    for (std::size_t v = 0; v < count; ++v)
        if (!(values[v] >= 0 && values[v] < below))
            throw Error::badUsage(std::string(name) + " is " + std::to_string(values[v]) + " at vertex " +
                                  std::to_string(v) + "; it must be at least 0" +
                                  (std::isfinite(below) ? " and below " + std::to_string(int(below)) : ""));
}

/// Ties over the welded vertices; their labels are the joints they are bound to most.
geometry::PartTies weldedTies(const geometry::Weld& weld, const geometry::Laplacian& laplacian,
                              std::span<const Vec3f> positions, const SkinWeights& bind,
                              const std::vector<bool>& excluded) {
    std::vector<std::uint32_t> labels;
    for (const std::uint32_t v : weld.representative)
        labels.push_back(!excluded.empty() && excluded[v] ? geometry::kNoLabel : bind.jointsOf(v)[0]);
    return geometry::tieParts(laplacian, positions, labels);
}

/// Smoothed channels of all joints, regrouped by vertex.
VertexChannels byVertex(std::vector<SparseChannels>& by_joint, std::size_t vertex_count, std::size_t width) {
    VertexChannels result;
    result.width = width;
    result.offsets.assign(vertex_count + 1, 0);
    for (const SparseChannels& channels : by_joint)
        for (const std::uint32_t v : channels.vertices) ++result.offsets[v + 1];
    for (std::size_t v = 0; v < vertex_count; ++v) result.offsets[v + 1] += result.offsets[v];
    result.joints.resize(result.offsets.back());
    result.values.resize(result.offsets.back() * width);
    std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (std::uint32_t j = 0; j < by_joint.size(); ++j) {
        SparseChannels& channels = by_joint[j];
        for (std::size_t i = 0; i < channels.vertices.size(); ++i) {
            const std::size_t entry = next[channels.vertices[i]]++;
            result.joints[entry] = j;
            std::copy_n(channels.values.data() + i * width, width, result.values.data() + entry * width);
        }
        channels = {};
    }
    return result;
}

/// What a stage was computed from, to see whether it still holds.
struct TopologyKey {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    bool connect_parts = false;
    std::vector<bool> excluded;
    float weld_tolerance = 0;
    friend bool operator==(const TopologyKey&, const TopologyKey&) = default;
};
struct SmoothingKey {
    geometry::SmoothingKind kind = geometry::SmoothingKind::implicit;
    int iterations = -1;
    double cutoff = 0;
    std::vector<double> strength;
    friend bool operator==(const SmoothingKey&, const SmoothingKey&) = default;
};

}  // namespace

struct DdmPreparation::State {
    std::vector<Vec3f> positions;
    std::vector<Triangle> triangles;
    SkinWeights bind;

    TopologyKey topology_key;
    bool has_topology = false;
    geometry::Weld weld;
    std::vector<Vec3f> welded_positions;
    geometry::Laplacian laplacian;
    std::vector<bool> rigid;  ///< per welded vertex: of a part on one bone that others are tied to
    std::vector<std::uint32_t> order;
    std::vector<std::vector<std::uint32_t>> vertices_of;  ///< per joint, the welded vertices it binds
    std::vector<std::vector<double>> weights_of;
    Vec3d origin;  ///< moments are taken about it, to keep their digits

    SmoothingKey psi_key, weight_key;
    VertexChannels psi;      ///< ten moments of Ψ per entry
    VertexChannels weights;  ///< w'
    std::vector<double> alpha;

    void makeTopology(const TopologyKey& key);
    void groupByJoint();
    std::vector<double> strengths(const std::vector<double>& values, const std::vector<bool>& excluded) const;
    SparseChannels moments(std::size_t joint) const;
    SparseChannels groupedWeights(std::size_t first, std::size_t last) const;
    VertexChannels smoothMoments(const SmoothingKey& key, const Progress& progress) const;
    VertexChannels smoothWeights(const SmoothingKey& key, const Progress& progress) const;
};

geometry::PartTies connectParts(const Mesh& rest, const SkinWeights& bind, const DdmOptions& options) {
    if (!options.connect_parts) return {};
    const geometry::Weld weld = geometry::weldByPosition(rest.positions, options.weld_tolerance);
    std::vector<Vec3f> positions;
    for (const std::uint32_t v : weld.representative) positions.push_back(rest.positions[v]);
    const auto triangles = geometry::weldedTriangles(rest.triangles, weld);
    const auto laplacian = geometry::makeLaplacian(options.laplacian, positions, triangles);
    const geometry::PartTies welded = weldedTies(weld, laplacian, positions, bind, options.excluded);
    geometry::PartTies ties;
    for (const geometry::ExtraEdge& e : welded.edges)
        ties.edges.push_back({weld.representative[e.a], weld.representative[e.b], e.weight});
    if (!welded.rigid.empty())
        for (const std::uint32_t w : weld.welded) ties.rigid.push_back(welded.rigid[w]);
    return ties;
}

DdmPreparation::DdmPreparation(const Mesh& rest, const SkinWeights& bind) : state_(std::make_unique<State>()) {
    if (rest.triangles.empty()) throw Error::badInput("the mesh has no faces to smooth over");
    if (bind.vertexCount() != rest.vertexCount())
        throw Error::badInput("the skin has " + std::to_string(bind.vertexCount()) + " vertices, the mesh has " +
                              std::to_string(rest.vertexCount()));
    for (std::size_t v = 0; v < bind.vertexCount(); ++v) {
        if (bind.influenceCount(v) == 0)
            throw Error::badInput("vertex " + std::to_string(v) +
                                  " has no weight on any joint: bind it to the skeleton first");
        if (!isFinite(rest.positions[v]))
            throw Error::badInput("vertex " + std::to_string(v) + " has a position that is no number");
    }
    state_->positions = rest.positions;
    state_->triangles = rest.triangles;
    state_->bind = bind;
}

DdmPreparation::~DdmPreparation() = default;
DdmPreparation::DdmPreparation(DdmPreparation&&) noexcept = default;

void DdmPreparation::State::groupByJoint() {
    std::size_t joint_count = 0;
    for (const std::uint32_t j : bind.joints) joint_count = std::max<std::size_t>(joint_count, j + std::size_t(1));
    vertices_of.assign(joint_count, {});
    weights_of.assign(joint_count, {});
    for (std::uint32_t w = 0; w < weld.count(); ++w) {
        const std::uint32_t v = weld.representative[w];
        double sum = 0;
        for (const float x : bind.weightsOf(v)) sum += x;
        for (std::size_t i = 0; i < bind.influenceCount(v); ++i) {
            if (bind.weightsOf(v)[i] == 0) continue;
            vertices_of[bind.jointsOf(v)[i]].push_back(w);
            weights_of[bind.jointsOf(v)[i]].push_back(bind.weightsOf(v)[i] / sum);
        }
    }
}

void DdmPreparation::State::makeTopology(const TopologyKey& key) {
    weld = geometry::weldByPosition(positions, key.weld_tolerance);
    welded_positions.clear();
    Vec3d low{1e300, 1e300, 1e300}, high = low * -1.0;
    for (const std::uint32_t v : weld.representative) {
        const Vec3f& p = positions[v];
        welded_positions.push_back(p);
        low = {std::min<double>(low.x, p.x), std::min<double>(low.y, p.y), std::min<double>(low.z, p.z)};
        high = {std::max<double>(high.x, p.x), std::max<double>(high.y, p.y), std::max<double>(high.z, p.z)};
    }
    origin = (low + high) * 0.5;
    laplacian = geometry::makeLaplacian(key.laplacian, welded_positions, geometry::weldedTriangles(triangles, weld));
    rigid.assign(weld.count(), false);
    if (key.connect_parts) {
        const geometry::PartTies ties = weldedTies(weld, laplacian, welded_positions, bind, key.excluded);
        if (!ties.edges.empty()) {
            laplacian = geometry::withEdges(laplacian, ties.edges);
            rigid = ties.rigid;
        }
    }
    order = geometry::eliminationOrder(laplacian);
    groupByJoint();
}

/// Per welded vertex; 0 freezes.
std::vector<double> DdmPreparation::State::strengths(const std::vector<double>& values,
                                                     const std::vector<bool>& excluded) const {
    std::vector<double> result;
    result.reserve(weld.count());
    for (const std::uint32_t v : weld.representative) {
        const bool frozen = rigid[result.size()] || (!excluded.empty() && excluded[v]);
        result.push_back(frozen ? 0 : values[v]);
    }
    return result;
}

/// Weight times u u^T of one joint, ten channels, the weight last.
SparseChannels DdmPreparation::State::moments(std::size_t joint) const {
    SparseChannels input{kMoments, vertices_of[joint], {}};
    input.values.reserve(kMoments * input.vertices.size());
    for (std::size_t i = 0; i < input.vertices.size(); ++i) {
        const double w = weights_of[joint][i];
        const Vec3d u = Vec3d(welded_positions[input.vertices[i]]) - origin;
        for (const double m : {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z, u.z * u.z, u.x, u.y, u.z, 1.0})
            input.values.push_back(w * m);
    }
    return input;
}

VertexChannels DdmPreparation::State::smoothMoments(const SmoothingKey& key, const Progress& progress) const {
    const LocalSmoother smoother(laplacian, order, key.kind, key.strength);
    std::vector<SparseChannels> by_joint(vertices_of.size());
    SharedProgress shared(progress, "smooth", weld.count());
    parallelFor(by_joint.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
            by_joint[j] = smoother.smooth(moments(j), key.iterations, key.cutoff);
            shared.done(vertices_of[j].size());
        }
    });
    return byVertex(by_joint, weld.count(), kMoments);
}

/// The weights of the joints [first, last), a channel each, and their sum.
SparseChannels DdmPreparation::State::groupedWeights(std::size_t first, std::size_t last) const {
    std::vector<std::pair<std::uint32_t, std::size_t>> entries;  // vertex, joint
    for (std::size_t j = first; j < last; ++j)
        for (const std::uint32_t v : vertices_of[j]) entries.emplace_back(v, j);
    std::sort(entries.begin(), entries.end());
    SparseChannels input{last - first + 1, {}, {}};
    std::vector<std::size_t> next(last - first, 0);  // joints' vertices ascend, so each is met in its order
    for (const auto& [v, j] : entries) {
        if (input.vertices.empty() || input.vertices.back() != v) {
            input.vertices.push_back(v);
            input.values.resize(input.values.size() + input.width, 0.0);
        }
        double* row = input.values.data() + input.values.size() - input.width;
        row[j - first] = weights_of[j][next[j - first]++];
        row[input.width - 1] += row[j - first];
    }
    return input;
}

/// Joints that follow each other mostly lie side by side: a few of them share a region and its factorisation.
VertexChannels DdmPreparation::State::smoothWeights(const SmoothingKey& key, const Progress& progress) const {
    constexpr std::size_t kGroup = 3;  // with the sum, four channels
    const LocalSmoother smoother(laplacian, order, key.kind, key.strength);
    std::vector<SparseChannels> by_joint(vertices_of.size());
    SharedProgress shared(progress, "smooth weights", weld.count());
    parallelFor((by_joint.size() + kGroup - 1) / kGroup, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t group = begin; group < end; ++group) {
            const std::size_t first = group * kGroup, last = std::min(first + kGroup, by_joint.size());
            const SparseChannels input = groupedWeights(first, last);
            const SparseChannels result = smoother.smooth(input, key.iterations, key.cutoff);
            for (std::size_t i = 0; i < result.vertices.size(); ++i)
                for (std::size_t j = first; j < last; ++j) {
                    const double w = result.values[i * result.width + j - first];
                    if (!(w > key.cutoff)) continue;
                    by_joint[j].vertices.push_back(result.vertices[i]);
                    by_joint[j].values.push_back(w);
                }
            shared.done(input.vertices.size());
        }
    });
    return byVertex(by_joint, weld.count(), 1);
}

void DdmPreparation::update(const DdmOptions& options, const Progress& progress) {
    State& s = *state_;
    const std::size_t count = s.positions.size();
    const double unbounded = std::numeric_limits<double>::infinity();
    checkRange(options.lambda, count, "lambda", unbounded);
    checkRange(options.kappa, count, "kappa", unbounded);
    checkRange(options.alpha, count, "alpha", 1);
    if (options.iterations < 0) throw Error::badUsage("the number of iterations must be at least 0");
    if (!options.excluded.empty() && options.excluded.size() != count)
        throw Error::badUsage("the list of excluded vertices does not fit the mesh");

    const TopologyKey topology{options.laplacian, options.connect_parts, options.excluded, options.weld_tolerance};
    if (!s.has_topology || !(topology == s.topology_key)) {
        progress.report("order", 0);
        s.has_topology = false;
        s.makeTopology(topology);
        s.topology_key = topology;
        s.has_topology = true;
        s.psi_key = s.weight_key = {};
    }
    const SmoothingKey psi_key{options.smoothing, options.iterations, options.cutoff,
                               s.strengths(options.lambda, options.excluded)};
    if (!(psi_key == s.psi_key)) {
        s.psi = s.smoothMoments(psi_key, progress);
        s.psi_key = psi_key;
    }
    s.alpha = s.strengths(options.alpha, options.excluded);
    // Without α, and with κ = λ, w' changes nothing or is there already, as the last channel of Ψ.
    const SmoothingKey weight_key{options.smoothing, options.iterations, options.cutoff,
                                  s.strengths(options.kappa, options.excluded)};
    const bool needed = std::any_of(s.alpha.begin(), s.alpha.end(), [](double a) { return a > 0; });
    if (needed && !(weight_key == s.weight_key)) {
        s.weights = s.smoothWeights(weight_key, progress);
        s.weight_key = weight_key;
    }
}

DdmRows<double> DdmPreparation::rows(std::size_t influences) const {
    const State& s = *state_;
    if (!s.has_topology) throw Error::badUsage("the preparation has not been given options yet");
    const bool blended = std::any_of(s.alpha.begin(), s.alpha.end(), [](double a) { return a > 0; });
    return makeRows({s.psi, blended ? &s.weights : nullptr, s.alpha, s.origin}, s.weld.welded, influences);
}

DdmRows<double> DdmPreparation::rows() const { return rows(0); }

}  // namespace pelt::deform
