// A vertex sequence as glTF 2.0: one mesh, one morph target per frame that holds the frame's offsets from the base, and
// an animation of the weights that is 1 for its own frame at each key and linear between them. Frames are written
// directly to the BIN chunk. The JSON comes before it, but its min and max values are known last: space for its longest
// form is reserved and filled at the end, padded with spaces as the GLB layout allows.

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/bytes/byte_order.h"
#include "io/mesh/mesh_readers.h"
#include "sequence_writers.h"

namespace pelt::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126, kUnsignedInt = 5125, kArrayBuffer = 34962, kElementArrayBuffer = 34963;
constexpr int kPoints = 0, kTriangles = 4;
constexpr std::uint64_t kHeaderBytes = 12, kChunkHeaderBytes = 8;

struct Extent {
    Vec3f low, high;
};

Extent extentOf(std::span<const Vec3f> points) {
    Extent extent{points[0], points[0]};
    for (const Vec3f& p : points)
        for (int k = 0; k < 3; ++k) {
            extent.low[k] = std::min(extent.low[k], p[k]);
            extent.high[k] = std::max(extent.high[k], p[k]);
        }
    return extent;
}

float keyTime(const SequenceInfo& info, std::size_t frame) {
    return static_cast<float>(static_cast<double>(frame) * info.frame_seconds);
}

/// The pieces of the BIN chunk, in their order in the file.
struct Sizes {
    std::uint64_t base, indices, uvs, times, weights, frame, targets;

    explicit Sizes(const SequenceInfo& info) {
        const Mesh* mesh = info.mesh;
        frame = base = 12 * std::uint64_t(info.vertices);
        indices = mesh ? 12 * std::uint64_t(mesh->triangles.size()) : 0;
        uvs = mesh ? 8 * std::uint64_t(mesh->uvs.size()) : 0;
        times = 4 * std::uint64_t(info.frames);
        weights = times * info.frames;
        targets = frame * info.frames;
    }
    std::uint64_t total() const { return base + indices + uvs + times + weights + targets; }
};

/// Builds the document. Buffer views are in the order of the pieces.
class DocumentBuilder {
public:
    DocumentBuilder(const SequenceInfo& info, const Sizes& sizes) : info_(info), sizes_(sizes) {}

    /// `extents`: bounds of the base, then of each frame's offsets.
    Json build(std::span<const Extent> extents) {
        Json primitive;
        primitive["attributes"]["POSITION"] = positionAccessor(addView(sizes_.base, kArrayBuffer), 0, extents[0]);
        primitive["mode"] = sizes_.indices ? kTriangles : kPoints;
        if (sizes_.indices)
            primitive["indices"] = addAccessor(addView(sizes_.indices, kElementArrayBuffer), kUnsignedInt, "SCALAR",
                                               3 * info_.mesh->triangles.size());
        if (sizes_.uvs)
            primitive["attributes"]["TEXCOORD_0"] =
                addAccessor(addView(sizes_.uvs, kArrayBuffer), kFloat, "VEC2", info_.vertices);
        addAnimation();
        primitive["targets"] = targets(extents.subspan(1));
        addMesh(std::move(primitive));
        document_["accessors"] = std::move(accessors_);
        document_["bufferViews"] = std::move(views_);
        document_["buffers"] = Json::array({{{"byteLength", sizes_.total()}}});
        return std::move(document_);
    }

private:
    std::size_t addView(std::uint64_t length, int target) {
        Json view{{"buffer", 0}, {"byteOffset", offset_}, {"byteLength", length}};
        if (target) view["target"] = target;
        views_.push_back(std::move(view));
        offset_ += length;
        return views_.size() - 1;
    }

