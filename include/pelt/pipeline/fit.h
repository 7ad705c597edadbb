#pragma once

#include <pelt/fit/examples.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/geometry/weld.h>
#include <pelt/pipeline/sampling.h>

#include <optional>

namespace pelt::pipeline {

/// What a user asks of a skin from examples.
struct FitRequest {
    fit::ExampleFitOptions solver;     ///< `influences`, above all; kind and length of normals are set here
    std::vector<std::string> drivers;  ///< joints that may get extra ones; empty: all that no other drives
    std::size_t rotations = 1;         ///< half-way joints per driver
    bool scales = true;
    double k = 8;
    std::size_t most_extra = 16;  ///< extra joints that are kept at most
    double normals_weight = 0;    ///< an error of 1 in a unit normal counts like so many mean edges of distance
    bool validate = false;
};

struct ExtraJoint {
    std::string name, driver;
    rig::DriverKind kind = rig::DriverKind::rotation;
    double rms = 0;  ///< once it was taken, over the vertices that choosing looks at
};

struct FitResult {
    /// As a file holds it: dress pose, convex weights, the extra joints with their drivers, a clip more that has one
    /// key per pose, the extra joints' keys in all others. The mushed skin is gone.
    Character character;
    std::size_t clip = 0;            ///< of the character, the one with a key per pose
    std::vector<double> times;       ///< of the poses, on the clip's time line
    std::vector<ExtraJoint> extra;   ///< that were kept, in the order in which they were taken
    double rms_looked_at = 0;        ///< without extra joints, over the vertices that choosing looks at
    fit::ExampleFit plain;           ///< convex, no extra joints
    fit::ExampleFit convex, affine;  ///< with them, over welded vertices
    geometry::Weld weld;             ///< the mesh's vertices to those
    fit::ExamplePoses poses;         ///< all joints of the character, over welded vertices
    std::optional<double> rms_own;   ///< of the weights that the character came with
    double unexplained = 0;          ///< RMS of the convex fit over that of the examples about their mean
    std::optional<fit::ExampleValidation> validation;
};

/// A skin from examples, [MohrGleicher03]: the samples of the character's clip are the poses, the frames the meshes.
/// The weights that the character has are not looked at. Vertices in one place get one weight. Throws Error (bad
/// input) for a character without joints or clips, another number of frames or vertices, numbers that are not finite,
/// a driver that is no joint and poses that explain nothing of the frames; (bad usage) for options outside their range.
FitResult fitCharacter(Character character, MeshSequence& examples, const Sampling& sampling, const FitRequest& request,
                       const Progress& progress = {});

/// How far the character, as a file holds it, is from the examples that it was fitted to.
geometry::SequenceError measureFit(const FitResult& made, MeshSequence& examples, std::span<const Vec3f> rest);

/// An example as the affine weights reproduce it; `out` has one entry a vertex of the mesh.
void playAffine(const FitResult& made, std::size_t example, std::span<Vec3f> out);

}  // namespace pelt::pipeline
