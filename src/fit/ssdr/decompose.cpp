// Smooth skinning decomposition with rigid bones [LeDeng12]: block coordinate descent over weights and bones.
//
// i vertex, j k bones, t frame; p rest pose, v frames, w weights, M = [R | T] bones (Eq. 1).
// Departures from the paper, each for accuracy or speed: all frames are centred; weights are solved from products of
// bones that are summed over the frames once (simplex_solver.h), bones from sums over the vertices (bone_update.h), so
// that neither loop touches a frame more than once an iteration; bones of a pose are swept until they settle; which
// bones a vertex may keep is decided by what their absence costs, and never for the worse (simplex_solver.cpp);
// clusters are split where the error is instead of drawn at random (clusters.h).
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/decompose.h>
#include <pelt/geometry/adjacency.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bone_update.h"
#include "clusters.h"
#include "ssdr_kernel.h"

namespace pelt::fit {
namespace {

using namespace ssdr;

constexpr std::size_t kGrain = 64;    ///< vertices that are solved by one task
constexpr double kInsignificant = 3;  ///< Σ w², [LeDeng12] §3.3.1
constexpr int kReinitialisations = 10;
constexpr double kWorthChoosing = 0.1;  ///< of the mean error: vertices with less keep their bones
constexpr int kAssociateEvery =
    2;  ///< iterations; between, weights are solved on the bones a vertex has, for half the cost
constexpr double kRestPull = 1e-6;  ///< of a vertex to its given rest position, against one frame
constexpr double kTinyWeight = 1e-7;
constexpr double kExact = 1e-4;  ///< E_RMS that frames in single precision cannot be told from no error

void check(const DecomposeOptions& options, std::size_t vertices, std::size_t frames) {
    if (options.bones == 0) throw Error::badUsage("the number of bones must be at least 1");
    if (options.max_iterations < 0) throw Error::badUsage("the number of iterations must be at least 0");
    if (!(options.smoothness >= 0) || !std::isfinite(options.smoothness))
        throw Error::badUsage("smoothness must be zero or a positive number");
    if (!(options.convergence >= 0)) throw Error::badUsage("convergence must be zero or a positive number");
    if (options.kept_bones > options.bones)
        throw Error::badUsage(
            fmt::format("{} bones are kept, but only {} asked for", options.kept_bones, options.bones));
    if (options.kept_motion.size() != options.kept_bones * frames)
        throw Error::badInput(fmt::format("the kept bones have {} transformations; {} frames of {} bones need {}",
                                          options.kept_motion.size(), frames, options.kept_bones,
                                          frames * options.kept_bones));
    const SkinWeights& kept = options.kept_weights;
    if (kept.empty()) return;
    if (kept.vertexCount() != vertices)
        throw Error::badInput(
            fmt::format("the kept weights are of {} vertices, the mesh has {}", kept.vertexCount(), vertices));
    for (const std::uint32_t bone : kept.joints)
        if (bone >= options.bones)
            throw Error::badInput(fmt::format("the kept weights name bone {} of {}", bone, options.bones));
}

class Solver {
public:
    /// Moves the rest pose of `data` where that is corrected.
    Solver(Trajectories& data, std::span<const Triangle> triangles, const DecomposeOptions& options,
           const Progress& progress)
        : data_(data),
          options_(options),
          progress_(progress),
          motions_(options.bones, data_.frames),
          weights_(data_.vertices) {
        if (options.smoothness > 0) neighbours_ = geometry::vertexAdjacency(triangles, data_.vertices);
        takeKept();
    }

    Decomposition run();

private:
    void takeKept();
    bool keptWeights(std::size_t vertex) const {
        return !options_.kept_weights.empty() && options_.kept_weights.influenceCount(vertex) > 0;
    }
    Affine3d toSolved(const Affine3d& m, std::size_t frame) const;
    Affine3d toFile(const Affine3d& m, std::size_t frame) const;

