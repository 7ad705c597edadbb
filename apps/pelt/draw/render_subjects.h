#pragma once

#include <pelt/methods/sampling.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "draw/moment.h"
#include "draw/sheet.h"
#include "verbs/run/run.h"

namespace pelt::draw {

/// What `render` shows of each file.
struct RenderChoice {
    std::vector<std::string> methods;  ///< empty: lbs
    std::vector<Moment> moments;       ///< empty: the rest pose or, with a clip or method, the pose farthest from rest
    methods::Sampling sampling;
    methods::MethodOptions options;  ///< each method takes those that it has
    bool skeleton = false;
};

/// One column of a contact sheet: a file and, if it is posed, the deformation method.
class RenderSubject {
public:
    RenderSubject(std::filesystem::path file, verbs::CharacterRef character, std::shared_ptr<MeshSequence> sequence);

    /// Shows the default pose of the nodes, as a viewer does before a clip plays. Without this, and without a skin, the
    /// bind pose is shown: the mesh as stored in the file, which may be lying down.
    void rest(const methods::Method& method, const methods::MethodOptions& options, const Progress& progress);
    /// Shows the mesh as stored in the file, with props placed by the rest pose of their nodes.
    void bind();
    /// Poses the character by a clip from now on.
    void pose(const methods::Method& method, const RenderChoice& choice, const Progress& progress);

    /// The name of the pose in captions.
    void nameMethod(const std::string& name) { method_ = name; }

    const std::filesystem::path& file() const { return file_; }
    const Character* character() const { return character_.get(); }  ///< nullptr for a mesh or sequence
    const std::string& method() const { return method_; }            ///< empty if none was chosen
    bool rests() const { return rest_deformer_ != nullptr; }
    const Clip* clip() const { return sampler_ ? sampler_->clip() : nullptr; }
    bool moves() const;

    struct Pose {
        Shot shot;                         ///< positions, normals, triangles, bones
        std::optional<double> seconds;     ///< of a clip
        std::optional<std::size_t> frame;  ///< of a sequence
    };
    /// Without a time: the pose of a clip farthest from rest, or the middle of a sequence.
    Pose at(const std::optional<Moment>& moment, double fps, bool skeleton) const;
    /// The position of a joint in that pose. Throws Error (bad input) if the subject has no such joint.
    Vec3f jointAt(const std::string& name, const Pose& pose) const;

private:
    const Mesh& mesh() const { return whole_ ? *whole_ : *sequence_->mesh(); }
    /// The positions of the joints, one per slot: in the bind pose, or moved by the skin matrices.
    std::vector<Vec3d> jointsAt(const Pose& pose) const;
    double secondsAt(const std::optional<Moment>& moment, double fps) const;

    std::filesystem::path file_;
    verbs::CharacterRef character_;
    std::shared_ptr<const Mesh> whole_;  ///< of a character: with its props
    std::shared_ptr<MeshSequence> sequence_;
    std::string method_;
    bool stored_ = false;                               ///< the mesh is shown as the file stores it
    std::shared_ptr<methods::Deformer> rest_deformer_;  ///< null unless the nodes' rest pose is shown
    std::shared_ptr<methods::CharacterSampler> sampler_;
};

/// Loads the input `files` and returns one subject per file and method. Throws Error as loading and sampling do.
std::vector<RenderSubject> loadSubjects(verbs::Run& run, const RenderChoice& choice);

}  // namespace pelt::draw
