// Smooth skinning decomposition with rigid bones [LeDeng12]: block coordinate descent over weights and bones.
//
// i vertex, j k bones, t frame; p rest pose, v frames, w weights, M = [R | T] bones (Eq. 1). Differences to the paper,
// each for accuracy or speed: all frames are centered; weights are solved from products of bones that are summed over
// the frames once (simplex_solver.h), bones from sums over the vertices (bone_update.h), so that neither loop reads a
// frame more than once per iteration; the bones of a frame are iterated to convergence; the bones that a vertex keeps
// are those whose removal would cost most, and a choice never increases the error (simplex_solver.cpp); clusters are
// split where the error is largest instead of chosen at random (clusters.h).
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/decompose.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bone_update.h"
#include "clusters.h"
#include "vertex_pass.h"

namespace pelt::fit {
namespace {

using namespace ssdr;

constexpr double kInsignificant = 3;  ///< Σ w², [LeDeng12] §3.3.1
constexpr int kReinitializations = 10;
constexpr double kWorthChoosing = 0.1;  ///< of the mean error: vertices with less keep their bones
constexpr double kWorthChoosingTied = 0.5;
constexpr int kTiedTurns = 8;              ///< iterations with edge terms, at most: angles decrease in the first few
constexpr double kTiedConvergence = 0.12;  ///< of the gain that ends the iterations before: angles lag behind
constexpr int kAssociateEvery =
    2;  ///< iterations; in between, weights are solved on the current bones, at half the cost
constexpr double kRestPull = 1e-6;       ///< regularization toward the given rest position, relative to one frame
constexpr double kLeastWeight = 1e-4;    ///< smaller weights are invisible, and cost an influence in every file
constexpr double kOverRelaxation = 1.8;  ///< over-relaxation of a vertex with edge terms
constexpr int kLastRestSweeps = 4;       ///< sweeps over the rest pose with edge terms
constexpr double kExactRms = 1e-4;       ///< E_RMS below the precision of single-precision frames

void check(const DecomposeOptions& options, std::size_t vertices, std::size_t frames) {
    if (options.bones == 0) throw Error::badUsage("the number of bones must be at least 1");
    if (options.max_iterations < 0) throw Error::badUsage("the number of iterations must be at least 0");
    if (!(options.smoothness >= 0 && options.smoothness < 1))
        throw Error::badUsage("smoothness must be at least 0 and below 1");
    if (!(options.convergence >= 0)) throw Error::badUsage("convergence must be zero or a positive number");
    if (options.kept_bones > options.bones)
        throw Error::badUsage(
            fmt::format("{} bones are kept, but only {} were requested", options.kept_bones, options.bones));
    if (options.kept_motion.size() != options.kept_bones * frames)
        throw Error::badInput(fmt::format("the kept bones have {} transformations; {} frames of {} bones need {}",
                                          options.kept_motion.size(), frames, options.kept_bones,
                                          frames * options.kept_bones));
    const SkinWeights& kept = options.kept_weights;
    if (kept.empty()) return;
    if (kept.vertexCount() != vertices)
        throw Error::badInput(
            fmt::format("there are kept weights for {} vertices, but the mesh has {}", kept.vertexCount(), vertices));
    for (const std::uint32_t bone : kept.joints)
        if (bone >= options.bones)
            throw Error::badInput(fmt::format("the kept weights use bone {}, but there are {}", bone, options.bones));
}

/// Continues from the previous weights beyond the best ones, as far as none becomes too small. The best point of a
/// convex set is never beyond the lowest point of the line to it, so up to twice the distance the objective does not
/// increase.
void overRelax(const SimplexSolver::Weights& from, SimplexSolver::Weights& to) {
    if (from.bones != to.bones) return;
    double reach = kOverRelaxation;
    for (std::size_t i = 0; i < to.values.size(); ++i) {
        const double step = to.values[i] - from.values[i];
        if (step < 0 && from.values[i] + reach * step < kLeastWeight)
            reach = std::max(1.0, (kLeastWeight - from.values[i]) / step);
    }
    for (std::size_t i = 0; i < to.values.size(); ++i)
        to.values[i] = from.values[i] + reach * (to.values[i] - from.values[i]);
}

class Solver {
public:
    /// Changes the rest pose of `data` if it is to be corrected. `weld` and `ties` belong to that data.
    Solver(Trajectories& data, const geometry::Weld& weld, const EdgeTies& ties, const DecomposeOptions& options,
           const Progress& progress)
        : data_(data),
          weld_(weld),
          ties_(ties),
          no_ties_(tieEdges(data, {})),
          options_(options),
          progress_(progress),
          motions_(options.bones, data_.frames),
          weights_(data_.vertices),
          own_objective_(data_.vertices),
          threshold_(std::min(kInsignificant, 0.2 * double(data_.vertices) / double(options.bones))) {
        takeKept();
    }

