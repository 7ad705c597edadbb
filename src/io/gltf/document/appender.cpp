// Adds buffer views and accessors to a document.
#include "appender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace pelt::io::gltf {
namespace {

std::uint64_t hashOf(std::span<const std::byte> bytes) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// {"min": …, "max": …} per component.
Json boundsOf(std::span<const float> values, std::size_t width) {
    Json low = Json::array(), high = Json::array();
    for (std::size_t c = 0; c < width; ++c) {
        float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
        for (std::size_t i = c; i < values.size(); i += width) {
            least = std::min(least, values[i]);
            most = std::max(most, values[i]);
        }
        low.push_back(least);
        high.push_back(most);
    }
    return {{"min", low}, {"max", high}};
}

}  // namespace

std::size_t componentCount(std::string_view type) {
    constexpr std::pair<std::string_view, std::size_t> kTypes[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                                   {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (const auto& [name, width] : kTypes)
        if (name == type) return width;
    return 0;
}

Appender::Range Appender::addBytes(std::span<const std::byte> data) {
    Json& buffers = collection(document_, "buffers");
    if (!buffer_) {
        buffer_ = document_.buffers.size();
        document_.buffers.emplace_back(std::vector<std::byte>());
        buffers.push_back({{"byteLength", 0}});
    }
    std::vector<std::byte>& all = *document_.buffers[*buffer_];
    const std::size_t offset = all.size();
    all.insert(all.end(), data.begin(), data.end());
    all.resize((all.size() + 3) / 4 * 4);
    buffers[*buffer_]["byteLength"] = all.size();
    return {*buffer_, offset, data.size()};
}

std::size_t Appender::addView(std::span<const std::byte> data, ViewTarget target, std::size_t stride) {
    const std::uint64_t hash = hashOf(data) + static_cast<std::uint64_t>(target) + stride;
    for (auto [it, last] = views_.equal_range(hash); it != last; ++it) {
        const Json& view = document_.json["bufferViews"][it->second];
        const bool alike = view.value("target", 0) == static_cast<int>(target) &&
                           view.value("byteStride", std::size_t(0)) == stride &&
                           view["byteLength"].get<std::size_t>() == data.size();
        const std::byte* there = document_.buffers[*buffer_]->data() + view["byteOffset"].get<std::size_t>();
        if (alike && std::memcmp(there, data.data(), data.size()) == 0) return it->second;
    }
    const Range range = addBytes(data);
    Json view = {{"buffer", range.buffer}, {"byteOffset", range.offset}, {"byteLength", range.length}};
    if (stride > 0) view["byteStride"] = stride;
    if (target != ViewTarget::none) view["target"] = static_cast<int>(target);
    // Looked up last: inserting a top-level key moves the others.
    Json& views = collection(document_, "bufferViews");
    views.push_back(std::move(view));
    views_.emplace(hash, views.size() - 1);
    return views.size() - 1;
}

std::size_t Appender::addAccessor(std::span<const std::byte> data, int component_type, const char* type,
                                  std::size_t count, ViewTarget target, Json bounds) {
    const std::size_t view = addView(data, target);
    const auto [known, is_new] =
        accessors_.try_emplace(fmt::format("{}/{}/{}/{}", view, component_type, type, !bounds.is_null()), 0);
    if (!is_new) return known->second;
    Json accessor = {{"bufferView", view}, {"componentType", component_type}, {"count", count}, {"type", type}};
    if (!bounds.is_null()) accessor.update(bounds);
    Json& accessors = collection(document_, "accessors");
    accessors.push_back(std::move(accessor));
    return known->second = accessors.size() - 1;
}

std::size_t Appender::addFloats(std::span<const float> values, const char* type, ViewTarget target, bool bounds) {
    const std::size_t width = componentCount(type);
    return addAccessor(std::as_bytes(values), kFloat, type, values.size() / width, target,
                       bounds ? boundsOf(values, width) : Json());
}

std::size_t Appender::addUnsignedBytes(std::span<const std::uint8_t> values, const char* type, ViewTarget target) {
    return addAccessor(std::as_bytes(values), kUnsignedByte, type, values.size() / componentCount(type), target);
}

std::size_t Appender::addUnsignedShorts(std::span<const std::uint16_t> values, const char* type, ViewTarget target) {
    return addAccessor(std::as_bytes(values), kUnsignedShort, type, values.size() / componentCount(type), target);
}

std::size_t Appender::addUnsignedInts(std::span<const std::uint32_t> values, const char* type, ViewTarget target) {
    return addAccessor(std::as_bytes(values), kUnsignedInt, type, values.size() / componentCount(type), target);
}

std::size_t Appender::addIndices(std::span<const std::uint32_t> indices, std::size_t vertex_count) {
    // 65535 itself means primitive restart to a GPU; glTF 2.0, 3.7.2.1 forbids it as an index.
    if (vertex_count > 65535) return addUnsignedInts(indices, "SCALAR", ViewTarget::indices);
    return addUnsignedShorts(std::vector<std::uint16_t>(indices.begin(), indices.end()), "SCALAR", ViewTarget::indices);
}

std::size_t Appender::addMatrices(std::span<const Affine3d> matrices) {
    std::vector<float> values;
    values.reserve(matrices.size() * 16);
    for (const Affine3d& matrix : matrices)
        for (const double entry : matrix.m) values.push_back(static_cast<float>(entry));
    return addFloats(values, "MAT4", ViewTarget::none);
}

std::size_t Appender::addSparse(std::size_t count, std::span<const std::uint32_t> where,
                                std::span<const Vec3f> values) {
    std::vector<float> flat;
    flat.reserve(values.size() * 3 + 3);
    for (const Vec3f& v : values) flat.insert(flat.end(), {v.x, v.y, v.z});
    Json accessor = {{"componentType", static_cast<int>(kFloat)}, {"count", count}, {"type", "VEC3"}};
    if (!where.empty()) {
        const bool wide = where.back() > 65535;
        const std::vector<std::uint16_t> narrow(where.begin(), where.end());
        const std::size_t index_view = addView(wide ? std::as_bytes(where) : std::as_bytes(std::span(narrow)));
        accessor["sparse"] = {
            {"count", where.size()},
            {"indices", {{"bufferView", index_view}, {"componentType", int(wide ? kUnsignedInt : kUnsignedShort)}}},
            {"values", {{"bufferView", addView(std::as_bytes(std::span(flat)))}}}};
    }
    if (where.size() < count) flat.insert(flat.end(), 3, 0.0F);  // the elements that are not listed
    accessor.update(boundsOf(flat, 3));
    Json& accessors = collection(document_, "accessors");
    accessors.push_back(std::move(accessor));
    return accessors.size() - 1;
}

}  // namespace pelt::io::gltf
