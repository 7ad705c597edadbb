#pragma once

#include <pelt/core/affine.h>

#include <unordered_map>

#include "document.h"

namespace pelt::io::gltf {

enum ComponentType : int {
    kByte = 5120,
    kUnsignedByte = 5121,
    kShort = 5122,
    kUnsignedShort = 5123,
    kUnsignedInt = 5125,
    kFloat = 5126
};
enum class ViewTarget : int { none = 0, vertices = 34962, indices = 34963 };

/// Adds data to a document: new buffer views and accessors after the existing ones, their bytes in a new buffer at the
/// end. Equal data is stored once.
class Appender {
public:
    explicit Appender(Document& document) : document_(document) {}

    /// Space for bytes without a view of their own.
    struct Range {
        std::size_t buffer, offset, length;
    };
    Range addBytes(std::span<const std::byte> bytes);

    /// Index of a buffer view of these bytes, 4-byte aligned; `stride` 0: tightly packed.
    std::size_t addView(std::span<const std::byte> bytes, ViewTarget target = ViewTarget::none, std::size_t stride = 0);

    /// Index of a tightly packed accessor; `type` is glTF's, such as "VEC3". `bounds` writes min and max.
    std::size_t addFloats(std::span<const float> values, const char* type, ViewTarget target, bool bounds = false);
    std::size_t addUnsignedBytes(std::span<const std::uint8_t> values, const char* type, ViewTarget target);
    std::size_t addUnsignedShorts(std::span<const std::uint16_t> values, const char* type, ViewTarget target);
    std::size_t addUnsignedInts(std::span<const std::uint32_t> values, const char* type, ViewTarget target);
    /// Triangle or point indices of a primitive with `vertex_count` vertices, in the smallest type that glTF allows.
    std::size_t addIndices(std::span<const std::uint32_t> indices, std::size_t vertex_count);
    /// 4x4 matrices by columns, last row exactly 0 0 0 1.
    std::size_t addMatrices(std::span<const Affine3d> matrices);
    /// VEC3 offsets that are zero except for the listed elements.
    std::size_t addSparse(std::size_t count, std::span<const std::uint32_t> where, std::span<const Vec3f> values);

private:
    std::size_t addAccessor(std::span<const std::byte> bytes, int component_type, const char* type, std::size_t count,
                            ViewTarget target, Json bounds = {});
    Document& document_;
    std::optional<std::size_t> buffer_;
    std::unordered_multimap<std::uint64_t, std::size_t> views_;  ///< by hash of their bytes
    std::unordered_map<std::string, std::size_t> accessors_;     ///< by view, type and count
};

/// The number of components of a glTF type ("VEC3": 3), 0 for an unknown one.
std::size_t componentCount(std::string_view type);

}  // namespace pelt::io::gltf