    template <class Body>
    void forVertices(const Body& body);
    /// Which vertices choose their bones anew; the others keep them.
    enum class Choice { none, worst, all };
    double updateWeights(Choice choice);
    double smoothTarget(std::size_t vertex, std::vector<double>& target) const;
    bool reinitialise(const VertexSums& sums, double threshold);
    double correctRest();
    double note(const char* name, double squared_error);
    void finish(Decomposition& result) const;

    Trajectories& data_;
    const DecomposeOptions& options_;
    const Progress& progress_;
    Motions motions_;
    VertexWeights weights_;
    geometry::Adjacency neighbours_;
    std::vector<DecomposeStep> steps_;
    int reinitialised_ = 0;
    double done_ = 0;
};

/// x in the file is (x - rest centre) / radius at rest and (x - frame centre) / radius in a frame.
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
        std::vector<std::pair<std::uint32_t, double>> sorted;
        for (std::size_t i = 0; i < options_.kept_weights.influenceCount(v); ++i)
            sorted.emplace_back(options_.kept_weights.jointsOf(v)[i], options_.kept_weights.weightsOf(v)[i]);
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [bone, value] : sorted) {
            weights_[v].bones.push_back(bone);
            weights_[v].values.push_back(value);
        }
    }
}

/// body(vertex, projected, solver) for every vertex on all threads; projected as SimplexSolver::setVertex takes it.
template <class Body>
void Solver::forVertices(const Body& body) {
    const BoneProducts products = productsOf(motions_);
    for (std::size_t begin = 0; begin < data_.vertices; begin += kVerticesAtOnce) {
        progress_.report("decompose", done_);
        const std::size_t count = std::min(kVerticesAtOnce, data_.vertices - begin);
        parallelFor(count, kGrain, [&](std::size_t first, std::size_t last) {
            SimplexSolver solver(products);
            std::vector<double> projected(kGrain * motions_.columns());
            multiplyRows(data_.of(begin + first), last - first, data_.dimensions(), motions_.m.data(),
                         motions_.columns(), projected.data());
            for (std::size_t i = first; i < last; ++i) {
                const double* own = projected.data() + (i - first) * motions_.columns();
                solver.setVertex(data_.rest[begin + i], own, data_.squared[begin + i]);
                body(begin + i, own, solver, products);
            }
        });
    }
}

/// The neighbours' mean weights; returns how strongly they pull.
double Solver::smoothTarget(std::size_t vertex, std::vector<double>& target) const {
    target.assign(motions_.bones, 0.0);
    double count = 0;
    for (const std::uint32_t n : neighbours_.of(vertex)) {
        const SimplexSolver::Weights& w = weights_[n];
        for (std::size_t i = 0; i < w.bones.size(); ++i) target[w.bones[i]] += w.values[i];
        count += !w.bones.empty();
    }
    if (count == 0) return 0;
    for (double& x : target) x /= count;
    return options_.smoothness * double(data_.frames);
}

double Solver::updateWeights(Choice choice) {
    VertexWeights updated(weights_.size());
    std::vector<double> errors(weights_.size());
    double mean = 0;
    for (const SimplexSolver::Weights& w : weights_) mean += w.error / double(weights_.size());
    forVertices([&](std::size_t v, const double* projected, SimplexSolver& solver, const BoneProducts&) {
        std::vector<double> target;
        if (keptWeights(v)) {
            updated[v] = weights_[v];
            updated[v].error = solver.errorOf(updated[v]);
        } else {
            const double pull = options_.smoothness > 0 ? smoothTarget(v, target) : 0;
            if (pull > 0) solver.addPull(pull, target);
            const bool chooses =
                choice == Choice::all || (choice == Choice::worst && weights_[v].error > kWorthChoosing * mean);
            if (!chooses && !weights_[v].bones.empty()) {
                solver.resolve(weights_[v], updated[v]);
            } else if (options_.association == Association::closest) {
                solver.solveOnClosest(weights_[v], options_.influences, updated[v]);
            } else {
                solver.solve(weights_[v], options_.influences, updated[v]);
            }
            if (pull > 0) {
                solver.setVertex(data_.rest[v], projected, data_.squared[v]);  // what is left without the pull
                updated[v].error = solver.errorOf(updated[v]);
            }
        }
        errors[v] = updated[v].error;
    });
    weights_ = std::move(updated);
    return std::accumulate(errors.begin(), errors.end(), 0.0);
}

