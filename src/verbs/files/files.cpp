#include <fmt/format.h>
#include <pelt/pipeline/files.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

namespace pelt::pipeline {
namespace {

constexpr std::string_view kCharacters[] = {".glb", ".gltf", ".vrm", ".fbx", ".dae"};
constexpr std::string_view kMeshes[] = {".obj", ".ply", ".off"};
constexpr std::string_view kSequences[] = {".npy", ".pc2", ".mdd"};

bool contains(std::span<const std::string_view> list, std::string_view extension) {
    return std::find(list.begin(), list.end(), extension) != list.end();
}

}  // namespace

std::string extensionOf(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

FileKind fileKind(const std::filesystem::path& path) {
    std::error_code fault;
    const auto status = std::filesystem::status(path, fault);
    if (std::filesystem::is_directory(status)) return FileKind::sequence;
    if (!std::filesystem::exists(status)) {
        if (path.string().find_first_of("*?[") != std::string::npos) return FileKind::sequence;
        throw Error::badInput({path.string()},
                              fmt::format("cannot be read: {}", fault ? fault.message() : "No such file or directory"));
    }
    // Reading a pipe or a device might never end.
    if (!std::filesystem::is_regular_file(status))
        throw Error::badInput({path.string()}, "is not a regular file; copy its data to one first");
    const std::string extension = extensionOf(path);
    if (contains(kCharacters, extension)) return FileKind::character;
    if (contains(kMeshes, extension)) return FileKind::mesh;
    if (contains(kSequences, extension)) return FileKind::sequence;
    throw Error::badInput({path.string()},
                          fmt::format("files with the extension '{}' are not supported; Pelt reads .glb .gltf .vrm "
                                      ".fbx .dae, .obj .ply .off, .npy .pc2 .mdd, and folders of .obj or .ply",
                                      extension));
}

}  // namespace pelt::pipeline
