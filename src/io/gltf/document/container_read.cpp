// Reads the container of a .glb or .gltf and checks what the file claims about itself.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <cstring>

#include "container.h"
#include "uri.h"

namespace pelt::io::gltf {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 256;  // copying and writing JSON are recursive; real files are far below this

/// Required extensions that change how the skin is read, and that Pelt reads.
constexpr std::array<std::string_view, 6> kRead = {"KHR_mesh_quantization",   "EXT_meshopt_compression",
                                                   "KHR_meshopt_compression", "KHR_draco_mesh_compression",
                                                   "KHR_animation_pointer",   "PELT_direct_delta_mush"};
/// Prefixes of required extensions that do not affect the skin: materials, textures, lights, names and so on.
constexpr std::array<std::string_view, 29> kPassed = {"KHR_materials_",
                                                      "KHR_texture_",
                                                      "EXT_texture_",
                                                      "MSFT_texture_dds",
                                                      "MSFT_packing_",
                                                      "MSFT_audio_",
                                                      "ADOBE_materials_",
                                                      "EXT_materials_",
                                                      "KHR_techniques_webgl",
                                                      "KHR_lights_",
                                                      "EXT_lights_",
                                                      "KHR_xmp",
                                                      "KHR_node_visibility",
                                                      "KHR_node_hoverability",
                                                      "KHR_node_selectability",
                                                      "VRM",
                                                      "KHR_audio",
                                                      "KHR_interactivity",
                                                      "KHR_physics_",
                                                      "KHR_rigid_bodies",
                                                      "OMI_",
                                                      "EXT_mesh_features",
                                                      "EXT_structural_",
                                                      "EXT_instance_features",
                                                      "FB_geometry_",
                                                      "GODOT_",
                                                      "MOZ_",
                                                      "MX_",
                                                      "KHR_implicit_shapes"};

[[noreturn]] void refuse(const std::string& name, const std::string& fault) { throw Error::badInput({name}, fault); }

std::uint32_t u32At(std::span<const std::byte> bytes, std::size_t offset) {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + std::size_t(i)]);
    return value;
}

void checkDepth(std::string_view text, const std::string& name) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kDeepest)
                refuse(name, fmt::format("byte {}: JSON nested deeper than {} levels", i, kDeepest));
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
}

/// The length of the UTF-8 character at `at` in bytes; 0 if it is invalid.
std::size_t utf8Length(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 0;
    if (length < 3) return length;
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return bad ? 0 : length;
}

/// Some exporters write names in another encoding: invalid UTF-8 becomes a question mark, as in a browser.
std::string mendedText(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        out += length > 0 ? text.substr(at, length) : "?";
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

struct Container {
    std::string_view json;
    std::optional<std::span<const std::byte>> binary;
    std::vector<Chunk> chunks;
};

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// glTF 2.0, 4.4: a header of 12 bytes, then chunks of length, type and data; JSON first, then BIN if any.
Container openGlb(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.size() < 20)
        refuse(name, fmt::format("is truncated after {} bytes; copy or export it again", bytes.size()));
    if (u32At(bytes, 4) != 2)
        refuse(name, fmt::format("is a version {} .glb; only glTF 2.0 is read, export as that", u32At(bytes, 4)));
    const std::uint32_t claimed = u32At(bytes, 8);
    if (claimed > bytes.size())
        refuse(name, fmt::format("is truncated: {} bytes of {}; copy or export it again", bytes.size(), claimed));
    Container out;
    std::size_t at = 12;
    for (std::size_t number = 0; at < claimed; ++number) {
        if (claimed - at < 8)
            refuse(name, fmt::format("byte {}: a chunk header is truncated; export the file again", at));
        const std::uint32_t length = u32At(bytes, at), type = u32At(bytes, at + 4);
        if (length > claimed - at - 8)
            refuse(name, fmt::format("byte {}: a chunk of {} bytes, but {} are left; export the file again", at, length,
                                     claimed - at - 8));
        const auto data = bytes.subspan(at + 8, length);
        if ((number == 0) != (type == kJsonChunk))
            refuse(name,
                   fmt::format("byte {}: the first chunk, and only that, must be JSON; export the file again", at));
        if (type == kJsonChunk)
            out.json = asText(data);
        else if (type == kBinChunk && number == 1)
            out.binary = data;
        else
            out.chunks.push_back({type, {data.begin(), data.end()}});
        at += 8 + std::size_t(length);
    }
    if (out.json.empty()) refuse(name, "has no JSON chunk; export the file again");
    return out;
}

void checkShape(const Document& document) {
    for (const char* key : kCollections) {
        const auto array = document.root().find(key);
        for (std::size_t i = 0; array && i < array->size(); ++i)
            if (!array->element(i).value().is_object())
                array->element(i).fail("must be a JSON object; re-export the file");
    }
    const std::string& version = document.root().at("asset").at("version").asString();
    if (!version.starts_with("2.") && version != "2")
        document.root().fail(fmt::format("is glTF {}; only glTF 2.0 is read, export as that", version));
    const std::string least = document.root().at("asset").stringOr("minVersion", "2.0");
    if (least != "2.0")
        document.root().fail(fmt::format("needs glTF {}, but only glTF 2.0 is read; export as that", least));
}

