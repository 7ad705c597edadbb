// From poses of a skeleton and meshes to a character that can be saved: [MohrGleicher03] and everything around it.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/bake.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/normals.h>
#include <pelt/io/character_file.h>
#include <pelt/verbs/fit.h>

#include <algorithm>
#include <numeric>

#include "fit_character.h"

namespace pelt::verbs {
namespace {

constexpr double kExplainsNothing =
    0.8;  ///< fraction of the frames' motion: above this, the poses are considered wrong

/// Of the radius: ExampleFitOptions::ridge_length of affine weights that go into a file.
constexpr double kRidge = 3e-4;

/// The mean of welded vertices, so that seams stay closed whatever the examples do there.
std::vector<Vec3d> meanOverWeld(std::span<const Vec3d> values, const geometry::Weld& weld) {
    std::vector<Vec3d> sums(weld.count());
    std::vector<double> counts(weld.count(), 0);
    for (std::size_t v = 0; v < values.size(); ++v) {
        sums[weld.welded[v]] += values[v];
        counts[weld.welded[v]] += 1;
    }
    for (std::size_t w = 0; w < sums.size(); ++w) sums[w] = sums[w] / counts[w];
    return sums;
}

std::vector<Vec3d> atRepresentatives(std::span<const Vec3f> values, const geometry::Weld& weld) {
    std::vector<Vec3d> out;
    for (const std::uint32_t v : weld.representative) out.emplace_back(values[v]);
    return out;
}

double meanEdge(const Mesh& mesh) {
    double sum = 0, count = 0;
    for (const Triangle& t : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            sum += double(length(mesh.positions[t[i]] - mesh.positions[t[(i + 1) % 3]]));
            count += 1;
        }
    return count > 0 ? sum / count : 0;
}

/// Normals of the dress pose and of the examples.
class ExampleNormals {
public:
    ExampleNormals(FitResult& made, MeshSequence& examples, MeshSequence* given) : made_(made) {
        const Mesh& mesh = made.character.mesh;
        const bool usable = !mesh.normals.empty() || !mesh.triangles.empty();
        if (usable) given_ = given ? given : examples.hasNormals() ? &examples : nullptr;
        made.normals_given = given_ != nullptr;
        frame_.resize(mesh.vertexCount());
        if (given_)
            listAll();
        else
            made.normal_of = made.weld.welded;
        if (given_ && !mesh.normals.empty())
            add(mesh.normals, made.poses.rest_normals);
        else
            addRecomputed(mesh.positions, made.poses.rest_normals);
    }

    void read(std::size_t example, std::span<const Vec3f> positions) {
        if (!given_) return addRecomputed(positions, made_.poses.normals);
        given_->hasNormals() ? given_->readNormals(example, frame_) : given_->readFrame(example, frame_);
        for (Vec3f& n : frame_) n = normalized(n);
        add(frame_, made_.poses.normals);
    }

private:
    /// One normal per vertex of the mesh, in the order of the welded ones.
    void listAll() {
        CompressedRows& rows = made_.poses.normal_rows;
        const std::vector<std::uint32_t>& welded = made_.weld.welded;
        rows.offsets.assign(made_.weld.count() + 1, 0);
        for (const std::uint32_t w : welded) ++rows.offsets[w + 1];
        std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
        std::vector<std::uint32_t> next = rows.offsets;
        for (const std::uint32_t w : welded) made_.normal_of.push_back(next[w]++);
    }

    void add(std::span<const Vec3f> normals, std::vector<Vec3d>& to) const {
        const std::size_t first = to.size();
        to.resize(first + (given_ ? normals.size() : made_.weld.count()));
        for (std::size_t v = 0; v < normals.size(); ++v) to[first + made_.normal_of[v]] = Vec3d(normals[v]);
    }

