// Loads and saves meshes by the extension of the file.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/rig/props.h>

#include <algorithm>

#include "mesh_readers.h"
#include "obj_write.h"
#include "ply_write.h"

namespace pelt::io {
namespace {

constexpr std::string_view kObjWords[] = {"v", "vt", "vn", "vp", "f", "o", "g", "s", "mtllib", "usemtl"};

/// The first word that is not in a comment.
std::string_view firstWord(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (!text.starts_with('#')) return text.substr(0, text.find_first_of(kBlanks));
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

/// The extension of the format, by the name or else by how the bytes begin; empty if they are no mesh.
std::string meshFormat(std::span<const std::byte> bytes, const std::string& name) {
    const std::string extension = extensionOf(name);
    if (extension == ".obj" || extension == ".ply" || extension == ".off") return extension;
    const std::string_view word = firstWord({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (word == "ply") return ".ply";
    if (word.ends_with("OFF")) return ".off";
    return std::find(std::begin(kObjWords), std::end(kObjWords), word) != std::end(kObjWords) ? ".obj" : "";
}

}  // namespace

std::optional<Mesh> parseMesh(std::span<const std::byte> bytes, const std::string& name) {
    const std::string format = meshFormat(bytes, name);
    if (format == ".obj") return parseObj(bytes, name);
    if (format == ".ply") return parsePly(bytes, name);
    if (format == ".off") return parseOff(bytes, name);
    return std::nullopt;
}

Mesh loadMesh(const std::filesystem::path& path, const LoadOptions& options) {
    const std::string extension = extensionOf(path);
    const std::string name = path.string();
    if (extension == ".obj") return parseObj(readFile(path), name);
    if (extension == ".ply") return parsePly(readFile(path), name);
    if (extension == ".off") return parseOff(readFile(path), name);
    if (extension == ".glb" || extension == ".gltf" || extension == ".vrm" || extension == ".vrma" ||
        extension == ".fbx" || extension == ".dae") {
        Mesh mesh = rig::wholeMesh(loadCharacter(path, options).character);
        if (mesh.positions.empty())
            throw Error::badInput({name}, "has no mesh; use its clips with another character: `clips`");
        return mesh;
    }
    throw Error::badInput(
        {name}, fmt::format("a mesh is read from .obj .ply .off .glb .gltf .vrm .fbx .dae, not from '{}'", extension));
}

void saveMesh(const Mesh& mesh, const std::filesystem::path& path) {
    const std::string extension = extensionOf(path);
    if (extension != ".obj" && extension != ".ply")
        throw Error::badUsage({path.string()},
                              fmt::format("a mesh is written as .obj or .ply, not as '{}'", extension));
    checkMesh(mesh, path.string());
    AtomicFile file(path);
    if (extension == ".obj") {
        std::string text;
        appendObjPositions(mesh.positions, text);
        appendObjTopology(mesh, true, text);
        file.write(text);
    } else {
        writePly(mesh, file);
    }
    file.commit();
}

}  // namespace pelt::io