    Decomposition run();

private:
    void takeKept();
    bool keptWeights(std::size_t vertex) const {
        return !options_.kept_weights.empty() && options_.kept_weights.influenceCount(weld_.representative[vertex]) > 0;
    }
    Affine3d toSolved(const Affine3d& m, std::size_t frame) const;
    Affine3d toFile(const Affine3d& m, std::size_t frame) const;

    VertexPass passOver(const EdgeTies& ties) const {
        return VertexPass(data_, ties, motions_, weights_, {options_.influences, kLeastWeight}, progress_, done_);
    }
    /// Which vertices choose their bones again; the others keep them.
    enum class Choice { none, worst, all };
    double updateWeights(Choice choice);
    void sweep(VertexPass& pass, Choice choice);
    void updateVertex(VertexPass& pass, std::uint32_t v, bool chooses, VertexPass::Worker& worker);
    bool reinitialize(const VertexSums& sums, double threshold);
    double updateRest();
    void correctRest(VertexPass& pass);
    void correctVertex(std::uint32_t v, const VertexPass::Local& local, const BoneProducts& products);
    void descend(double objective);
    bool tie();
    double note(const char* name, double objective);
    void finish(Decomposition& result) const;
    void measure(Decomposition& result) const;

    Trajectories& data_;
    const geometry::Weld& weld_;
    EdgeTies ties_, no_ties_;
    const EdgeTies* used_ = &no_ties_;  ///< no edge terms at first: that converges faster, and lower
    const DecomposeOptions& options_;
    const Progress& progress_;
    Motions motions_;
    VertexWeights weights_;
    std::vector<double> own_objective_;  ///< per vertex, when its weights were solved
    std::vector<DecomposeStep> steps_;
    double threshold_;  ///< a bone with a smaller Σ w² is insignificant
    double whole_ = 1;  ///< factor between the objective and the reported value
    int iteration_ = 0, reinitialized_ = 0;
    double done_ = 0;
};

/// x in the file is (x - rest center) / radius at rest and (x - frame center) / radius in a frame.
Affine3d Solver::toSolved(const Affine3d& m, std::size_t frame) const {
    return {m.linear(), (m * data_.rest_center - data_.frame_center[frame]) / data_.radius};
}

Affine3d Solver::toFile(const Affine3d& m, std::size_t frame) const {
    return {m.linear(), data_.frame_center[frame] + m.translation() * data_.radius - m.linear() * data_.rest_center};
}

void Solver::takeKept() {
    for (std::size_t t = 0; t < data_.frames; ++t)
        for (std::size_t j = 0; j < options_.kept_bones; ++j)
            motions_.set(t, j, toSolved(options_.kept_motion[t * options_.kept_bones + j], t));
    for (std::size_t v = 0; v < data_.vertices; ++v) {
        if (!keptWeights(v)) continue;
        const SkinWeights& kept = options_.kept_weights;
        const std::size_t given = weld_.representative[v];
        std::vector<std::pair<std::uint32_t, double>> sorted;
        for (std::size_t i = 0; i < kept.influenceCount(given); ++i)
            sorted.emplace_back(kept.jointsOf(given)[i], kept.weightsOf(given)[i]);
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [bone, value] : sorted) {
            weights_[v].bones.push_back(bone);
            weights_[v].values.push_back(value);
        }
    }
}

double Solver::updateWeights(Choice choice) {
    VertexPass pass = passOver(*used_);
    if (!used_->empty() && choice == Choice::worst) sweep(pass, Choice::none);
    sweep(pass, choice);
    for (std::size_t v = 0; v < data_.vertices; ++v) weights_[v].error = pass.squaredResidual(v);
    return pass.objective();
}

void Solver::sweep(VertexPass& pass, Choice choice) {
    const double mean =
        std::accumulate(own_objective_.begin(), own_objective_.end(), 0.0) / double(own_objective_.size());
    const double worst = mean * (used_->empty() ? kWorthChoosing : kWorthChoosingTied);
    pass.run([&](std::uint32_t v, VertexPass::Worker& worker) {
        const bool chooses = choice == Choice::all || (choice == Choice::worst && own_objective_[v] > worst);
        updateVertex(pass, v, chooses || weights_[v].bones.empty(), worker);
    });
    if (!used_->empty() && options_.correct_rest) correctRest(pass);
}

void Solver::updateVertex(VertexPass& pass, std::uint32_t v, bool chooses, VertexPass::Worker& worker) {
    SimplexSolver& solver = worker.solver;
    const bool kept = keptWeights(v), all = chooses || kept;
    const VertexPass::Local local = pass.localOf(v, all ? VertexPass::Reach::all : VertexPass::Reach::own, worker);
    if (all)
        solver.setVertex(data_.rest[v], local.projected, local.squared);
    else
        solver.setVertex(data_.rest[v], local.projected, local.squared, weights_[v].bones);
    if (kept) {
        own_objective_[v] = local.share * solver.errorOf(weights_[v]);
        return;
    }
    SimplexSolver::Weights updated;
    if (!chooses) {
        solver.resolve(weights_[v], updated);
    } else if (options_.association == Association::closest) {
        solver.solveOnClosest(weights_[v], options_.influences, updated);
    } else {
        solver.solve(weights_[v], options_.influences, updated);
    }
    own_objective_[v] = local.share * updated.error;
    if (!used_->empty()) overRelax(weights_[v], updated);
    weights_[v] = std::move(updated);
}

/// Reinitializes bones without vertices where the error is largest, [LeDeng12] §3.3.1.
bool Solver::reinitialize(const VertexSums& sums, double threshold) {
    std::vector<double> error(data_.vertices);
    for (std::size_t v = 0; v < data_.vertices; ++v) error[v] = weights_[v].error;
    bool any = false;
    for (std::size_t j = options_.kept_bones; j < motions_.bones; ++j) {
        if (sums.significance[j] >= threshold || reinitialized_ >= kReinitializations) continue;
        const auto worst = std::uint32_t(std::max_element(error.begin(), error.end()) - error.begin());
        if (error[worst] <= 1e-12 * data_.squared[worst]) break;
        const auto seeds = nearestAtRest(data_, worst, kSeedVertices);
        fitRigid(data_, seeds, j, motions_);
        for (const std::uint32_t v : seeds) error[v] = 0;
        ++reinitialized_;
        any = true;
    }
    return any;
}

/// The rest pose with the smallest error: for each vertex a 3 x 3 system of the same products, [LeDeng12] §3 after
/// [Kavan10].
void Solver::correctRest(VertexPass& pass) {
    pass.run([&](std::uint32_t v, VertexPass::Worker& worker) {
        correctVertex(v, pass.localOf(v, VertexPass::Reach::own, worker), pass.products());
    });
}

double Solver::updateRest() {
    VertexPass pass = passOver(*used_);
    for (int sweep = 0; sweep < (used_->empty() ? 1 : kLastRestSweeps); ++sweep) correctRest(pass);
    return pass.objective();
}

void Solver::correctVertex(std::uint32_t v, const VertexPass::Local& local, const BoneProducts& products) {
    double terms[BoneProducts::kTerms] = {}, along[3] = {};
    const SimplexSolver::Weights& w = weights_[v];
    for (std::size_t a = 0; a < w.bones.size(); ++a) {
        for (int c = 0; c < 3; ++c) along[c] += w.values[a] * local.projected[4 * w.bones[a] + std::size_t(c)];
        for (std::size_t b = 0; b < w.bones.size(); ++b)
            for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
                terms[term] += w.values[a] * w.values[b] * products.of(w.bones[b])[term * products.bones + w.bones[a]];
    }
    const double pull = kRestPull * double(data_.frames);
    Vec3d& p = data_.rest[v];
    Eigen::Matrix3d a;
    a << terms[0] + pull, terms[1] / 2, terms[2] / 2,  //
        terms[1] / 2, terms[4] + pull, terms[5] / 2,   //
        terms[2] / 2, terms[5] / 2, terms[7] + pull;
    const Eigen::Vector3d right(along[0] - terms[3] / 2 + pull * p.x, along[1] - terms[6] / 2 + pull * p.y,
                                along[2] - terms[8] / 2 + pull * p.z);
    const Eigen::Vector3d moved = a.ldlt().solve(right);
    const double reach = used_->empty() ? 1 : kOverRelaxation;
    if (moved.allFinite()) p += (Vec3d(moved.x(), moved.y(), moved.z()) - p) * reach;
}

double Solver::note(const char* name, double objective) {
    steps_.push_back({name, data_.eRms(objective / whole_)});
    return objective;
}

/// Alternates bones and weights until two iterations gain almost nothing or, with edge terms, until the maximum number
/// of iterations. Bones that lose their vertices are reinitialized only without edge terms: there would not be enough
/// iterations left for them to converge.
void Solver::descend(double objective) {
    const bool tied = !used_->empty();
    const int last = tied ? std::min(options_.max_iterations, iteration_ + kTiedTurns) : options_.max_iterations;
    const double least = kAssociateEvery * options_.convergence * (tied ? kTiedConvergence : 1);
    while (iteration_ < last) {
        ++iteration_;
        done_ = double(iteration_) / double(iteration_ + 10);
        const VertexSums sums = sumVertices(data_, *used_, weights_, motions_.bones);
        if (!tied && reinitialize(sums, threshold_)) {
            objective = note("reinitialize", updateWeights(Choice::all));
            continue;
        }
        note("bones", updateBones(sums, options_.kind, options_.kept_bones, threshold_, motions_));
        if (options_.correct_rest_always) note("rest", updateRest());
        // With edge terms bones gain little, so each iteration sweeps over the weights twice.
        const bool associate = tied || iteration_ % kAssociateEvery == 0;
        const double now = note("weights", updateWeights(associate ? Choice::worst : Choice::none));
        if (data_.eRms(now) < kExactRms) return;
        if (!associate) continue;
        if (std::sqrt(objective) - std::sqrt(now) <= least * std::sqrt(objective)) return;
        objective = now;
    }
}

/// Adds the edge terms: they are scaled to their share of an objective whose total equals the current error. Does
/// nothing if there is no error.
bool Solver::tie() {
    const VertexPass pass = passOver(ties_);
    double error = 0;
    for (std::size_t v = 0; v < data_.vertices; ++v) error += data_.massOf(v) * pass.squaredResidual(v);
    const double tied = pass.objective() - error;
    if (data_.eRms(error) < kExactRms || !(tied > 0)) return false;
    const double share = options_.smoothness / (1 - options_.smoothness);
    scaleTies(ties_, share * error / tied);
    whole_ = 1 + share;
    used_ = &ties_;
    return true;
}

Decomposition Solver::run() {
    initializeMotions(data_, options_.kept_bones, options_.seed, motions_, progress_);
    descend(note("initialize", updateWeights(Choice::all)));
    if (iteration_ < options_.max_iterations && !ties_.empty() && tie())
        descend(note("weights", updateWeights(Choice::all)));
    if (options_.max_iterations > 0) note("weights", updateWeights(Choice::all));
    if (options_.correct_rest) note("rest", updateRest());
    Decomposition result;
    finish(result);
    return result;
}

void Solver::finish(Decomposition& result) const {
    result.bones = motions_.bones;
    result.frames = data_.frames;
    result.steps = steps_;
    result.reinitialized = reinitialized_;
    for (std::size_t t = 0; t < data_.frames; ++t)
        for (std::size_t j = 0; j < motions_.bones; ++j) result.motion.push_back(toFile(motions_.get(t, j), t));
    for (const std::uint32_t v : weld_.welded) {
        result.rest.emplace_back(data_.rest[v] * data_.radius + data_.rest_center);
        const std::vector<float> values(weights_[v].values.begin(), weights_[v].values.end());
        appendVertex(result.weights, weights_[v].bones, values);
    }
    measure(result);
}

/// The error of the final result, vertex by vertex.
void Solver::measure(Decomposition& result) const {
    std::vector<double> sums(data_.vertices), largest(data_.vertices);
    parallelFor(data_.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const std::size_t given = weld_.representative[v];
            const std::span<const std::uint32_t> bones = result.weights.jointsOf(given);
            const std::span<const float> values = result.weights.weightsOf(given);
            const Vec3d p = (Vec3d(result.rest[given]) - data_.rest_center) / data_.radius;
            for (std::size_t t = 0; t < data_.frames; ++t) {
                double squared = 0;
                for (std::size_t d = 3 * t; d < 3 * t + 3; ++d) {
                    double x = -double(data_.of(v)[d]);
                    for (std::size_t i = 0; i < bones.size(); ++i) {
                        const double* m = motions_.m.data() + d * motions_.columns() + 4 * bones[i];
                        x += double(values[i]) * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
                    }
                    squared += x * x;
                }
                sums[v] += data_.massOf(v) * squared;
                largest[v] = std::max(largest[v], squared);
            }
        }
    });
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    result.e_rms = data_.eRms(total);
    result.rms = data_.radius * std::sqrt(total / (double(result.rest.size()) * double(data_.frames)));
    result.max = data_.radius * std::sqrt(*std::max_element(largest.begin(), largest.end()));
}

