// Writes a sequence as a folder of OBJ files, which is replaced as a whole.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/sequence_file.h>

#include <algorithm>

#include "io/mesh/mesh_readers.h"
#include "io/mesh/obj_write.h"
#include "sequence_writers.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

bool isFrameName(const fs::path& file) {
    const std::string name = file.filename().string();
    constexpr std::string_view kStart = "frame_", kEnd = ".obj";
    if (name.size() <= kStart.size() + kEnd.size() || !name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
    return std::all_of(name.begin() + kStart.size(), name.end() - kEnd.size(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

/// The folder is replaced as a whole, so it may only contain files written by an earlier run.
const fs::path& checkReplaceable(const fs::path& folder) {
    if (const auto other = findForeign(folder))
        throw Error::system(
            {folder.string()},
            fmt::format("not replaced: it contains {}, which is not a frame of a sequence; choose another folder",
                        other->filename().string()));
    return folder;
}

class ObjFolderWriter final : public CheckedWriter {
public:
    ObjFolderWriter(const fs::path& path, const SequenceInfo& info)
        : CheckedWriter(path, info), target_(path), folder_(checkReplaceable(path)) {
        if (!info.mesh) return;
        checkMesh(*info.mesh, path.string());
        // Normals of the rest pose would be wrong in a frame.
        appendObjTopology(*info.mesh, false, topology_);
    }

private:
    void writeFrame(std::size_t frame, std::span<const Vec3f> positions) override {
        text_.clear();
        appendObjPositions(positions, text_);
        const std::string name = fmt::format("frame_{:04}.obj", frame);
        try {
            AtomicFile file(folder_.path() / name);
            file.write(text_);
            file.write(topology_);
            file.commit();
        } catch (const Error& error) {  // about the folder as the user knows it
            throw Error(error.code(), {(target_ / name).string()}, error.sentence());
        }
    }
    void commit() override {
        checkReplaceable(target_);  // it may have changed since
        folder_.commit();
    }

    fs::path target_;
    AtomicFolder folder_;
    std::string text_, topology_;
};

}  // namespace

std::optional<fs::path> findForeign(const fs::path& folder) {
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault))
        if (!isFrameName(it->path()) || !fs::is_regular_file(it->symlink_status(fault))) return it->path();
    return std::nullopt;
}

std::unique_ptr<SequenceWriter> createObjFolder(const fs::path& path, const SequenceInfo& info) {
    return std::make_unique<ObjFolderWriter>(path, info);
}

}  // namespace pelt::io
