#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include "mesh/mesh_readers.h"
#include "mesh/obj_write.h"
#include "sequence/sequence_writers.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

/// The folder is replaced as a whole, so it may only hold what an earlier run wrote.
fs::path checkReplaceable(const fs::path& folder) {
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with("frame_") && name.ends_with(".obj")) continue;
        throw Error::system(
            fmt::format("{}: not replaced: it holds {}, which is not a frame of a sequence; choose another "
                        "folder",
                        folder.string(), name));
    }
    return folder;
}

class ObjFolderWriter final : public CheckedWriter {
public:
    ObjFolderWriter(const fs::path& path, const SequenceInfo& info)
        : CheckedWriter(path, info), folder_(checkReplaceable(path)) {
        if (!info.mesh) return;
        checkMesh(*info.mesh, path.string());
        // Normals of the rest pose would be wrong in a frame.
        appendObjTopology(*info.mesh, false, topology_);
    }

private:
    void writeFrame(std::size_t frame, std::span<const Vec3f> positions) override {
        text_.clear();
        appendObjPositions(positions, text_);
        AtomicFile file(folder_.path() / fmt::format("frame_{:04}.obj", frame));
        file.write(text_);
        file.write(topology_);
        file.commit();
    }
    void commit() override { folder_.commit(); }

    AtomicFolder folder_;
    std::string text_, topology_;
};

}  // namespace

std::unique_ptr<SequenceWriter> createObjFolder(const fs::path& path, const SequenceInfo& info) {
    return std::make_unique<ObjFolderWriter>(path, info);
}

}  // namespace pelt::io
