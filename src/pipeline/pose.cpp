#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/tets.h>
#include <pelt/geometry/weld.h>
#include <pelt/pipeline/pose.h>
#include <pelt/pipeline/sampling.h>
#include <pelt/pose/arap.h>
#include <pelt/pose/rigid_joints.h>

#include <algorithm>
#include <cmath>

#include "pose_handles.h"

namespace pelt::pipeline {
namespace {

constexpr std::size_t kGrain = 2048;
constexpr double kAgree = 1e-6;  ///< of the diagonal: constraints farther apart contradict each other
constexpr char kClipName[] = "pose";
constexpr int kFirstFrame = 10000, kLaterFrames = 3000;  ///< iterations: the first starts far away
constexpr int kUnreduced = 200;
constexpr int kStretch = 100;      ///< iterations between two looks at whether to stop
constexpr double kSettled = 1e-6;  ///< of the energy: a frame that gains less in a stretch has settled

/// Straight from key to key.
Vec3d targetAt(const PoseHandle& handle, double time) {
    const auto& keys = handle.targets;
    auto after = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.time >= time; });
    if (after == keys.end()) --after;
    if (after == keys.begin() || after->time <= time) return after->target;
    const auto before = after - 1;
    const double t = (time - before->time) / (after->time - before->time);
    return before->target * (1 - t) + after->target * t;
}

/// When there is a frame: from the first key to the last.
std::vector<double> frameTimes(std::span<const PoseHandle> handles, double fps) {
    double first = 0, last = 0;
    bool keyed = false;
    for (const PoseHandle& h : handles) {
        if (!h.keyed) continue;
        first = keyed ? std::min(first, h.targets.front().time) : h.targets.front().time;
        last = keyed ? std::max(last, h.targets.back().time) : h.targets.back().time;
        keyed = true;
    }
    if (!keyed) return {0};
    Clip span;
    span.first_key = first;
    span.last_key = last;
    return rig::sampleTimes(span, fps);
}

/// With the volume that holds the shape, where the energy asks for one.
pose::PoseRig prepareRig(const Character& character, const PoseRequest& request, const Progress& progress) {
    pose::Shape shape{character.mesh.positions, character.mesh.triangles, &character.weights,
                      character.skeleton.joints.size()};
    if (request.rig.energy != pose::Energy::tets) return pose::prepare(shape, request.rig, progress);
    const geometry::TetEmbedding in = geometry::embedInTets(character.mesh, {}, progress);
    const SkinWeights weights =
        pose::extendWeights(in.lattice, in.tet, in.barycentric, character.weights, shape.handles);
    shape.volume = &in.lattice;
    shape.volume_weights = &weights;
    return pose::prepare(shape, request.rig, progress);
}

void setTargets(pose::Solver<double>& solver, std::span<const PoseHandle> handles, const HandlePlan& plan,
                double time) {
    for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
        const PoseHandle& handle = handles[plan.handle_of[i]];
        if (plan.constraints[i].kind == pose::ConstraintKind::transform) {
            solver.setTransform(i, handle.transform);
        } else {
            solver.setTarget(i, targetAt(handle, time));
        }
    }
}

/// The first handle that contradicts those before it.
[[noreturn]] void refuseConflict(const pose::PoseRig& rig, std::span<const PoseHandle> handles, const HandlePlan& plan,
                                 double time, double close) {
    std::size_t count = 1;
    for (; count < plan.constraints.size(); ++count) {
        HandlePlan part = plan;
        part.constraints.resize(count);
        pose::Solver<double> solver(pose::constrain(rig, part.constraints));
        setTargets(solver, handles, part, time);
        if (solver.conflict() > close) break;
    }
    throw Error::badInput(fmt::format(
        "{} contradicts the handles before it: the rig cannot take them where they should all be; free one, or give "
        "the rig more room (--extra-weights)",
        nameOf(handles[plan.handle_of[count - 1]], plan.handle_of[count - 1])));
}

/// Joints without weight go with the one that carries them.
std::vector<Affine3d> jointTransforms(std::span<const Affine3d> solved, const HandlePlan& plan) {
    std::vector<Affine3d> joints;
    for (const std::uint32_t carrier : plan.carrier) joints.push_back(solved[carrier]);
    return joints;
}