void checkExtensions(const Document& document) {
    const auto required = document.root().find("extensionsRequired");
    for (std::size_t i = 0; required && i < required->size(); ++i) {
        const std::string& extension = required->element(i).asString();
        const bool read = std::find(kRead.begin(), kRead.end(), extension) != kRead.end();
        const bool passed = std::any_of(kPassed.begin(), kPassed.end(),
                                        [&](std::string_view prefix) { return extension.starts_with(prefix); });
        if (!read && !passed)
            required->element(i).fail(fmt::format(
                "the file requires the extension '{}', which Pelt does not read; export without it", extension));
    }
}

std::vector<std::byte> readExternal(Document& document, const JsonRef& buffer, const std::string& uri) {
    if (document.external.folder.empty())
        buffer.fail(fmt::format("'{}' is an external file, which cannot be read from standard input or memory", uri));
    const auto path = relativeFile(document.external.folder, uri);
    if (!path) buffer.fail(fmt::format("'{}' is neither a relative path nor base64 data; re-export the file", uri));
    if (!mayRead(document.external, *path))
        buffer.fail(fmt::format("'{}' is outside the folder of the file, and only files in it may be read", uri));
    std::error_code fault;
    if (!fs::is_regular_file(*path, fault))
        buffer.fail(fmt::format("the file '{}' is missing; put it beside the .gltf", uri));
    document.external_files.push_back(*path);
    return readFile(*path);
}

Buffer readBuffer(Document& document, std::size_t index, std::optional<std::span<const std::byte>> binary) {
    const JsonRef buffer = document.item("buffers", index);
    const std::uint64_t length = buffer.at("byteLength").asUnsigned();
    std::vector<std::byte> bytes;
    if (const auto uri = buffer.find("uri")) {
        if (uri->asString().starts_with("data:")) {
            auto decoded = decodeDataUri(uri->asString());
            if (!decoded) uri->fail("the base64 data is damaged; re-export the file");
            bytes = std::move(*decoded);
        } else {
            bytes = readExternal(document, *uri, uri->asString());
        }
    } else if (index == 0 && binary) {
        if (binary->size() + 3 < length)
            buffer.fail(
                fmt::format("claims {} bytes, but the BIN chunk has {}; re-export the file", length, binary->size()));
        bytes.assign(binary->begin(), binary->end());
    } else {
        return std::nullopt;
    }
    // The padding of the last element may be missing.
    if (bytes.size() + 3 < length)
        buffer.fail(fmt::format("claims {} bytes, but there are {}; re-export the file", length, bytes.size()));
    bytes.resize(length);
    return bytes;
}

/// A range of a buffer: {"buffer", "byteOffset", "byteLength"}. A buffer without bytes is checked against its claim.
void checkRange(const Document& document, const JsonRef& range) {
    const std::size_t buffer = range.at("buffer").asIndex("buffers", document.count("buffers"));
    const std::uint64_t offset = range.unsignedOr("byteOffset", 0), length = range.at("byteLength").asUnsigned();
    const std::uint64_t there = document.item("buffers", buffer).at("byteLength").asUnsigned();
    if (offset > there || length > there - offset)
        range.fail(fmt::format("{} bytes at {} exceed buffers[{}] of {} bytes; re-export the file", length, offset,
                               buffer, there));
}

}  // namespace

Json parseJson(std::string_view given, const std::string& name) {
    checkDepth(given, name);
    const std::string text = mendedText(given);
    try {
        Json json = Json::parse(text);
        if (!json.is_object()) refuse(name, "is not glTF: the JSON is not an object");
        return json;
    } catch (const Json::parse_error& fault) {
        refuse(name,
               fmt::format("byte {}: invalid JSON; export the file again or choose a .glb or .gltf file", fault.byte));
    } catch (const Json::exception&) {
        refuse(name, "the JSON has a number that is out of range; export the file again");
    }
}

Document readDocument(std::span<const std::byte> bytes, const std::string& name, const ExternalFiles& external) {
    Document document;
    document.name = name;
    document.external = external;
    const bool is_glb = bytes.size() >= 4 && u32At(bytes, 0) == kMagic;
    Container container;
    if (is_glb)
        container = openGlb(bytes, name);
    else
        container.json = asText(bytes);
    document.json = parseJson(container.json, name);
    document.chunks = std::move(container.chunks);
    checkShape(document);
    checkExtensions(document);
    for (std::size_t b = 0; b < document.count("buffers"); ++b)
        document.buffers.push_back(readBuffer(document, b, container.binary));
    for (std::size_t v = 0; v < document.count("bufferViews"); ++v) {
        const JsonRef view = document.item("bufferViews", v);
        checkRange(document, view);
        if (const auto compressed = findMeshopt(view)) checkRange(document, *compressed);
    }
    return document;
}

}  // namespace pelt::io::gltf
