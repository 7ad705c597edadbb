// The smoothing of §3.4 of [LeLewis19]: every joint's bind, or its bind times u u^T, where it reaches.
#include "ddm_smoothing.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

namespace pelt::deform {
namespace {

using geometry::LocalSmoother;
using geometry::SparseChannels;

/// Fewer vertices are smoothed to the last digits: there is little to gain.
constexpr std::size_t kLarge = 32768;
/// From here on a coarser surface is used.
constexpr std::size_t kCoarsenFrom = 1 << 19;

constexpr double kTolerance = 1e-7, kExact = 1e-16;  ///< of polynomials
/// Of a joint's part in a vertex where the mesh is large: a tenth of what is invisible and not stored.
constexpr double kCutoff = 1e-5;

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
        : key_(key), rough_(key.coarse && surface.positions.size() >= kLarge) {
        if (rough_) cutoff_ = std::max(cutoff_, kCutoff);
        if (rough_ && surface.positions.size() >= kCoarsenFrom && key.kind == geometry::SmoothingKind::implicit)
            level_ = geometry::makeCoarseLevel(surface.laplacian, surface.ties, surface.positions, surface.normals,
                                               key.strength, key.iterations, progress);
        if (level_) {
            mass_.assign(level_->nodeCount(), 0);
            for (std::size_t v = 0; v < level_->node_of.size(); ++v) mass_[level_->node_of[v]] += level_->mass[v];
            makeSmoother(level_->laplacian, level_->positions, level_->strength, progress);
        } else {
            makeSmoother(surface.whole(), surface.positions, key.strength, progress);
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
                      std::span<const double> strength, const Progress& progress) {
        node_count_ = positions.size();
        const double tolerance = rough_ ? kTolerance : kExact;
        const bool by_products = rough_ && geometry::smoothsByProducts(laplacian, strength, key_.iterations, tolerance);
        progress.report("order", 0);
        if (by_products || key_.kind == geometry::SmoothingKind::explicit_) {
            order_.resize(node_count_);
            std::iota(order_.begin(), order_.end(), 0u);
        } else {
            order_ = geometry::eliminationOrder(laplacian, positions);
        }
        progress.report("order", 0.2);
        smoother_.emplace(laplacian, order_, key_.kind, strength, tolerance, positions);
        if (!by_products) smoother_->prepare();
        progress.report("order", 1);
    }

    /// The means over the nodes.
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

/// The weights of the joints [first, last), a channel each, and their sum.
SparseChannels groupedWeights(const JointBind& bind, std::size_t first, std::size_t last) {
    std::vector<std::pair<std::uint32_t, std::size_t>> entries;  // vertex, joint
    for (std::size_t j = first; j < last; ++j)
        for (const std::uint32_t v : bind.vertices[j]) entries.emplace_back(v, j);
    std::sort(entries.begin(), entries.end());
    SparseChannels input{last - first + 1, {}, {}};
    std::vector<std::size_t> next(last - first, 0);  // joints' vertices ascend, so each is met in its order
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

/// Ψ of every joint: ten moments about `origin`, smoothed.
Field smoothMoments(const SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin, Domain& domain,
                    const Progress& progress) {
    std::vector<SparseChannels> by_joint(bind.jointCount());
    SharedProgress shared(progress, "smooth", surface.positions.size());
    parallelFor(by_joint.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
            by_joint[j] = domain.smooth(momentsOf(surface, bind, origin, j));
            shared.done(bind.vertices[j].size());
        }
    });
    return domain.collect(by_joint, kMoments);
}

/// w' of every joint: its weights, smoothed. Joints that follow each other mostly lie side by side: a few of them share
/// a region.
Field smoothWeights(const SmoothedSurface& surface, const JointBind& bind, Domain& domain, const Progress& progress) {
    constexpr std::size_t kGroup = 3;  // with the sum, four channels
    std::vector<SparseChannels> by_joint(bind.jointCount());
    SharedProgress shared(progress, "smooth weights", surface.positions.size());
    parallelFor((by_joint.size() + kGroup - 1) / kGroup, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t group = begin; group < end; ++group) {
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
            shared.done(input.vertices.size());
        }
    });
    return domain.collect(by_joint, 1);
}

/// Progress of some tasks side by side, told as their mean.
class SideBySide {
public:
    SideBySide(const Progress& progress, std::size_t tasks) : progress_(progress), done_(tasks, 0.0) {}

    Progress of(std::size_t task) {
        return Progress([this, task](std::string_view stage, double fraction) {
            const std::lock_guard lock(mutex_);
            // "coarsen" comes first, where it comes
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

SmoothedFields smoothFields(const SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin,
                            const SmoothingKey* psi_key, const SmoothingKey* weight_key, const Progress& progress) {
    const std::array<const SmoothingKey*, 2> keys{psi_key, weight_key};
    std::array<std::optional<Domain>, 2> domains;
    SideBySide both(progress, keys.size());
    parallelFor(keys.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            if (keys[i]) domains[i].emplace(surface, *keys[i], both.of(i));
    });
    SmoothedFields fields;
    if (psi_key) fields.psi = smoothMoments(surface, bind, origin, *domains[0], progress);
    domains[0].reset();
    if (weight_key) fields.weights = smoothWeights(surface, bind, *domains[1], progress);
    return fields;
}

}  // namespace pelt::deform