/// The faces whose edges are included.
std::vector<Triangle> edgesTied(std::span<const Triangle> triangles, const geometry::Weld& weld,
                                const DecomposeOptions& options) {
    return options.smoothness > 0 ? geometry::weldedTriangles(triangles, weld) : std::vector<Triangle>();
}

/// Vertices at the same place in all frames are merged, unless they have different weights to keep.
geometry::Weld weld(Trajectories& data, const SkinWeights& kept) {
    return weldTrajectories(data, [&](std::uint32_t a, std::uint32_t b) {
        return kept.empty() || (std::ranges::equal(kept.jointsOf(a), kept.jointsOf(b)) &&
                                std::ranges::equal(kept.weightsOf(a), kept.weightsOf(b)));
    });
}

}  // namespace

Decomposition decompose(MeshSequence& frames, std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                        const DecomposeOptions& options, const Progress& progress) {
    check(options, rest.size(), frames.frameCount());
    Trajectories data = readTrajectories(frames, rest, progress);
    const geometry::Weld welded = weld(data, options.kept_weights);
    const EdgeTies ties = tieEdges(data, edgesTied(triangles, welded, options));
    return Solver(data, welded, ties, options, progress).run();
}

Decomposition decomposeTo(double tolerance, MeshSequence& frames, std::span<const Vec3f> rest,
                          std::span<const Triangle> triangles, const DecomposeOptions& options,
                          std::vector<BoneCountTrial>& trials, const Progress& progress) {
    check(options, rest.size(), frames.frameCount());
    if (!(tolerance >= 0)) throw Error::badUsage("the tolerance must be zero or a positive number");
    Trajectories data = readTrajectories(frames, rest, progress);
    const geometry::Weld welded = weld(data, options.kept_weights);
    const EdgeTies ties = tieEdges(data, edgesTied(triangles, welded, options));
    const std::vector<Vec3d> given_rest = data.rest;
    const auto attempt = [&](std::size_t bones) {
        DecomposeOptions trial = options;
        trial.bones = bones;
        data.rest = given_rest;
        Decomposition result = Solver(data, welded, ties, trial, progress).run();
        trials.push_back({bones, result.e_rms});
        return result;
    };
    // Doubles the number until it is sufficient, then bisects.
    std::size_t low = std::max<std::size_t>(options.kept_bones, 1), high = low;
    Decomposition best = attempt(high);
    while (best.e_rms > tolerance && high < options.bones) {
        low = high + 1;
        high = std::min(2 * high, options.bones);
        best = attempt(high);
    }
    while (best.e_rms <= tolerance && low < high) {
        const std::size_t middle = (low + high) / 2;
        Decomposition result = attempt(middle);
        if (result.e_rms <= tolerance) {
            high = middle;
            best = std::move(result);
        } else {
            low = middle + 1;
        }
    }
    std::sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.bones < b.bones; });
    return best;
}

}  // namespace pelt::fit
