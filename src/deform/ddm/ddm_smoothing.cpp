// The smoothing of §3.4 of [LeLewis19]: the bind of every joint, or its bind times u u^T, in the region of the mesh
// that it reaches.
#include "ddm_smoothing.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>

namespace pelt::deform {
namespace {

using geometry::LocalSmoother;
using geometry::SparseChannels;

/// Meshes with more vertices use a coarser surface.
constexpr std::size_t kCoarsenFrom = 1 << 17;

constexpr double kTolerance = 1e-7, kExact = 1e-16;  ///< of polynomials
/// Cutoff for a joint's weight on large meshes: a third of the weight that is too small to store.
constexpr double kCutoff = 3e-5;

/// Progress of work by many threads; reports are made one at a time.
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

/// Smoothed channels of all joints, regrouped by node.
VertexChannels byNode(std::vector<SparseChannels>& by_joint, std::size_t node_count, std::size_t width) {
    VertexChannels result;
    result.width = width;
    result.offsets.assign(node_count + 1, 0);
    for (const SparseChannels& channels : by_joint)
        for (const std::uint32_t v : channels.vertices) ++result.offsets[v + 1];
    for (std::size_t v = 0; v < node_count; ++v) result.offsets[v + 1] += result.offsets[v];
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

/// Where a field is smoothed: on the surface itself or on a coarser one.
class Domain {
public:
    Domain(const SmoothedSurface& surface, const SmoothingKey& key, const Progress& progress)
        : key_(key), rough_(key.coarse) {
        if (rough_) cutoff_ = std::max(cutoff_, kCutoff);
        if (rough_ && surface.positions.size() >= kCoarsenFrom && key.kind == geometry::SmoothingKind::implicit)
            level_ = geometry::makeCoarseLevel(surface.laplacian, surface.ties, surface.positions, surface.normals,
                                               key.strength, key.iterations, progress);
        if (level_) {
            mass_.assign(level_->nodeCount(), 0);
            for (std::size_t v = 0; v < level_->node_of.size(); ++v) mass_[level_->node_of[v]] += level_->mass[v];
            makeSmoother(level_->laplacian, level_->positions, level_->strength, {}, progress);
        } else {
            makeSmoother(surface.whole(), surface.positions, key.strength, surface.order, progress);
        }
    }

    double cutoff() const { return cutoff_; }

    SparseChannels smooth(const SparseChannels& input) const {
        return smoother_->smooth(level_ ? restricted(input) : input, key_.iterations, cutoff_);
    }

    Field collect(std::vector<SparseChannels>& by_joint, std::size_t width) {
        Field field{byNode(by_joint, node_count_, width), {}};
        if (level_) field.between = std::move(level_->between);
        return field;
    }

private:
    void makeSmoother(const geometry::Laplacian& laplacian, std::span<const Vec3f> positions,
                      std::span<const double> strength, std::span<const std::uint32_t> known_order,
                      const Progress& progress) {
        node_count_ = positions.size();
        const double tolerance = rough_ ? kTolerance : kExact;
        const bool by_products = rough_ && geometry::smoothsByProducts(laplacian, strength, key_.iterations, tolerance);
        progress.report("order", 0);
        if (by_products || key_.kind == geometry::SmoothingKind::explicit_) {
            order_.resize(node_count_);
            std::iota(order_.begin(), order_.end(), 0u);
        } else if (!known_order.empty()) {
            order_.assign(known_order.begin(), known_order.end());
        } else {
            order_ = geometry::eliminationOrder(laplacian, positions);
        }
        progress.report("order", 0.2);
        smoother_.emplace(laplacian, order_, key_.kind, strength, tolerance, positions);
        if (rough_ && !by_products) smoother_->prepare();  // on smaller meshes: on demand
        progress.report("order", 1);
    }

    /// Averages values over the vertices of each node.
    SparseChannels restricted(const SparseChannels& input) const {
        const std::size_t width = input.width;
        SparseChannels result{width, {}, {}};
        for (const std::uint32_t v : input.vertices) result.vertices.push_back(level_->node_of[v]);
        std::sort(result.vertices.begin(), result.vertices.end());
        result.vertices.erase(std::unique(result.vertices.begin(), result.vertices.end()), result.vertices.end());
        result.values.assign(result.vertices.size() * width, 0.0);
        std::vector<std::uint32_t> row_of(level_->nodeCount());
        for (std::uint32_t row = 0; row < result.vertices.size(); ++row) row_of[result.vertices[row]] = row;
        for (std::size_t i = 0; i < input.vertices.size(); ++i) {
            const std::uint32_t v = input.vertices[i], node = level_->node_of[v];
            const double share = level_->mass[v] / mass_[node];
            double* row = result.values.data() + row_of[node] * width;
            for (std::size_t c = 0; c < width; ++c) row[c] += share * input.values[i * width + c];
        }
        return result;
    }

    const SmoothingKey& key_;
    bool rough_;
    double cutoff_ = key_.cutoff;
    std::optional<geometry::CoarseLevel> level_;
    std::vector<std::uint32_t> order_;
    std::vector<double> mass_;  ///< per node
    std::optional<LocalSmoother> smoother_;
    std::size_t node_count_ = 0;
};

/// Weight times u u^T of one joint, ten channels, the weight last.
SparseChannels momentsOf(const SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin,
                         std::size_t joint) {
    SparseChannels input{kMoments, bind.vertices[joint], {}};
    input.values.reserve(kMoments * input.vertices.size());
    for (std::size_t i = 0; i < input.vertices.size(); ++i) {
        const double w = bind.weights[joint][i];
        const Vec3d u = Vec3d(surface.positions[input.vertices[i]]) - origin;
        for (const double m : {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z, u.z * u.z, u.x, u.y, u.z, 1.0})
            input.values.push_back(w * m);
    }
    return input;
}

/// The weights of the joints [first, last), one channel each, and their sum.
SparseChannels groupedWeights(const JointBind& bind, std::size_t first, std::size_t last) {
    std::vector<std::pair<std::uint32_t, std::size_t>> entries;  // vertex, joint
    for (std::size_t j = first; j < last; ++j)
        for (const std::uint32_t v : bind.vertices[j]) entries.emplace_back(v, j);
    std::sort(entries.begin(), entries.end());
    SparseChannels input{last - first + 1, {}, {}};
    std::vector<std::size_t> next(last - first, 0);  // the vertices of joints are ascending, so each is found in order
    for (const auto& [v, j] : entries) {
        if (input.vertices.empty() || input.vertices.back() != v) {
            input.vertices.push_back(v);
            input.values.resize(input.values.size() + input.width, 0.0);
        }
        double* row = input.values.data() + input.values.size() - input.width;
        row[j - first] = bind.weights[j][next[j - first]++];
        row[input.width - 1] += row[j - first];
    }
    return input;
}

/// Consecutive joints are mostly adjacent, so a few of them share the region in which weights are smoothed.
constexpr std::size_t kGroup = 3;  // with the sum, four channels

/// The weights of a group of joints, smoothed; returns how many vertices they are bound to.
std::size_t smoothGroup(const JointBind& bind, const Domain& domain, std::size_t group,
                        std::vector<SparseChannels>& by_joint) {
    const std::size_t first = group * kGroup, last = std::min(first + kGroup, by_joint.size());
    const SparseChannels input = groupedWeights(bind, first, last);
    const SparseChannels result = domain.smooth(input);
    for (std::size_t i = 0; i < result.vertices.size(); ++i)
        for (std::size_t j = first; j < last; ++j) {
            const double w = result.values[i * result.width + j - first];
            if (!(w > domain.cutoff())) continue;
            by_joint[j].vertices.push_back(result.vertices[i]);
            by_joint[j].values.push_back(w);
        }
    return input.vertices.size();
}

/// One joint's moments or one group's weights.
struct Task {
    double cost;  ///< roughly: channels times vertices within reach
    bool moments;
    std::size_t index;
};

/// Number of vertices within reach of a joint: those bound to it and, since a step of strength k is sqrt(k)/2 edges
/// wide, about a hundred k more.
double reached(const JointBind& bind, std::size_t joint, std::span<const double> strength) {
    if (bind.vertices[joint].empty()) return 0;
    double sum = 0;
    for (const std::uint32_t v : bind.vertices[joint]) sum += strength[v];
    const double count = double(bind.vertices[joint].size());
    return std::min(double(strength.size()), count + 400 * sum / count);
}

/// Expensive tasks first, so that no thread starts one at the end.
std::vector<Task> makeTasks(const JointBind& bind, const SmoothingKey* psi_key, const SmoothingKey* weight_key) {
    std::vector<Task> tasks;
    for (std::size_t j = 0; psi_key && j < bind.jointCount(); ++j)
        tasks.push_back({double(kMoments) * reached(bind, j, psi_key->strength), true, j});
    for (std::size_t first = 0; weight_key && first < bind.jointCount(); first += kGroup) {
        double cost = 0;
        for (std::size_t j = first; j < std::min(first + kGroup, bind.jointCount()); ++j)
            cost = std::max(cost, double(kGroup + 1) * reached(bind, j, weight_key->strength));
        tasks.push_back({cost, false, first / kGroup});
    }
    std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
    return tasks;
}

/// Whether a field certainly needs the elimination order of the surface itself.
bool usesOrder(const SmoothingKey* key) {
    return key && !key->coarse && key->kind == geometry::SmoothingKind::implicit;
}

/// Progress of parallel tasks, reported as their mean.
class SideBySide {
public:
    SideBySide(const Progress& progress, std::size_t tasks) : progress_(progress), done_(tasks, 0.0) {}

    Progress of(std::size_t task) {
        return Progress([this, task](std::string_view stage, double fraction) {
            const std::lock_guard lock(mutex_);
            // "coarsen" comes first, if it is needed
            done_[task] = std::max(done_[task], stage == "order" ? 0.5 + 0.5 * fraction : 0.5 * fraction);
            progress_.report("order", std::accumulate(done_.begin(), done_.end(), 0.0) / double(done_.size()));
            return true;
        });
    }

private:
    const Progress& progress_;
    std::vector<double> done_;
    std::mutex mutex_;
};

}  // namespace

SmoothedFields smoothFields(SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin,
                            const SmoothingKey* psi_key, const SmoothingKey* weight_key, const Progress& progress) {
    const std::array<const SmoothingKey*, 2> keys{psi_key, weight_key};
    if (surface.order.empty() && std::any_of(keys.begin(), keys.end(), usesOrder)) {
        progress.report("order", 0);
        surface.order = geometry::eliminationOrder(surface.whole(), surface.positions);
    }
    std::array<std::optional<Domain>, 2> domains;
    SideBySide both(progress, keys.size());
    parallelFor(keys.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            if (keys[i]) domains[i].emplace(surface, *keys[i], both.of(i));
    });
    const std::vector<Task> tasks = makeTasks(bind, psi_key, weight_key);
    std::array<std::vector<SparseChannels>, 2> by_joint;
    for (auto& channels : by_joint) channels.resize(bind.jointCount());
    SharedProgress shared(progress, "smooth",
                          (int(psi_key != nullptr) + int(weight_key != nullptr)) * surface.positions.size());
    std::atomic<std::size_t> next = 0;
    parallelFor(tasks.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Task& task = tasks[next++];
            if (task.moments) {
                by_joint[0][task.index] = domains[0]->smooth(momentsOf(surface, bind, origin, task.index));
                shared.done(bind.vertices[task.index].size());
            } else {
                shared.done(smoothGroup(bind, *domains[1], task.index, by_joint[1]));
            }
        }
    });
    SmoothedFields fields;
    parallelFor(keys.size(), 1, [&](std::size_t first, std::size_t last) {
        if (first == 0 && psi_key) fields.psi = domains[0]->collect(by_joint[0], kMoments);
        if (last == 2 && weight_key) fields.weights = domains[1]->collect(by_joint[1], 1);
    });
    return fields;
}

}  // namespace pelt::deform
