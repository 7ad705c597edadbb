// Candidates for helper joints: driven ones, [MohrGleicher03] §4.1, and ones learned from the remaining error. A
// learned joint starts as a free bone of a decomposition [LeDeng12] whose other bones are those of the skeleton. It is
// attached to the joint with which it shares most vertices, and its motion relative to that joint is regressed on the
// rotations of nearby joints, so that it also moves in poses that were not sampled.
#include "helper_pool.h"

#include <fmt/format.h>
#include <pelt/fit/decompose.h>

#include <Eigen/Dense>
#include <algorithm>
#include <set>

namespace pelt::fit::bake {
namespace {

constexpr std::size_t kRotations = 3;     ///< a quarter, half and three quarters of the rotation
constexpr std::size_t kMostDrivers = 48;  ///< joints for which driven ones are tried: bounds the time of large rigs
constexpr std::size_t kMostInputs = 3;    ///< rotations that drive a learned joint
constexpr double kWorthAnInput = 0.15;    ///< of the squared error: a smaller gain does not justify another input
constexpr double kRidge = 1e-3;           ///< of the mean square of the terms: ridge that keeps coefficients small
constexpr int kIterations = 12;           ///< of the decomposition

std::vector<std::int32_t> slotOfNode(const Skeleton& skeleton) {
    std::vector<std::int32_t> slot(skeleton.nodes.size(), -1);
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot[skeleton.joints[j].node] = std::int32_t(j);
    return slot;
}

/// The given joints between which a driven joint lies.
std::vector<std::uint32_t> jointsAt(const Skeleton& skeleton, const rig::DrivenJoint& joint,
                                    const std::vector<std::int32_t>& slot_of_node,
                                    const std::vector<std::int32_t>& parents) {
    std::set<std::uint32_t> near;
    const auto add = [&](std::int32_t slot) {
        if (slot >= 0) near.insert(std::uint32_t(slot));
    };
    const std::int32_t driver = slot_of_node[joint.driver];
    add(driver);
    if (skeleton.nodes[joint.node].parent >= 0) add(slot_of_node[std::size_t(skeleton.nodes[joint.node].parent)]);
    if (driver >= 0) add(parents[std::size_t(driver)]);
    if (const auto* learned = joint.as<rig::DrivenLearned>())
        for (const rig::LearnedInput& input : learned->inputs) add(slot_of_node[input.node]);
    if (const auto* scale = joint.as<rig::DrivenScale>())
        for (const std::uint32_t child : scale->children) add(slot_of_node[child]);
    return {near.begin(), near.end()};
}

void allowFrom(SkinProblem& problem, const HelperPool& pool, std::size_t first_driven) {
    std::vector<std::int32_t> slots = slotOfNode(pool.skeleton);
    std::vector<std::int32_t> given = slots;
    for (std::int32_t& slot : given)
        if (slot >= std::int32_t(pool.given_joints)) slot = -1;
    const std::vector<std::int32_t> parents = rig::jointParents(pool.skeleton);
    for (std::size_t i = first_driven; i < pool.driven.size(); ++i)
        problem.allow(std::uint32_t(slots[pool.driven[i].node]),
                      jointsAt(pool.skeleton, pool.driven[i], given, parents));
}

/// Nodes of the joints with most of the error. A driven joint drives nothing.
std::vector<std::uint32_t> worstDrivers(const HelperPool& pool, std::span<const Weights> weights) {
    const std::vector<std::int32_t> parents = rig::jointParents(pool.skeleton);
    std::vector<double> share(parents.size(), 0.0);
    for (const Weights& w : weights)
        for (std::size_t i = 0; i < w.bones.size(); ++i) share[w.bones[i]] += w.values[i] * w.error;
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (std::size_t j = 0; j < parents.size(); ++j) {
        const std::uint32_t node = pool.skeleton.joints[j].node;
        const bool driven = std::any_of(pool.driven.begin(), pool.driven.end(),
                                        [&](const rig::DrivenJoint& joint) { return joint.node == node; });
        if (parents[j] >= 0 && !driven) ranked.emplace_back(share[j] + share[std::size_t(parents[j])], node);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ranked.size() > kMostDrivers) ranked.resize(kMostDrivers);
    std::vector<std::uint32_t> nodes;
    for (const auto& entry : ranked) nodes.push_back(entry.second);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

/// A free bone: its position, its motion, and the joints that share its vertices.
struct FreeBone {
    Vec3d center;
    std::vector<Affine3d> motion;                           ///< per sample
    std::vector<std::pair<double, std::uint32_t>> company;  ///< shared weight and slot, the largest first
};

std::vector<FreeBone> findFreeBones(const SkinProblem& problem, std::span<const std::uint32_t> sample,
                                    std::size_t count, const HelperPool& pool, const Progress& progress) {
    const ssdr::Trajectories& data = problem.data();
    std::vector<Vec3f> rest, frames(sample.size() * data.frames);
    for (const std::uint32_t v : sample) rest.emplace_back(data.rest[v] * data.radius + data.rest_center);
    for (std::size_t i = 0; i < sample.size(); ++i)
        for (std::size_t t = 0; t < data.frames; ++t) {
            const float* x = data.of(sample[i]) + 3 * t;
            frames[t * sample.size() + i] =
                Vec3f(Vec3d(x[0], x[1], x[2]) * (data.radius / problem.scale()[t]) + data.frame_center[t]);
        }
    DecomposeOptions options;
    options.kept_bones = pool.given_joints;
    options.bones = pool.given_joints + count;
    options.max_iterations = kIterations;
    options.correct_rest = false;
    for (const auto& pose : pool.poses)
        options.kept_motion.insert(options.kept_motion.end(), pose.begin(),
                                   pose.begin() + std::ptrdiff_t(pool.given_joints));
    const auto sequence = makeSequence(std::move(frames), sample.size());
    const Decomposition found = decompose(*sequence, rest, {}, options, progress);

    std::vector<FreeBone> bones(count);
    for (std::size_t b = 0; b < count; ++b) {
        const auto bone = std::uint32_t(pool.given_joints + b);
        double total = 0;
        std::vector<double> shared(pool.given_joints, 0.0);
        for (std::size_t v = 0; v < sample.size(); ++v) {
            const auto joints = found.weights.jointsOf(v);
            const auto own = std::find(joints.begin(), joints.end(), bone);
            if (own == joints.end()) continue;
            const double w = found.weights.weightsOf(v)[std::size_t(own - joints.begin())];
            total += w;
            bones[b].center += Vec3d(rest[v]) * w;
            for (std::size_t i = 0; i < joints.size(); ++i)
                if (joints[i] < pool.given_joints) shared[joints[i]] += w * double(found.weights.weightsOf(v)[i]);
        }
        for (std::uint32_t j = 0; j < shared.size(); ++j)
            if (shared[j] > 0) bones[b].company.emplace_back(shared[j], j);
        std::stable_sort(bones[b].company.begin(), bones[b].company.end(),
                         [](const auto& x, const auto& y) { return x.first > y.first; });
        if (total > 0) bones[b].center = bones[b].center / total;
        for (std::size_t t = 0; t < data.frames; ++t) bones[b].motion.push_back(found.pose(t)[bone]);
    }
    std::erase_if(bones, [](const FreeBone& bone) { return bone.company.empty(); });
    return bones;
}

Vec3d rotationVector(const Quatd& q) {
    const double sign = q.w < 0 ? -1 : 1;
    const Vec3d v{sign * q.x, sign * q.y, sign * q.z};
    const double sine = length(v);
    return sine > 1e-12 ? v * (2 * std::atan2(sine, sign * q.w) / sine) : v * 2.0;
}

/// Coefficients that reproduce `wanted` (samples x 6) from the inputs' terms; returns the remaining squared error.
double regress(const std::vector<Eigen::MatrixXd>& terms, const Eigen::MatrixXd& wanted, Eigen::MatrixXd& found) {
    Eigen::MatrixXd a(wanted.rows(), Eigen::Index(terms.size() * rig::kLearnedTerms));
    for (std::size_t i = 0; i < terms.size(); ++i)
        a.middleCols(Eigen::Index(i * rig::kLearnedTerms), rig::kLearnedTerms) = terms[i];
    Eigen::MatrixXd normal = a.transpose() * a;
    normal.diagonal().array() += kRidge * normal.trace() / double(normal.rows()) + 1e-12;
    found = normal.ldlt().solve(a.transpose() * wanted);
    return (a * found - wanted).squaredNorm();
}

/// The motion of a free bone relative to its joint: translation and rotation vector from the bind pose.
struct Ride {
    Trs placed;
    Eigen::MatrixXd moves;  ///< samples x 6
};

Ride rideOn(const SkinProblem& problem, const FreeBone& bone, const Joint& joint,
            const std::vector<std::vector<Affine3d>>& worlds) {
    const Affine3d bind = inverse(joint.inverse_bind), at_rest{Mat3d{}, bone.center};
    Ride ride{rig::trsOf(inverse(bind) * at_rest), Eigen::MatrixXd(problem.sampleCount(), 6)};
    // It has its parent's scale: programs without rest scales, such as Blender, could not show another.
    ride.placed.scale = {1, 1, 1};
    for (std::size_t t = 0; t < problem.sampleCount(); ++t) {
        const Trs local = rig::trsOf(inverse(worlds[t][joint.node]) * bone.motion[t] * at_rest);
        const Vec3d moved = local.translation - ride.placed.translation;
        const Vec3d turned = rotationVector(local.rotation * conjugate(ride.placed.rotation));
        ride.moves.row(Eigen::Index(t)) << moved.x, moved.y, moved.z, turned.x, turned.y, turned.z;
    }
    return ride;
}

/// Makes lengths and angles comparable: a rotation moves points at a typical distance.
Eigen::Matrix<double, 1, 6> unitsOf(const SkinProblem& problem) {
    constexpr double kTypicalReach = 0.1;  // of the radius
    const double length = 1 / problem.data().radius;
    Eigen::Matrix<double, 1, 6> units;
    units << length, length, length, kTypicalReach, kTypicalReach, kTypicalReach;
    return units;
}

Eigen::MatrixXd termsOf(const SkinProblem& problem, const rig::LearnedInput& input) {
    Eigen::MatrixXd terms(problem.sampleCount(), rig::kLearnedTerms);
    for (std::size_t t = 0; t < problem.sampleCount(); ++t) {
        const auto row = rig::learnedTerms(input, problem.locals(t)[input.node]);
        for (std::size_t k = 0; k < row.size(); ++k) terms(Eigen::Index(t), Eigen::Index(k)) = row[k];
    }
    return terms;
}

/// Joints whose rotations may drive a bone: those that share its vertices, their parents and children.
std::vector<std::uint32_t> inputsNear(const FreeBone& bone, const std::vector<std::int32_t>& parents,
                                      std::size_t joints) {
    std::set<std::uint32_t> near;
    for (std::size_t i = 0; i < std::min<std::size_t>(bone.company.size(), 3); ++i) {
        const std::uint32_t slot = bone.company[i].second;
        near.insert(slot);
        if (parents[slot] >= 0) near.insert(std::uint32_t(parents[slot]));
        for (std::uint32_t j = 0; j < joints; ++j)
            if (parents[j] == std::int32_t(slot)) near.insert(j);
    }
    return {near.begin(), near.end()};
}

/// The rotation of the joint's node to its parent in the bind pose.
Quatd bindRotation(const Skeleton& skeleton, std::uint32_t node, const std::vector<Affine3d>& bind_worlds) {
    const std::int32_t parent = skeleton.nodes[node].parent;
    const Affine3d local =
        parent < 0 ? bind_worlds[node] : inverse(bind_worlds[std::size_t(parent)]) * bind_worlds[node];
    return rig::trsOf(local).rotation;
}

rig::DrivenLearned learn(const SkinProblem& problem, const FreeBone& bone, const Skeleton& skeleton,
                         std::size_t given_joints, const std::vector<std::vector<Affine3d>>& worlds,
                         const std::vector<Affine3d>& bind_worlds) {
    const Joint& ridden = skeleton.joints[bone.company.front().second];
    const Ride ride = rideOn(problem, bone, ridden, worlds);
    const Eigen::Matrix<double, 1, 6> units = unitsOf(problem);
    const Eigen::MatrixXd wanted = ride.moves * units.asDiagonal();
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);

    rig::DrivenLearned joint;
    joint.placed = ride.placed;
    std::vector<Eigen::MatrixXd> chosen;
    std::vector<std::uint32_t> open = inputsNear(bone, parents, given_joints);
    Eigen::MatrixXd coefficients(0, 6);
    double error = wanted.squaredNorm();
    while (chosen.size() < kMostInputs && !open.empty()) {
        double best_error = error;
        std::size_t best = open.size();
        rig::LearnedInput best_input;
        Eigen::MatrixXd best_terms, best_coefficients;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const std::uint32_t node = skeleton.joints[open[i]].node;
            const rig::LearnedInput input{node, bindRotation(skeleton, node, bind_worlds)};
            chosen.push_back(termsOf(problem, input));
            Eigen::MatrixXd found;
            const double left = regress(chosen, wanted, found);
            if (left < best_error)
                best_error = left, best = i, best_input = input, best_terms = chosen.back(), best_coefficients = found;
            chosen.pop_back();
        }
        if (best == open.size() || error - best_error < kWorthAnInput * error) break;
        error = best_error;
        chosen.push_back(best_terms);
        coefficients = best_coefficients;
        joint.inputs.push_back(best_input);
        open.erase(open.begin() + std::ptrdiff_t(best));
    }
    for (Eigen::Index row = 0; row < 6; ++row)
        for (Eigen::Index k = 0; k < coefficients.rows(); ++k)
            joint.coefficients.push_back(coefficients(k, row) / units(row));
    return joint;
}

}  // namespace

