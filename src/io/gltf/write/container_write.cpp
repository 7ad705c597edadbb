// Writes a document as .glb or .gltf, with its buffers merged and images embedded.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <cstring>

#include "io/gltf/document/container.h"
#include "io/gltf/document/uri.h"
#include "write_pair.h"

namespace pelt::io::gltf {
namespace {

namespace fs = std::filesystem;

void align(std::vector<std::byte>& bytes, std::byte fill = {}) { bytes.resize((bytes.size() + 3) / 4 * 4, fill); }

void putU32(std::vector<std::byte>& out, std::uint64_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::byte>(value >> shift & 0xFFU));
}

/// Every object of the document with `"buffer": n` and a byteOffset: the views and their compressed versions.
std::vector<Json*> bufferUsers(Document& document) {
    std::vector<Json*> users;
    const auto views = document.json.find("bufferViews");
    if (views == document.json.end()) return users;
    for (Json& view : *views) {
        users.push_back(&view);
        if (Json* compressed = meshoptOf(view)) users.push_back(compressed);
    }
    return users;
}

/// The image format, detected from the first bytes: those of glTF and its texture extensions.
const char* imageKind(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
    if (head.starts_with("\x89PNG")) return "image/png";
    if (head.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
    if (head.starts_with("\xABKTX 20")) return "image/ktx2";
    if (head.starts_with("RIFF") && head.substr(8).starts_with("WEBP")) return "image/webp";
    return nullptr;
}

void appendChunk(std::vector<std::byte>& out, std::uint32_t type, std::span<const std::byte> bytes, std::byte fill) {
    putU32(out, (bytes.size() + 3) / 4 * 4);
    putU32(out, type);
    out.insert(out.end(), bytes.begin(), bytes.end());
    align(out, fill);
}

std::string dumped(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<std::byte> packBuffers(Document& document) {
    const auto buffers = document.json.find("buffers");
    if (buffers == document.json.end()) return {};
    const std::vector<Json*> users = bufferUsers(document);
    std::vector<bool> used(document.buffers.size(), false);
    for (const Json* user : users) used[user->at("buffer").get<std::size_t>()] = true;

    std::vector<std::byte> all;
    Json first, stand_ins = Json::array();
    std::vector<std::size_t> new_index(document.buffers.size(), 0), shift(document.buffers.size(), 0);
    for (std::size_t b = 0; b < document.buffers.size(); ++b) {
        if (document.buffers[b]) {
            align(all);
            shift[b] = all.size();
            if (all.empty())
                all = std::move(*document.buffers[b]);
            else
                all.insert(all.end(), document.buffers[b]->begin(), document.buffers[b]->end());
            if (first.is_null()) first = (*buffers)[b];
        } else if (used[b]) {
            stand_ins.push_back((*buffers)[b]);
            new_index[b] = stand_ins.size();
        }
    }
    for (Json* user : users) {
        const std::size_t old = user->at("buffer").get<std::size_t>();
        (*user)["buffer"] = new_index[old];
        if (shift[old] > 0) (*user)["byteOffset"] = user->value("byteOffset", std::size_t(0)) + shift[old];
    }
    if (first.is_null()) first = Json::object();
    first.erase("uri");
    first["byteLength"] = all.size();
    *buffers = Json::array({std::move(first)});
    for (Json& stand_in : stand_ins) buffers->push_back(std::move(stand_in));
    if (all.empty()) document.json.erase("buffers");
    document.buffers.clear();
    return all;
}

void embedImages(Document& document) {
    if (!document.json.contains("images") || document.external.folder.empty()) return;
    // Created first: a new top-level key moves the others.
    collection(document, "buffers");
    collection(document, "bufferViews");
    for (Json& image : document.json["images"]) {
        if (!image.contains("uri") || !image["uri"].is_string()) continue;
        const auto file = relativeFile(document.external.folder, image["uri"].get_ref<const std::string&>());
        std::error_code fault;
        if (!file || !mayRead(document.external, *file) || !fs::is_regular_file(*file, fault)) continue;
        std::vector<std::byte> bytes = readFile(*file);
        const char* kind = imageKind(bytes);
        if (!kind) continue;
        Json& views = document.json["bufferViews"];
        views.push_back({{"buffer", document.buffers.size()}, {"byteOffset", 0}, {"byteLength", bytes.size()}});
        document.json["buffers"].push_back({{"byteLength", bytes.size()}});
        document.buffers.emplace_back(std::move(bytes));
        image.erase("uri");
        image["mimeType"] = kind;
        image["bufferView"] = views.size() - 1;
    }
    for (const char* key : {"buffers", "bufferViews"})
        if (document.json[key].empty()) document.json.erase(key);
}

std::vector<std::byte> toGlb(Document document) {
    embedImages(document);
    const std::vector<std::byte> binary = packBuffers(document);
    const std::string text = dumped(document.json, -1);
    std::uint64_t total = 12 + 8 + (text.size() + 3) / 4 * 4;
    if (!binary.empty()) total += 8 + (binary.size() + 3) / 4 * 4;
    for (const Chunk& chunk : document.chunks) total += 8 + (chunk.bytes.size() + 3) / 4 * 4;
    if (total > 0xFFFFFFFFU)
        throw Error::badInput({document.name},
                              fmt::format("{} bytes do not fit into a .glb (4 GiB); write .gltf", total));
    std::vector<std::byte> out;
    out.reserve(total);
    putU32(out, kMagic);
    putU32(out, 2);
    putU32(out, total);
    appendChunk(out, kJsonChunk, std::as_bytes(std::span(text)), std::byte(' '));
    if (!binary.empty()) appendChunk(out, kBinChunk, binary, {});
    for (const Chunk& chunk : document.chunks) appendChunk(out, chunk.type, chunk.bytes, {});
    return out;
}

void writeDocument(Document document, const fs::path& path, bool is_glb) {
    if (is_glb) {
        AtomicFile file(path);
        file.write(toGlb(std::move(document)));
        file.commit();
        return;
    }
    std::error_code ignored;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::equivalent(document.external.folder, folder, ignored)) embedImages(document);
    const std::vector<std::byte> binary = packBuffers(document);
    writePair(document, path, binary);
}

}  // namespace pelt::io::gltf