pose::RigidOptions rigidOptions(std::span<const PoseHandle> handles, const HandlePlan& plan, const PoseRequest& request,
                                double time) {
    pose::RigidOptions options;
    options.limits = request.limits;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const PoseHandle& h = handles[i];
        if (!plan.joint_of[i] || h.given == PoseHandle::Given::free) continue;
        pose::JointTarget target{std::uint32_t(*plan.joint_of[i]), {}, h.given == PoseHandle::Given::full};
        target.target = target.whole ? h.transform * plan.joint_positions[*plan.joint_of[i]] : targetAt(h, time);
        options.targets.push_back(target);
    }
    return options;
}

double missedBy(const pose::RigidOptions& options, const HandlePlan& plan, std::span<const Affine3d> rigid) {
    double largest = 0;
    for (const pose::JointTarget& t : options.targets)
        largest = std::max(largest, length(rigid[t.joint] * plan.joint_positions[t.joint] - t.target));
    return largest;
}

/// Keys of a clip, one a frame.
class ClipWriter {
public:
    explicit ClipWriter(const Character& character) : character_(character), keys_(character.skeleton.nodes.size()) {}

    void add(double time, std::span<const Affine3d> bones) {
        std::vector<Affine3d> locals = rig::localsOfSkin(character_.skeleton, bones);
        rig::applyDrivers(character_.skeleton, character_.driven, locals);
        times_.push_back(float(time));
        for (const Joint& joint : character_.skeleton.joints) {
            Keys& keys = keys_[joint.node];
            if (keys.rotations.size() == 4 * times_.size()) continue;  // a node of two slots
            const Vec3d t = locals[joint.node].translation();
            const Mat3d linear = locals[joint.node].linear();
            Mat3d turn;
            for (int a = 0; a < 3; ++a) {
                const double scale = length(linear.col[a]);
                keys.scales.push_back(float(scale));
                turn.col[a] = linear.col[a] / (scale > 0 ? scale : 1);
            }
            Quatd q = toQuat(turn);
            if (dot(q, keys.last) < 0) q = {-q.x, -q.y, -q.z, -q.w};
            keys.last = q;
            keys.translations.insert(keys.translations.end(), {float(t.x), float(t.y), float(t.z)});
            keys.rotations.insert(keys.rotations.end(), {float(q.x), float(q.y), float(q.z), float(q.w)});
        }
    }
    Clip take() {
        Clip clip{kClipName, double(times_.front()), double(times_.back()), {}};
        for (std::uint32_t n = 0; n < keys_.size(); ++n) {
            Keys& keys = keys_[n];
            if (keys.rotations.empty()) continue;
            const auto add = [&](ChannelPath path, std::uint32_t width, std::vector<float>& values) {
                clip.channels.push_back({path, n, Interpolation::linear, width, times_, std::move(values)});
            };
            add(ChannelPath::translation, 3, keys.translations);
            add(ChannelPath::rotation, 4, keys.rotations);
            if (std::any_of(keys.scales.begin(), keys.scales.end(), [](float s) { return std::abs(s - 1) > 1e-5f; }))
                add(ChannelPath::scale, 3, keys.scales);
        }
        return clip;
    }

private:
    struct Keys {
        std::vector<float> translations, rotations, scales;
        Quatd last;
    };
    const Character& character_;
    std::vector<float> times_;
    std::vector<Keys> keys_;
};

/// Vertices of a frame: by the rig's own weights, or by a method that takes the joints' transforms.
class FrameWriter {
public:
    FrameWriter(const Character& character, const pose::PoseRig& rig, const PoseRequest& request,
                const Progress& progress)
        : rig_(rig), exact_(character.mesh.vertexCount()) {
        rigid_ = request.keep_lengths || request.limits.has_value();
        if (rigid_ || request.method != "lbs")
            deformer_ = findMethod(request.method).prepare(character, request.method_options, progress);
    }
    bool isExact() const { return !deformer_; }
    /// With all weights of the rig.
    void writeExact(std::span<const Affine3d> solved, std::span<Vec3f> out) {
        pose::evaluate(rig_, solved, exact_);
        std::transform(exact_.begin(), exact_.end(), out.begin(), [](const Vec3d& p) { return Vec3f(p); });
    }
    /// Over it, where another method or rigid joints are asked for.
    void write(std::span<const Affine3d> joints, std::span<const Affine3d> rigid, std::span<Vec3f> out) {
        if (!deformer_) return;
        const auto used = rigid_ ? rigid : joints;
        bones_.clear();
        for (const Affine3d& bone : used) bones_.emplace_back(bone);
        deformer_->setPose(bones_);
        parallelFor(out.size(), kGrain, [&](std::size_t first, std::size_t last) {
            deformer_->evaluate({}, first, last - first, {out, {}});
        });
    }

private:
    const pose::PoseRig& rig_;
    bool rigid_ = false;
    std::unique_ptr<Deformer> deformer_;
    std::vector<Vec3d> exact_;
    std::vector<Affine3f> bones_;
};

