// Writes meshes as binary PLY.
#include "ply_write.h"

#include <fmt/format.h>

#include "io/bytes/byte_order.h"

namespace pelt::io {
namespace {

/// Collects little-endian values and writes them to the file in large pieces.
class Sink {
public:
    explicit Sink(AtomicFile& file) : file_(file) {}

    template <class T>
    void put(T value) {
        const auto bytes = storeAs(value, std::endian::little);
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        if (buffer_.size() >= kPiece) flush();
    }
    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t kPiece = 1 << 16;
    AtomicFile& file_;
    std::vector<std::byte> buffer_;
};

}  // namespace

void writePly(const Mesh& mesh, AtomicFile& file) {
    const bool has_normals = !mesh.normals.empty(), has_uvs = !mesh.uvs.empty();
    std::string header =
        fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", mesh.positions.size());
    for (const char* name : {"x", "y", "z"}) header += fmt::format("property float {}\n", name);
    if (has_normals)
        for (const char* name : {"nx", "ny", "nz"}) header += fmt::format("property float {}\n", name);
    if (has_uvs)
        for (const char* name : {"s", "t"}) header += fmt::format("property float {}\n", name);
    header +=
        fmt::format("element face {}\nproperty list uchar uint vertex_indices\nend_header\n", mesh.triangles.size());
    file.write(header);
    Sink sink(file);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        for (int k = 0; k < 3; ++k) sink.put(mesh.positions[v][k]);
        for (int k = 0; has_normals && k < 3; ++k) sink.put(mesh.normals[v][k]);
        if (!has_uvs) continue;
        sink.put(mesh.uvs[v].x);
        sink.put(mesh.uvs[v].y);
    }
    for (const Triangle& triangle : mesh.triangles) {
        sink.put(std::uint8_t(3));
        for (const std::uint32_t corner : triangle) sink.put(corner);
    }
    sink.flush();
}

}  // namespace pelt::io
