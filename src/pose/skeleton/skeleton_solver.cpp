// Levenberg-Marquardt over the rotations of joints. A bone's motion is D_b = D_p ∘ (rotation by Q_b about its
// position). A step δ rotates it further, Q_b ← exp(δ) Q_b, about axes of the parent's frame, so that a point x carried
// by it moves by (R_p e) × (x - x_b). Lengths of bones cannot change, whatever the step. Goals are penalties that grow
// in stages, because a stiff problem would converge too early; a straight limb under compression is a saddle point,
// which is avoided by starting with all hinges slightly bent in their natural direction.
#include <pelt/pose/skeleton_solver.h>

#include <algorithm>
#include <cmath>

#include "least_squares.h"
#include "turn_limits.h"

namespace pelt::pose {
namespace {

constexpr double kStages[] = {30, 1e3, 3e4, 1e6};  ///< strength of goals relative to a joint that rotates by one radian
constexpr std::size_t kStrong = 2;                 ///< the first stage that is stronger than the joints' resistance
constexpr int kSteps = 60;                         ///< of a stage
constexpr double kSettled = 1e-9;                  ///< of the cost: a step that reduces it by less ends a stage
constexpr double kNudge = 0.35;                    ///< radians by which hinges are bent initially
constexpr double kAcrossHinge = 12;                ///< how much stiffer a hinge is about other axes
constexpr double kAcrossSwing = 4;                 ///< the same for hips and ankles, which may rotate that way
constexpr double kAgainstHinge = 60;               ///< its resistance to bending the wrong way
constexpr double kMissed = 1e-3;                   ///< of the size: a pose that misses by more is solved again

Eigen::Vector3d eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

Eigen::Matrix3d crossMatrix(const Vec3d& v) {
    Eigen::Matrix3d m;
    m << 0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0;
    return m;
}

/// d log(exp(δ) Q) / dδ for `sign` = -1, d log(Q exp(δ)) / dδ for +1, at log Q = v.
Eigen::Matrix3d logDerivative(const Vec3d& v, double sign) {
    const Eigen::Matrix3d c = crossMatrix(v);
    const double angle = std::min(length(v), 3.1);
    const double factor =
        angle < 1e-4 ? 1.0 / 12 : 1 / (angle * angle) - (1 + std::cos(angle)) / (2 * angle * std::sin(angle));
    return Eigen::Matrix3d::Identity() + 0.5 * sign * c + factor * c * c;
}

using Jacobian = Eigen::Matrix<double, 3, Eigen::Dynamic>;

struct BonePose {
    Mat3d turn;   ///< Q
    Vec3d slide;  ///< in the parent's frame
};

}  // namespace

struct SkeletonSolver::State {
    std::vector<Bone> bones;
    double size = 1;
    std::vector<BonePose> pose;
    bool fresh = true;  ///< nothing has been solved yet

    // For the current goals:
    const SkeletonGoals* goals = nullptr;
    std::vector<Eigen::Index> first;  ///< per bone, its first unknown, or -1
    Eigen::Index unknowns = 0;
    double strength = 1;  ///< strength of goals, by stage

    void chooseUnknowns();
    bool placeExactly(std::size_t bone);
    std::vector<Affine3d> motions(std::span<const BonePose> at) const;
    LeastSquares measure(std::span<const BonePose> at, bool derivatives) const;
    void addJoint(std::span<const BonePose> at, std::size_t bone, LeastSquares& sum) const;
    void addPlace(std::span<const Affine3d> motion, const PlaceGoal& goal, LeastSquares& sum) const;
    void addTurn(std::span<const Affine3d> motion, const TurnGoal& goal, LeastSquares& sum) const;
    std::vector<BonePose> stepped(std::span<const BonePose> at, const Eigen::VectorXd& step) const;
    double descend(std::vector<BonePose>& at, std::size_t first_stage);
    std::vector<BonePose> nudged(std::vector<BonePose> at) const;
    std::vector<BonePose> atStart() const;
    void cutToLimits(std::vector<BonePose>& at) const;
    double missed(std::span<const BonePose> at) const;