/// As-rigid-as-possible deformation of the welded mesh from a pose on; what handles hold stays where the pose has it.
class Unreduced {
public:
    Unreduced(const Character& character, const HandlePlan& plan, const PoseRequest& request) : request_(request) {
        if (request.rig.energy == pose::Energy::tets)
            throw Error::badUsage("--unreduced works on surfaces; choose another energy than tets");
        const Mesh& mesh = character.mesh;
        weld_ = geometry::weldByPosition(mesh, request.rig.weld);
        triangles_ = geometry::weldedTriangles(mesh.triangles, weld_);
        held_.assign(weld_.count(), 0);
        std::vector<char> given(character.skeleton.joints.size(), 0);
        for (const pose::Constraint& c : plan.constraints) {
            for (const std::uint32_t v : c.vertices) held_[weld_.welded[v]] = 1;
            if (c.kind != pose::ConstraintKind::vertices) given[c.handle] = 1;
        }
        for (std::size_t w = 0; w < weld_.count(); ++w) {
            const std::uint32_t v = weld_.representative[w];
            rest_.emplace_back(mesh.positions[v]);
            if (character.weights.weightsOf(v)[0] > kHeld && given[character.weights.jointsOf(v)[0]]) held_[w] = 1;
        }
    }
    void apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const {
        std::vector<Vec3d> start;
        std::vector<pose::FixedVertex> fixed;
        for (std::uint32_t w = 0; w < weld_.count(); ++w) {
            start.emplace_back(posed[weld_.representative[w]]);
            if (held_[w]) fixed.push_back({w, start.back()});
        }
        const pose::ArapResult found = pose::arap({rest_, triangles_, {}}, request_.rig.energy, fixed, start,
                                                  request_.iterations.value_or(kUnreduced), progress);
        energies = found.energies;
        for (std::size_t v = 0; v < posed.size(); ++v) posed[v] = Vec3f(found.positions[weld_.welded[v]]);
    }

private:
    static constexpr float kHeld = 0.99f;  ///< a vertex with so much weight on a joint is held by it
    const PoseRequest& request_;
    geometry::Weld weld_;
    std::vector<Triangle> triangles_;
    std::vector<Vec3d> rest_;
    std::vector<char> held_;
};

/// One of result.frames, from where the last one ended. The energies are those of this frame.
void solveFrame(pose::Solver<double>& solver, std::optional<int> iterations, std::size_t frame, PoseResult& result,
                const Progress& progress) {
    const int limit = iterations.value_or(frame == 0 ? kFirstFrame : kLaterFrames);
    result.energies.clear();
    bool converged = false;
    while (!converged && int(result.energies.size()) < limit) {
        progress.report("pose", double(frame) / double(result.frames));
        const std::size_t done = result.energies.size();
        const int stretch = std::min(kStretch, limit - int(done));
        result.energies.resize(done + std::size_t(stretch));
        const pose::SolveResult found = solver.solve({stretch, 1e-15, std::span(result.energies).subspan(done)});
        result.energies.resize(done + std::size_t(found.iterations));
        const double before = done > 0 ? result.energies[done - 1] : HUGE_VAL;
        converged = found.converged || (!iterations && before - found.energy <= kSettled * found.energy);
    }
    result.converged = result.converged && converged;
    result.frame_energies.push_back(result.energies.back());
}