    void addRecomputed(std::span<const Vec3f> positions, std::vector<Vec3d>& to) const {
        const std::vector<Triangle>& triangles = made_.character.mesh.triangles;
        if (!triangles.empty()) add(geometry::angleWeightedNormals(positions, triangles, made_.weld), to);
    }

    FitResult& made_;
    MeshSequence* given_ = nullptr;  ///< a sequence of normals, or one that has some; null: recomputed
    std::vector<Vec3f> frame_;
};

class CharacterFitter {
public:
    CharacterFitter(Character character, const methods::Sampling& sampling, const FitRequest& request,
                    const Progress& progress)
        : request_(request), progress_(progress) {
        made_.character = std::move(character);
        if (made_.character.skeleton.joints.empty()) throw Error::badInput("has no joints to fit a skin to");
        const Clip* moving = methods::movingClip(made_.character, sampling);
        const Clip& played = moving ? *moving : methods::chosenClip(made_.character, sampling);
        made_.times = methods::sampleTimes(played, sampling);
        made_.clip = std::size_t(&played - made_.character.clips.data());
        made_.weld = geometry::weldByPosition(made_.character.mesh);
        rest_ = atRepresentatives(made_.character.mesh.positions, made_.weld);
        radius_ = geometry::smallestEnclosingSphere(made_.character.mesh.positions).radius;
    }

    FitResult run(MeshSequence& examples) {
        checkSizes(examples);
        core_joints_ = made_.character.skeleton.joints.size();
        readMeshes(examples);
        addExtraJoints();
        poseJoints();
        measureOwnWeights(examples);
        chooseExtraJoints();
        fitWeights();
        checkExplained();
        if (request_.validate) {
            fit::ExampleFitOptions plain = request_.signed_weights ? affine() : convex();
            plain.weights = fit::WeightKind::convex;
            plain.share_rest = request_.signed_weights;
            made_.validation = fit::validateExamples(rest_, made_.poses, plain, progress_);
            if (request_.signed_weights)
                made_.signed_validation = fit::validateExamples(rest_, made_.poses, affine(), progress_);
        }
        putTogether();
        return std::move(made_);
    }

private:
    const Clip& clip() const { return made_.character.clips[made_.clip]; }

    fit::ExampleFitOptions convex() const {
        fit::ExampleFitOptions options = request_.solver;
        options.weights = fit::WeightKind::convex;
        options.normals_length = request_.normals_weight * meanEdge(made_.character.mesh);
        return options;
    }

    /// For a file, they must hold in poses that no example has.
    fit::ExampleFitOptions affine() const {
        fit::ExampleFitOptions options = convex();
        options.weights = fit::WeightKind::affine;
        if (request_.signed_weights) options.ridge_length = kRidge * radius_;
        return options;
    }

    void checkSizes(const MeshSequence& examples) const {
        if (examples.vertexCount() != made_.character.mesh.vertexCount())
            throw Error::badInput(fmt::format("has {} vertices, but the examples have {}; they must be the same mesh",
                                              made_.character.mesh.vertexCount(), examples.vertexCount()));
        if (examples.frameCount() != made_.times.size())
            throw Error::badInput(
                {"", fmt::format("clip '{}'", clip().name)},
                fmt::format(
                    "has {} poses, but there are {} examples; the numbers must be equal (`clip`, `fps`, `frames`)",
                    made_.times.size(), examples.frameCount()));
        if (const MeshSequence* normals = request_.normals)
            if (normals->vertexCount() != examples.vertexCount() || normals->frameCount() != examples.frameCount())
                throw Error::badInput(fmt::format(
                    "the normals are {} for {} vertices, the examples {} of {}; there "
                    "must be one normal per vertex of every example",
                    normals->frameCount(), normals->vertexCount(), examples.frameCount(), examples.vertexCount()));
    }

    void readMeshes(MeshSequence& examples);
    void addExtraJoints();
    void learnJoints();
    void poseJoints();
    void measureOwnWeights(MeshSequence& examples);
    void chooseExtraJoints();
    void keepExtraJoints(const std::vector<bool>& keep);
    void fitWeights();
    bool dropUnused();
    void checkExplained();
    void putTogether();

