// Lists the external files that a glTF file refers to.
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/extension.h>

#include "container.h"
#include "io/bytes/byte_source.h"
#include "uri.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

/// The JSON of a .glb or .gltf; the binary data after it is not read.
std::vector<std::byte> jsonBytes(const fs::path& path) {
    const std::unique_ptr<ByteSource> file = openFile(path);
    std::array<std::byte, 20> head{};
    if (file->size() >= head.size()) file->read(0, head);
    const auto number = [&](std::size_t at) {
        std::uint64_t value = 0;
        for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(head[at + i]);
        return value;
    };
    if (number(0) != gltf::kMagic) return readFile(path);
    std::vector<std::byte> bytes(std::min(number(12), file->size() - head.size()));
    file->read(head.size(), bytes);
    return bytes;
}

void collectUris(const gltf::Json& value, const fs::path& folder, std::vector<fs::path>& files) {
    if (value.is_object() && value.contains("uri") && value["uri"].is_string()) {
        const std::string& uri = value["uri"].get_ref<const std::string&>();
        if (!uri.starts_with("data:")) files.push_back(folder / gltf::percentDecoded(uri));
    }
    if (value.is_structured())
        for (const gltf::Json& element : value) collectUris(element, folder, files);
}

}  // namespace

std::vector<fs::path> referredFiles(const fs::path& path) {
    std::vector<fs::path> files;
    const std::string extension = extensionOf(path);
    if (extension != ".glb" && extension != ".gltf" && extension != ".vrm" && extension != ".vrma") return files;
    try {
        const std::vector<std::byte> bytes = jsonBytes(path);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        collectUris(gltf::parseJson(text, path.string()), path.parent_path(), files);
    } catch (const Error&) {
        files.clear();  // errors are reported when the file is loaded
    }
    return files;
}

}  // namespace pelt::io
