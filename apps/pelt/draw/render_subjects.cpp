#include "render_subjects.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/props.h>

#include <algorithm>

#include "joint_list.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

bool isPosed(const RenderChoice& choice, const Character& character) {
    if (choice.sampling.bind_pose) return false;
    if (choice.sampling.clip) return true;
    const bool asked = !choice.moments.empty() || !choice.methods.empty();
    return asked && !character.clips.empty();
}

std::vector<render::Bone> skeletonAt(const Skeleton& skeleton, const std::vector<Vec3d>& positions) {
    std::vector<render::Bone> drawn;
    const JointList joints = listJoints(skeleton);
    for (const JointList::Entry& joint : joints.entries) {
        const Vec3f here(positions[joint.first_slot]);
        // A root is drawn as a joint only: a bone without length.
        const Vec3f from = joint.parent < 0
                               ? here
                               : Vec3f(positions[joints.entries[static_cast<std::size_t>(joint.parent)].first_slot]);
        if (isFinite(here) && isFinite(from)) drawn.push_back({from, here});
    }
    return drawn;
}

void addCharacter(Session& session, const RenderChoice& choice, const std::filesystem::path& file,
                  std::vector<RenderSubject>& subjects) {
    const auto character = std::make_shared<const Character>(session.loadCharacter(file, choice.sampling.clip));
    RenderSubject subject(file, character, nullptr);
    if (choice.sampling.bind_pose) {
        subject.bind();
        return subjects.push_back(subject);
    }
    session.stage("prepare");
    std::vector<std::string> methods = choice.methods.empty() ? std::vector<std::string>{"lbs"} : choice.methods;
    const bool skinned = !character->skeleton.joints.empty() && !character->weights.empty();
    if (!skinned) methods.resize(1);  // all would be the same
    const bool posed = isPosed(choice, *character);
    for (const std::string& name : methods) {
        const pipeline::Method& method = pipeline::findMethod(name);
        subjects.push_back(subject);
        aboutFile(file, [&] {
            if (posed)
                subjects.back().pose(method, choice.sampling, session.progress());
            else if (skinned)
                subjects.back().rest(method, session.progress());
        });
        if (skinned && (posed || !choice.methods.empty())) subjects.back().nameMethod(name);
    }
}

}  // namespace

RenderSubject::RenderSubject(std::filesystem::path file, std::shared_ptr<const Character> character,
                             std::shared_ptr<MeshSequence> sequence)
    : file_(std::move(file)), character_(std::move(character)), sequence_(std::move(sequence)) {
    if (!character_ && (!sequence_->mesh() || sequence_->mesh()->triangles.empty()))
        throw Error::badInput({file_.string()}, "has no faces to draw; give some with --mesh M");
    if (character_) whole_ = std::make_shared<const Mesh>(rig::wholeMesh(*character_));
    if (mesh().triangles.empty()) throw Error::badInput({file_.string()}, "has no faces to draw");
}

bool RenderSubject::moves() const { return sampler_ || (sequence_ && sequence_->frameCount() > 1); }

void RenderSubject::rest(const pipeline::Method& method, const Progress& progress) {
    rest_deformer_ = method.prepare(*character_, {}, progress);
    const std::vector<Affine3d> bones = rig::drivenSkinMatrices(character_->skeleton, character_->driven, nullptr, 0);
    rest_deformer_->setPose(std::vector<Affine3f>(bones.begin(), bones.end()));
}

void RenderSubject::bind() {
    pipeline::Sampling sampling;
    sampling.bind_pose = true;
    auto stored = std::make_shared<Mesh>(*whole_);
    pipeline::CharacterSampler(*character_, pipeline::findMethod("lbs"), sampling)
        .evaluate(0, stored->positions, stored->normals);
    whole_ = std::move(stored);
    stored_ = true;
}

void RenderSubject::pose(const pipeline::Method& method, const pipeline::Sampling& sampling, const Progress& progress) {
    sampler_ = std::make_shared<pipeline::CharacterSampler>(*character_, method, sampling, progress);
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

std::vector<RenderSubject> loadSubjects(Session& session, const RenderChoice& choice) {
    std::vector<RenderSubject> subjects;
    for (const std::filesystem::path& file : choice.files) {
        session.stage("load");
        if (session.kindOf(file) == pipeline::FileKind::character)
            addCharacter(session, choice, file, subjects);
        else
            subjects.emplace_back(file, nullptr, pipeline::openSequence(file, choice.sampling, choice.mesh));
    }
    const bool any_method =
        std::any_of(subjects.begin(), subjects.end(), [](const RenderSubject& s) { return !s.method().empty(); });
    if (!choice.methods.empty() && !choice.sampling.bind_pose && !any_method)
        session.warn(choice.files.front(), "has no skin, so --method has no effect");
    return subjects;
}

}  // namespace pelt::cli