    Mat3d parentTurn(std::span<const Affine3d> motion, std::size_t bone) const {
        return bones[bone].parent < 0 ? Mat3d() : motion[std::size_t(bones[bone].parent)].linear();
    }
    /// Rotation from the bind pose, relative to the parent.
    Mat3d boundTurn(std::size_t bone, const Mat3d& turn) const {
        const Bone& b = bones[bone];
        const Mat3d parent = b.parent < 0 ? Mat3d() : bones[std::size_t(b.parent)].bound;
        return transposed(parent) * turn * b.bound;
    }
};

/// A bone that can translate and whose whole transform is given needs no unknowns.
bool SkeletonSolver::State::placeExactly(std::size_t bone) {
    const auto place = std::find_if(goals->places.begin(), goals->places.end(), [&](const PlaceGoal& goal) {
        return goal.strength > 1 && goal.shares.size() == 1 && goal.shares[0].bone == bone;
    });
    const auto turn = std::find_if(goals->turns.begin(), goals->turns.end(),
                                   [&](const TurnGoal& goal) { return goal.strength > 1 && goal.bone == bone; });
    if (!bones[bone].slides || place == goals->places.end() || turn == goals->turns.end()) return false;
    const Vec3d arm = place->shares[0].place - bones[bone].place;
    pose[bone] = {turn->rotation, place->target - turn->rotation * arm - bones[bone].place};
    return true;
}

/// All bones between a goal and its nearest ancestor that can translate.
void SkeletonSolver::State::chooseUnknowns() {
    std::vector<char> active(bones.size(), 0);
    const auto activate = [&](std::size_t bone) {
        for (auto b = std::int32_t(bone); b >= 0; b = bones[std::size_t(b)].parent) {
            active[std::size_t(b)] = 1;
            if (bones[std::size_t(b)].slides) break;
        }
    };
    for (const PlaceGoal& goal : goals->places)
        for (const Share& share : goal.shares) activate(share.bone);
    for (const TurnGoal& goal : goals->turns) activate(goal.bone);
    first.assign(bones.size(), -1);
    unknowns = 0;
    for (std::size_t b = 0; b < bones.size(); ++b) {
        if (!active[b] || placeExactly(b)) continue;
        first[b] = unknowns;
        unknowns += bones[b].slides ? 6 : 3;
    }
}

std::vector<Affine3d> SkeletonSolver::State::motions(std::span<const BonePose> at) const {
    std::vector<Affine3d> out(bones.size());
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const Bone& bone = bones[b];
        const Affine3d above = bone.parent < 0 ? Affine3d() : out[std::size_t(bone.parent)];
        const Mat3d r = above.linear() * at[b].turn;
        out[b] = {r, above * (bone.place + at[b].slide) - r * bone.place};
    }
    return out;
}

/// The cost of a joint by itself: its stiffness, and resistance to wrong directions.
void SkeletonSolver::State::addJoint(std::span<const BonePose> at, std::size_t b, LeastSquares& sum) const {
    const Bone& bone = bones[b];
    const Eigen::Index columns[] = {first[b], first[b] + 1, first[b] + 2};
    const Vec3d angle = rotationVector(at[b].turn);
    Eigen::Matrix3d stiff = Eigen::Matrix3d::Identity();
    const Mat3d parent = bone.parent < 0 ? Mat3d() : bones[std::size_t(bone.parent)].bound;
    const auto stiffenAcross = [&](const Vec3d& about, double factor) {
        const Eigen::Vector3d axis = eigen(parent * about);
        stiff = std::sqrt(factor) * (stiff - axis * axis.transpose()) + axis * axis.transpose();
    };
    if (bone.hinge && !bone.hinge->loose)
        stiffenAcross(bone.hinge->axis, kAcrossHinge);
    else if (bone.swings)
        stiffenAcross(*bone.swings, kAcrossSwing);
    stiff *= std::sqrt(bone.stiffness);
    sum.add(stiff * eigen(angle), stiff * logDerivative(angle, -1), columns);
    if (bone.slides) {
        const Eigen::Index slides[] = {first[b] + 3, first[b] + 4, first[b] + 5};
        const double k = std::sqrt(bone.slide_stiffness) / size;
        sum.add(k * eigen(at[b].slide), k * Eigen::Matrix3d::Identity(), slides);
    }
    const auto resistance = [&](const Mat3d& turn) {
        const Mat3d bound = boundTurn(b, turn);
        Vec3d r;
        if (bone.limits) r = outsideLimits(bound, bone.along, *bone.limits) * std::sqrt(10 * strength);
        return r;
    };
    const auto backward = [&](const Mat3d& turn) {
        if (!bone.hinge) return 0.0;
        const double over = bone.hinge->least - dot(rotationVector(boundTurn(b, turn)), bone.hinge->axis);
        return std::sqrt(kAgainstHinge) * std::max(0.0, over);
    };
    const auto both = [&](const Mat3d& turn) { return std::pair(eigen(resistance(turn)), backward(turn)); };
    const auto [outside, against] = both(at[b].turn);
    if (outside.isZero() && against == 0) return;
    Eigen::Matrix3d j_outside, j_against = Eigen::Matrix3d::Zero();
    constexpr double kStep = 1e-6;
    for (int a = 0; a < 3; ++a) {
        Vec3d d;
        d[a] = kStep;
        const auto [o, g] = both(rotationOf(d) * at[b].turn);
        j_outside.col(a) = (o - outside) / kStep;
        j_against(0, a) = (g - against) / kStep;
    }
    sum.add(outside, j_outside, columns);
    sum.add({against, 0, 0}, j_against, columns);
}