    const FitRequest& request_;
    const Progress& progress_;
    FitResult made_;
    std::size_t core_joints_ = 0;
    std::vector<Vec3d> rest_;  ///< of welded vertices
    double radius_ = 0;
    std::vector<rig::DrivenJoint> extra_;  ///< not yet in the character's list
};

void CharacterFitter::addExtraJoints() {
    Skeleton& skeleton = made_.character.skeleton;
    rig::DrivenJointChoice choice;
    choice.rotations = request_.rotations;
    choice.scales = request_.scales;
    choice.k = request_.k;
    if (request_.most_extra == 0) return;
    if (request_.helpers > 0) learnJoints();
    if (choice.rotations == 0 && !choice.scales) return;
    // Joints that are already driven are used as they are; they do not drive others and are not bones.
    std::vector<bool> is_driven(skeleton.nodes.size(), false);
    for (const rig::DrivenJoint& joint : made_.character.driven) is_driven[joint.node] = true;
    for (const rig::DrivenJoint& joint : extra_) is_driven[joint.node] = true;
    Skeleton free{skeleton.nodes, {}};
    for (const Joint& joint : skeleton.joints)
        if (!is_driven[joint.node]) free.joints.push_back(joint);
    for (const std::string& name : request_.drivers) {
        const auto joint = rig::findJoint(free, name);
        if (!joint) throw Error::badInput(rig::noSuchJoint(free, name));
        choice.drivers.push_back(free.joints[*joint].node);
    }
    const std::size_t before = free.joints.size();
    for (rig::DrivenJoint& joint : rig::addDrivenJoints(free, choice)) extra_.push_back(std::move(joint));
    skeleton.nodes = std::move(free.nodes);
    skeleton.joints.insert(skeleton.joints.end(), free.joints.begin() + std::ptrdiff_t(before), free.joints.end());
}

/// Bones of a decomposition of the examples beside the joints, driven by nearby rotations.
void CharacterFitter::learnJoints() {
    const fit::ExamplePoses& poses = made_.poses;
    Character& character = made_.character;
    fit::SkinSamples samples{poses.vertices, poses.examples, {}, {}, std::vector<double>(poses.examples, 1)};
    for (std::size_t v = 0; v < poses.vertices; ++v)
        for (std::size_t e = 0; e < poses.examples; ++e)
            for (int c = 0; c < 3; ++c) samples.positions.push_back(float(poses.mesh(e)[v][c]));
    for (const double time : made_.times) {
        const auto locals = rig::sampleDrivenLocals(character.skeleton, character.driven, &clip(), time);
        samples.locals.insert(samples.locals.end(), locals.begin(), locals.end());
    }
    std::vector<rig::DrivenJoint> driven = character.driven;
    const std::vector<Vec3f> rest(rest_.begin(), rest_.end());
    fit::addLearnedJoints(character.skeleton, driven, rest, std::move(samples), request_.helpers, progress_);
    extra_.assign(driven.begin() + std::ptrdiff_t(character.driven.size()), driven.end());
}

void CharacterFitter::poseJoints() {
    std::vector<rig::DrivenJoint> driven = made_.character.driven;
    driven.insert(driven.end(), extra_.begin(), extra_.end());
    made_.poses.joints = made_.character.skeleton.joints.size();
    for (const double time : made_.times)
        for (const Affine3d& bone : rig::drivenSkinMatrices(made_.character.skeleton, driven, &clip(), time))
            made_.poses.bones.push_back(bone);
}

void CharacterFitter::readMeshes(MeshSequence& examples) {
    fit::ExamplePoses& poses = made_.poses;
    poses.vertices = made_.weld.count();
    poses.examples = made_.times.size();
    std::vector<Vec3f> frame(examples.vertexCount());
    ExampleNormals normals(made_, examples, request_.normals);
    for (std::size_t e = 0; e < poses.examples; ++e) {
        progress_.report("read", double(e) / double(poses.examples));
        examples.readFrame(e, frame);
        const std::vector<Vec3d> exact(frame.begin(), frame.end());
        const std::vector<Vec3d> welded = meanOverWeld(exact, made_.weld);
        poses.positions.insert(poses.positions.end(), welded.begin(), welded.end());
        normals.read(e, frame);
    }
}

void CharacterFitter::measureOwnWeights(MeshSequence& examples) {
    const Character& character = made_.character;
    if (character.weights.empty()) return;
    double sum = 0;
    std::vector<Vec3f> frame(examples.vertexCount());
    for (std::size_t e = 0; e < made_.poses.examples; ++e) {
        examples.readFrame(e, frame);
        const std::span<const Affine3d> bones = made_.poses.pose(e);
        for (std::size_t v = 0; v < frame.size(); ++v) {
            Vec3d d = -Vec3d(frame[v]);
            for (std::size_t i = 0; i < character.weights.influenceCount(v); ++i)
                d += bones[character.weights.jointsOf(v)[i]] * Vec3d(character.mesh.positions[v]) *
                     double(character.weights.weightsOf(v)[i]);
            sum += dot(d, d);
        }
    }
    made_.rms_own = std::sqrt(sum / (double(frame.size()) * double(made_.poses.examples)));
}

/// Keeps the core joints and the selected extra ones, in the skeleton and in the poses.
void CharacterFitter::keepExtraJoints(const std::vector<bool>& keep) {
    const std::vector<std::int32_t> slots = rig::keepDrivenJoints(made_.character.skeleton, extra_, keep);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t j = 0; j < slots.size(); ++j)
        if (slots[j] >= 0) kept.push_back(j);
    made_.poses = fit::withJoints(made_.poses, kept);
}

void CharacterFitter::chooseExtraJoints() {
    if (extra_.empty()) return;
    const fit::ExtraJointChoice choice =
        fit::chooseExtraJoints(rest_, made_.poses, core_joints_, request_.most_extra, convex(), progress_);
    made_.rms_looked_at = choice.rms.front();
    std::vector<bool> keep(extra_.size(), false);
    for (std::size_t step = 0; step < choice.order.size(); ++step) {
        const rig::DrivenJoint& joint = extra_[choice.order[step] - core_joints_];
        keep[choice.order[step] - core_joints_] = true;
        made_.extra.push_back({made_.character.skeleton.nodes[joint.node].name,
                               made_.character.skeleton.nodes[joint.driver].name, joint.kind(), choice.rms[step + 1]});
    }
    keepExtraJoints(keep);
}

void CharacterFitter::fitWeights() {
    const auto fitted = [&](const fit::ExamplePoses& poses, const fit::ExampleFitOptions& options, double from,
                            double to) {
        return fit::fitExamples(rest_, poses, options, progress_.share("fit", from, to));
    };
    const auto fitBoth = [&](double from, double to) {
        const double middle = 0.5 * (from + to);
        if (request_.signed_weights) {
            made_.affine = fitted(made_.poses, affine(), from, middle);
            made_.convex = fit::fitConvexOn(made_.affine, made_.poses, convex(), progress_.share("fit", middle, to));
        } else {
            made_.convex = fitted(made_.poses, convex(), from, to);
        }
    };
    fitBoth(0, 0.3);
    if (dropUnused()) fitBoth(0.3, 0.5);
    if (!request_.signed_weights) made_.affine = fitted(made_.poses, affine(), 0.5, 0.8);
    std::vector<std::uint32_t> core(core_joints_);
    std::iota(core.begin(), core.end(), 0U);
    const bool as_convex = extra_.empty() && !request_.signed_weights;
    made_.plain = as_convex ? made_.convex : fitted(fit::withJoints(made_.poses, core), convex(), 0.8, 1);
}

/// Removes extra joints without vertices; returns whether there were any.
bool CharacterFitter::dropUnused() {
    std::vector<bool> keep(extra_.size(), true);
    std::vector<std::uint32_t> unused = fit::unusedJoints(made_.convex.weights, made_.poses.joints);
    if (request_.signed_weights) {
        const std::vector<std::uint32_t> also = fit::unusedJoints(made_.affine.weights, made_.poses.joints);
        std::erase_if(unused,
                      [&](std::uint32_t joint) { return !std::binary_search(also.begin(), also.end(), joint); });
    }
    for (const std::uint32_t joint : unused) {
        if (joint < core_joints_) continue;
        keep[joint - core_joints_] = false;
        const std::string& name = rig::jointName(made_.character.skeleton, joint);
        std::erase_if(made_.extra, [&](const ExtraJoint& extra) { return extra.name == name; });
    }
    if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
    keepExtraJoints(keep);
    return true;
}

/// With poses unrelated to the examples, the error is about that of a mesh that does not move at all.
void CharacterFitter::checkExplained() {
    const fit::ExamplePoses& poses = made_.poses;
    double motion = 0;
    for (std::size_t v = 0; v < poses.vertices; ++v) {
        Vec3d mean;
        for (std::size_t e = 0; e < poses.examples; ++e) mean += poses.mesh(e)[v] / double(poses.examples);
        for (std::size_t e = 0; e < poses.examples; ++e) {
            const Vec3d d = poses.mesh(e)[v] - mean;
            motion += dot(d, d);
        }
    }
    motion = std::sqrt(motion / (double(poses.vertices) * double(poses.examples)));
    made_.unexplained = motion > 0 ? made_.convex.rms / motion : 0;
    if (made_.unexplained > kExplainsNothing)
        throw Error::badInput(
            fmt::format("the poses of clip '{}' do not match the examples: {:.0f} % of the motion of the vertices "
                        "remains unexplained; the skeleton must have the poses of the examples, in the same order",
                        clip().name, 100 * made_.unexplained));
}

void CharacterFitter::putTogether() {
    Character& character = made_.character;
    character.ddm = nullptr;  // made for the old skin
    character.driven.insert(character.driven.end(), extra_.begin(), extra_.end());
    setFittedSkin(character, made_);
    if (request_.signed_weights) character.ddm = signedSkin(character, made_);
    keyPoses(character, made_.clip, made_.times);
    made_.clip = 0;
}

}  // namespace

