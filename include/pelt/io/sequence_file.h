#pragma once

#include <pelt/core/mesh_sequence.h>

#include <filesystem>
#include <optional>

namespace pelt::io {

/// Opens a folder or glob of .obj/.ply (natural order), .npy, .pc2 or .mdd for reading frame by frame. `mesh` brings
/// the topology where the format has none; its vertex count must fit. Headers are checked against the file's size
/// before anything is reserved. Throws Error (bad input).
std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, std::optional<Mesh> mesh = {});

/// Writes frames one after the other; nothing appears at the target before finish().
class SequenceWriter {
public:
    virtual ~SequenceWriter() = default;
    virtual void write(std::span<const Vec3f> positions) = 0;
    virtual void finish() = 0;
};

struct SequenceInfo {
    std::size_t frames = 0;
    std::size_t vertices = 0;
    double frame_seconds = 1.0 / 30.0;
    const Mesh* mesh = nullptr;  ///< faces for .obj folders and .glb; must outlive the writer
};

/// By extension: .npy (float32), .pc2, .mdd, .glb (morph targets with an animation), no extension: a folder of .obj.
std::unique_ptr<SequenceWriter> createSequence(const std::filesystem::path& path, const SequenceInfo& info);

}  // namespace pelt::io
