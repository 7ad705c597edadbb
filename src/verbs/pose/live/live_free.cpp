// The free pose, live [Jacobson12]: solved a few iterations at a time, from the last pose on.
#include <pelt/core/background.h>
#include <pelt/core/error.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "live_mode.h"
#include "verbs/pose/solve/pose_flat.h"
#include "verbs/pose/solve/pose_part.h"
#include "verbs/pose/solve/pose_prepare.h"
#include "verbs/pose/solve/pose_skeleton.h"
#include "verbs/pose/solve/pose_skin.h"
#include "verbs/pose/solve/pose_targets.h"

namespace pelt::verbs {
namespace {

/// Larger transforms cancel out, so that the rounding of single precision would be seen: first that of the solver, then
/// that of skinning too.
constexpr float kLarge = 1.5f, kVeryLarge = 3;

/// A character with joints and weights, and its start. A mesh without joints has those of the handles.
struct BoundStart {
    Character character;
    PoseStart start;
};

/// What constraints and their targets do not change. Immutable.
struct LiveRig {
    std::shared_ptr<const BoundStart> bound;
    std::optional<PosePart> part;
    pose::PoseRig rig;
    FlatPose flat;
};

std::shared_ptr<BoundStart> boundAtStart(const Character& character, const PoseRequest& request,
                                         std::span<const PoseHandle> handles, const Progress& progress) {
    auto bound = std::make_shared<BoundStart>();
    bound->character = character;
    bound->start = startOf(bound->character, request);
    bindHandles(bound->character, bound->start, handles, request.cache, progress);
    return bound;
}

std::shared_ptr<const LiveRig> prepareLive(std::shared_ptr<const BoundStart> bound, std::optional<PosePart> part,
                                           const PoseRequest& request, const Progress& progress) {
    auto made = std::make_shared<LiveRig>();
    made->bound = std::move(bound);
    made->part = std::move(part);
    const Character& c = made->bound->character;
    made->rig = made->part
                    ? prepareRig(made->part->mesh, made->part->weights, made->part->joints.size(), request, progress)
                    : prepareRig(made->bound->start.mesh, c.weights, c.skeleton.joints.size(), request, progress);
    made->flat = flatPose(request.flat, made->part ? made->part->mesh : made->bound->start.mesh);
    return made;
}

/// Whether two handles of the skin get the same weights.
bool sameAtRest(const PoseHandle& a, const PoseHandle& b) {
    const auto same = [](const Vec3d& u, const Vec3d& v) { return u.x == v.x && u.y == v.y && u.z == v.z; };
    return a.kind == b.kind && a.region == b.region && same(a.point, b.point) && same(a.end, b.end);
}

constexpr double kWeightsShare = 0.7;  ///< of the time that preparing handles takes

/// A mesh without joints, for its handles.
std::shared_ptr<const LiveRig> prepareHandles(const BoundStart& bare, const PoseRequest& request,
                                              std::span<const PoseHandle> handles, const Progress& progress) {
    const Progress weights = progress.share("weights", 0, kWeightsShare), rig = progress.share("rig", kWeightsShare, 1);
    return prepareLive(boundAtStart(bare.character, request, handles, weights), {}, request, rig);
}

/// A rig that is prepared while another one is in use.
struct RigAhead {
    std::vector<PoseHandle> handles;
    std::atomic<double> fraction{0};
    std::atomic<bool> stop{false};
    std::shared_ptr<const LiveRig> rig;
    std::optional<Background> work;  ///< last: it uses the others

    ~RigAhead() { stop = true; }
};

/// Handles and what is solved for them.
struct Held {
    std::vector<PoseHandle> handles;
    std::shared_ptr<const LiveRig> rig;  ///< null: there is nothing to solve
    HandlePlan plan;
    std::optional<pose::Solver<float>> solver;

    void aim(FlatMode mode);
};

class LiveFree final : public LiveMode {
public:
    LiveFree(const Character& character, const PoseRequest& request, const Progress& progress);
    void setHandles(std::span<const PoseHandle> handles, const Progress& progress) override;
    void moveHandles(std::span<const PoseHandle> handles) override;
    void prepare(std::span<const PoseHandle> handles) override;
    double prepared() const override;
    pose::SolveResult step(int iterations) override;
    std::span<const double> energies() const override { return energies_; }
    void bones(std::span<Affine3d> out) const override;
    std::size_t boneCount() const override { return bones_; }
    void positions(std::span<Vec3f> out) override;
    std::span<const Affine3f> transforms() const override { return transforms_; }
    Clip clip(const Progress& progress) override;

private:
    bool fits(std::span<const PoseHandle> handles) const;
    std::shared_ptr<const LiveRig> rigOfHandles(std::span<const PoseHandle> handles, const Progress& progress);
    std::shared_ptr<const LiveRig> rigFor(std::span<const PoseHandle> handles, const Progress& progress);
    void startFromPose(Held& next);
    void takeRig();
    void takeTransforms();
    void skinPositions(std::span<Vec3f> out);