FitResult fitCharacter(Character character, MeshSequence& examples, const methods::Sampling& sampling,
                       const FitRequest& request, const Progress& progress) {
    return CharacterFitter(std::move(character), sampling, request, progress).run(examples);
}

geometry::SequenceError measureFit(const FitResult& made, MeshSequence& examples, std::span<const Vec3f> rest,
                                   std::string_view method) {
    Character stored = io::loadGltf(io::toGlb(made.character), "the fitted character").character;
    stored.props = {};
    methods::Sampling sampling;
    sampling.clip = std::to_string(made.clip);
    methods::CharacterSampler sampler(stored, methods::findMethod(method), sampling);
    const std::size_t vertices = stored.mesh.vertexCount();
    std::vector<Vec3f> frames(vertices * made.times.size());
    for (std::size_t e = 0; e < made.times.size(); ++e)
        sampler.evaluateAt(made.times[e], std::span(frames).subspan(e * vertices, vertices), {});
    return geometry::compareSequences(*makeSequence(std::move(frames), vertices), examples, rest);
}

void playAffine(const FitResult& made, std::size_t example, std::span<Vec3f> out) {
    std::vector<Vec3d> welded(made.weld.count());
    fit::playFit(made.affine, made.poses.pose(example), welded);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = Vec3f(welded[made.weld.welded[v]]);
}

}  // namespace pelt::verbs
