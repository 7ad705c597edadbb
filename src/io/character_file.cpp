#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/import.h>

#include <algorithm>
#include <cctype>

#include "gltf/container.h"
#include "gltf/ddm_payload.h"
#include "gltf/driven_joints.h"
#include "gltf/edit.h"
#include "gltf/levels.h"
#include "gltf/load.h"
#include "gltf/with_triangles.h"
#include "gltf/without_rig.h"
#include "gltf/write_new.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

std::string lowerExtension(const fs::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

bool isImported(const fs::path& path) {
    const std::string extension = lowerExtension(path);
    return extension == ".fbx" || extension == ".dae";
}

fs::path folderOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

gltf::Document documentOf(const Character& character) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    return source ? gltf::editedDocument(character, *source) : gltf::makeDocument(character);
}

}  // namespace

namespace {

Character loadDocument(gltf::Document document, const Progress& progress) {
    gltf::Loading loading(std::move(document), progress);
    loading.progress.documentRead();
    gltf::findInstances(loading);
    gltf::checkMemory(loading);
    loading.progress.expect(gltf::numbersToDecode(loading));
    gltf::loadSkeleton(loading);
    gltf::loadMeshes(loading);
    gltf::loadPayload(loading);
    gltf::loadDrivenJoints(loading);
    gltf::loadClips(loading);
    gltf::normalizeSpace(loading);
    Character& character = loading.character;
    loading.source->skeleton = character.skeleton;
    loading.source->weights = character.weights;
    loading.source->ddm = character.ddm;
    loading.source->clips = character.clips;
    loading.source->attributes = character.mesh.attributes;
    loading.source->faces_hash = gltf::hashFaces(character.mesh);
    std::size_t first = 0;
    for (const gltf::PartSource& part : loading.source->parts) {
        loading.source->shape_hashes.push_back(gltf::hashShape(character.mesh, first, part.vertex_count));
        first += part.vertex_count;
    }
    character.source = loading.source;
    loading.progress.finished();
    return std::move(character);
}

}  // namespace

Character loadGltf(std::span<const std::byte> bytes, const std::string& name, const fs::path& folder,
                   const Progress& progress) {
    progress.report("load", 0);
    return loadDocument(gltf::readDocument(bytes, name, folder), progress);
}

Character withoutRig(const Character& character) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    if (!source) throw Error::badUsage("only a character that was loaded from a file can be stripped of its rig");
    return loadDocument(gltf::withoutRig(*source), {});
}

Character withTriangles(const Character& character, std::span<const Triangle> triangles,
                        std::span<const Triangle> prop_triangles) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    if (!source) throw Error::badUsage("only a character that was loaded from a file has a document to edit");
    Character made =
        loadDocument(gltf::withTriangles(*source, character.mesh, triangles, character.props.mesh, prop_triangles), {});
    made.warnings.clear();
    return made;
}

Motion loadMotion(const fs::path& path, const Progress& progress) {
    if (isImported(path)) {
        Character character = importCharacter(path, {}, progress);
        return {std::move(character.skeleton), std::move(character.clips), std::move(character.warnings)};
    }
    progress.report("load", 0);
    gltf::Loading loading(gltf::readDocument(readFile(path), path.string(), folderOf(path)), progress);
    loading.all_nodes = true;
    gltf::loadSkeleton(loading);
    gltf::loadClips(loading);
    Character& character = loading.character;
    loading.progress.finished();
    return {std::move(character.skeleton), std::move(character.clips), std::move(character.warnings)};
}

Character loadCharacter(const fs::path& path, const Progress& progress) {
    const std::string extension = lowerExtension(path);
    if (isImported(path)) return importCharacter(path, {}, progress);
    if (extension != ".glb" && extension != ".gltf" && extension != ".vrm")
        throw Error::badInput({path.string()}, "characters are read from .glb, .gltf, .vrm, .fbx and .dae");
    progress.report("load", 0);
    return loadGltf(readFile(path), path.string(), folderOf(path), progress);
}

void saveCharacter(const Character& character, const fs::path& path) {
    const std::string extension = lowerExtension(path);
    if (extension != ".glb" && extension != ".gltf")
        throw Error::badUsage({path.string()}, "characters are written as .glb or .gltf");
    gltf::writeDocument(documentOf(character), path, extension == ".glb");
}

void leaveOutUnused(Character& character) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    if (!source || source->lean) return;
    auto lean = std::make_shared<gltf::GltfSource>(*source);
    lean->lean = true;
    character.source = std::move(lean);
}

void saveLevels(const Character& character, std::span<const Character> levels, std::span<const double> coverage,
                const fs::path& path) {
    gltf::Document document = documentOf(character);
    std::vector<gltf::Document> coarser;
    for (const Character& level : levels) coarser.push_back(documentOf(level));
    gltf::addLevels(document, coarser, coverage);
    gltf::writeDocument(std::move(document), path, lowerExtension(path) == ".glb");
}

std::vector<std::byte> toGlb(const Character& character) { return gltf::toGlb(documentOf(character)); }

}  // namespace pelt::io
