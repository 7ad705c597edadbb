#pragma once

#include <pelt/core/mesh_sequence.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace pelt::io {

/// Opens a folder or pattern (`shot/*.obj`) of .obj/.ply in natural order, a single .obj/.ply, .npy, .pc2 or .mdd for
/// reading frame by frame. `mesh` provides the faces if the format has none, and otherwise replaces those of the first
/// file; its vertex count must match. Headers are checked against the file's size before memory is allocated. Throws
/// Error (bad input); so does readFrame, naming the frame and vertex of a value that is not finite, or the file whose
/// vertex count differs from the first one's.
std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, std::optional<Mesh> mesh = {});

/// Writes frames one after the other. The target appears only with finish(); without it, nothing is left behind.
class SequenceWriter {
public:
    virtual ~SequenceWriter() = default;
    /// `positions` must have SequenceInfo::vertices entries, otherwise Error (bad usage), and be finite, otherwise
    /// Error (bad input).
    virtual void write(std::span<const Vec3f> positions) = 0;
    /// Call once, after exactly SequenceInfo::frames frames, otherwise Error (bad usage).
    virtual void finish() = 0;
};

struct SequenceInfo {
    std::size_t frames = 0;
    std::size_t vertices = 0;
    double frame_seconds = 1.0 / 30.0;
    const Mesh* mesh = nullptr;  ///< faces for .obj, .ply and .glb; must outlive the writer
};

/// The extension selects the format: .npy (float32), .pc2, .mdd, .glb (morph targets with an animation), .obj or .ply
/// (one frame), no extension or a slash at the end: a folder of .obj, which replaces an existing folder only if that
/// contains nothing but frames. Throws Error: bad usage for another extension or a size that the format does not
/// support, bad input for a mesh that does not match, system if the disk is full or not writable.
std::unique_ptr<SequenceWriter> createSequence(const std::filesystem::path& path, const SequenceInfo& info);

/// Writes the frames as .npy to `sink`, piece by piece: for a pipe or for memory.
std::unique_ptr<SequenceWriter> streamNpy(const SequenceInfo& info,
                                          std::function<void(std::span<const std::byte>)> sink);

/// Something in a folder that prevents replacing it: anything but files like frame_0012.obj, as written by
/// createSequence. Empty if there is none or the folder does not exist.
std::optional<std::filesystem::path> findForeign(const std::filesystem::path& folder);

}  // namespace pelt::io