    std::size_t addAccessor(std::size_t view, int component, const char* type, std::uint64_t count) {
        accessors_.push_back({{"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}});
        return accessors_.size() - 1;
    }

    std::size_t positionAccessor(std::size_t view, std::uint64_t byte_offset, const Extent& extent) {
        const std::size_t accessor = addAccessor(view, kFloat, "VEC3", info_.vertices);
        if (byte_offset) accessors_[accessor]["byteOffset"] = byte_offset;
        accessors_[accessor]["min"] = Json::array({extent.low.x, extent.low.y, extent.low.z});
        accessors_[accessor]["max"] = Json::array({extent.high.x, extent.high.y, extent.high.z});
        return accessor;
    }

    void addAnimation() {
        const std::size_t input = addAccessor(addView(sizes_.times, 0), kFloat, "SCALAR", info_.frames);
        accessors_[input]["min"] = Json::array({0.0f});
        accessors_[input]["max"] = Json::array({keyTime(info_, info_.frames - 1)});
        const std::size_t output =
            addAccessor(addView(sizes_.weights, 0), kFloat, "SCALAR", std::uint64_t(info_.frames) * info_.frames);
        animation_["name"] = "sequence";
        animation_["samplers"] = Json::array({{{"input", input}, {"interpolation", "LINEAR"}, {"output", output}}});
        animation_["channels"] = Json::array({{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}});
    }

    Json targets(std::span<const Extent> extents) {
        const std::size_t view = addView(sizes_.targets, kArrayBuffer);
        views_[view]["byteStride"] = 12;  // required where accessors share a view
        Json list = Json::array();
        for (std::size_t k = 0; k < extents.size(); ++k)
            list.push_back({{"POSITION", positionAccessor(view, k * sizes_.frame, extents[k])}});
        return list;
    }

    void addMesh(Json primitive) {
        Json names = Json::array();
        for (std::size_t k = 0; k < info_.frames; ++k) names.push_back(fmt::format("frame_{:04}", k));
        document_["asset"] = {{"version", "2.0"}, {"generator", "Pelt"}};
        document_["scene"] = 0;
        document_["scenes"] = Json::array({{{"nodes", Json::array({0})}}});
        document_["nodes"] = Json::array({{{"name", "sequence"}, {"mesh", 0}}});
        Json mesh{{"primitives", Json::array({std::move(primitive)})}, {"extras", {{"targetNames", std::move(names)}}}};
        document_["meshes"] = Json::array({std::move(mesh)});
        document_["animations"] = Json::array({std::move(animation_)});
    }

    const SequenceInfo& info_;
    const Sizes& sizes_;
    Json document_, animation_, accessors_ = Json::array(), views_ = Json::array();
    std::uint64_t offset_ = 0;
};

class MorphGlbWriter final : public CheckedWriter {
public:
    MorphGlbWriter(const std::filesystem::path& path, const SequenceInfo& info)
        : CheckedWriter(path, info), sizes_(info), file_(path) {
        if (info.mesh) checkMesh(*info.mesh, path.string());
        checkSize();
        // No number is longer in JSON than this one.
        const Vec3f longest(-1.17549435e-38f, -1.17549435e-38f, -1.17549435e-38f);
        const std::vector<Extent> extents(info.frames + 1, Extent{longest, longest});
        json_bytes_ = roundUp(json(extents).size());
        checkSize();
        file_.write(start(std::string(json_bytes_, ' ')));
    }

private:
    /// A .glb uses 32-bit byte counts. The weights alone, frames × frames numbers, allow at most 32767 frames.
    void checkSize() const {
        constexpr std::uint64_t kMostFrames = 1 << 15, kMostBytes = std::numeric_limits<std::uint32_t>::max();
        if (info().frames < kMostFrames && info().vertices <= kMostBytes && fileBytes() <= kMostBytes) return;
        throw Error::badUsage(
            {path().string()},
            fmt::format("{} frames of {} vertices are too many for a .glb; write .npy or fewer frames", info().frames,
                        info().vertices));
    }

    static std::uint64_t roundUp(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }
    std::string json(std::span<const Extent> extents) const {
        return DocumentBuilder(info(), sizes_).build(extents).dump();
    }
    std::uint64_t fileBytes() const { return kHeaderBytes + 2 * kChunkHeaderBytes + json_bytes_ + sizes_.total(); }

    /// Everything before the content of the BIN chunk.
    std::string start(const std::string& padded_json) const {
        constexpr std::uint32_t kGltf = 0x46546C67, kVersion = 2, kJson = 0x4E4F534A, kBin = 0x004E4942;
        return words({kGltf, kVersion, fileBytes(), padded_json.size(), kJson}) + padded_json +
               words({sizes_.total(), kBin});
    }

    static std::string words(std::initializer_list<std::uint64_t> values) {
        std::string text;
        for (const std::uint64_t value : values)
            for (const std::byte b : storeAs(static_cast<std::uint32_t>(value), std::endian::little))
                text += static_cast<char>(b);
        return text;
    }

    void writeFrame(std::size_t frame, std::span<const Vec3f> positions) override {
        if (frame == 0) writeBase(positions);
        offsets_.resize(positions.size());
        for (std::size_t v = 0; v < positions.size(); ++v) offsets_[v] = positions[v] - base_[v];
        checkFinite(offsets_, {path().string(), fmt::format("the offsets of frame {}", frame)});
        extents_.push_back(extentOf(offsets_));
        put(std::span<const Vec3f>(offsets_));
    }

    void writeBase(std::span<const Vec3f> first) {
        const Mesh* mesh = info().mesh;
        if (mesh)
            base_ = mesh->positions;
        else
            base_.assign(first.begin(), first.end());
        extents_.push_back(extentOf(base_));
        put(std::span<const Vec3f>(base_));
        if (mesh) put(std::span<const Triangle>(mesh->triangles));
        if (mesh) put(std::span<const Vec2f>(mesh->uvs));
        std::vector<float> row(info().frames);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = keyTime(info(), k);
        put(std::span<const float>(row));
        std::fill(row.begin(), row.end(), 0.0f);
        for (float& own : row) {
            own = 1;
            put(std::span<const float>(row));
            own = 0;
        }
    }

    template <class T>
    void put(std::span<const T> values) {
        static_assert(std::endian::native == std::endian::little, "glTF is little-endian");
        file_.write(std::as_bytes(values));
    }

    void commit() override {
        std::string text = json(extents_);
        text.resize(json_bytes_, ' ');
        const std::string beginning = start(text);
        file_.rewrite(0, std::as_bytes(std::span(beginning)));
        file_.commit();
    }

    Sizes sizes_;
    AtomicFile file_;
    std::uint64_t json_bytes_ = 0;
    std::vector<Vec3f> base_, offsets_;
    std::vector<Extent> extents_;
};

}  // namespace

std::unique_ptr<SequenceWriter> createMorphGlb(const std::filesystem::path& path, const SequenceInfo& info) {
    return std::make_unique<MorphGlbWriter>(path, info);
}

}  // namespace pelt::io
