// Writes a sequence of one frame as a mesh file.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>

#include "sequence_writers.h"

namespace pelt::io {
namespace {

class MeshFrameWriter final : public CheckedWriter {
public:
    MeshFrameWriter(const std::filesystem::path& path, const SequenceInfo& info) : CheckedWriter(path, info) {
        if (info.frames > 1)
            throw Error::badUsage({path.string()}, fmt::format("a mesh file has one frame, not {}; choose one "
                                                               "(`frames` 0), or a name without extension for a folder",
                                                               info.frames));
        if (!info.mesh) return;
        mesh_ = *info.mesh;
        mesh_.normals.clear();  // those of the rest pose would be wrong in a frame
        mesh_.tangents.clear();
    }

private:
    void writeFrame(std::size_t, std::span<const Vec3f> positions) override {
        mesh_.positions.assign(positions.begin(), positions.end());
    }
    void commit() override { saveMesh(mesh_, path()); }

    Mesh mesh_;
};

}  // namespace

std::unique_ptr<SequenceWriter> createMeshFrame(const std::filesystem::path& path, const SequenceInfo& info) {
    return std::make_unique<MeshFrameWriter>(path, info);
}

}  // namespace pelt::io
