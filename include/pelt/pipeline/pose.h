#pragma once

#include <pelt/geometry/sequence_error.h>
#include <pelt/pipeline/methods.h>
#include <pelt/pipeline/preparation_cache.h>
#include <pelt/pose/pose.h>
#include <pelt/rig/range_of_motion.h>

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

struct PoseResult {
    Character character;  ///< with the weights that were used; its first clip is the pose
    std::size_t vertices = 0, frames = 0;
    std::vector<Vec3f> positions;        ///< the sequence, frame by frame
    std::vector<double> energies;        ///< after each iteration of the last frame, never rising
    std::vector<double> frame_energies;  ///< at the end of each frame
    bool converged = true;               ///< no frame was stopped by the number of iterations
    std::size_t handles = 0, extra_weights = 0, clusters = 0;
    geometry::SequenceError clip_error;  ///< of the clip of rigid joints against the free pose
    double missed = 0;                   ///< how far the clip's joints are from their targets, at most
    std::vector<HandlePlace> places;     ///< of the last frame, of all handles that say where something goes
    bool rigid = false;                  ///< the sequence is that of rigid joints
};

/// The energy for a character that says nothing of it: the volume's where pieces of its mesh share no joint, which a
/// surface's energy would let drift apart; else spokes and rims.
pose::Energy energyFor(const Character& character);

/// What is wrong with handles by themselves and for this character: throws Error (bad input) as poseCharacter does.
void checkHandles(const Character& character, std::span<const PoseHandle> handles);

/// Poses a character from handles [Jacobson12]. Joints that no handle names are free, as are those without weight,
/// which go with their parents. A character without joints gets one for each handle, with bounded biharmonic weights;
/// one with joints but without weights is bound by them. Throws Error (bad input) for handles that are not there,
/// outside the mesh, contradict each other or give nothing, as pose::prepare does, for an unknown clip, and (bad usage)
/// for an unknown method or a moment outside the clip.
PoseResult poseCharacter(Character character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const Progress& progress = {});

}  // namespace pelt::pipeline
