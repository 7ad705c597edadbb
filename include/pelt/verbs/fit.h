#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/geometry/weld.h>
#include <pelt/methods/sampling.h>

#include <optional>

namespace pelt::verbs {

/// Options for a skin from examples.
struct FitRequest {
    fit::ExampleFitOptions
        solver;  ///< mainly `influences`; the kind of weights and the scale of normals are set by fitCharacter
    std::vector<std::string> drivers;  ///< joints that may get extra joints; empty: all that are not driven
    std::size_t rotations = 1;         ///< half-way joints per driver
    bool scales = true;
    double k = 8;
    std::size_t helpers = 0;      ///< learned joints that are tried besides
    std::size_t most_extra = 16;  ///< maximal number of extra joints to keep
    double normals_weight = 0;  ///< an error of 1 in a unit normal counts as much as a distance of this many mean edges
    MeshSequence* normals = nullptr;  ///< of the examples, frame by frame; null: those that the examples have, if any
    bool signed_weights = false;      ///< the affine skin goes into the file, with the convex one as its plain skin
    bool validate = false;
};

struct ExtraJoint {
    std::string name, driver;
    rig::DriverKind kind = rig::DriverKind::rotation;
    double rms = 0;  ///< after adding it, over a sample of the vertices
};

struct FitResult {
    /// The character to save: dress pose, convex weights, extra joints with their drivers, a new clip with one key per
    /// pose, and keys of the extra joints in all other clips. It has no mushed skin; a fitted one if that was
    /// requested.
    Character character;
    std::size_t clip = 0;                  ///< index of the clip with one key per pose
    std::vector<double> times;             ///< times of the poses in the clip
    std::vector<ExtraJoint> extra;         ///< those kept, in the order in which they were chosen
    double rms_looked_at = 0;              ///< without extra joints, over a sample of the vertices
    fit::ExampleFit plain;                 ///< convex, no extra joints
    fit::ExampleFit convex, affine;        ///< with them, over welded vertices
    geometry::Weld weld;                   ///< maps the mesh's vertices to those
    fit::ExamplePoses poses;               ///< all joints of the character, over welded vertices
    bool normals_given = false;            ///< the examples' own normals were used, else they were recomputed
    std::vector<std::uint32_t> normal_of;  ///< per vertex of the mesh, one of `poses`
    std::optional<double> rms_own;         ///< with the character's original weights
    double unexplained = 0;                ///< RMS of the convex fit relative to that of the examples about their mean
    std::optional<fit::ExampleValidation> validation,
        signed_validation;  ///< of the convex and of the stored affine skin
};

/// A skin from examples, [MohrGleicher03]: the samples of the character's clip are the poses, the frames are the
/// meshes. The character's own weights are not used. Vertices of equal position get equal weights. Throws Error (bad
/// input) for a character without joints or clips, another number of frames or vertices, numbers that are not finite, a
/// driver that is not a joint, and poses unrelated to the frames; (bad usage) for options outside their range.
FitResult fitCharacter(Character character, MeshSequence& examples, const methods::Sampling& sampling,
                       const FitRequest& request, const Progress& progress = {});

/// The error of the character, as stored in a file and played by `method`, relative to the examples.
geometry::SequenceError measureFit(const FitResult& made, MeshSequence& examples, std::span<const Vec3f> rest,
                                   std::string_view method = "lbs");

/// An example as reproduced by the affine weights; `out` has one entry per vertex of the mesh.
void playAffine(const FitResult& made, std::size_t example, std::span<Vec3f> out);

}  // namespace pelt::verbs