/// How far the clip, as any viewer plays it, is from the exact pose.
geometry::SequenceError measureClip(const PoseResult& result, std::span<const Vec3f> exact_positions, double fps) {
    Sampling sampling;
    sampling.fps = fps;
    Character character = result.character;
    character.ddm = nullptr;
    character.props = {};
    const auto played = sampleCharacter(std::move(character), sampling, findMethod("lbs"));
    const auto exact = makeSequence({exact_positions.begin(), exact_positions.end()}, result.vertices);
    return geometry::compareSequences(*played, *exact, result.character.mesh.positions);
}

}  // namespace

pose::Energy energyFor(const Character& character) {
    const std::size_t joints = character.skeleton.joints.size();
    if (character.weights.empty()) return pose::Energy::spokes_and_rims;  // those that are made join all pieces
    const geometry::Weld weld = geometry::weldByPosition(character.mesh);
    const auto triangles = geometry::weldedTriangles(character.mesh.triangles, weld);
    const geometry::ConnectedParts parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    // Joints and pieces as one graph, an edge for each weight.
    std::vector<Triangle> edges;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v)
        for (const std::uint32_t j : character.weights.jointsOf(v)) {
            const auto piece = std::uint32_t(joints + parts.part[weld.welded[v]]);
            edges.push_back({j, piece, piece});
        }
    const geometry::ConnectedParts groups =
        geometry::connectedParts(geometry::vertexAdjacency(edges, joints + parts.count));
    const std::uint32_t first = edges.empty() ? 0 : groups.part[edges.front()[0]];
    const bool one =
        std::all_of(edges.begin(), edges.end(), [&](const Triangle& edge) { return groups.part[edge[0]] == first; });
    return one || geometry::isFlat(character.mesh.positions) ? pose::Energy::spokes_and_rims : pose::Energy::tets;
}

PoseResult poseCharacter(Character character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const Progress& progress) {
    findMethod(request.method);
    PoseResult result;
    const HandlePlan plan = planHandles(character, handles, progress);
    const pose::PoseRig rig = prepareRig(character, request, progress);
    pose::Solver<double> solver(pose::constrain(rig, plan.constraints));
    const std::vector<double> times = frameTimes(handles, request.fps);
    FrameWriter frames(character, rig, request, progress);
    ClipWriter clip(character);
    std::optional<Unreduced> unreduced;
    if (request.unreduced) unreduced.emplace(character, plan, request);
    result.vertices = character.mesh.vertexCount();
    result.frames = times.size();
    result.positions.resize(result.vertices * times.size());
    const double close = kAgree * geometry::boundingDiagonal(character.mesh.positions);
    std::vector<Affine3d> solved(rig.handleCount() + rig.extraCount());
    std::vector<Vec3f> exact(frames.isExact() ? 0 : result.positions.size());
    for (std::size_t f = 0; f < times.size(); ++f) {
        setTargets(solver, handles, plan, times[f]);
        if (solver.conflict() > close) refuseConflict(rig, handles, plan, times[f], close);
        if (f == 0) solver.reset();
        solveFrame(solver, request.iterations, f, result, progress);
        solver.transforms(solved);
        const std::vector<Affine3d> joints = jointTransforms(solved, plan);
        const pose::RigidOptions options = rigidOptions(handles, plan, request, times[f]);
        const auto frame = std::span(result.positions).subspan(f * result.vertices, result.vertices);
        frames.writeExact(solved, frame);
        if (!exact.empty()) std::copy(frame.begin(), frame.end(), exact.begin() + std::ptrdiff_t(f * result.vertices));
        const std::vector<Affine3d> rigid = pose::rigidJoints(
            character.skeleton, {character.mesh.positions, frame, &character.weights}, joints, options);
        result.missed = std::max(result.missed, missedBy(options, plan, rigid));
        frames.write(joints, rigid, frame);
        if (unreduced) {
            unreduced->apply(frame, result.energies, progress);
            result.frame_energies.back() = result.energies.back();
        }
        clip.add(times[f], rigid);
    }
    result.handles = rig.handleCount();
    result.extra_weights = rig.extraCount();
    result.clusters = rig.clusterCount();
    result.character = std::move(character);
    // First, so that it is what plays; the others stay.
    result.character.clips.insert(result.character.clips.begin(), clip.take());
    result.clip_error = measureClip(result, exact.empty() ? result.positions : exact, request.fps);
    return result;
}

}  // namespace pelt::pipeline