    PoseRequest request_;
    std::shared_ptr<const BoundStart> bound_;  ///< of a character with joints; of a mesh without any, the mesh alone
    const std::size_t bones_;
    const bool own_joints_;
    bool loose_ = false;  ///< joints are not connected: only what handles can move is solved
    std::vector<std::int32_t> prop_carriers_;

    Held held_;
    std::unique_ptr<RigAhead> ahead_;
    std::vector<double> energies_;
    std::vector<Affine3d> solved_;
    std::vector<Affine3f> transforms_;  ///< the same
    bool exactly_ = false;              ///< skinning needs double precision
    std::vector<Affine3d> motions_;     ///< per joint slot, from the start to the pose
    std::vector<Vec3f> part_positions_;
    std::vector<Vec3d> exact_positions_;
};

LiveFree::LiveFree(const Character& character, const PoseRequest& request, const Progress& progress)
    : request_(request), bones_(character.skeleton.joints.size()), own_joints_(bones_ > 0) {
    if (character.mesh.positions.empty()) throw Error::badInput("has no vertices to pose");
    if (!own_joints_) {
        auto bare = std::make_shared<BoundStart>();
        bare->character = character;
        bare->start = startOf(bare->character, request_);
        bound_ = std::move(bare);
        return;
    }
    bound_ = boundAtStart(character, request_, {}, progress);
    motions_.resize(bones_);
    prop_carriers_ = rig::carriersOfProps(bound_->character);
    loose_ = !hasSkeleton(bound_->character, bound_->start);
    if (!loose_) held_.rig = prepareLive(bound_, {}, request_, progress);
}

bool LiveFree::fits(std::span<const PoseHandle> handles) const {
    return own_joints_ || (held_.rig && std::equal(handles.begin(), handles.end(), held_.handles.begin(),
                                                   held_.handles.end(), sameAtRest));
}

void LiveFree::prepare(std::span<const PoseHandle> handles) {
    ahead_.reset();  // ends what is being prepared
    if (handles.empty() || fits(handles)) return;
    checkHandlesAt(bound_->start, bound_->character, handles);
    ahead_ = std::make_unique<RigAhead>();
    RigAhead& ahead = *ahead_;
    ahead.handles.assign(handles.begin(), handles.end());
    ahead.work.emplace([&ahead, bare = bound_, request = request_] {
        const Progress progress([&ahead](std::string_view, double fraction) {
            ahead.fraction = fraction;
            return !ahead.stop;
        });
        ahead.rig = prepareHandles(*bare, request, ahead.handles, progress);
    });
}

double LiveFree::prepared() const {
    if (!ahead_ || ahead_->work->done()) return 1;
    return std::min(0.999, double(ahead_->fraction));
}

/// Of a mesh without joints: the rig in use, or the one that is being prepared, if it fits these handles; otherwise it
/// is prepared now.
std::shared_ptr<const LiveRig> LiveFree::rigOfHandles(std::span<const PoseHandle> handles, const Progress& progress) {
    if (handles.empty()) return nullptr;
    if (fits(handles)) return held_.rig;
    const std::unique_ptr<RigAhead> ahead = std::move(ahead_);
    if (!ahead || !std::equal(handles.begin(), handles.end(), ahead->handles.begin(), ahead->handles.end(), sameAtRest))
        return prepareHandles(*bound_, request_, handles, progress);
    ahead->work->wait();
    return ahead->rig;
}

/// The rig for these handles, prepared if it is another one than that in use. Null: they hold nothing.
std::shared_ptr<const LiveRig> LiveFree::rigFor(std::span<const PoseHandle> handles, const Progress& progress) {
    if (!own_joints_) return rigOfHandles(handles, progress);
    checkHandlesAt(bound_->start, bound_->character, handles);
    if (!loose_) return held_.rig;
    const HandlePlan plan = planHandles(bound_->character, bound_->start, handles);
    if (plan.constraints.empty()) return nullptr;
    std::optional<PosePart> part = movedPart(bound_->character, bound_->start, plan, request_.rig.energy);
    const bool same =
        held_.rig && held_.rig->part.has_value() == part.has_value() &&
        (!part || (part->vertices == held_.rig->part->vertices && part->joints == held_.rig->part->joints));
    return same ? held_.rig : prepareLive(bound_, std::move(part), request_, progress);
}

void LiveFree::setHandles(std::span<const PoseHandle> handles, const Progress& progress) {
    Held next;
    next.rig = rigFor(handles, progress);
    next.handles.assign(handles.begin(), handles.end());
    if (next.rig) {
        const LiveRig& rig = *next.rig;
        next.plan = planHandles(rig.bound->character, rig.bound->start, handles);
        next.solver.emplace(
            pose::constrain(rig.rig, constraintsOn(rig.part ? &*rig.part : nullptr, next.plan.constraints)));
        next.aim(request_.flat);
        startFromPose(next);
    }
    const bool same = next.rig == held_.rig && held_.solver;
    held_ = std::move(next);
    if (!same) takeRig();  // otherwise the pose of the last step stays until the next one
}

/// Room for the transforms of another rig, and its pose.
void LiveFree::takeRig() {
    const LiveRig* rig = held_.rig.get();
    solved_.resize(rig ? rig->rig.handleCount() + rig->rig.extraCount() : 0);
    transforms_.resize(solved_.size());
    part_positions_.resize(rig && rig->part ? rig->part->vertices.size() : 0);
    exact_positions_.resize(rig && rig->part ? part_positions_.size() : bound_->start.mesh.vertexCount());
    std::fill(motions_.begin(), motions_.end(), Affine3d());
    takeTransforms();
}

/// Continues from the pose that is seen. After nothing was held, the pose starts as that of the verb does.
void LiveFree::startFromPose(Held& next) {
    if (!held_.solver || held_.plan.constraints.empty()) return next.solver->reset();
    if (next.rig == held_.rig) return next.solver->startFrom(*held_.solver);
    std::vector<Vec3f> seen(bound_->start.mesh.vertexCount());
    skinPositions(seen);
    const std::optional<PosePart>& part = next.rig->part;
    if (part)
        for (std::size_t i = 0; i < part->vertices.size(); ++i) seen[i] = seen[part->vertices[i]];
    next.solver->startFrom(std::span(seen).first(part ? part->vertices.size() : seen.size()));
}

void LiveFree::moveHandles(std::span<const PoseHandle> handles) {
    std::copy(handles.begin(), handles.end(), held_.handles.begin());
    if (held_.solver) held_.aim(request_.flat);
}

/// Gives the targets to the solver, and the plane if they stay in it.
void Held::aim(FlatMode mode) {
    const PoseStart& start = rig->bound->start;
    const double time = firstTime(handles);
    const std::optional<Vec3d> plane = planeToPoseIn(mode, rig->flat, handles, plan, start, {&time, 1});
    setTargets(*solver, handles, plan, start, plan.constraints.size(), time);
    solver->setPlane(plane ? &*plane : nullptr);
}

pose::SolveResult LiveFree::step(int iterations) {
    energies_.resize(std::size_t(std::max(0, iterations)));
    if (!held_.solver) {
        energies_.clear();
        return {0, true, 0};
    }
    const pose::SolveResult result = held_.solver->solve({iterations, 1e-15, energies_});
    energies_.resize(std::size_t(result.iterations));
    takeTransforms();
    return result;
}

void LiveFree::takeTransforms() {
    if (!held_.solver) return;
    held_.solver->transforms(transforms_);
    float largest = 0;
    for (const Affine3f& t : transforms_)
        for (int e = 0; e < 12; ++e) largest = std::max(largest, std::abs(t.m[e]));
    exactly_ = largest > kVeryLarge;
    if (largest > kLarge) {
        held_.solver->exactTransforms(solved_);
        for (std::size_t i = 0; i < solved_.size(); ++i) transforms_[i] = Affine3f(solved_[i]);
    } else {
        for (std::size_t i = 0; i < solved_.size(); ++i) solved_[i] = Affine3d(transforms_[i]);
    }
    for (std::size_t j = 0; j < motions_.size(); ++j) {
        const std::uint32_t carrier = held_.plan.carrier[j];
        const std::int32_t place = held_.rig->part ? held_.rig->part->joint_place[carrier] : std::int32_t(carrier);
        motions_[j] = place < 0 ? Affine3d() : solved_[std::size_t(place)];
    }
}

void LiveFree::bones(std::span<Affine3d> out) const {
    for (std::size_t j = 0; j < bones_; ++j) out[j] = motions_[j] * bound_->start.bones[j];
}

void LiveFree::skinPositions(std::span<Vec3f> out) {
    const PosePart* part = held_.rig && held_.rig->part ? &*held_.rig->part : nullptr;
    if (!held_.solver || part) std::copy_n(bound_->start.mesh.positions.begin(), out.size(), out.begin());
    if (!held_.solver) return;
    const std::span<Vec3f> posed = part ? std::span(part_positions_) : out;
    if (exactly_) {
        pose::evaluate(held_.rig->rig, solved_, exact_positions_);
        std::transform(exact_positions_.begin(), exact_positions_.end(), posed.begin(),
                       [](const Vec3d& p) { return Vec3f(p); });
    } else {
        pose::evaluate(held_.rig->rig, transforms_, 0, posed.size(), posed);
    }
    for (std::size_t i = 0; i < part_positions_.size(); ++i) out[part->vertices[i]] = part_positions_[i];
}

void LiveFree::positions(std::span<Vec3f> out) {
    const std::size_t skin = bound_->start.mesh.vertexCount();
    skinPositions(out.first(skin));
    placePropsOn(bound_->character, bound_->start, prop_carriers_, motions_, out.subspan(skin));
}

Clip LiveFree::clip(const Progress&) {
    throw Error::badUsage("a clip needs rigid joints (`keep_lengths`); set them for the poser");
}

}  // namespace

std::unique_ptr<LiveMode> liveFree(const Character& character, const PoseRequest& request, const Progress& progress) {
    return std::make_unique<LiveFree>(character, request, progress);
}

}  // namespace pelt::verbs
