// The columns of a contact sheet: characters, meshes and sequences in the poses that are drawn.
#include "draw/render_subjects.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/joint_list.h>
#include <pelt/rig/props.h>

#include <algorithm>

namespace pelt::draw {
namespace {

bool isPosed(const RenderChoice& choice, const Character& character) {
    if (choice.sampling.bind_pose) return false;
    if (choice.sampling.clip) return true;
    const bool posed = !choice.moments.empty() || !choice.methods.empty();
    return posed && !character.clips.empty();
}

std::vector<render::Bone> skeletonAt(const Skeleton& skeleton, const std::vector<Vec3d>& positions) {
    std::vector<render::Bone> drawn;
    const rig::JointList joints = rig::listJoints(skeleton);
    for (const rig::JointList::Entry& joint : joints.entries) {
        const Vec3f here(positions[joint.first_slot]);
        // A root is drawn as a joint only: a bone without length.
        const Vec3f from = joint.parent < 0
                               ? here
                               : Vec3f(positions[joints.entries[static_cast<std::size_t>(joint.parent)].first_slot]);
        if (isFinite(here) && isFinite(from)) drawn.push_back({from, here});
    }
    return drawn;
}

/// Those of `options` that the method has.
methods::MethodOptions optionsOf(const methods::Method& method, methods::MethodOptions options) {
    for (const std::string& other : methods::optionsNotOf(method, options)) options.erase(other);
    return options;
}

/// Options that none of the methods has do nothing.
void warnOfIdleOptions(verbs::Run& run, const RenderChoice& choice, const std::vector<std::string>& methods,
                       const std::string& file) {
    methods::MethodOptions idle = choice.options;
    for (const std::string& name : methods)
        for (const auto& [option, values] : optionsOf(methods::findMethod(name), choice.options)) idle.erase(option);
    for (const auto& [option, values] : idle)
        run.warn(file, fmt::format("`{}` has no effect on {}", option, fmt::join(methods, ", ")));
}

void addCharacter(verbs::Run& run, const RenderChoice& choice, const verbs::Given& given,
                  std::vector<RenderSubject>& subjects) {
    const verbs::CharacterRef character = run.characterOf(given, choice.sampling.clip, true);
    RenderSubject subject(given.name, character, nullptr);
    if (choice.sampling.bind_pose) {
        subject.bind();
        return subjects.push_back(subject);
    }
    run.stage("prepare");
    std::vector<std::string> methods = choice.methods.empty() ? std::vector<std::string>{"lbs"} : choice.methods;
    const bool skinned = !character->skeleton.joints.empty() && !character->weights.empty();
    if (!skinned) methods.resize(1);  // all would be the same
    if (skinned) warnOfIdleOptions(run, choice, methods, given.name);
    const bool posed = isPosed(choice, *character);
    for (const std::string& name : methods) {
        const methods::Method& method = methods::findMethod(name);
        subjects.push_back(subject);
        verbs::aboutFile(given.name, [&] {
            if (posed)
                subjects.back().pose(method, choice, run.progress());
            else if (skinned)
                subjects.back().rest(method, choice.options, run.progress());
        });
        if (skinned && (posed || !choice.methods.empty())) subjects.back().nameMethod(name);
    }
}

}  // namespace

RenderSubject::RenderSubject(std::filesystem::path file, verbs::CharacterRef character,
                             std::shared_ptr<MeshSequence> sequence)
    : file_(std::move(file)), character_(std::move(character)), sequence_(std::move(sequence)) {
    if (!character_ && (!sequence_->mesh() || sequence_->mesh()->triangles.empty()))
        throw Error::badInput({file_.string()}, "has no faces to draw; give some with --mesh M");
    if (character_) whole_ = std::make_shared<const Mesh>(rig::wholeMesh(*character_));
    if (mesh().triangles.empty()) throw Error::badInput({file_.string()}, "has no faces to draw");
}

bool RenderSubject::moves() const { return sampler_ || (sequence_ && sequence_->frameCount() > 1); }

void RenderSubject::rest(const methods::Method& method, const methods::MethodOptions& options,
                         const Progress& progress) {
    rest_deformer_ = method.prepare(*character_, optionsOf(method, options), progress);
    const std::vector<Affine3d> bones = rig::drivenSkinMatrices(character_->skeleton, character_->driven, nullptr, 0);
    rest_deformer_->setPose(std::vector<Affine3f>(bones.begin(), bones.end()));
}

void RenderSubject::bind() {
    methods::Sampling sampling;
    sampling.bind_pose = true;
    auto stored = std::make_shared<Mesh>(*whole_);
    methods::CharacterSampler(*character_, methods::findMethod("lbs"), sampling)
        .evaluate(0, stored->positions, stored->normals);
    whole_ = std::move(stored);
    stored_ = true;
}

void RenderSubject::pose(const methods::Method& method, const RenderChoice& choice, const Progress& progress) {
    sampler_ = std::make_shared<methods::CharacterSampler>(*character_, method, choice.sampling, progress,
                                                           optionsOf(method, choice.options));
}

double RenderSubject::secondsAt(const std::optional<Moment>& moment, double fps) const {
    const Clip& clip = *sampler_->clip();
    return moment ? momentOfClip(*moment, clip, fps) : liveliestMoment(character_->skeleton, clip);
}

RenderSubject::Pose RenderSubject::at(const std::optional<Moment>& moment, double fps, bool skeleton) const {
    Pose pose;
    Shot& shot = pose.shot;
    shot.triangles = mesh().triangles;
    shot.positions = mesh().positions;
    shot.bodies = geometry::bodiesOf(mesh());
    if (sampler_) {
        pose.seconds = secondsAt(moment, fps);
        if (!mesh().normals.empty()) shot.normals.resize(shot.positions.size());
        sampler_->evaluateAt(*pose.seconds, shot.positions, shot.normals);
    } else if (sequence_) {
        const Moment chosen = moment.value_or(Moment{Moment::Unit::percent, 50});
        if (moves()) pose.frame = momentOfSequence(chosen, sequence_->frameCount(), sequence_->frameSeconds());
        sequence_->readFrame(pose.frame.value_or(0), shot.positions);
    } else {
        shot.normals = mesh().normals;
    }
    if (rests()) {
        const std::size_t skin = character_->mesh.vertexCount();
        const auto part = [&](std::vector<Vec3f>& all) { return std::span(all).first(all.empty() ? 0 : skin); };
        rest_deformer_->evaluate({}, 0, skin, {part(shot.positions), part(shot.normals)});
    }
    if (skeleton && character_) shot.bones = skeletonAt(character_->skeleton, jointsAt(pose));
    return pose;
}

std::vector<Vec3d> RenderSubject::jointsAt(const Pose& pose) const {
    const Skeleton& skeleton = character_->skeleton;
    std::vector<Vec3d> positions = rig::jointRestPositions(skeleton);
    // If the mesh is shown as stored in the file, so are its joints.
    if (stored_ && !character_->from_file.empty())
        for (Vec3d& p : positions) p = inverse(character_->from_file.front()) * p;
    if (!rests() && !clip()) return positions;
    const std::vector<Affine3d> bones =
        rig::drivenSkinMatrices(skeleton, character_->driven, clip(), pose.seconds.value_or(0));
    for (std::size_t j = 0; j < positions.size(); ++j) positions[j] = bones[j] * positions[j];
    return positions;
}

Vec3f RenderSubject::jointAt(const std::string& name, const Pose& pose) const {
    if (!character_) throw Error::badInput(fmt::format("has no joint '{}' to look at", name));
    const auto joint = rig::findJoint(character_->skeleton, name);
    if (!joint) throw Error::badInput(rig::noSuchJoint(character_->skeleton, name));
    return Vec3f(jointsAt(pose)[*joint]);
}

std::vector<RenderSubject> loadSubjects(verbs::Run& run, const RenderChoice& choice) {
    std::vector<RenderSubject> subjects;
    for (const verbs::Given& file : run.allGiven("files")) {
        run.stage("load");
        if (verbs::Run::kindOf(file) == verbs::FileKind::character)
            addCharacter(run, choice, file, subjects);
        else
            subjects.emplace_back(file.name, nullptr, run.sequence(file, choice.sampling, "mesh"));
    }
    const bool any_method =
        std::any_of(subjects.begin(), subjects.end(), [](const RenderSubject& s) { return !s.method().empty(); });
    if (!choice.methods.empty() && !choice.sampling.bind_pose && !any_method)
        run.warn(run.nameOf("files"), "has no skin, so --method has no effect");
    return subjects;
}

}  // namespace pelt::draw
