// Direct Delta Mush [LeLewis19], the precomputation of §3.4, in double precision.
//
//   u_i   rest position (homogeneous)        w_ij   bind of joint j on vertex i
//   B, C  p smoothing steps with λ D_λ, κ D_κ (Eqs. 2b rev., 12 rev.), columns sum to 1
//   Ψ_ij = Σ_k B_ki w_kj u_k u_k^T   (Eq. 6b rev.)        w'_ij = Σ_k C_ki w_kj   (Eq. 12 rev.)
//   p_i   from Σ_j Ψ_ij                                   Ω_ij  of Eq. 11 rev.
//
// Column i of B holds the values of the steps at vertex i: with X stored by rows of vertices, the steps of (I + λ D_λ
// D_L^-1 L) X = X_0 compute them. Since Ψ is symmetric, ten channels per joint suffice, and only vertices that the
// joint reaches are needed. Seams are welded throughout; split copies get equal rows.
#include <pelt/core/error.h>
#include <pelt/deform/ddm_prepare.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/normals.h>

#include <algorithm>
#include <cmath>

#include "ddm_smoothing.h"

namespace pelt::deform {
namespace {

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

/// The inputs of a stage, to check whether its result is still valid.
struct TopologyKey {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    bool connect_parts = false;
    std::vector<bool> excluded;
    float weld_tolerance = 0;
    friend bool operator==(const TopologyKey&, const TopologyKey&) = default;
};

}  // namespace

struct DdmPreparation::State {
    std::vector<Vec3f> positions;
    std::vector<Triangle> triangles;
    std::vector<std::uint32_t> bodies;  ///< per vertex; empty: one
    SkinWeights bind;

    TopologyKey topology_key;
    bool has_topology = false;
    geometry::Weld weld;
    SmoothedSurface surface;
    std::vector<bool> rigid;  ///< per welded vertex: belongs to a part with a single bone that others are tied to
    JointBind bound;
    Vec3d origin;       ///< moments are relative to it, for precision
    double spread = 0;  ///< OmegaParts::spread

    SmoothingKey psi_key, weight_key;
    Field psi;      ///< ten moments of Ψ per entry
    Field weights;  ///< the bind, smoothed by κ
    GivenTranslations given;
    std::vector<double> alpha;

    void makeTopology(const TopologyKey& key, geometry::SharedSurface welded);
    void groupByJoint();
    std::vector<double> strengths(const std::vector<double>& values, const std::vector<bool>& excluded) const;
    void setTranslations(const DdmOptions& options);
    bool usesSmoothedWeights() const;
    OmegaParts parts() const;
};

geometry::PartTies connectParts(const Mesh& rest, const SkinWeights& bind, const DdmOptions& options) {
    if (!options.connect_parts) return {};
    geometry::SharedSurface surface = options.surface;
    if (!suits(surface, rest.vertexCount(), options.weld_tolerance, options.laplacian))
        surface = geometry::weldSurface(rest, options.weld_tolerance, options.laplacian);
    const geometry::Weld& weld = surface->weld;
    const geometry::PartTies welded = weldedTies(weld, surface->laplacian, surface->positions, bind, options.excluded);
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
            throw Error::badInput("vertex " + std::to_string(v) + " has a position that is not a number");
    }
    state_->positions = rest.positions;
    state_->triangles = rest.triangles;
    state_->bodies = geometry::bodiesOf(rest);
    state_->bind = bind;
}

DdmPreparation::~DdmPreparation() = default;
DdmPreparation::DdmPreparation(DdmPreparation&&) noexcept = default;

void DdmPreparation::State::groupByJoint() {
    std::size_t joint_count = 0;
    for (const std::uint32_t j : bind.joints) joint_count = std::max<std::size_t>(joint_count, j + std::size_t(1));
    bound.vertices.assign(joint_count, {});
    bound.weights.assign(joint_count, {});
    for (std::uint32_t w = 0; w < weld.count(); ++w) {
        const std::uint32_t v = weld.representative[w];
        double sum = 0;
        for (const float x : bind.weightsOf(v)) sum += x;
        for (std::size_t i = 0; i < bind.influenceCount(v); ++i) {
            if (bind.weightsOf(v)[i] == 0) continue;
            bound.vertices[bind.jointsOf(v)[i]].push_back(w);
            bound.weights[bind.jointsOf(v)[i]].push_back(bind.weightsOf(v)[i] / sum);
        }
    }
}

