#pragma once

#include <pelt/geometry/sequence_error.h>
#include <pelt/pipeline/methods.h>
#include <pelt/pose/pose.h>
#include <pelt/rig/range_of_motion.h>

#include <optional>
#include <string>

namespace pelt::pipeline {

/// What a user holds a character by, and where it goes.
struct PoseHandle {
    enum class Kind { joint, point, region };
    enum class Given { full, position, free };
    struct Key {
        double time = 0;
        Vec3d target;
    };

    Kind kind = Kind::joint;
    Given given = Given::free;
    std::string joint;                  ///< its name
    Vec3d point;                        ///< in rest space; stands for the nearest vertex
    std::vector<std::uint32_t> region;  ///< vertices; their mean is held
    Affine3d transform;                 ///< of full, rest space to posed space
    std::vector<Key> targets;           ///< of position, by rising time; one for a pose that does not move
    bool keyed = false;
};

struct PoseRequest {
    pose::RigOptions rig;
    std::optional<int> iterations;  ///< at most, a frame; not set: until nothing changes, with limits far away
    double fps = 30;
    std::string method = "lbs";  ///< of the sequence; lbs: with all weights of the rig, extra ones too
    MethodOptions method_options;
    bool unreduced = false;                    ///< goes on without the rig: every vertex that no handle holds is free
    bool keep_lengths = false;                 ///< the sequence is that of rigid joints, bones as long as at rest
    std::optional<rig::RangeOfMotion> limits;  ///< how far joints turn; means keep_lengths
};

struct PoseResult {
    Character character;  ///< with the weights that were used; its first clip is the pose
    std::size_t vertices = 0, frames = 0;
    std::vector<Vec3f> positions;        ///< the sequence, frame by frame
    std::vector<double> energies;        ///< after each iteration of the last frame, never rising
    std::vector<double> frame_energies;  ///< at the end of each frame
    bool converged = true;               ///< no frame was stopped by the number of iterations
    std::size_t handles = 0, extra_weights = 0, clusters = 0;
    geometry::SequenceError clip_error;  ///< of the clip of rigid joints against the exact pose
    double missed = 0;                   ///< how far the clip's joints are from their targets, at most
};

/// The energy for a character that says nothing of it: the volume's where pieces of its mesh share no joint, which a
/// surface's energy would let drift apart; else spokes and rims.
pose::Energy energyFor(const Character& character);

/// What is wrong with handles by themselves and for this character: throws Error (bad input) as poseCharacter does.
void checkHandles(const Character& character, std::span<const PoseHandle> handles);

/// Poses a character from handles [Jacobson12]. Joints that no handle names are free, as are those without weight,
/// which go with their parents. A character without joints gets one for each handle, with bounded biharmonic weights;
/// one with joints but without weights is bound by them. Throws Error (bad input) for handles that are not there,
/// outside the mesh, contradict each other or give nothing, as pose::prepare does, and (bad usage) for an unknown
/// method.
PoseResult poseCharacter(Character character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const Progress& progress = {});

}  // namespace pelt::pipeline
