// Replaces compressed data by plain data where a document is edited.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "edit.h"
#include "io/gltf/document/primitive.h"

namespace pelt::io::gltf {
std::size_t addVertexView(Appender& appender, std::span<const std::byte> packed, std::size_t element) {
    const std::size_t stride = (element + 3) / 4 * 4;
    if (stride == element) return appender.addView(packed, ViewTarget::vertices);
    std::vector<std::byte> padded(packed.size() / element * stride);
    for (std::size_t i = 0; i < packed.size() / element; ++i)
        std::memcpy(padded.data() + i * stride, packed.data() + i * element, element);
    return appender.addView(padded, ViewTarget::vertices, stride);
}

void writeBounds(Json& accessor, const AccessorInfo& about, std::span<const std::byte> packed) {
    AccessorInfo stored = about;
    stored.normalized = false;
    const std::vector<float> values = toFloats(packed, stored);
    Json low = Json::array(), high = Json::array();
    for (std::size_t c = 0; c < about.width; ++c) {
        float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
        for (std::size_t i = c; i < values.size(); i += about.width) {
            least = std::min(least, values[i]);
            most = std::max(most, values[i]);
        }
        low.push_back(least);
        high.push_back(most);
    }
    accessor["min"] = std::move(low);
    accessor["max"] = std::move(high);
}

namespace {

void unpackDracoPrimitive(Editing& editing, PrimitiveReader& from, Json& primitive) {
    eraseExtension(primitive, kDraco);
    const DracoData* data = from.draco();
    if (!data) return;  // the plain data is in the file as well
    Json& accessors = editing.document.json["accessors"];
    for (const auto& [name, packed] : data->attributes) {
        if (isSkinAttribute(name)) continue;
        const AccessorInfo about = from.info(name);
        Json accessor = accessors[primitive["attributes"][name].get<std::size_t>()];
        accessor.erase("byteOffset");
        accessor["bufferView"] = addVertexView(editing.appender, packed, about.component_bytes * about.width);
        if (accessor.contains("min") || name == "POSITION") writeBounds(accessor, about, packed);
        accessors.push_back(std::move(accessor));
        primitive["attributes"][name] = accessors.size() - 1;
    }
    primitive["indices"] = editing.appender.addIndices(data->indices, from.vertexCount());
    primitive.erase("mode");
}

/// Replaces the compressed bytes of a view by the plain ones; other users of the view read the same data.
void unpackView(Editing& editing, const Json& reference) {
    const std::size_t index = reference.get<std::size_t>();
    const JsonRef was = editing.source.document.item("bufferViews", index);
    Json& view = editing.document.json["bufferViews"][index];
    if (!findMeshopt(was) || !view.contains("extensions")) return;
    for (const char* name : kMeshopt) eraseExtension(view, name);
    if (editing.source.document.buffers[view["buffer"].get<std::size_t>()]) return;
    const Appender::Range plain = editing.appender.addBytes(editing.reader.view(index));
    view["buffer"] = plain.buffer;
    view["byteOffset"] = plain.offset;
    view["byteLength"] = plain.length;
}

void unpackAccessor(Editing& editing, const Json& reference) {
    const std::size_t index = reference.get<std::size_t>();
    if (index >= editing.source.document.count("accessors")) return;  // created while editing: not compressed
    const Json accessor = editing.document.json["accessors"][index];
    if (accessor.contains("bufferView")) unpackView(editing, accessor["bufferView"]);
    if (!accessor.contains("sparse")) return;
    unpackView(editing, accessor["sparse"]["indices"]["bufferView"]);
    unpackView(editing, accessor["sparse"]["values"]["bufferView"]);
}

bool hasExtension(const Json& object, const char* name) {
    const auto extensions = object.find("extensions");
    return extensions != object.end() && extensions->contains(name);
}

}  // namespace

void unpackPrimitive(Editing& editing, std::size_t source_mesh, std::size_t index, Json& primitive) {
    const JsonRef was = editing.source.document.item("meshes", source_mesh).at("primitives").element(index);
    if (findExtension(was, kDraco)) {
        PrimitiveReader from(editing.reader, was);
        unpackDracoPrimitive(editing, from, primitive);
    }
    for (const auto& [name, accessor] : primitive["attributes"].items())
        if (!isSkinAttribute(name)) unpackAccessor(editing, accessor);
    if (primitive.contains("indices")) unpackAccessor(editing, primitive["indices"]);
    if (primitive.contains("targets"))
        for (const Json& target : primitive["targets"])
            for (const auto& [name, accessor] : target.items()) unpackAccessor(editing, accessor);
}

void clearNotFinite(Document& document) {
    for (std::size_t a = 0; a < document.count("accessors"); ++a) {
        const JsonRef accessor = document.item("accessors", a);
        const auto view_index = accessor.indexOf("bufferView", "bufferViews", document.count("bufferViews"));
        if (!view_index || accessor.unsignedOr("componentType", 0) != kFloat) continue;
        const JsonRef view = document.item("bufferViews", *view_index);
        const std::size_t buffer = view.at("buffer").asIndex("buffers", document.buffers.size());
        if (!document.buffers[buffer] || findMeshopt(view)) continue;
        const std::size_t width = componentCount(accessor.stringOr("type", ""));
        if (width == 0) continue;
        std::uint64_t stride = view.unsignedOr("byteStride", 0);
        if (stride == 0) stride = 4 * width;
        const std::uint64_t first = view.unsignedOr("byteOffset", 0) + accessor.unsignedOr("byteOffset", 0);
        const std::uint64_t count = accessor.at("count").asUnsigned(), there = document.buffers[buffer]->size();
        for (std::uint64_t i = 0; i < count && first + i * stride + 4 * width <= there; ++i)
            for (std::size_t c = 0; c < width; ++c) {
                float value = 0;
                std::byte* at = document.buffers[buffer]->data() + first + i * stride + 4 * c;
                std::memcpy(&value, at, sizeof value);
                if (!std::isfinite(value)) std::memset(at, 0, sizeof value);
            }
    }
}

bool isCompressed(const Document& document, const JsonRef& primitive) {
    if (findExtension(primitive, kDraco)) return true;
    const JsonRef attributes = primitive.at("attributes");
    for (const auto& [name, index] : attributes.value().items()) {
        const JsonRef accessor =
            document.item("accessors", attributes.at(name.c_str()).asIndex("accessors", document.count("accessors")));
        const auto view = accessor.indexOf("bufferView", "bufferViews", document.count("bufferViews"));
        if (view && findMeshopt(document.item("bufferViews", *view))) return true;
    }
    return false;
}

void dropUnusedCompression(Document& document) {
    const auto entries = [](const Json& object, const char* key) {
        static const Json none = Json::array();
        const auto found = object.find(key);
        return found == object.end() ? std::cref(none) : std::cref(*found);
    };
    bool draco = false;
    for (const Json& mesh : entries(document.json, "meshes").get())
        for (const Json& primitive : entries(mesh, "primitives").get()) draco |= hasExtension(primitive, kDraco);
    if (!draco) dropExtension(document, kDraco);
    for (const char* name : kMeshopt) {
        const Json& views = entries(document.json, "bufferViews").get();
        if (std::any_of(views.begin(), views.end(), [&](const Json& view) { return hasExtension(view, name); }))
            continue;
        dropExtension(document, name);
        if (document.json.contains("buffers"))
            for (Json& buffer : document.json["buffers"]) eraseExtension(buffer, name);
    }
}

}  // namespace pelt::io::gltf
