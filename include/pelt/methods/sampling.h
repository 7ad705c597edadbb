#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/methods/methods.h>

#include <filesystem>
#include <optional>
#include <string>

namespace pelt::methods {

/// Which frames of a character to evaluate.
struct Sampling {
    std::optional<std::string> clip;  ///< name or index; default: the first
    double fps = 30;
    std::optional<std::string> frames;  ///< Python slice "a:b:step" over the samples
    bool bind_pose = false;             ///< one frame, the POSITIONs
};

/// The clip that is sampled: the chosen one, otherwise the first. Throws Error (bad input) if there is none.
const Clip& chosenClip(const Character& character, const Sampling& sampling);

/// The clip that a skin is judged by: the chosen one, otherwise the first that does not stand still; null if there is
/// none.
const Clip* movingClip(const Character& character, const Sampling& sampling);

/// The sample times of a clip. Throws as the next does.
std::vector<double> sampleTimes(const Clip& clip, const Sampling& sampling);

/// The chosen sample times; empty for the bind pose. Throws Error (bad input) for an unknown clip, a character without
/// clips, or an empty selection, (bad usage) for a malformed slice.
std::vector<double> sampleTimes(const Character& character, const Sampling& sampling);

/// Throws Error (bad input) if there is not one mesh with these vertices per sample; `which` says which meshes.
void checkSamples(const MeshSequence& meshes, std::size_t samples, std::size_t vertices, std::string_view which);

/// The file's unit normals or, if it has none, angle-weighted ones over the mesh welded with `weld_tolerance`.
std::vector<Vec3f> restNormals(const Mesh& mesh, float weld_tolerance = 0);

/// Evaluates a character's frames on all threads: pose (driven joints follow their drivers; their own keys are
/// ignored), morph targets, deformer. The vertices of the props, moved by their nodes, follow those of the mesh. A
/// character without joints plays its morph targets or, without any, is the mesh as it is. `character` must outlive it.
/// One sampler serves one thread at a time.
class CharacterSampler {
public:
    /// Throws Error as sampleTimes does, and (bad input) if the character has joints but a vertex has no weight.
    CharacterSampler(const Character& character, const Method& method, const Sampling& sampling,
                     const Progress& progress = {}, const MethodOptions& options = {});
    ~CharacterSampler();

    std::size_t frameCount() const;
    double frameTime(std::size_t frame) const;  ///< seconds on the clip's time line; 0 for the bind pose
    double frameSeconds() const;                ///< between two frames
    const Clip* clip() const;                   ///< nullptr for the bind pose
    std::size_t vertexCount() const;            ///< of the mesh and the props

    /// Rest normals to use instead of restNormals(mesh); one per vertex of the mesh.
    void setRestNormals(std::vector<Vec3f> normals);

    /// Deformed meshes to work on, one per frame, without the props: for a method with `traits.over_others`. Morph
    /// targets are theirs, the character's do not play. Throws Error (bad input) for another number of frames or
    /// vertices.
    void setBase(std::unique_ptr<MeshSequence> base);

    /// Fills positions and, unless empty, normals and tangents (without their w; perpendicular to the normals if both
    /// are requested) of all vertexCount() vertices. Throws Error (bad usage) for spans of another size, (bad input)
    /// for tangents of a mesh or props that have none.
    void evaluate(std::size_t frame, std::span<Vec3f> positions, std::span<Vec3f> normals,
                  std::span<Vec3f> tangents = {});
    /// The same at any time, which is clamped to each channel's keys; the bind pose stays the bind pose. Of a base, the
    /// frame before that time is used.
    void evaluateAt(double seconds, std::span<Vec3f> positions, std::span<Vec3f> normals,
                    std::span<Vec3f> tangents = {});

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The same frames without the vertices of the character's props, if they contain these.
std::unique_ptr<MeshSequence> withoutProps(std::unique_ptr<MeshSequence> sequence, const Character& character);

/// The character's frames as a sequence, deformed by `method`. A character without clips gives its bind pose, unless a
/// clip is given by name.
std::unique_ptr<MeshSequence> sampleCharacter(Character character, Sampling sampling, const Method& method,
                                              const Progress& progress = {});

}  // namespace pelt::methods
