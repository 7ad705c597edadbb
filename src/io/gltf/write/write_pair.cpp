// Writes a .gltf with its .bin, so that readers find either the old pair or the new one.
#include "write_pair.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "io/gltf/document/uri.h"

namespace pelt::io::gltf {
namespace {

namespace fs = std::filesystem;

fs::path numberedBinary(const fs::path& path, int number) {
    fs::path name = path;
    name.replace_extension();
    name += number == 0 ? ".bin" : fmt::format("_{}.bin", number);
    return name;
}

/// Whether the name may come from writePair: the stem of the .gltf, with or without a number.
bool isOwnBinary(const fs::path& path, const fs::path& binary) {
    const std::string stem = path.stem().string(), name = binary.filename().string();
    if (!name.starts_with(stem) || !name.ends_with(".bin")) return false;
    const std::string between = name.substr(stem.size(), name.size() - stem.size() - 4);
    return between.empty() || (between.size() > 1 && between[0] == '_' &&
                               std::all_of(between.begin() + 1, between.end(), [](char c) { return std::isdigit(c); }));
}

bool isOneOf(const fs::path& file, const std::vector<fs::path>& files) {
    return std::any_of(files.begin(), files.end(), [&](const fs::path& other) {
        std::error_code fault;
        return fs::equivalent(file, other, fault);
    });
}

/// The .bin of the .gltf that is to be replaced. It may be removed unless the document was read from it.
std::optional<fs::path> oldBinary(const Document& document, const fs::path& path) {
    std::vector<std::byte> bytes;
    try {
        bytes = readFile(path);
    } catch (const Error&) {  // there is none
        return std::nullopt;
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Json old = Json::parse(text, nullptr, false);
    const auto buffers = old.is_object() ? old.find("buffers") : old.end();
    if (!old.is_object() || buffers == old.end() || !buffers->is_array() || buffers->size() != 1) return std::nullopt;
    const Json& first = (*buffers)[0];
    if (!first.is_object() || !first.contains("uri") || !first["uri"].is_string()) return std::nullopt;
    const auto file = relativeFile(path.parent_path(), first["uri"].get_ref<const std::string&>());
    std::error_code fault;
    if (!file || file->parent_path() != path.parent_path() || !isOwnBinary(path, *file)) return std::nullopt;
    if (!fs::is_regular_file(fs::symlink_status(*file, fault))) return std::nullopt;
    const bool in_place = fs::equivalent(document.name, path, fault);
    if (!in_place && isOneOf(*file, document.external_files)) return std::nullopt;
    return file;
}

bool holds(const fs::path& file, std::span<const std::byte> bytes) {
    std::error_code fault;
    if (!fs::is_regular_file(fs::symlink_status(file, fault)) || fs::file_size(file, fault) != bytes.size() || fault)
        return false;
    const std::vector<std::byte> there = readFile(file);
    return std::equal(there.begin(), there.end(), bytes.begin(), bytes.end());
}

/// The first name that does not exist, or whose file has the same bytes and does not belong to another document.
fs::path chooseName(const Document& document, const fs::path& path, std::span<const std::byte> binary,
                    const std::set<fs::path>& refused) {
    std::error_code fault;
    const bool in_place = fs::equivalent(document.name, path, fault);
    for (int number = 0;; ++number) {
        fs::path name = numberedBinary(path, number);
        const bool there = fs::exists(fs::symlink_status(name, fault));
        const bool shared = there && !in_place && isOneOf(name, document.external_files);
        if (!refused.contains(name) && !shared && (!there || holds(name, binary))) return name;
    }
}

}  // namespace

void writePair(Document& document, const fs::path& path, std::span<const std::byte> binary) {
    const std::optional<fs::path> old = oldBinary(document, path);
    std::optional<AtomicFile> beside;
    if (!binary.empty()) {
        // With the permissions of the file that it replaces; what is somebody else's is left alone.
        beside.emplace(old ? *old : chooseName(document, path, binary, {}));
        beside->write(binary);
    }
    std::set<fs::path> refused;
    for (fs::path name;;) {
        if (beside) {
            name = chooseName(document, path, binary, refused);
            document.json["buffers"][0]["uri"] = percentEncoded(name.filename().string());
        }
        // Both are complete on the disk before either gets its name.
        AtomicFile file(path);
        file.write(document.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        if (beside && !holds(name, binary) && !beside->commitAs(name)) {
            refused.insert(name);  // another process was faster
            continue;
        }
        file.commit();
        std::error_code ignored;
        if (old && *old != name) fs::remove(*old, ignored);
        return;
    }
}

}  // namespace pelt::io::gltf
