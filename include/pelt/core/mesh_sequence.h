#pragma once

#include <pelt/core/mesh.h>

#include <memory>
#include <span>

namespace pelt {

/// F frames of V vertices, read one at a time, so that a long sequence never has to fit in memory.
class MeshSequence {
public:
    virtual ~MeshSequence() = default;

    virtual std::size_t frameCount() const = 0;
    virtual std::size_t vertexCount() const = 0;

    /// Fills `out` (vertexCount() long) with frame `frame`. Throws Error for data that cannot be read.
    /// One reader serves one thread at a time.
    virtual void readFrame(std::size_t frame, std::span<Vec3f> out) = 0;

    /// Whether frames have normals of their own.
    virtual bool hasNormals() const { return false; }
    /// Fills `out` with the unit normals of frame `frame`; only where hasNormals(). Throws as readFrame does.
    virtual void readNormals(std::size_t /*frame*/, std::span<Vec3f> /*out*/) {}

    /// The rest mesh with its faces if the source has one, otherwise nullptr.
    virtual const Mesh* mesh() const { return nullptr; }

    /// The time between two frames in seconds, if the source has it, otherwise 1/30.
    virtual double frameSeconds() const { return 1.0 / 30.0; }
};

/// Frames held in memory: `positions` has frameCount · vertexCount entries, frame by frame. A single frame has the
/// normals of its mesh.
std::unique_ptr<MeshSequence> makeSequence(std::vector<Vec3f> positions, std::size_t vertex_count, Mesh mesh = {});

}  // namespace pelt
