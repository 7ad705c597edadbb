// The smoothing of §3.4 of [LeLewis19]: the bind of every joint, or its bind times u u^T, on the part of the mesh that
// it reaches.
#include "ddm_smoothing.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <mutex>
#include <numeric>

namespace pelt::deform {
namespace {

using geometry::LocalSmoother;
using geometry::SparseChannels;

/// Smaller meshes are smoothed exactly, because there is little to gain.
constexpr std::size_t kCoarsenFrom = 32768;

constexpr double kTolerance = 1e-9, kExact = 1e-16;  ///< of polynomials

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
    Domain(SmoothedSurface& surface, const SmoothingKey& key, const Progress& progress) : key_(key) {
        const bool fine_enough = surface.positions.size() >= kCoarsenFrom;
        if (key.coarse && fine_enough && key.kind == geometry::SmoothingKind::implicit)
            level_ = geometry::makeCoarseLevel(surface.laplacian, surface.ties, surface.positions, surface.normals,
                                               key.strength, key.iterations, progress);
        if (level_) {
            order_ = naturalOrder(level_->laplacian, level_->strength, kTolerance);
            if (order_.empty()) order_ = geometry::eliminationOrder(level_->laplacian);
            mass_.assign(level_->nodeCount(), 0);
            for (std::size_t v = 0; v < level_->node_of.size(); ++v) mass_[level_->node_of[v]] += level_->mass[v];
            smoother_.emplace(level_->laplacian, order_, key.kind, level_->strength, kTolerance);
            return;
        }
        progress.report("order", 0);
        const double tolerance = key.coarse && fine_enough ? kTolerance : kExact;
        order_ = naturalOrder(surface.whole(), key.strength, tolerance);
        if (order_.empty() && surface.order.empty()) surface.order = geometry::eliminationOrder(surface.whole());
        smoother_.emplace(surface.whole(), order_.empty() ? surface.order : order_, key.kind, key.strength, tolerance);
        node_count_ = surface.positions.size();
    }

    SparseChannels smooth(const SparseChannels& input) const {
        return smoother_->smooth(level_ ? restricted(input) : input, key_.iterations, key_.cutoff);
    }

    Field collect(std::vector<SparseChannels>& by_joint, std::size_t width) {
        Field field{byNode(by_joint, level_ ? level_->nodeCount() : node_count_, width), {}};
        if (level_) field.between = std::move(level_->between);
        return field;
    }

private:
    /// The identity order if no factorization is needed; otherwise empty.
    std::vector<std::uint32_t> naturalOrder(const geometry::Laplacian& laplacian, std::span<const double> strength,
                                            double tolerance) const {
        if (!key_.coarse || !geometry::smoothsByProducts(laplacian, strength, key_.iterations, tolerance)) return {};
        std::vector<std::uint32_t> order(strength.size());
        std::iota(order.begin(), order.end(), 0u);
        return order;
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

}  // namespace

Field smoothMoments(SmoothedSurface& surface, const JointBind& bind, const Vec3d& origin, const SmoothingKey& key,
                    const Progress& progress) {
    Domain domain(surface, key, progress);
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

/// Consecutive joints are mostly neighbors: a few of them share a region and its factorization.
Field smoothWeights(SmoothedSurface& surface, const JointBind& bind, const SmoothingKey& key,
                    const Progress& progress) {
    constexpr std::size_t kGroup = 3;  // with the sum, four channels
    Domain domain(surface, key, progress);
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
                    if (!(w > key.cutoff)) continue;
                    by_joint[j].vertices.push_back(result.vertices[i]);
                    by_joint[j].values.push_back(w);
                }
            shared.done(input.vertices.size());
        }
    });
    return domain.collect(by_joint, 1);
}

}  // namespace pelt::deform
