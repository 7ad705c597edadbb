#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/rig/props.h>

#include "mesh/mesh_readers.h"
#include "mesh/obj_write.h"
#include "mesh/ply_write.h"

namespace pelt::io {
Mesh loadMesh(const std::filesystem::path& path) {
    const std::string extension = lowerExtension(path);
    const std::string name = path.string();
    if (extension == ".obj") return parseObj(readFile(path), name);
    if (extension == ".ply") return parsePly(readFile(path), name);
    if (extension == ".off") return parseOff(readFile(path), name);
    if (extension == ".glb" || extension == ".gltf" || extension == ".vrm" || extension == ".fbx" ||
        extension == ".dae")
        return rig::wholeMesh(loadCharacter(path));
    throw Error::badInput(
        {name}, fmt::format("a mesh is read from .obj .ply .off .glb .gltf .vrm .fbx .dae, not from '{}'", extension));
}

void saveMesh(const Mesh& mesh, const std::filesystem::path& path) {
    const std::string extension = lowerExtension(path);
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
