// Reads frames of float arrays from any layout, frame by frame.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

#include "io/bytes/byte_order.h"
#include "io/mesh/mesh_readers.h"
#include "sequence_readers.h"

namespace pelt::io {
namespace {

constexpr std::uint64_t kPieceBytes = 1 << 20;
constexpr std::uint64_t kBlockBytes = 64 << 20;

std::uint64_t valueBytes(const FrameLayout& layout) { return layout.is_double ? 8 : 4; }

class FrameReader final : public MeshSequence {
public:
    FrameReader(std::unique_ptr<ByteSource> source, const FrameLayout& layout, std::optional<Mesh> mesh)
        : source_(std::move(source)), layout_(layout), mesh_(std::move(mesh)) {
        checkVertexCount(mesh_, layout.vertices, source_->name());
    }

    std::size_t frameCount() const override { return layout_.frames; }
    std::size_t vertexCount() const override { return layout_.vertices; }
    const Mesh* mesh() const override { return mesh_ ? &*mesh_ : nullptr; }
    double frameSeconds() const override { return layout_.frame_seconds; }

    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        checkFrameRequest(*this, frame, out.size());
        if (layout_.is_fortran)
            readFromBlock(frame, out);
        else
            readContiguous(frame, out);
        for (std::size_t v = 0; v < out.size(); ++v)
            if (!isFinite(out[v]))
                throw Error::badInput({source_->name()},
                                      fmt::format("frame {}, vertex {} is not finite; repair the file", frame, v));
    }

private:
    void readContiguous(std::size_t frame, std::span<Vec3f> out) {
        const std::uint64_t size = valueBytes(layout_);
        const std::uint64_t vertices_a_piece = kPieceBytes / (3 * size);
        std::uint64_t offset = layout_.offset + frame * out.size() * 3 * size;
        static_assert(sizeof(Vec3f) == 3 * sizeof(float));
        if (!layout_.is_double && layout_.order == std::endian::native)
            return source_->read(offset, std::as_writable_bytes(out));
        while (!out.empty()) {
            const auto piece = out.first(std::min<std::uint64_t>(out.size(), vertices_a_piece));
            bytes_.resize(piece.size() * 3 * size);
            source_->read(offset, bytes_);
            for (std::size_t v = 0; v < piece.size(); ++v)
                piece[v] = {value(3 * v), value(3 * v + 1), value(3 * v + 2)};
            offset += bytes_.size();
            out = out.subspan(piece.size());
        }
    }

    float value(std::size_t i) const {
        if (layout_.is_double) return toFloat(loadAs<double>(bytes_.data() + 8 * i, layout_.order));
        return loadAs<float>(bytes_.data() + 4 * i, layout_.order);
    }

    /// In Fortran order the frames of one coordinate are contiguous, so a frame is spread over the whole file. A block
    /// of frames is read in one pass and kept.
    void readFromBlock(std::size_t frame, std::span<Vec3f> out) {
        const std::size_t vertices = out.size();
        if (frame < block_first_ || frame >= block_first_ + block_.size() / vertices) gatherBlock(frame);
        const auto from = block_.begin() + static_cast<std::ptrdiff_t>((frame - block_first_) * vertices);
        std::copy_n(from, vertices, out.begin());
    }

    void gatherBlock(std::size_t frame) {
        const std::uint64_t vertices = layout_.vertices, frames = layout_.frames, size = valueBytes(layout_);
        const std::uint64_t room = std::clamp<std::uint64_t>(kBlockBytes / (12 * vertices), 1, frames);
        const std::uint64_t count = std::min<std::uint64_t>(room, frames - frame);
        block_.clear();
        std::vector<Vec3f> block(count * vertices);
        // Row r holds coordinate r / V of vertex r mod V over all frames. Short rows are read several at once.
        const std::uint64_t rows_at_once = std::max<std::uint64_t>(1, kPieceBytes / (frames * size));
        for (std::uint64_t row = 0; row < 3 * vertices; row += rows_at_once) {
            const std::uint64_t rows = std::min(rows_at_once, 3 * vertices - row);
            const bool whole = rows_at_once > 1;
            bytes_.resize((whole ? rows * frames : count) * size);
            source_->read(layout_.offset + (row * frames + (whole ? 0 : frame)) * size, bytes_);
            for (std::uint64_t r = row; r < row + rows; ++r)
                for (std::uint64_t k = 0; k < count; ++k)
                    block[k * vertices + r % vertices][static_cast<int>(r / vertices)] =
                        value(whole ? (r - row) * frames + frame + k : k);
        }
        block_ = std::move(block);
        block_first_ = frame;
    }

    std::unique_ptr<ByteSource> source_;
    FrameLayout layout_;
    std::optional<Mesh> mesh_;
    std::vector<std::byte> bytes_;
    std::vector<Vec3f> block_;  ///< for Fortran order: consecutive frames starting at block_first_
    std::size_t block_first_ = 0;
};

}  // namespace

void checkLayout(const FrameLayout& layout, const ByteSource& source, std::string_view format) {
    if (layout.frames == 0 || layout.vertices == 0)
        throw Error::badInput({source.name()},
                              fmt::format("has {} frames of {} vertices; there must be at least one of each",
                                          layout.frames, layout.vertices));
    const std::uint64_t there = source.size() - std::min(source.size(), layout.offset);
    const std::uint64_t vertex_bytes = 3 * valueBytes(layout);
    const bool one_fits = layout.vertices <= there / vertex_bytes;
    const std::uint64_t fits = one_fits ? there / (layout.vertices * vertex_bytes) : 0;
    if (fits < layout.frames)
        throw Error::badInput({source.name()},
                              fmt::format("the {} header says {} frames of {} vertices, but {} frames fit in the "
                                          "file's {} bytes; it is truncated or its header is wrong",
                                          format, layout.frames, layout.vertices, fits, source.size()));
}

std::unique_ptr<MeshSequence> makeFrameReader(std::unique_ptr<ByteSource> source, const FrameLayout& layout,
                                              std::optional<Mesh> mesh) {
    return std::make_unique<FrameReader>(std::move(source), layout, std::move(mesh));
}

void checkVertexCount(const std::optional<Mesh>& mesh, std::uint64_t vertices, const std::string& name) {
    if (mesh && mesh->vertexCount() != vertices)
        throw Error::badInput({name}, fmt::format("has frames of {} vertices, but the mesh with its faces has {}",
                                                  vertices, mesh->vertexCount()));
}

void checkFrameRequest(const MeshSequence& sequence, std::size_t frame, std::size_t room) {
    if (frame >= sequence.frameCount() || room != sequence.vertexCount())
        throw Error::badUsage(
            fmt::format("frame {} into room for {} vertices, from a sequence of {} frames of {} vertices", frame, room,
                        sequence.frameCount(), sequence.vertexCount()));
}

}  // namespace pelt::io
