#pragma once

#include <pelt/fit/bone_skeleton.h>
#include <pelt/fit/decompose.h>
#include <pelt/fit/eigenskin.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/rig/character.h>

#include <optional>

namespace pelt::verbs {

/// A sequence that becomes a clip. It must outlive the calls below and is read by one of them at a time.
struct NamedSequence {
    std::string name;
    MeshSequence* frames = nullptr;
};

struct DecomposeRequest {
    fit::DecomposeOptions solver;     ///< `bones`: the number, or the maximum if there is a tolerance
    std::optional<double> tolerance;  ///< E_RMS to reach with as few bones as possible
    bool skeleton = false;            ///< computes joints between bones; otherwise every bone is a root
    std::size_t eigenskin = 0;        ///< rank of the corrections, 0 for none
    Skeleton kept;                    ///< its joints are the first bones and keep their names, positions and hierarchy
};

/// Sizes for the compression ratio, as counted in [LeDeng12].
struct Compression {
    std::uint64_t input_numbers = 0;   ///< 3 V F
    std::uint64_t stored_numbers = 0;  ///< rest, weights with their indices, 7 or 12 per bone and frame, corrections

    double ratio() const { return double(input_numbers) / double(stored_numbers); }
};

struct DecomposeResult {
    Character character;  ///< one part; a clip for each sequence, one key per frame, 30 per second
    fit::Decomposition decomposition;
    std::vector<fit::BoneLink> links;         ///< one per bone if a skeleton was requested or kept, otherwise empty
    std::vector<geometry::Sphere> spheres;    ///< of each bone's vertices at rest; radius 0 without any
    std::vector<fit::BoneCountTrial> trials;  ///< if a tolerance was given
    std::optional<fit::EigenSkin> eigenskin;  ///< if requested
    Compression compression;
};

/// Keeps the motion of the character's joints: its skin matrices at 30 samples per second, from the clip with the name
/// of the sequence, otherwise from the clip with the same index. There must be as many samples as frames. Throws Error
/// (bad input) for a character without joints, with too few clips or with another number of samples.
void keepMotion(DecomposeRequest& request, const Character& character, std::span<const NamedSequence> sequences);

/// Keeps the weights of the character's vertices; its joints are the first bones. Throws Error (bad input) for a
/// character without weights or of another size, or with other joints than those whose motion is kept.
void keepWeights(DecomposeRequest& request, const Character& character, std::size_t vertices);

/// Converts mesh sequences with a common rest pose to a skinned, animated character [LeDeng12]: the faces and UVs are
/// those of `rest`, the positions the corrected rest pose, with new normals. Throws Error as fit::decompose does, and
/// (bad input) if there is no sequence or their sizes differ.
DecomposeResult decompose(const Mesh& rest, std::span<const NamedSequence> sequences, const DecomposeRequest& request,
                          const Progress& progress = {});

/// The error of a character's clips relative to the sequences that they were made from: LBS and morph targets, with
/// numbers rounded as glTF stores them. `rest` determines the scale of E_RMS.
geometry::SequenceError measureClips(const Character& character, std::span<const NamedSequence> sequences,
                                     std::span<const Vec3f> rest, const Progress& progress = {});

}  // namespace pelt::verbs