void addDriven(SkinProblem& problem, std::span<const Weights> weights, HelperPool& pool) {
    const std::size_t before = pool.driven.size();
    rig::DrivenJointChoice choice;
    choice.rotations = kRotations;
    choice.drivers = worstDrivers(pool, weights);
    if (choice.drivers.empty()) return;
    for (rig::DrivenJoint& joint : rig::addDrivenJoints(pool.skeleton, choice)) pool.driven.push_back(std::move(joint));
    allowFrom(problem, pool, before);
}

void addLearned(SkinProblem& problem, std::span<const std::uint32_t> sample, std::size_t count, HelperPool& pool,
                const Progress& progress) {
    const std::vector<FreeBone> bones = findFreeBones(problem, sample, count, pool, progress);
    const std::size_t before = pool.driven.size();
    std::vector<std::vector<Affine3d>> worlds;
    for (std::size_t t = 0; t < problem.sampleCount(); ++t) worlds.push_back(problem.worlds(pool.skeleton, t));
    const std::vector<Affine3d> bind_worlds = rig::bindWorlds(pool.skeleton);
    for (std::size_t b = 0; b < bones.size(); ++b) {
        rig::DrivenLearned joint = learn(problem, bones[b], pool.skeleton, pool.given_joints, worlds, bind_worlds);
        if (joint.inputs.empty()) continue;
        const std::uint32_t ridden = pool.skeleton.joints[bones[b].company.front().second].node;
        rig::addLearnedJoint(pool.skeleton, std::move(joint), ridden, pool.driven);
    }
    allowFrom(problem, pool, before);
}

}  // namespace pelt::fit::bake
