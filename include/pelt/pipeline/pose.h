#pragma once

#include <pelt/geometry/sequence_error.h>
#include <pelt/pipeline/methods.h>
#include <pelt/pipeline/preparation_cache.h>
#include <pelt/pose/pose.h>
#include <pelt/rig/range_of_motion.h>

#include <functional>
#include <optional>
#include <string>

namespace pelt::pipeline {

/// What a user holds a character by, and where it goes. Places are in the world of the file, in which the character
/// stands as its nodes are placed, or as a clip places them (PoseRequest::clip): its start.
struct PoseHandle {
    enum class Kind { joint, point, region };
    enum class Given {
        full,      ///< place and rotation: by `transform` or, where there are targets, by those and `rotations`
        position,  ///< by targets; how it turns is free
        rotation,  ///< by rotations; where it goes is free
        hold,      ///< as at the start
        free,
    };
    struct Key {
        double time = 0;
        Vec3d target;
    };

    Kind kind = Kind::joint;
    Given given = Given::free;
    std::string joint;                  ///< its name
    Vec3d point;                        ///< at the start; stands for the nearest vertex
    std::vector<std::uint32_t> region;  ///< vertices; their mean is held
    Affine3d transform;                 ///< of full, rest space to posed space
    std::vector<Key> targets;           ///< by rising time; one for a pose that does not move
    bool offsets = false;               ///< targets are relative to the start
    std::vector<Key> rotations;         ///< from the start on, degrees about the world's x, then y, then z
    bool keyed = false;
    std::optional<std::size_t> number;  ///< how messages count it; not set: by its place in the list

    bool byMatrix() const { return given == Given::full && targets.empty(); }
};

/// A sequence is made of rigid joints whose bones keep their lengths, as a clip always is, unless the free pose is
/// asked for: by `free` or `unreduced`, by extra weights, by a handle that joints alone cannot follow (a matrix, a
/// point or region of the skin); or there is no skeleton.
struct PoseRequest {
    pose::RigOptions rig;
    std::optional<std::string> clip;  ///< name or index: the character starts as this clip has it
    std::optional<double> at;         ///< at this moment, in seconds; not set: at its first key
    std::optional<int> iterations;    ///< at most, a frame; not set: until nothing changes, with limits far away
    double fps = 30;
    std::string method = "lbs";  ///< of the sequence; lbs of a free pose: with all weights of the rig, extra ones too
    MethodOptions method_options;
    bool unreduced = false;                    ///< goes on without the rig: every vertex that no handle holds is free
    bool free = false;                         ///< the sequence is the free pose, whose joints stretch and shear
    bool keep_lengths = false;                 ///< the sequence is that of rigid joints, whatever the handles are
    std::optional<rig::RangeOfMotion> limits;  ///< how far joints turn; means keep_lengths
    const PreparationCache* cache = nullptr;   ///< where preparations are kept, if at all
};

/// What became of a handle.
struct HandlePlace {
    std::size_t handle = 0;  ///< among those given
    Vec3d start, target;     ///< of what it holds
    Vec3d posed;             ///< by rigid joints

    double missed() const { return length(posed - target); }
};

/// What a pose is wanted for; what is not asked for is not computed.
struct PoseWanted {
    /// Takes the frames of the sequence, in order: the vertices of the skin, then those of the props.
    std::function<void(std::span<const Vec3f>)> sequence;
    bool clip = false;     ///< rigid joints as the character's first clip
    bool measure = false;  ///< how far rigid joints, where one of these is made of them, are from the free pose
};

struct PoseResult {
    std::size_t frames = 0;
    std::size_t handles = 0, extra_weights = 0, clusters = 0;
    bool rigid = false;  ///< the sequence is that of rigid joints
    // Of the free pose, where it was solved: for a sequence of it, to measure, or for joints that hang on nothing.
    std::vector<double> energies;        ///< after each iteration of the last frame, never rising
    std::vector<double> frame_energies;  ///< at the end of each frame
    bool converged = true;               ///< no frame was stopped by the number of iterations
    // Of rigid joints, where there were any.
    geometry::SequenceError clip_error;  ///< of the skin, by plain skinning, against the free pose; where measured
    double missed = 0;                   ///< how far the joints are from their targets, at most
    std::vector<HandlePlace> places;     ///< of the last frame, of all handles that say where something goes
};

/// The energy for a character that says nothing of it: the volume's where pieces of its mesh share no joint, which a
/// surface's energy would let drift apart; else spokes and rims.
pose::Energy energyFor(const Character& character);

/// What is wrong with handles by themselves and for this character: throws Error (bad input) as poseCharacter does.
void checkHandles(const Character& character, std::span<const PoseHandle> handles);

/// How many frames a pose has: one, or as many as there are from the first key of a handle to the last.
std::size_t frameCount(std::span<const PoseHandle> handles, const PoseRequest& request);

/// Poses a character from handles [Jacobson12]. Joints that no handle names are free, as are those without weight,
/// which go with their parents. The character gets what it lacks: without joints one for each handle, with bounded
/// biharmonic weights; with joints but without weights it is bound by them. Throws Error (bad input) for handles that
/// are not there, outside the mesh, contradict each other or give nothing, as pose::prepare does, for an unknown clip,
/// and (bad usage) for an unknown method or a moment outside the clip.
PoseResult poseCharacter(Character& character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const PoseWanted& wanted, const Progress& progress = {});

}  // namespace pelt::pipeline
