#include "skin_problem.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../ssdr/ssdr_kernel.h"

namespace pelt::fit::bake {
namespace {

constexpr std::size_t kGrain = 64;  ///< vertices that are solved by one task

void check(std::span<const Vec3f> rest, const Skeleton& skeleton, const SkinWeights& start, const SkinWeights& reach,
           const SkinSamples& samples) {
    const std::size_t vertices = rest.size();
    if (samples.vertices != vertices || start.vertexCount() != vertices || reach.vertexCount() != vertices)
        throw Error::badInput(fmt::format("{} vertices, but samples of {}, weights of {} and joints in reach of {}",
                                          vertices, samples.vertices, start.vertexCount(), reach.vertexCount()));
    if (samples.samples == 0 || vertices == 0) throw Error::badInput("there are no samples to bake");
    if (samples.positions.size() != 3 * vertices * samples.samples || samples.importance.size() != samples.samples ||
        samples.locals.size() != skeleton.nodes.size() * samples.samples)
        throw Error::badInput("the samples' positions, poses and importance do not fit their number");
    for (const double importance : samples.importance)
        if (!(importance > 0) || !std::isfinite(importance))
            throw Error::badInput("a sample's importance must be above 0");
    for (std::size_t i = 0; i < samples.positions.size(); ++i)
        if (!std::isfinite(samples.positions[i]))
            throw Error::badInput(
                fmt::format("vertex {} is not finite in sample {}", i / 3 / samples.samples, i / 3 % samples.samples));
}

}  // namespace

SkinProblem::SkinProblem(std::span<const Vec3f> rest, const Skeleton& skeleton,
                         std::span<const rig::DrivenJoint> driven, const SkinWeights& start, const SkinWeights& reach,
                         SkinSamples samples, const BakeOptions& options)
    : nodes_(skeleton.nodes.size()), influences_(options.influences) {
    check(rest, skeleton, start, reach, samples);
    for (std::size_t v = 0; v < rest.size(); ++v) {
        std::vector<std::uint32_t> row(reach.jointsOf(v).begin(), reach.jointsOf(v).end());
        row.insert(row.end(), start.jointsOf(v).begin(), start.jointsOf(v).end());
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        reach_.insert(reach_.end(), row.begin(), row.end());
        reach_begin_.push_back(reach_.size());
    }
    for (const double importance : samples.importance) scale_.push_back(std::sqrt(importance));
    locals_ = std::move(samples.locals);
    toSolvedSpace(rest, samples);

    brings_.resize(skeleton.joints.size());
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    for (std::uint32_t j = 0; j < parents.size(); ++j) {
        brings_[j].push_back(j);
        if (parents[j] < 0) continue;
        brings_[j].push_back(std::uint32_t(parents[j]));
        brings_[std::size_t(parents[j])].push_back(j);
    }
    locked_.assign(skeleton.joints.size(), false);
    for (const std::uint32_t slot : options.locked) locked_.at(slot) = true;
    splitLocked(skeleton, driven, start);
}

/// Rest and every sample about their centres, in units of the radius; then each sample by its importance, which scales
/// its bones too.
void SkinProblem::toSolvedSpace(std::span<const Vec3f> rest, SkinSamples& samples) {
    const geometry::Sphere ball = geometry::smallestEnclosingSphere(rest);
    data_.vertices = samples.vertices;
    data_.frames = samples.samples;
    data_.values = std::move(samples.positions);
    data_.rest_center = ball.center;
    data_.radius = ball.radius > 0 ? ball.radius : 1;
    for (const Vec3f& p : rest) data_.rest.push_back((Vec3d(p) - data_.rest_center) / data_.radius);
    data_.frame_center.assign(data_.frames, {});
    for (std::size_t v = 0; v < data_.vertices; ++v)
        for (std::size_t t = 0; t < data_.frames; ++t) {
            const float* x = data_.of(v) + 3 * t;
            data_.frame_center[t] += Vec3d(x[0], x[1], x[2]) / double(data_.vertices);
        }
    data_.squared.resize(data_.vertices);
    parallelFor(data_.vertices, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            double squared = 0;
            for (std::size_t d = 0; d < data_.dimensions(); ++d) {
                float& x = data_.values[v * data_.dimensions() + d];
                x = float((double(x) - data_.frame_center[d / 3][int(d % 3)]) / data_.radius * scale_[d / 3]);
                squared += double(x) * double(x);
            }
            data_.squared[v] = squared;
        }
    });
}

