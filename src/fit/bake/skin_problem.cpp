// The least squares problem of a baked skin: the poses to reach, the joints allowed per vertex.
#include "skin_problem.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/decompose/ssdr_kernel.h"

namespace pelt::fit::bake {
namespace {

constexpr std::size_t kMostInAGroup = 16384;  ///< vertices solved between two checks for cancellation
constexpr double kPriorCost = 3;              ///< cost of leaving the prior, where the error of each part is about one
constexpr double kSparseCost = 6;             ///< cost of leaving the remaining weights once there are at most K
constexpr double kHelperShare = 1;            ///< a helper's prior relative to that of the joints it lies between
constexpr double kHelperReach = 0.01;  ///< below this weight on those joints (a foot on the hip), no helper is used

void check(std::span<const Vec3f> rest, const Skeleton& skeleton, const SkinWeights& given, const SkinWeights& reach,
           const SkinSamples& samples) {
    const std::size_t vertices = rest.size();
    if (samples.vertices != vertices || given.vertexCount() != vertices || reach.vertexCount() != vertices)
        throw Error::badInput(
            fmt::format("the mesh has {} vertices, the samples {}, the weights {} and the reachable joints {}",
                        vertices, samples.vertices, given.vertexCount(), reach.vertexCount()));
    if (samples.samples == 0 || vertices == 0) throw Error::badInput("there are no samples to bake");
    if (samples.positions.size() != 3 * vertices * samples.samples || samples.importance.size() != samples.samples ||
        samples.locals.size() != skeleton.nodes.size() * samples.samples)
        throw Error::badInput("the numbers of positions, poses and importances do not match that of the samples");
    for (const double importance : samples.importance)
        if (!(importance > 0) || !std::isfinite(importance))
            throw Error::badInput("a sample's importance must be above 0");
    for (std::size_t i = 0; i < samples.positions.size(); ++i)
        if (!std::isfinite(samples.positions[i]))
            throw Error::badInput(
                fmt::format("vertex {} is not finite in sample {}", i / 3 / samples.samples, i / 3 % samples.samples));
}

/// Reduces all weights by the largest one beyond `most` (0: none), so that `most` are left and none of them jumps where
/// another takes its place.
void lowerToMost(std::size_t most, Weights& weights) {
    if (most == 0 || weights.values.size() <= most) return;
    std::vector<double> sorted = weights.values;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double limit = sorted[most];
    std::size_t kept = 0;
    double sum = 0;
    for (std::size_t i = 0; i < weights.bones.size(); ++i) {
        const double left = weights.values[i] - limit;
        if (!(left > 0)) continue;
        weights.bones[kept] = weights.bones[i];
        weights.values[kept++] = left;
        sum += left;
    }
    if (kept == 0) weights.values[0] = sum = double(++kept);  // all equal: keep the first
    weights.bones.resize(kept);
    weights.values.resize(kept);
    for (double& value : weights.values) value /= sum;
}

}  // namespace

SkinProblem::SkinProblem(std::span<const Vec3f> rest, const Skeleton& skeleton,
                         std::span<const rig::DrivenJoint> driven, const SkinWeights& given, const SkinWeights& reach,
                         SkinSamples samples, const BakeOptions& options, const Progress& progress)
    : nodes_(skeleton.nodes.size()), reach_(reach), influences_(options.influences), progress_(progress) {
    check(rest, skeleton, given, reach, samples);
    for (const double importance : samples.importance) scale_.push_back(std::sqrt(importance));
    locals_ = std::move(samples.locals);
    toSolvedSpace(rest, samples);

    brings_.resize(skeleton.joints.size());
    std::vector<bool> reached(skeleton.joints.size(), false);
    for (const std::uint32_t joint : reach.joints) reached[joint] = true;
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    for (std::uint32_t j = 0; j < parents.size(); ++j) {
        if (reached[j]) brings_[j].push_back({j, 1});
        // A joint without vertices, such as a helper that came with the file, may get some of its parent's.
        if (!reached[j] && parents[j] >= 0) brings_[std::size_t(parents[j])].push_back({j, kHelperShare});
    }
    locked_.assign(skeleton.joints.size(), false);
    for (const std::uint32_t slot : options.locked) locked_.at(slot) = true;
    splitLocked(skeleton, driven, given);
}

/// Rest pose and samples relative to their centers, in units of the radius; then each sample and its bones are scaled
/// by its importance.
void SkinProblem::toSolvedSpace(std::span<const Vec3f> rest, SkinSamples& samples) {
    const geometry::Sphere ball = geometry::smallestEnclosingSphere(rest);
    data_.vertices = samples.vertices;
    data_.frames = samples.samples;
    data_.values = std::move(samples.positions);
    data_.rest_center = ball.center;
    data_.radius = ball.radius > 0 ? ball.radius : 1;
    for (double& s : scale_) s *= data_.radius;  // importance refers to errors in the file's units
    for (const Vec3f& p : rest) data_.rest.push_back((Vec3d(p) - data_.rest_center) / data_.radius);
    data_.frame_center.assign(data_.frames, {});
    for (std::size_t v = 0; v < data_.vertices; ++v)
        for (std::size_t t = 0; t < data_.frames; ++t) {
            const float* x = data_.of(v) + 3 * t;
            data_.frame_center[t] += Vec3d(x[0], x[1], x[2]) / double(data_.vertices);
        }
    data_.squared.resize(data_.vertices);
    parallelFor(data_.vertices, kSolveGrain, [&](std::size_t first, std::size_t last) {
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

/// Locked weights are subtracted from the samples, so that the remaining weights sum to 1 again:
void SkinProblem::splitLocked(const Skeleton& skeleton, std::span<const rig::DrivenJoint> driven,
                              const SkinWeights& given) {
    fixed_.assign(data_.vertices, 0);
    held_.resize(data_.vertices);
    for (std::size_t v = 0; v < data_.vertices; ++v) {
        const auto joints = reach_.jointsOf(v);
        const bool open = std::any_of(joints.begin(), joints.end(), [&](std::uint32_t j) { return !locked_[j]; });
        for (std::size_t i = 0; i < given.influenceCount(v); ++i) {
            if (open && !locked_[given.jointsOf(v)[i]]) continue;
            held_[v].bones.push_back(given.jointsOf(v)[i]);
            held_[v].values.push_back(given.weightsOf(v)[i]);
            fixed_[v] += double(given.weightsOf(v)[i]);
        }
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
    for (const std::uint32_t joint : near) brings_[joint].push_back({slot, kHelperShare});
}

std::vector<std::uint32_t> SkinProblem::reachedBy(std::uint32_t slot) const {
    std::vector<bool> brings(brings_.size());
    for (std::size_t j = 0; j < brings_.size(); ++j)
        brings[j] = std::any_of(brings_[j].begin(), brings_[j].end(), [&](const Brought& b) { return b.slot == slot; });
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < data_.vertices; ++v) {
        const auto joints = reach_.jointsOf(v);
        if (std::any_of(joints.begin(), joints.end(), [&](std::uint32_t j) { return brings[j]; }))
            vertices.push_back(v);
    }
    return vertices;
}

std::vector<std::vector<Affine3d>> SkinProblem::poses(const Skeleton& skeleton,
                                                      std::span<const rig::DrivenJoint> driven) const {
    std::vector<std::vector<Affine3d>> poses(data_.frames);
    std::vector<Affine3d> rest;
    for (const SkeletonNode& node : skeleton.nodes) rest.push_back(rig::restLocal(node));
    parallelFor(data_.frames, 4, [&](std::size_t first, std::size_t last) {
        std::vector<Affine3d> local = rest;
        for (std::size_t t = first; t < last; ++t) {
            std::copy_n(locals_.begin() + std::ptrdiff_t(t * nodes_), nodes_, local.begin());
            rig::applyDrivers(skeleton, driven, local);
            poses[t] = rig::skinMatricesOf(skeleton, local);
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
                              const std::function<void(std::size_t, const Posed&, ssdr::SimplexSolver&)>& body,
                              const std::vector<bool>* usable) const {
    parallelFor(vertices.size(), kSolveGrain, [&](std::size_t first, std::size_t last) {
        ssdr::SimplexSolver solver(set.products);
        const std::size_t columns = set.motions.columns(), dimensions = data_.dimensions();
        std::vector<float> rows;
        for (std::size_t i = first; i < last; ++i)
            rows.insert(rows.end(), data_.of(vertices[i]), data_.of(vertices[i]) + dimensions);
        std::vector<double> projected((last - first) * columns), prior;
        ssdr::multiplyRows(rows.data(), last - first, dimensions, set.motions.m.data(), columns, projected.data());
        for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t v = vertices[i];
            prior.assign(set.slots.size(), 0.0);
            for (std::size_t r = 0; r < reach_.influenceCount(v); ++r)
                for (const Brought& brought : brings_[reach_.jointsOf(v)[r]]) {
                    if (brought.slot >= set.bone.size() || set.bone[brought.slot] < 0) continue;
                    if (usable && !(*usable)[brought.slot]) continue;
                    const bool helper = brought.slot != reach_.jointsOf(v)[r];
                    const double weight = double(reach_.weightsOf(v)[r]) - (helper ? kHelperReach : 0);
                    prior[std::size_t(set.bone[brought.slot])] += brought.share * std::max(weight, 0.0);
                }
            body(i, {projected.data() + (i - first) * columns, &prior}, solver);
        }
    });
}

/// The bones of a set that at least one of the vertices may use.
BoneSet SkinProblem::usedBy(const BoneSet& set, std::span<const std::uint32_t> vertices,
                            const std::vector<bool>* usable) const {
    std::vector<bool> reached(brings_.size(), false), wanted(set.bone.size(), false);
    for (const std::uint32_t v : vertices)
        for (const std::uint32_t joint : reach_.jointsOf(v)) reached[joint] = true;
    for (std::size_t joint = 0; joint < reached.size(); ++joint)
        for (const auto& [slot, share] : brings_[joint])
            if (reached[joint] && slot < wanted.size() && (!usable || (*usable)[slot])) wanted[slot] = true;

    BoneSet part;
    part.bone.assign(set.bone.size(), -1);
    std::vector<std::size_t> from;
    for (std::size_t b = 0; b < set.slots.size(); ++b) {
        if (!wanted[set.slots[b]]) continue;
        part.bone[set.slots[b]] = std::int32_t(part.slots.size());
        part.slots.push_back(set.slots[b]);
        from.push_back(b);
    }
    constexpr std::size_t kTerms = ssdr::BoneProducts::kTerms;
    const std::size_t count = from.size(), columns = set.motions.columns();
    part.motions.bones = part.products.bones = count;
    part.motions.frames = data_.frames;
    part.motions.m.resize(data_.dimensions() * 4 * count);
    for (std::size_t d = 0; d < data_.dimensions(); ++d)
        for (std::size_t b = 0; b < count; ++b)
            std::copy_n(set.motions.m.data() + d * columns + 4 * from[b], 4,
                        part.motions.m.data() + (d * count + b) * 4);
    part.products.pairs.resize(count * kTerms * count);
    part.products.diagonal.resize(kTerms * count);
    for (std::size_t term = 0; term < kTerms; ++term)
        for (std::size_t j = 0; j < count; ++j) {
            part.products.diagonal[term * count + j] = set.products.diagonal[term * set.slots.size() + from[j]];
            for (std::size_t k = 0; k < count; ++k)
                part.products.pairs[(k * kTerms + term) * count + j] =
                    set.products.of(from[k])[term * set.slots.size() + from[j]];
        }
    return part;
}

/// Weights are smooth over the mesh only if no hard choices are made. Therefore all joints in reach of a vertex are
/// solved for at first, with a cost of x²/prior that keeps a joint out where its prior fades (the minimum of that cost
/// is the prior itself, so it only matters where the samples say little); then all weights are reduced by the (K+1)-th
/// largest, which leaves K without jumps; then those are solved for again, with the result as their prior.
void SkinProblem::solveVertex(const BoneSet& set, std::uint32_t v, const Posed& posed, ssdr::SimplexSolver& solver,
                              Weights& found) const {
    const auto solveWith = [&](const std::vector<double>& prior, double cost) {
        solver.setVertex(data_.rest[v], posed.projected, data_.squared[v]);
        solver.addCost(cost, prior);
        Weights weights;
        solver.solve({}, 0, weights);
        return weights;
    };
    Weights dense = solveWith(*posed.prior, kPriorCost);
    lowerToMost(influencesLeft(v), dense);
    std::vector<double> prior(set.slots.size(), 0.0);
    for (std::size_t i = 0; i < dense.bones.size(); ++i) prior[dense.bones[i]] = dense.values[i];
    found = solveWith(prior, kSparseCost);
    solver.setVertex(data_.rest[v], posed.projected, data_.squared[v]);
    found.error = solver.errorOf(found);
}

/// Vertices of one joint have few bones in common, and the time depends on the number of bones.
void SkinProblem::solve(const BoneSet& whole, std::span<const std::uint32_t> vertices, std::vector<Weights>& weights,
                        const std::vector<bool>* usable) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_joint;
    for (const std::uint32_t v : vertices)
        if (!isFixed(v)) by_joint.emplace_back(reach_.jointsOf(v).front(), v);
    std::stable_sort(by_joint.begin(), by_joint.end(), [](auto a, auto b) { return a.first < b.first; });
    std::vector<std::uint32_t> group;
    for (std::size_t i = 0; i < by_joint.size(); ++i) {
        group.push_back(by_joint[i].second);
        const bool more = i + 1 < by_joint.size() && by_joint[i + 1].first == by_joint[i].first;
        if (more && group.size() < kMostInAGroup) continue;
        progress_.report("bake", done_);
        const BoneSet set = usedBy(whole, group, usable);
        forVertices(
            set, group,
            [&](std::size_t g, const Posed& posed, ssdr::SimplexSolver& solver) {
                Weights found;
                solveVertex(set, group[g], posed, solver, found);
                for (std::uint32_t& bone : found.bones) bone = set.slots[bone];
                weights[group[g]] = std::move(found);
            },
            usable);
        group.clear();
    }
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
