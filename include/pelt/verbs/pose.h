#pragma once

#include <pelt/geometry/sequence_error.h>
#include <pelt/methods/methods.h>
#include <pelt/pose/pose.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/verbs/preparation_cache.h>

#include <functional>
#include <optional>
#include <string>

namespace pelt::verbs {

/// A handle of a character and its target. Positions are in the file's world space. The start is the default pose of
/// the nodes, or a pose of a clip (PoseRequest::clip).
struct PoseHandle {
    enum class Kind {
        joint,
        point,    ///< the nearest vertex
        region,   ///< the mean of some vertices
        segment,  ///< a bone between two places of a mesh without joints, connected to nothing
    };
    enum class Given {
        full,      ///< position and rotation: from `transform` or, if there are targets, from these and `rotations`
        position,  ///< from `targets`; the rotation is free
        rotation,  ///< from `rotations`; the position is free
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
    std::string name;                   ///< of a point, region or segment; may be empty
    Vec3d point;                        ///< at the start; of a segment, the end that it turns about
    Vec3d end;                          ///< the other end of a segment
    std::vector<std::uint32_t> region;  ///< vertices; their mean is held
    Affine3d transform;                 ///< for `full`, from rest space to posed space
    std::vector<Key> targets;           ///< by increasing time; one for a single pose
    bool offsets = false;               ///< targets are relative to the start
    std::vector<Key> rotations;         ///< relative to the start, degrees about the world's x, then y, then z
    bool keyed = false;
    std::optional<std::size_t> number;  ///< its number in messages; not set: its index in the list

    bool byMatrix() const { return given == Given::full && targets.empty(); }
};

/// Whether a free pose of a mesh in one plane has rotations of that plane alone.
enum class FlatMode {
    automatic,  ///< if all targets stay in the plane
    on,
    off,  ///< a sheet in space
};

/// A sequence uses rigid joints whose bones keep their lengths, as a clip always does, unless the free pose is
/// requested: by `free` or `unreduced`, by extra weights, or by a handle that joints alone cannot follow (a matrix, a
/// point or region of the skin). Without a skeleton it is always the free pose.
struct PoseRequest {
    pose::RigOptions rig;
    std::optional<std::string> clip;  ///< name or index: the character starts in a pose of this clip
    std::optional<double> at;         ///< time in the clip, in seconds; not set: its first key
    std::optional<int> iterations;    ///< maximum per frame; not set: until convergence, with high limits
    double fps = 30;
    std::string method =
        "lbs";  ///< of the sequence; for a free pose, lbs uses all weights of the rig, including extra ones
    methods::MethodOptions method_options;
    bool unreduced = false;  ///< continues without the rig: every vertex not held by a handle is free
    FlatMode flat = FlatMode::automatic;
    bool free = false;                         ///< the sequence is the free pose, in which joints stretch and shear
    bool keep_lengths = false;                 ///< the sequence uses rigid joints, whatever the handles are
    std::optional<rig::RangeOfMotion> limits;  ///< joint limits; implies keep_lengths
    const PreparationStore* cache = nullptr;   ///< for prepared data; may be null
};

/// The result for one handle.
struct HandlePlace {
    std::size_t handle = 0;  ///< index of the handle
    Vec3d start, target;     ///< of the held joint, point or region
    Vec3d posed;             ///< by rigid joints

    double missed() const { return length(posed - target); }
};

/// The requested results; others are not computed.
struct PoseWanted {
    /// Receives the frames of the sequence, in order: the vertices of the skin, then those of the props.
    std::function<void(std::span<const Vec3f>)> sequence;
    bool clip = false;     ///< rigid joints as the character's first clip
    bool measure = false;  ///< the error of rigid joints, if used, relative to the free pose
    /// Receives, frame by frame beside the sequence, the joints of the free pose, from the rest pose to the pose.
    std::function<void(std::span<const Affine3d>)> joints = {};
};

struct PoseResult {
    std::size_t frames = 0;
    std::size_t handles = 0, extra_weights = 0, clusters = 0;
    bool rigid = false;  ///< the sequence uses rigid joints
    // Of the free pose, if it was solved: for a sequence, for measuring, or for joints that are not connected.
    std::vector<double> energies;        ///< after each iteration of the last frame, never increasing
    std::vector<double> frame_energies;  ///< at the end of each frame
    bool converged = true;               ///< no frame reached the maximal number of iterations
    bool flat = false;                   ///< its rotations are those of the mesh's plane
    // Of rigid joints, if used.
    geometry::SequenceError clip_error;  ///< of the skin (LBS) relative to the free pose, if measured
    double missed = 0;                   ///< the largest distance of a joint from its target
    std::vector<HandlePlace> places;     ///< in the last frame, for all handles with a target
};

}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::FlatMode>[] = {"auto", "on", "off"};

namespace pelt::verbs {

/// The default energy for a character: tets if pieces of its mesh share no joint, because they would drift apart with
/// the energy of a surface; otherwise spokes and rims.
pose::Energy energyFor(const Character& character);

/// Checks handles, by themselves and for this character. Throws Error (bad input) as poseCharacter does.
void checkHandles(const Character& character, std::span<const PoseHandle> handles);

/// The number of frames of a pose: one, or those from the first to the last key of the handles.
std::size_t frameCount(std::span<const PoseHandle> handles, const PoseRequest& request);

/// Poses a character from handles [Jacobson12]. Joints without a handle are free; joints without weight move with their
/// parents. A character without joints gets one joint per handle, and a character without weights gets bounded
/// biharmonic weights. Throws Error: bad input for handles that do not exist, are outside the mesh, contradict each
/// other or constrain nothing, for an unknown clip, and as pose::prepare does; bad usage for an unknown method or a
/// time outside the clip.
PoseResult poseCharacter(Character& character, std::span<const PoseHandle> handles, const PoseRequest& request,
                         const PoseWanted& wanted, const Progress& progress = {});

}  // namespace pelt::verbs
