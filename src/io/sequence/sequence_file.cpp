// Opens and creates sequences by the extension of the file.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/sequence_file.h>

#include "io/mesh/mesh_readers.h"
#include "sequence_readers.h"
#include "sequence_writers.h"

namespace pelt::io {
namespace {

bool isPattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

}  // namespace

std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, std::optional<Mesh> mesh) {
    std::error_code fault;
    if (std::filesystem::is_directory(path, fault)) return openMeshFiles(meshFilesInFolder(path), std::move(mesh));
    if (isPattern(path.string()) && !std::filesystem::exists(path, fault))
        return openMeshFiles(meshFilesMatching(path.string()), std::move(mesh));
    const std::string extension = extensionOf(path);
    if (extension == ".npy") return openNpy(openFile(path), std::move(mesh));
    if (extension == ".pc2") return openPc2(openFile(path), std::move(mesh));
    if (extension == ".mdd") return openMdd(openFile(path), std::move(mesh));
    if (extension == ".obj" || extension == ".ply") return openMeshFiles({path}, std::move(mesh));
    if (!std::filesystem::exists(path, fault))
        throw Error::badInput({path.string()}, "there is no such file or folder");
    throw Error::badInput({path.string()},
                          fmt::format("a sequence is read from .npy .pc2 .mdd .obj .ply, a folder or a quoted pattern "
                                      "of .obj or .ply, not from '{}'",
                                      extension));
}

std::unique_ptr<SequenceWriter> createSequence(const std::filesystem::path& path, const SequenceInfo& info) {
    const std::string extension = extensionOf(path);
    if (extension.empty() || !path.has_filename()) return createObjFolder(path, info);
    if (extension == ".npy") return createNpy(path, info);
    if (extension == ".pc2") return createPc2(path, info);
    if (extension == ".mdd") return createMdd(path, info);
    if (extension == ".glb") return createMorphGlb(path, info);
    if (extension == ".obj" || extension == ".ply") return createMeshFrame(path, info);
    throw Error::badUsage({path.string()},
                          fmt::format("a sequence is written as .npy .pc2 .mdd .glb, a single frame as .obj .ply or, "
                                      "without an extension, as a folder of .obj; not as '{}'",
                                      extension));
}

}  // namespace pelt::io
