#pragma once

#include <pelt/fit/bone_skeleton.h>
#include <pelt/fit/decompose.h>
#include <pelt/fit/eigenskin.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/rig/character.h>

#include <optional>

namespace pelt::pipeline {

/// A sequence that becomes a clip. It must outlive the calls below and is read by one of them at a time.
struct NamedSequence {
    std::string name;
    MeshSequence* frames = nullptr;
};

struct DecomposeRequest {
    fit::DecomposeOptions solver;     ///< `bones`: how many, or the most that a tolerance may take
    std::optional<double> tolerance;  ///< E_RMS to reach with the fewest bones that do
    bool skeleton = false;            ///< joints between bones; otherwise every bone is a root
    std::size_t eigenskin = 0;        ///< rank of the corrections, 0 for none
    Skeleton kept;                    ///< whose joints the first bones are: their names, places and hierarchy stay
};

/// What the numbers of a skin and its animation are against those of the frames, as [LeDeng12] counts them.
struct Compression {
    std::uint64_t input_numbers = 0;   ///< 3 V F
    std::uint64_t stored_numbers = 0;  ///< rest, weights with their indices, 7 or 12 per bone and frame, corrections

    double ratio() const { return double(input_numbers) / double(stored_numbers); }
};

struct DecomposeResult {
    Character character;  ///< one part; a clip for each sequence, one key per frame, 30 per second
    fit::Decomposition decomposition;
    std::vector<fit::BoneLink> links;         ///< one per bone where a skeleton was asked for or kept, else empty
    std::vector<geometry::Sphere> spheres;    ///< of each bone's vertices at rest; radius 0 without any
    std::vector<fit::BoneCountTrial> trials;  ///< where a tolerance was asked for
    std::optional<fit::EigenSkin> eigenskin;  ///< where one was asked for
    Compression compression;
};

/// The motion of the character's joints stays as it is: its skin matrices at as many samples, 30 per second, as each
/// sequence has frames, from the clip of the sequence's name, else the clip at its place in the list. Throws Error (bad
/// input) for a character without joints, with too few clips or with another number of samples.
void keepMotion(DecomposeRequest& request, const Character& character, std::span<const NamedSequence> sequences);

/// The weights of the character's vertices stay as they are, and its joints are the first bones. Throws Error (bad
/// input) for a character without weights or of another size, or with other joints than those whose motion is kept.
void keepWeights(DecomposeRequest& request, const Character& character, std::size_t vertices);

/// Mesh sequences of one rest pose into one skinned, animated character [LeDeng12]: the faces and UVs are those of
/// `rest`, the positions the corrected rest pose, with new normals. Throws Error as fit::decompose does, and (bad
/// input) where there is no sequence or their sizes differ.
DecomposeResult decompose(const Mesh& rest, std::span<const NamedSequence> sequences, const DecomposeRequest& request,
                          const Progress& progress = {});

/// How far the clips of a character, as a file holds them, are from the sequences that they were made from: LBS and
/// morph targets with the numbers rounded as glTF stores them. `rest` gives the scale of E_RMS.
geometry::SequenceError measureClips(const Character& character, std::span<const NamedSequence> sequences,
                                     std::span<const Vec3f> rest, const Progress& progress = {});

}  // namespace pelt::pipeline