void DdmPreparation::State::makeTopology(const TopologyKey& key, geometry::SharedSurface welded) {
    if (!suits(welded, positions.size(), key.weld_tolerance, key.laplacian))
        welded = geometry::weldSurface(positions, triangles, bodies, key.weld_tolerance, key.laplacian);
    weld = welded->weld;
    surface = {};
    surface.positions = welded->positions;
    surface.laplacian = welded->laplacian;
    const geometry::Box box = geometry::boundingBox(surface.positions);
    origin = box.center();
    spread = std::clamp(1e-8 * box.diagonal() * box.diagonal(), 1e-30, 1e30);
    surface.normals = geometry::angleWeightedNormals(positions, triangles, weld);
    for (std::size_t w = 0; w < weld.count(); ++w) surface.normals[w] = surface.normals[weld.representative[w]];
    surface.normals.resize(weld.count());
    rigid.assign(weld.count(), false);
    if (key.connect_parts) {
        geometry::PartTies ties = weldedTies(weld, surface.laplacian, surface.positions, bind, key.excluded);
        if (!ties.edges.empty()) {
            surface.tied = geometry::withEdges(surface.laplacian, ties.edges);
            surface.ties = std::move(ties.edges);
            rigid = std::move(ties.rigid);
        }
    }
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

void DdmPreparation::State::setTranslations(const DdmOptions& options) {
    given = {};
    if (options.translations.empty()) return;
    given.weights = options.translations;
    for (const std::uint32_t v : weld.representative) {
        double sum = 0;
        for (const float w : given.weights.weightsOf(v)) sum += w;
        given.share.push_back(sum > 0 ? options.translations_share.empty() ? 1 : options.translations_share[v] : 0);
    }
}

/// Without α, w' has no effect, and where it is given, the smoothed bind has none.
bool DdmPreparation::State::usesSmoothedWeights() const {
    for (std::size_t v = 0; v < alpha.size(); ++v)
        if (alpha[v] > 0 && given.shareOf(v) < 1) return true;
    return false;
}

OmegaParts DdmPreparation::State::parts() const {
    return {psi,
            usesSmoothedWeights() ? &weights : nullptr,
            given,
            alpha,
            origin,
            spread,
            bind,
            weld.representative,
            surface.positions};
}

void DdmPreparation::update(const DdmOptions& options, const Progress& progress) {
    State& s = *state_;
    const std::size_t count = s.positions.size();
    const double unbounded = std::numeric_limits<double>::infinity();
    checkRange(options.lambda, count, "`lambda`", unbounded);
    checkRange(options.kappa, count, "`kappa`", unbounded);
    checkRange(options.alpha, count, "`alpha`", 1);
    if (options.iterations < 0 || options.kappa_iterations.value_or(0) < 0)
        throw Error::badUsage("the number of iterations must be at least 0");
    if (!options.translations.empty() && options.translations.vertexCount() != count)
        throw Error::badUsage("the weights for translations do not have the size of the mesh");
    if (!options.translations_share.empty())
        checkRange(options.translations_share, count, "`translations`", std::nextafter(1.0, 2.0));
    if (!options.excluded.empty() && options.excluded.size() != count)
        throw Error::badUsage("the list of excluded vertices does not have the size of the mesh");

    const TopologyKey topology{options.laplacian, options.connect_parts, options.excluded, options.weld_tolerance};
    if (!s.has_topology || !(topology == s.topology_key)) {
        progress.report("surface", 0);
        s.has_topology = false;
        s.makeTopology(topology, options.surface);
        s.topology_key = topology;
        s.has_topology = true;
        s.psi_key = s.weight_key = {};
    }
    const bool coarse = options.coarse && options.laplacian == geometry::LaplacianKind::cotangent &&
                        s.surface.positions.size() >= kLarge;
    const SmoothingKey psi_key{options.smoothing, options.iterations, options.cutoff, coarse,
                               s.strengths(options.lambda, options.excluded)};
    s.alpha = s.strengths(options.alpha, options.excluded);
    s.setTranslations(options);
    const SmoothingKey weight_key{options.smoothing, options.kappa_iterations.value_or(options.iterations),
                                  options.cutoff, coarse, s.strengths(options.kappa, options.excluded)};
    const bool psi_changed = !(psi_key == s.psi_key),
               weights_changed = s.usesSmoothedWeights() && !(weight_key == s.weight_key);
    if (!psi_changed && !weights_changed) return;
    SmoothedFields fields = smoothFields(s.surface, s.bound, s.origin, psi_changed ? &psi_key : nullptr,
                                         weights_changed ? &weight_key : nullptr, progress);
    if (psi_changed) {
        s.psi = std::move(fields.psi);
        s.psi_key = psi_key;
    }
    if (weights_changed) {
        s.weights = std::move(fields.weights);
        s.weight_key = weight_key;
    }
}

DdmRows<double> DdmPreparation::rows(std::size_t influences) const {
    const State& s = *state_;
    if (!s.has_topology) throw Error::badUsage("call update() before reading the rows");
    return makeRows<double>(s.parts(), s.weld.welded, influences);
}

DdmRows<double> DdmPreparation::rows() const { return rows(0); }

DdmRows<float> DdmPreparation::rounded(std::size_t influences) const {
    const State& s = *state_;
    if (!s.has_topology) throw Error::badUsage("call update() before reading the rows");
    return makeRows<float>(s.parts(), s.weld.welded, influences);
}

DdmRows<float> DdmPreparation::rounded(std::size_t influences, std::span<const std::uint32_t> vertices) const {
    const State& s = *state_;
    if (!s.has_topology) throw Error::badUsage("call update() before reading the rows");
    std::vector<std::uint32_t> welded;
    for (const std::uint32_t v : vertices) welded.push_back(s.weld.welded[v]);
    return makeRows<float>(s.parts(), welded, influences);
}

}  // namespace pelt::deform