void SkeletonSolver::State::addPlace(std::span<const Affine3d> motion, const PlaceGoal& goal, LeastSquares& sum) const {
    const double k = std::sqrt(strength * goal.strength) / size;
    Vec3d off = -goal.target;
    for (const Share& share : goal.shares) off += (motion[share.bone] * share.place) * share.weight;
    Jacobian whole = Jacobian::Zero(3, sum.derivatives ? unknowns : 0);
    if (!sum.derivatives) return sum.add(k * eigen(off), whole, {});
    std::vector<char> touched(std::size_t(unknowns), 0);
    for (const Share& share : goal.shares) {
        const Vec3d x = motion[share.bone] * share.place;
        for (auto i = std::int32_t(share.bone); i >= 0; i = bones[std::size_t(i)].parent) {
            const auto b = std::size_t(i);
            if (first[b] < 0) break;
            const Vec3d arm = x - motion[b] * bones[b].place;
            const Mat3d frame = parentTurn(motion, b);
            for (int a = 0; a < 3; ++a) {
                whole.col(first[b] + a) += share.weight * k * eigen(cross(frame.col[a], arm));
                touched[std::size_t(first[b] + a)] = 1;
                if (!bones[b].slides) continue;
                whole.col(first[b] + 3 + a) += share.weight * k * eigen(frame.col[a]);
                touched[std::size_t(first[b] + 3 + a)] = 1;
            }
        }
    }
    std::vector<Eigen::Index> columns;
    for (Eigen::Index c = 0; c < unknowns; ++c) {
        if (!touched[std::size_t(c)]) continue;
        whole.col(Eigen::Index(columns.size())) = whole.col(c);
        columns.push_back(c);
    }
    sum.add(k * eigen(off), whole, columns);
}

void SkeletonSolver::State::addTurn(std::span<const Affine3d> motion, const TurnGoal& goal, LeastSquares& sum) const {
    const double k = std::sqrt(strength * goal.strength * 0.1);
    const Vec3d off = rotationVector(goal.rotation * transposed(motion[goal.bone].linear()));
    Jacobian jacobian(3, sum.derivatives ? unknowns : 0);
    if (!sum.derivatives) return sum.add(k * eigen(off), jacobian, {});
    const Eigen::Matrix3d derivative = -k * logDerivative(off, 1);
    std::vector<Eigen::Index> columns;
    for (auto i = std::int32_t(goal.bone); i >= 0; i = bones[std::size_t(i)].parent) {
        const auto b = std::size_t(i);
        if (first[b] < 0) break;
        const Mat3d frame = parentTurn(motion, b);
        for (int a = 0; a < 3; ++a) {
            jacobian.col(Eigen::Index(columns.size())) = derivative * eigen(frame.col[a]);
            columns.push_back(first[b] + a);
        }
    }
    sum.add(k * eigen(off), jacobian, columns);
}

LeastSquares SkeletonSolver::State::measure(std::span<const BonePose> at, bool derivatives) const {
    LeastSquares sum(std::size_t(unknowns), derivatives);
    const std::vector<Affine3d> motion = motions(at);
    for (std::size_t b = 0; b < bones.size(); ++b)
        if (first[b] >= 0) addJoint(at, b, sum);
    for (const PlaceGoal& goal : goals->places) addPlace(motion, goal, sum);
    for (const TurnGoal& goal : goals->turns) addTurn(motion, goal, sum);
    return sum;
}

std::vector<BonePose> SkeletonSolver::State::stepped(std::span<const BonePose> at, const Eigen::VectorXd& step) const {
    std::vector<BonePose> next(at.begin(), at.end());
    for (std::size_t b = 0; b < bones.size(); ++b) {
        if (first[b] < 0) continue;
        Vec3d turn{step[first[b]], step[first[b] + 1], step[first[b] + 2]};
        const double angle = length(turn);
        if (angle > 1) turn = turn / angle;
        next[b].turn = toMatrix(toQuat(rotationOf(turn) * at[b].turn));  // rounding would accumulate over steps
        if (bones[b].slides) next[b].slide += Vec3d{step[first[b] + 3], step[first[b] + 4], step[first[b] + 5]};
    }
    return next;
}