/// Gives bones without vertices a new start where the error is largest, [LeDeng12] §3.3.1.
bool Solver::reinitialise(const VertexSums& sums, double threshold) {
    std::vector<double> error(data_.vertices);
    for (std::size_t v = 0; v < data_.vertices; ++v) error[v] = weights_[v].error;
    bool any = false;
    for (std::size_t j = options_.kept_bones; j < motions_.bones; ++j) {
        if (sums.significance(j) >= threshold || reinitialised_ >= kReinitialisations) continue;
        const auto worst = std::uint32_t(std::max_element(error.begin(), error.end()) - error.begin());
        if (error[worst] <= 1e-12 * data_.squared[worst]) break;
        const auto seeds = nearestAtRest(data_, worst, kSeedVertices);
        fitRigid(data_, seeds, j, motions_);
        for (const std::uint32_t v : seeds) error[v] = 0;
        ++reinitialised_;
        any = true;
    }
    return any;
}

/// The rest pose where the bones explain the frames best: for each vertex a 3 x 3 system of the same products,
/// [LeDeng12] §3 after [Kavan10].
double Solver::correctRest() {
    std::vector<double> errors(data_.vertices);
    forVertices([&](std::size_t v, const double* projected, SimplexSolver&, const BoneProducts& products) {
        double terms[BoneProducts::kTerms] = {}, along[4] = {};
        const SimplexSolver::Weights& w = weights_[v];
        for (std::size_t a = 0; a < w.bones.size(); ++a) {
            for (int c = 0; c < 4; ++c) along[c] += w.values[a] * projected[4 * w.bones[a] + std::size_t(c)];
            for (std::size_t b = 0; b < w.bones.size(); ++b)
                for (std::size_t term = 0; term < BoneProducts::kTerms; ++term)
                    terms[term] +=
                        w.values[a] * w.values[b] * products.of(w.bones[b])[term * products.bones + w.bones[a]];
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
        if (moved.allFinite()) p = Vec3d(moved.x(), moved.y(), moved.z());
        double q[BoneProducts::kTerms], error = data_.squared[v];
        quadraticTerms(p, q);
        for (std::size_t term = 0; term < BoneProducts::kTerms; ++term) error += q[term] * terms[term];
        error -= 2 * (along[0] * p.x + along[1] * p.y + along[2] * p.z + along[3]);
        errors[v] = std::max(error, 0.0);
    });
    return std::accumulate(errors.begin(), errors.end(), 0.0);
}

double Solver::note(const char* name, double squared_error) {
    steps_.push_back({name, data_.eRms(squared_error)});
    return squared_error;
}

Decomposition Solver::run() {
    initialiseMotions(data_, options_.kept_bones, options_.seed, motions_, progress_);
    const double threshold = std::min(kInsignificant, 0.2 * double(data_.vertices) / double(motions_.bones));
    double error = note("initialise", updateWeights(Choice::all));
    for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
        done_ = double(iteration) / double(iteration + 10);
        const VertexSums sums = sumVertices(data_, weights_, motions_.bones);
        if (reinitialise(sums, threshold)) {
            error = note("reinitialise", updateWeights(Choice::all));
            continue;
        }
        note("bones", updateBones(data_, sums, options_.kind, options_.kept_bones, threshold, motions_));
        if (options_.correct_rest_always) note("rest", correctRest());
        const bool associate = iteration % kAssociateEvery == 0;
        const double now = note("weights", updateWeights(associate ? Choice::worst : Choice::none));
        if (data_.eRms(now) < kExact) break;
        if (!associate) continue;
        if (std::sqrt(error) - std::sqrt(now) <= kAssociateEvery * options_.convergence * std::sqrt(error)) break;
        error = now;
    }
    if (options_.max_iterations > 0) note("weights", updateWeights(Choice::all));
    if (options_.correct_rest) note("rest", correctRest());
    Decomposition result;
    finish(result);
    return result;
}

