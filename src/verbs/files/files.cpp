// Tells characters, meshes and sequences apart by their names.
#include <fmt/format.h>
#include <pelt/verbs/files.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace pelt::verbs {
namespace {

constexpr std::string_view kCharacters[] = {".glb", ".gltf", ".vrm", ".vrma", ".fbx", ".dae"};
constexpr std::string_view kMeshes[] = {".obj", ".ply", ".off"};
constexpr std::string_view kSequences[] = {".npy", ".pc2", ".mdd"};

bool contains(std::span<const std::string_view> list, std::string_view extension) {
    return std::find(list.begin(), list.end(), extension) != list.end();
}

}  // namespace

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
    const std::string extension = io::extensionOf(path);
    if (contains(kCharacters, extension)) return FileKind::character;
    if (contains(kMeshes, extension)) return FileKind::mesh;
    if (contains(kSequences, extension)) return FileKind::sequence;
    throw Error::badInput({path.string()},
                          fmt::format("files with the extension '{}' are not supported; Pelt reads .glb .gltf .vrm "
                                      ".vrma .fbx .dae, .obj .ply .off, .npy .pc2 .mdd, and folders of .obj or .ply",
                                      extension));
}

}  // namespace pelt::verbs
