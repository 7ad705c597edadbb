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
/// reading frame by frame. `mesh` brings the topology where the format has none, and replaces the first file's where it
/// has; its vertex count must fit. Headers are checked against the file's size before anything is reserved.
/// Throws Error (bad input); so does readFrame, naming the frame and vertex of a value that is not finite, or the file
/// whose vertex count differs from the first one's.
std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, std::optional<Mesh> mesh = {});

/// Writes frames one after the other; nothing appears at the target before finish(), and nothing stays without it.
class SequenceWriter {
public:
    virtual ~SequenceWriter() = default;
    /// `positions` has SequenceInfo::vertices entries, else Error (bad usage); all finite, else Error (bad input).
    virtual void write(std::span<const Vec3f> positions) = 0;
    /// Once, after exactly SequenceInfo::frames frames, else Error (bad usage).
    virtual void finish() = 0;
};

struct SequenceInfo {
    std::size_t frames = 0;
    std::size_t vertices = 0;
    double frame_seconds = 1.0 / 30.0;
    const Mesh* mesh = nullptr;  ///< faces for .obj, .ply and .glb; must outlive the writer
};

/// By extension: .npy (float32), .pc2, .mdd, .glb (morph targets with an animation), .obj or .ply (one frame), no
/// extension or a slash at the end: a folder of .obj, which replaces an existing one only if that holds nothing but
/// frames. Throws Error: bad usage for another extension or a size that the format cannot hold, bad input for a mesh
/// that does not fit, system for the disk.
std::unique_ptr<SequenceWriter> createSequence(const std::filesystem::path& path, const SequenceInfo& info);

/// The frames as .npy, handed to `sink` piece by piece as they come: for a pipe, or for memory.
std::unique_ptr<SequenceWriter> streamNpy(const SequenceInfo& info,
                                          std::function<void(std::span<const std::byte>)> sink);

/// What stands in the way of replacing a folder: something in it that is no file frame_0012.obj, as createSequence
/// names them. None where there is no such folder.
std::optional<std::filesystem::path> findForeign(const std::filesystem::path& folder);

}  // namespace pelt::io