void Solver::finish(Decomposition& result) const {
    result.bones = motions_.bones;
    result.frames = data_.frames;
    result.steps = steps_;
    result.reinitialised = reinitialised_;
    for (const Vec3d& p : data_.rest) result.rest.emplace_back(p * data_.radius + data_.rest_center);
    for (std::size_t t = 0; t < data_.frames; ++t)
        for (std::size_t j = 0; j < motions_.bones; ++j) result.motion.push_back(toFile(motions_.get(t, j), t));
    for (std::size_t v = 0; v < weights_.size(); ++v) {
        const SimplexSolver::Weights& w = weights_[v];
        std::vector<std::uint32_t> bones;
        std::vector<float> values;
        for (std::size_t i = 0; i < w.bones.size(); ++i) {
            if (w.values[i] < kTinyWeight) continue;
            bones.push_back(w.bones[i]);
            values.push_back(float(w.values[i]));
        }
        appendVertex(result.weights, bones, values);
    }
    // What the result as it is given leaves, vertex by vertex.
    std::vector<double> sums(data_.vertices), largest(data_.vertices);
    parallelFor(data_.vertices, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const Vec3d p = (Vec3d(result.rest[v]) - data_.rest_center) / data_.radius;
            for (std::size_t t = 0; t < data_.frames; ++t) {
                double squared = 0;
                for (std::size_t d = 3 * t; d < 3 * t + 3; ++d) {
                    double x = -double(data_.of(v)[d]);
                    for (std::size_t i = 0; i < result.weights.influenceCount(v); ++i) {
                        const double* m =
                            motions_.m.data() + d * motions_.columns() + 4 * result.weights.jointsOf(v)[i];
                        x += double(result.weights.weightsOf(v)[i]) * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
                    }
                    squared += x * x;
                }
                sums[v] += squared;
                largest[v] = std::max(largest[v], squared);
            }
        }
    });
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    result.e_rms = data_.eRms(total);
    result.rms = data_.radius * std::sqrt(total / (double(data_.vertices) * double(data_.frames)));
    result.max = data_.radius * std::sqrt(*std::max_element(largest.begin(), largest.end()));
}

}  // namespace

Decomposition decompose(MeshSequence& frames, std::span<const Vec3f> rest, std::span<const Triangle> triangles,
                        const DecomposeOptions& options, const Progress& progress) {
    check(options, rest.size(), frames.frameCount());
    Trajectories data = readTrajectories(frames, rest, progress);
    return Solver(data, triangles, options, progress).run();
}

Decomposition decomposeTo(double tolerance, MeshSequence& frames, std::span<const Vec3f> rest,
                          std::span<const Triangle> triangles, const DecomposeOptions& options,
                          std::vector<BoneCountTrial>& trials, const Progress& progress) {
    check(options, rest.size(), frames.frameCount());
    if (!(tolerance >= 0)) throw Error::badUsage("the tolerance must be zero or a positive number");
    Trajectories data = readTrajectories(frames, rest, progress);
    const std::vector<Vec3d> given_rest = data.rest;
    const auto attempt = [&](std::size_t bones) {
        DecomposeOptions trial = options;
        trial.bones = bones;
        data.rest = given_rest;
        Decomposition result = Solver(data, triangles, trial, progress).run();
        trials.push_back({bones, result.e_rms});
        return result;
    };
    // Doubled until it is enough, then halved into the last gap.
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
