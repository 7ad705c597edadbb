// A linear blend skin from samples of any deformer: weights by the active-set method of smooth skinning decomposition
// [LeDeng12] §3.2 with the joints' own motion as bones; helper joints added greedily.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/bake.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "helper_pool.h"

namespace pelt::fit {
namespace {

using namespace bake;

constexpr std::size_t kSample = 4000;      ///< vertices on which helpers are compared
constexpr std::size_t kSolvedInFull = 10;  ///< the most promising helpers of a round, by the first step of a solve
constexpr double kWorthwhile = 1e-3;       ///< of the squared error: a helper that reduces it by less is not added

std::vector<std::uint32_t> everyVertex(const SkinProblem& problem) {
    std::vector<std::uint32_t> all(problem.vertexCount());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

/// Vertices evenly distributed over the mesh's order, without those where nothing can be gained.
std::vector<std::uint32_t> sampleVertices(const SkinProblem& problem) {
    const std::size_t step = std::max<std::size_t>(1, problem.vertexCount() / kSample);
    std::vector<std::uint32_t> sample;
    for (std::size_t v = 0; v < problem.vertexCount(); v += step)
        if (!problem.isFixed(v)) sample.push_back(std::uint32_t(v));
    return sample;
}

/// Selects helpers from a pool, one by one.
class Helpers {
public:
    Helpers(SkinProblem& problem, HelperPool& pool, std::vector<std::uint32_t> taken, std::vector<Weights> weights)
        : problem_(problem), pool_(pool), taken_(std::move(taken)), weights_(std::move(weights)) {
        sample_ = sampleVertices(problem);
        std::vector<std::uint32_t> all = taken_;
        for (std::size_t i = pool.given_driven; i < pool.driven.size(); ++i) all.push_back(candidateSlot(i));
        everything_ = problem.bones(pool.poses, std::move(all));
        gains_.resize(sample_.size());
        dirty_ = sample_;
    }

    /// Adds the helper with the largest gain; false if none is worthwhile.
    bool takeBest() {
        estimate();
        std::vector<std::pair<double, std::uint32_t>> ranked = ranking();
        double best_gain = 0;
        std::uint32_t best = 0;
        for (const auto& [estimated, slot] : ranked) {
            const double gain = gainOf(slot);
            if (gain > best_gain) best_gain = gain, best = slot;
        }
        double left = 0;
        for (const std::uint32_t v : sample_) left += weights_[v].error;
        if (!(best_gain > kWorthwhile * left)) return false;
        take(best);
        return true;
    }

    const std::vector<Weights>& weights() const { return weights_; }
    const std::vector<std::uint32_t>& taken() const { return taken_; }

private:
    struct Gain {
        std::uint32_t slot;
        double value;
    };

    std::uint32_t candidateSlot(std::size_t driven) const {
        return std::uint32_t(pool_.given_joints + (driven - pool_.given_driven));
    }

    bool isTaken(std::uint32_t slot) const { return std::find(taken_.begin(), taken_.end(), slot) != taken_.end(); }

    /// The gain of one step toward each helper at the vertices whose weights have changed.
    void estimate() {
        std::vector<std::vector<Gain>> found(dirty_.size());
        problem_.forVertices(
            everything_, dirty_, [&](std::size_t i, const SkinProblem::Posed& posed, ssdr::SimplexSolver& solver) {
                solver.setVertex(problem_.data().rest[dirty_[i]], posed.projected, problem_.data().squared[dirty_[i]]);
                Weights now = weights_[dirty_[i]];
                for (std::uint32_t& bone : now.bones) bone = std::uint32_t(everything_.bone[bone]);
                const double error = solver.errorOf(now);
                for (std::uint32_t b = 0; b < everything_.slots.size(); ++b) {
                    if (everything_.slots[b] < pool_.given_joints || (*posed.prior)[b] == 0) continue;
                    const double gain = error - solver.errorTowards(b, error);
                    if (gain > 1e-3 * error) found[i].push_back({everything_.slots[b], gain});
                }
            });
        std::size_t next = 0;
        for (std::size_t s = 0; s < sample_.size() && next < dirty_.size(); ++s)
            if (sample_[s] == dirty_[next]) gains_[s] = std::move(found[next++]);
        dirty_.clear();
    }

    std::vector<std::pair<double, std::uint32_t>> ranking() const {
        std::vector<double> total(pool_.skeleton.joints.size(), 0.0);
        for (const auto& vertex : gains_)
            for (const Gain& gain : vertex) total[gain.slot] += gain.value;
        std::vector<std::pair<double, std::uint32_t>> ranked;
        for (std::uint32_t slot = 0; slot < total.size(); ++slot)
            if (total[slot] > 0 && !isTaken(slot)) ranked.emplace_back(total[slot], slot);
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        if (ranked.size() > kSolvedInFull) ranked.resize(kSolvedInFull);
        return ranked;
    }

    /// The gain of solving with one more helper at the sampled vertices, whose weights are not changed.
    double gainOf(std::uint32_t slot) {
        std::vector<std::uint32_t> concerned;
        std::vector<Weights> before;
        for (std::size_t s = 0; s < sample_.size(); ++s)
            if (std::any_of(gains_[s].begin(), gains_[s].end(), [&](const Gain& g) { return g.slot == slot; })) {
                concerned.push_back(sample_[s]);
                before.push_back(weights_[sample_[s]]);
            }
        std::vector<bool> usable(pool_.skeleton.joints.size(), false);
        for (const std::uint32_t t : taken_) usable[t] = true;
        usable[slot] = true;
        problem_.solve(everything_, concerned, weights_, &usable);
        double gain = 0;
        for (std::size_t i = 0; i < concerned.size(); ++i) {
            gain += before[i].error - weights_[concerned[i]].error;
            weights_[concerned[i]] = std::move(before[i]);
        }
        return gain;
    }

    void take(std::uint32_t slot) {
        taken_.push_back(slot);
        const std::vector<Weights> before = weights_;
        problem_.solve(problem_.bones(pool_.poses, taken_), problem_.reachedBy(slot), weights_);
        for (const std::uint32_t v : sample_)
            if (before[v].bones != weights_[v].bones || before[v].values != weights_[v].values) dirty_.push_back(v);
    }

    SkinProblem& problem_;
    HelperPool& pool_;
    std::vector<std::uint32_t> taken_;  ///< slots in use
    std::vector<Weights> weights_;
    std::vector<std::uint32_t> sample_, dirty_;
    std::vector<std::vector<Gain>> gains_;  ///< per sampled vertex
    BoneSet everything_;
};

/// Removes the driven joints of all slots except those of the helpers.
void dropOthers(BakedSkin& skin, std::size_t given_joints, std::size_t given_driven) {
    std::vector<bool> keep(skin.driven.size(), false);
    std::fill_n(keep.begin(), given_driven, true);
    for (const std::uint32_t slot : skin.helpers) keep[given_driven + slot - given_joints] = true;
    const std::vector<std::int32_t> new_slot = rig::keepDrivenJoints(skin.skeleton, skin.driven, keep);
    for (std::uint32_t& slot : skin.helpers) slot = std::uint32_t(new_slot[slot]);
    for (SkinWeights& weights : skin.weights)
        for (std::uint32_t& slot : weights.joints) slot = std::uint32_t(new_slot[slot]);
}

}  // namespace

void keepHelpers(BakedSkin& skin, std::size_t count) {
    if (count >= skin.helpers.size()) return;
    const std::size_t all = skin.helpers.size();
    skin.helpers.resize(count);
    skin.weights.resize(count + 1);
    dropOthers(skin, skin.skeleton.joints.size() - all, skin.driven.size() - all);
}

void addLearnedJoints(Skeleton& skeleton, std::vector<rig::DrivenJoint>& driven, std::span<const Vec3f> rest,
                      SkinSamples samples, std::size_t count, const Progress& progress) {
    // What joints a vertex may use is not asked: any row of weights will do.
    SkinWeights rows;
    for (std::size_t v = 0; v < rest.size(); ++v) appendVertex(rows, std::array{0U}, std::array{1.0F});
    SkinProblem problem(rest, skeleton, driven, rows, rows, std::move(samples), {}, progress);
    HelperPool pool{std::move(skeleton), driven, 0, driven.size(), {}};
    pool.given_joints = pool.skeleton.joints.size();
    pool.poses = problem.poses(pool.skeleton, pool.driven);
    addLearned(problem, sampleVertices(problem), count, pool, progress);
    skeleton = std::move(pool.skeleton);
    driven = std::move(pool.driven);
}

BakedSkin bakeSkin(std::span<const Vec3f> rest, std::span<const Triangle> triangles, const Skeleton& skeleton,
                   std::span<const rig::DrivenJoint> driven, const SkinWeights& given, const SkinWeights& reach,
                   SkinSamples samples, const BakeOptions& options, const Progress& progress) {
    progress.report("bake", 0);
    SkinProblem problem(rest, skeleton, driven, given, reach, std::move(samples), options, progress);
    HelperPool pool{skeleton, {driven.begin(), driven.end()}, skeleton.joints.size(), driven.size(), {}};
    pool.poses = problem.poses(skeleton, driven);
    std::vector<std::uint32_t> slots;
    for (std::uint32_t j = 0; j < skeleton.joints.size(); ++j)
        if (!problem.isLocked(j)) slots.push_back(j);
    std::vector<Weights> weights(rest.size());
    problem.solve(problem.bones(pool.poses, slots), everyVertex(problem), weights);
    const geometry::Adjacency neighbors = geometry::vertexAdjacency(triangles, rest.size());
    const auto smoothed = [&](const std::vector<std::uint32_t>& taken, std::vector<Weights> found) {
        problem.smooth(problem.bones(pool.poses, taken), neighbors, found);
        return problem.wholeWeights(found);
    };
    BakedSkin result{skeleton, pool.driven, {}, {smoothed(slots, weights)}};
    if (options.helpers == 0) return result;
    problem.setDone(0.3);
    addDriven(problem, weights, pool);
    addLearned(problem, sampleVertices(problem), options.helpers, pool, progress.share("bake", 0.3, 0.5));
    pool.poses = problem.poses(pool.skeleton, pool.driven);
    Helpers helpers(problem, pool, std::move(slots), std::move(weights));
    for (std::size_t h = 0; h < options.helpers; ++h) {
        problem.setDone(0.5 + 0.5 * double(h) / double(options.helpers));
        if (!helpers.takeBest()) break;
        result.helpers.push_back(helpers.taken().back());
        result.weights.push_back(smoothed(helpers.taken(), helpers.weights()));
    }
    result.skeleton = std::move(pool.skeleton);
    result.driven = std::move(pool.driven);
    dropOthers(result, skeleton.joints.size(), driven.size());
    return result;
}

}  // namespace pelt::fit
