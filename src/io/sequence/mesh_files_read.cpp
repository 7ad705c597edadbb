// Reads a folder or pattern of mesh files as a sequence.
#include <fmt/format.h>
#include <glob.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/mesh_file.h>

#include <algorithm>

#include "io/bytes/open_file.h"
#include "io/mesh/mesh_readers.h"
#include "sequence_readers.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

class MeshFiles final : public MeshSequence {
public:
    MeshFiles(std::vector<fs::path> files, std::optional<Mesh> mesh) : files_(std::move(files)) {
        Mesh first = loadMesh(files_[0]);
        checkVertexCount(mesh, first.vertexCount(), files_[0].string());
        vertex_count_ = first.vertexCount();
        has_normals_ = !first.normals.empty();
        mesh_ = mesh ? std::move(*mesh) : std::move(first);
    }

    std::size_t frameCount() const override { return files_.size(); }
    std::size_t vertexCount() const override { return vertex_count_; }
    const Mesh* mesh() const override { return &mesh_; }

    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        checkFrameRequest(*this, frame, out.size());
        const fs::path& file = files_[frame];
        const bool is_obj = extensionOf(file) == ".obj";
        const std::vector<Vec3f> positions =
            is_obj ? parseObjPositions(readFile(file), file.string()) : std::move(loadMesh(file).positions);
        checkSize(file, positions.size());
        std::copy(positions.begin(), positions.end(), out.begin());
    }

    bool hasNormals() const override { return has_normals_; }
    void readNormals(std::size_t frame, std::span<Vec3f> out) override {
        checkFrameRequest(*this, frame, out.size());
        const fs::path& file = files_[frame];
        const Mesh mesh = loadMesh(file);
        checkSize(file, mesh.vertexCount());
        if (mesh.normals.empty())
            throw Error::badInput({file.string()}, fmt::format("has no normals, but the sequence's first frame {} has",
                                                               files_[0].filename().string()));
        std::copy(mesh.normals.begin(), mesh.normals.end(), out.begin());
    }

private:
    void checkSize(const fs::path& file, std::size_t vertices) const {
        if (vertices != vertex_count_)
            throw Error::badInput({file.string()},
                                  fmt::format("has {} vertices, but the sequence's first frame {} has {}", vertices,
                                              files_[0].filename().string(), vertex_count_));
    }

    std::vector<fs::path> files_;
    std::size_t vertex_count_ = 0;
    bool has_normals_ = false;
    Mesh mesh_;
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The digits at the start, without leading zeros; removes them from `text`.
std::string_view takeNumber(std::string_view& text) {
    std::size_t end = 0, first = 0;
    while (end < text.size() && isDigit(text[end])) ++end;
    while (first + 1 < end && text[first] == '0') ++first;
    const std::string_view digits = text.substr(first, end - first);
    text.remove_prefix(end);
    return digits;
}

void sortNaturally(std::vector<fs::path>& files) {
    std::sort(files.begin(), files.end(),
              [](const fs::path& a, const fs::path& b) { return naturalLess(a.native(), b.native()); });
}

}  // namespace

bool naturalLess(std::string_view a, std::string_view b) {
    std::string_view x = a, y = b;
    while (!x.empty() && !y.empty()) {
        if (isDigit(x[0]) && isDigit(y[0])) {
            const std::string_view m = takeNumber(x), n = takeNumber(y);
            if (m.size() != n.size()) return m.size() < n.size();
            if (m != n) return m < n;
        } else {
            if (x[0] != y[0]) return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]);
            x.remove_prefix(1);
            y.remove_prefix(1);
        }
    }
    if (x.empty() != y.empty()) return x.empty();
    return a < b;  // equal except for leading zeros
}

std::vector<fs::path> meshFilesInFolder(const fs::path& folder) {
    std::vector<fs::path> objs, plys;
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
        const std::string extension = extensionOf(it->path());
        if (extension == ".obj") objs.push_back(it->path());
        if (extension == ".ply") plys.push_back(it->path());
    }
    if (fault) failReading(folder.string(), fault.value());
    if (!objs.empty() && !plys.empty())
        throw Error::badInput(
            {folder.string()},
            fmt::format("contains both .obj and .ply files; choose with a quoted pattern such as '{}'",
                        (folder / "*.obj").string()));
    std::vector<fs::path>& files = objs.empty() ? plys : objs;
    if (files.empty()) throw Error::badInput({folder.string()}, "the folder contains no .obj or .ply file");
    sortNaturally(files);
    return std::move(files);
}

std::vector<fs::path> meshFilesMatching(const std::string& pattern) {
    ::glob_t matches = {};
    const int status = ::glob(pattern.c_str(), 0, nullptr, &matches);
    std::vector<fs::path> files;
    for (std::size_t i = 0; status == 0 && i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
    ::globfree(&matches);
    if (files.empty()) throw Error::badInput({pattern}, "no file matches the pattern");
    for (const fs::path& file : files) {
        const std::string extension = extensionOf(file);
        if (extension != ".obj" && extension != ".ply")
            throw Error::badInput({pattern}, fmt::format("matches {}, which is not .obj or .ply", file.string()));
    }
    sortNaturally(files);
    return files;
}

std::unique_ptr<MeshSequence> openMeshFiles(std::vector<fs::path> files, std::optional<Mesh> mesh) {
    return std::make_unique<MeshFiles>(std::move(files), std::move(mesh));
}

}  // namespace pelt::io
