// From poses of a skeleton and meshes to a character that can be saved: [MohrGleicher03] and everything around it.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/normals.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/fit.h>

#include <algorithm>
#include <numeric>

#include "fit_character.h"

namespace pelt::pipeline {
namespace {

constexpr double kExplainsNothing =
    0.8;  ///< fraction of the frames' motion: above this, the poses are considered wrong

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

class CharacterFitter {
public:
    CharacterFitter(Character character, const Sampling& sampling, const FitRequest& request, const Progress& progress)
        : request_(request), progress_(progress) {
        made_.character = std::move(character);
        if (made_.character.skeleton.joints.empty()) throw Error::badInput("has no joints to fit a skin to");
        made_.times = sampleTimes(made_.character, sampling);
        made_.clip = std::size_t(&chosenClip(made_.character, sampling) - made_.character.clips.data());
        made_.weld = geometry::weldByPosition(made_.character.mesh);
        rest_ = atRepresentatives(made_.character.mesh.positions, made_.weld);
    }

    FitResult run(MeshSequence& examples) {
        checkSizes(examples);
        core_joints_ = made_.character.skeleton.joints.size();
        addExtraJoints();
        readPoses(examples);
        measureOwnWeights(examples);
        chooseExtraJoints();
        fitWeights();
        checkExplained();
        if (request_.validate) made_.validation = fit::validateExamples(rest_, made_.poses, convex(), progress_);
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
    }

    void addExtraJoints();
    void readPoses(MeshSequence& examples);
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
    std::vector<Vec3d> rest_;              ///< of welded vertices
    std::vector<rig::DrivenJoint> extra_;  ///< not yet in the character's list
};

void CharacterFitter::addExtraJoints() {
    Skeleton& skeleton = made_.character.skeleton;
    rig::DrivenJointChoice choice;
    choice.rotations = request_.rotations;
    choice.scales = request_.scales;
    choice.k = request_.k;
    if (request_.most_extra == 0 || (choice.rotations == 0 && !choice.scales)) return;
    // Joints that are already driven are used as they are; they do not drive others and are not bones.
    std::vector<bool> is_driven(skeleton.nodes.size(), false);
    for (const rig::DrivenJoint& joint : made_.character.driven) is_driven[joint.node] = true;
    Skeleton free{skeleton.nodes, {}};
    for (const Joint& joint : skeleton.joints)
        if (!is_driven[joint.node]) free.joints.push_back(joint);
    for (const std::string& name : request_.drivers) {
        const auto joint = rig::findJoint(free, name);
        if (!joint) throw Error::badInput(rig::noSuchJoint(free, name));
        choice.drivers.push_back(free.joints[*joint].node);
    }
    const std::size_t before = free.joints.size();
    extra_ = rig::addDrivenJoints(free, choice);
    skeleton.nodes = std::move(free.nodes);
    skeleton.joints.insert(skeleton.joints.end(), free.joints.begin() + std::ptrdiff_t(before), free.joints.end());
}

void CharacterFitter::readPoses(MeshSequence& examples) {
    std::vector<rig::DrivenJoint> driven = made_.character.driven;
    driven.insert(driven.end(), extra_.begin(), extra_.end());
    fit::ExamplePoses& poses = made_.poses;
    poses.joints = made_.character.skeleton.joints.size();
    poses.vertices = made_.weld.count();
    poses.examples = made_.times.size();
    std::vector<Vec3f> frame(examples.vertexCount());
    const Mesh& mesh = made_.character.mesh;
    const bool with_normals = request_.normals_weight > 0 && !mesh.triangles.empty();
    const auto addNormals = [&](std::span<const Vec3f> positions, std::vector<Vec3d>& to) {
        const std::vector<Vec3f> normals = geometry::angleWeightedNormals(positions, mesh.triangles, made_.weld);
        for (const std::uint32_t v : made_.weld.representative) to.emplace_back(normals[v]);
    };
    if (with_normals) addNormals(mesh.positions, poses.rest_normals);
    for (std::size_t e = 0; e < poses.examples; ++e) {
        progress_.report("read", double(e) / double(poses.examples));
        for (const Affine3d& bone : rig::drivenSkinMatrices(made_.character.skeleton, driven, &clip(), made_.times[e]))
            poses.bones.push_back(bone);
        examples.readFrame(e, frame);
        const std::vector<Vec3d> exact(frame.begin(), frame.end());
        const std::vector<Vec3d> welded = meanOverWeld(exact, made_.weld);
        poses.positions.insert(poses.positions.end(), welded.begin(), welded.end());
        if (with_normals) addNormals(frame, poses.normals);
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
                               made_.character.skeleton.nodes[joint.driver].name, joint.kind, choice.rms[step + 1]});
    }
    keepExtraJoints(keep);
}

void CharacterFitter::fitWeights() {
    const auto fitted = [&](const fit::ExamplePoses& poses, const fit::ExampleFitOptions& options, double from,
                            double to) {
        return fit::fitExamples(rest_, poses, options, progress_.share("fit", from, to));
    };
    made_.convex = fitted(made_.poses, convex(), 0, 0.3);
    if (dropUnused()) made_.convex = fitted(made_.poses, convex(), 0.3, 0.5);
    fit::ExampleFitOptions affine = convex();
    affine.weights = fit::WeightKind::affine;
    made_.affine = fitted(made_.poses, affine, 0.5, 0.8);
    std::vector<std::uint32_t> core(core_joints_);
    std::iota(core.begin(), core.end(), 0U);
    made_.plain = extra_.empty() ? made_.convex : fitted(fit::withJoints(made_.poses, core), convex(), 0.8, 1);
}

/// Removes extra joints without vertices; returns whether there were any.
bool CharacterFitter::dropUnused() {
    std::vector<bool> keep(extra_.size(), true);
    for (const std::uint32_t joint : fit::unusedJoints(made_.convex.weights, made_.poses.joints)) {
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
    setFittedSkin(character, made_.convex, made_.weld);
    keyPoses(character, made_.clip, made_.times);
    made_.clip = 0;
}

}  // namespace

FitResult fitCharacter(Character character, MeshSequence& examples, const Sampling& sampling, const FitRequest& request,
                       const Progress& progress) {
    return CharacterFitter(std::move(character), sampling, request, progress).run(examples);
}

geometry::SequenceError measureFit(const FitResult& made, MeshSequence& examples, std::span<const Vec3f> rest) {
    Character stored = io::loadGltf(io::toGlb(made.character), "the fitted character");
    stored.props = {};
    Sampling sampling;
    sampling.clip = std::to_string(made.clip);
    CharacterSampler sampler(stored, findMethod("lbs"), sampling);
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

}  // namespace pelt::pipeline