/// What is locked is taken from the samples, so that what is left to solve has weights of sum 1 again:
/// (x - Σ_locked w M p) / (1 - Σ_locked w).
void SkinProblem::splitLocked(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                              const SkinWeights& start) {
    fixed_.assign(data_.vertices, 0);
    held_.resize(data_.vertices);
    start_.resize(data_.vertices);
    for (std::size_t v = 0; v < data_.vertices; ++v) {
        std::vector<std::pair<std::uint32_t, double>> sorted;
        for (std::size_t i = 0; i < start.influenceCount(v); ++i)
            sorted.emplace_back(start.jointsOf(v)[i], start.weightsOf(v)[i]);
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [slot, weight] : sorted) {
            Weights& to = locked_[slot] ? held_[v] : start_[v];
            to.bones.push_back(slot);
            to.values.push_back(weight);
            if (locked_[slot]) fixed_[v] += weight;
        }
        if (start_[v].bones.empty()) fixed_[v] = 1;
        const double sum = std::accumulate(start_[v].values.begin(), start_[v].values.end(), 0.0);
        for (double& value : start_[v].values) value /= sum;
    }
    if (std::none_of(locked_.begin(), locked_.end(), [](bool is) { return is; })) return;
    std::vector<std::uint32_t> all(skeleton.joints.size());
    std::iota(all.begin(), all.end(), 0u);
    const BoneSet set = bones(poses(skeleton, driven), all);
    for (std::size_t v = 0; v < data_.vertices; ++v) {
        if (held_[v].bones.empty() || isFixed(v)) continue;
        const Vec3d p = data_.rest[v];
        double squared = 0;
        for (std::size_t d = 0; d < data_.dimensions(); ++d) {
            double x = data_.of(v)[d];
            const double* row = set.motions.m.data() + d * set.motions.columns();
            for (std::size_t i = 0; i < held_[v].bones.size(); ++i) {
                const double* m = row + 4 * held_[v].bones[i];
                x -= held_[v].values[i] * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
            }
            x /= 1 - fixed_[v];
            data_.values[v * data_.dimensions() + d] = float(x);
            squared += x * x;
        }
        data_.squared[v] = squared;
    }
}

void SkinProblem::allow(std::uint32_t slot, std::span<const std::uint32_t> near) {
    for (const std::uint32_t joint : near) brings_[joint].push_back(slot);
}

std::vector<std::vector<Affine3d>> SkinProblem::poses(const Skeleton& skeleton,
                                                      std::span<const rig::DrivenJoint> driven) const {
    std::vector<std::vector<Affine3d>> poses(data_.frames);
    std::vector<Affine3d> rest;
    for (const SkeletonNode& node : skeleton.nodes) rest.push_back(rig::restLocal(node));
    parallelFor(data_.frames, 4, [&](std::size_t first, std::size_t last) {
        std::vector<Affine3d> local = rest, world(rest.size());
        for (std::size_t t = first; t < last; ++t) {
            std::copy_n(locals_.begin() + std::ptrdiff_t(t * nodes_), nodes_, local.begin());
            rig::applyDrivers(skeleton, driven, local);
            rig::worldTransforms(skeleton, local, world);
            for (const Joint& joint : skeleton.joints) poses[t].push_back(world[joint.node] * joint.inverse_bind);
        }
    });
    return poses;
}

std::vector<Affine3d> SkinProblem::worlds(const Skeleton& skeleton, std::size_t sample) const {
    std::vector<Affine3d> world(skeleton.nodes.size());
    std::vector<Affine3d> local(locals(sample).begin(), locals(sample).end());
    for (std::size_t n = local.size(); n < world.size(); ++n) local.push_back(rig::restLocal(skeleton.nodes[n]));
    rig::worldTransforms(skeleton, local, world);
    return world;
}