/// Minimizes from a given pose, with goals that grow stronger. Returns the cost in the last stage.
double SkeletonSolver::State::descend(std::vector<BonePose>& at, std::size_t first_stage) {
    double cost = 0;
    for (std::size_t stage = first_stage; stage < std::size(kStages); ++stage) {
        strength = kStages[stage];
        double damping = 1e-3;
        for (int i = 0; i < kSteps; ++i) {
            const LeastSquares now = measure(at, true);
            cost = now.cost;
            bool better = false, settled = false;
            for (int attempt = 0; attempt < 12 && !better; ++attempt) {
                LowerMatrix damped = now.hessian;
                for (std::size_t u = 0; u < std::size_t(unknowns); ++u)
                    damped.at(u, u) += damping * (now.hessian.diagonal(u) + 1e-6);
                Eigen::VectorXd step = -now.gradient;
                const bool solved = damped.solve(step);
                std::vector<BonePose> next = solved ? stepped(at, step) : at;
                const double found = solved ? measure(next, false).cost : now.cost;
                better = found < now.cost;
                damping = better ? std::max(damping / 5, 1e-9) : damping * 6;
                if (!better) continue;
                settled = now.cost - found <= kSettled * now.cost;
                at = std::move(next);
                cost = found;
            }
            if (!better || settled) break;
        }
    }
    return cost;
}

std::vector<BonePose> SkeletonSolver::State::nudged(std::vector<BonePose> at) const {
    for (std::size_t b = 0; b < bones.size(); ++b) {
        if (first[b] < 0 || !bones[b].hinge) continue;
        const Mat3d parent = bones[b].parent < 0 ? Mat3d() : bones[std::size_t(bones[b].parent)].bound;
        at[b].turn = rotationOf(parent * bones[b].hinge->axis * kNudge) * at[b].turn;
    }
    return at;
}

/// All unknowns 0.
std::vector<BonePose> SkeletonSolver::State::atStart() const {
    std::vector<BonePose> at(bones.size());
    for (std::size_t b = 0; b < bones.size(); ++b)
        if (first[b] < 0) at[b] = pose[b];
    return at;
}

/// The remaining error of the penalties, hardly more than rounding.
void SkeletonSolver::State::cutToLimits(std::vector<BonePose>& at) const {
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const Bone& bone = bones[b];
        if (first[b] < 0 || !bone.limits) continue;
        const Mat3d cut = withinLimits(boundTurn(b, at[b].turn), bone.along, *bone.limits);
        const Mat3d parent = bone.parent < 0 ? Mat3d() : bones[std::size_t(bone.parent)].bound;
        at[b].turn = toMatrix(toQuat(parent * cut * transposed(bone.bound)));
    }
}

double SkeletonSolver::State::missed(std::span<const BonePose> at) const {
    const std::vector<Affine3d> motion = motions(at);
    double most = 0;
    for (const PlaceGoal& goal : goals->places) {
        Vec3d off = -goal.target;
        for (const Share& share : goal.shares) off += (motion[share.bone] * share.place) * share.weight;
        most = std::max(most, length(off) / size);
    }
    for (const TurnGoal& goal : goals->turns)
        most = std::max(most, length(rotationVector(goal.rotation * transposed(motion[goal.bone].linear()))));
    return most;
}

SkeletonSolver::SkeletonSolver(std::vector<Bone> bones, double size) : state_(std::make_unique<State>()) {
    state_->pose.resize(bones.size());
    state_->bones = std::move(bones);
    state_->size = size > 0 ? size : 1;
}
SkeletonSolver::~SkeletonSolver() = default;
SkeletonSolver::SkeletonSolver(SkeletonSolver&&) noexcept = default;
SkeletonSolver& SkeletonSolver::operator=(SkeletonSolver&&) noexcept = default;

void SkeletonSolver::restart() {
    state_->pose.assign(state_->bones.size(), {});
    state_->fresh = true;
}

std::vector<Affine3d> SkeletonSolver::solve(const SkeletonGoals& goals) {
    State& s = *state_;
    s.goals = &goals;
    s.chooseUnknowns();
    if (s.unknowns > 0 && !(s.missed(s.pose) < 1e-12 && s.fresh)) {  // without goals, nothing moves
        std::vector<BonePose> best = s.pose;
        double cost = s.descend(best, s.fresh ? 0 : kStrong);
        if (s.fresh || s.missed(best) > kMissed) {
            std::vector<std::vector<BonePose>> starts{s.nudged(s.pose)};
            if (!s.fresh) starts.push_back(s.nudged(s.atStart()));
            for (std::vector<BonePose>& start : starts) {
                const double found = s.descend(start, kStrong);  // weak goals would let it straighten again
                if (!(found < cost)) continue;
                cost = found;
                best = std::move(start);
            }
        }
        s.cutToLimits(best);
        s.pose = std::move(best);
    }
    s.fresh = false;
    s.goals = nullptr;
    return s.motions(s.pose);
}

}  // namespace pelt::pose