Affine3d SkinProblem::toSolved(const Affine3d& m, std::size_t t) const {
    const double s = scale_[t];
    Mat3d linear = m.linear();
    for (Vec3d& column : linear.col) column = column * s;
    return {linear, (m * data_.rest_center - data_.frame_center[t]) / data_.radius * s};
}

BoneSet SkinProblem::bones(const std::vector<std::vector<Affine3d>>& poses, std::vector<std::uint32_t> slots) const {
    BoneSet set;
    set.bone.assign(poses.front().size(), -1);
    set.motions = ssdr::Motions(slots.size(), data_.frames);
    for (std::size_t b = 0; b < slots.size(); ++b) {
        set.bone[slots[b]] = std::int32_t(b);
        for (std::size_t t = 0; t < data_.frames; ++t) set.motions.set(t, b, toSolved(poses[t][slots[b]], t));
    }
    set.products = ssdr::productsOf(set.motions);
    set.slots = std::move(slots);
    return set;
}

std::size_t SkinProblem::influencesLeft(std::size_t vertex) const {
    if (influences_ == 0) return 0;
    const std::size_t held = held_[vertex].bones.size();
    return influences_ > held ? influences_ - held : 1;
}

void SkinProblem::forVertices(const BoneSet& set, std::span<const std::uint32_t> vertices,
                              const std::function<void(std::size_t, ssdr::SimplexSolver&)>& body,
                              const std::vector<bool>* usable) const {
    parallelFor(vertices.size(), kGrain, [&](std::size_t first, std::size_t last) {
        ssdr::SimplexSolver solver(set.products);
        const std::size_t columns = set.motions.columns(), dimensions = data_.dimensions();
        std::vector<float> rows;
        for (std::size_t i = first; i < last; ++i)
            rows.insert(rows.end(), data_.of(vertices[i]), data_.of(vertices[i]) + dimensions);
        std::vector<double> projected((last - first) * columns);
        ssdr::multiplyRows(rows.data(), last - first, dimensions, set.motions.m.data(), columns, projected.data());
        std::vector<bool> allowed;
        for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t v = vertices[i];
            solver.setVertex(data_.rest[v], projected.data() + (i - first) * columns, data_.squared[v]);
            allowed.assign(set.slots.size(), false);
            for (const std::uint32_t joint : reachOf(v))
                for (const std::uint32_t slot : brings_[joint])
                    if (slot < set.bone.size() && set.bone[slot] >= 0 && (!usable || (*usable)[slot]))
                        allowed[std::size_t(set.bone[slot])] = true;
            solver.allow(allowed);
            body(i, solver);
        }
    });
}

void SkinProblem::solve(const BoneSet& set, std::span<const std::uint32_t> vertices, std::vector<Weights>& weights,
                        const std::vector<bool>* usable) const {
    const auto solveOne = [&](std::size_t i, ssdr::SimplexSolver& solver) {
        const std::uint32_t v = vertices[i];
        if (isFixed(v)) return;
        Weights start = weights[v], found;
        for (std::uint32_t& bone : start.bones) bone = std::uint32_t(set.bone[bone]);
        solver.solve(start, influencesLeft(v), found);
        for (std::uint32_t& bone : found.bones) bone = set.slots[bone];
        weights[v] = std::move(found);
    };
    forVertices(set, vertices, solveOne, usable);
}

SkinWeights SkinProblem::wholeWeights(const std::vector<Weights>& weights) const {
    constexpr double kTiny = 1e-7;
    SkinWeights whole;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (std::size_t v = 0; v < weights.size(); ++v) {
        joints = held_[v].bones;
        values.assign(held_[v].values.begin(), held_[v].values.end());
        for (std::size_t i = 0; i < weights[v].bones.size() && !isFixed(v); ++i) {
            const double value = weights[v].values[i] * (1 - fixed_[v]);
            if (value < kTiny) continue;
            joints.push_back(weights[v].bones[i]);
            values.push_back(float(value));
        }
        appendVertex(whole, joints, values);
    }
    return whole;
}

}  // namespace pelt::fit::bake
