// Loads and saves characters: which reader and writer a file needs, and the steps of loading.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/extension.h>
#include <pelt/io/import.h>

#include <algorithm>

#include "io/fbx/fbx.h"
#include "io/gltf/document/container.h"
#include "io/gltf/edit/edit.h"
#include "io/gltf/edit/with_triangles.h"
#include "io/gltf/edit/without_rig.h"
#include "io/gltf/payload/ddm_payload.h"
#include "io/gltf/payload/driven_joints.h"
#include "io/gltf/read/load.h"
#include "io/gltf/write/check_vrm.h"
#include "io/gltf/write/levels.h"
#include "io/gltf/write/write_new.h"
#include "io/import/import_glb.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

bool isImported(const fs::path& path) {
    const std::string extension = extensionOf(path);
    return extension == ".fbx" || extension == ".dae";
}

fs::path folderOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

gltf::Document documentOf(const Character& character) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    return source ? gltf::editedDocument(character, *source) : gltf::makeDocument(character);
}

gltf::Document documentWithLevels(const Character& character, std::span<const Character> levels,
                                  std::span<const double> coverage) {
    gltf::Document document = documentOf(character);
    std::vector<gltf::Document> coarser;
    for (const Character& level : levels) coarser.push_back(documentOf(level));
    gltf::addLevels(document, coarser, coverage);
    return document;
}

Loaded loadDocument(gltf::Document document, const Progress& progress, std::optional<std::vector<Affine3d>> spaces = {},
                    bool all_nodes = false) {
    gltf::Loading loading(std::move(document), progress);
    loading.spaces = std::move(spaces);
    loading.all_nodes = all_nodes;
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
    return {std::move(character), std::move(loading.warnings)};
}

}  // namespace

Loaded loadGltf(std::span<const std::byte> bytes, const std::string& name, const fs::path& folder,
                const LoadOptions& options, const Progress& progress) {
    progress.report("load", 0);
    return loadDocument(gltf::readDocument(bytes, name, {folder, options.local_files_only}), progress);
}

Loaded loadBytes(std::span<const std::byte> bytes, const std::string& name, const Progress& progress) {
    if (!fbx::isFbx(bytes)) return loadGltf(bytes, name, {}, {}, progress);
    std::vector<std::string> warnings;
    gltf::Document document;
    try {
        document = fbx::readDocument(bytes, false, warnings, progress);
    } catch (const Error& error) {
        throw error.in(name);
    }
    document.name = name;
    Loaded loaded = loadDocument(std::move(document), {});
    loaded.warnings.insert(loaded.warnings.begin(), warnings.begin(), warnings.end());
    return loaded;
}

bool isFbx(std::span<const std::byte> bytes) { return fbx::isFbx(bytes); }

std::vector<std::byte> importedGlb(std::vector<std::byte> fbx, std::vector<std::string>& warnings,
                                   const Progress& progress) {
    gltf::Document document = fbx::readDocument(fbx, true, warnings, progress);
    fbx = {};  // a large file and its document need not be in memory together with the result
    return gltf::toGlb(std::move(document));
}

Loaded loadImported(Imported imported, const fs::path& path, const LoadOptions& options, const Progress& progress) {
    gltf::Document document =
        gltf::readDocument(imported.glb, path.string(), {folderOf(path), options.local_files_only});
    imported.glb = {};
    fbx::findPictures(document, path.filename().string(), imported.warnings);
    Loaded loaded = loadDocument(std::move(document), progress);
    loaded.warnings.insert(loaded.warnings.begin(), imported.warnings.begin(), imported.warnings.end());
    return loaded;
}

Character withoutRig(const Character& character) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    if (!source) throw Error::badUsage("only a character that was loaded from a file can be stripped of its rig");
    return loadDocument(gltf::withoutRig(*source), {}).character;
}

Character withTriangles(const Character& character, std::span<const Triangle> triangles,
                        std::span<const Triangle> prop_triangles) {
    const auto* source = dynamic_cast<const gltf::GltfSource*>(character.source.get());
    if (!source) throw Error::badUsage("only a character that was loaded from a file has a document to edit");
    gltf::Document document =
        gltf::withTriangles(*source, character.mesh, triangles, character.props.mesh, prop_triangles);
    return loadDocument(std::move(document), {}, character.from_file).character;
}

Motion loadMotion(const fs::path& path, const LoadOptions& options, const Progress& progress) {
    Imported imported;
    if (isImported(path)) imported = importGlb(path, {}, progress);
    progress.report("load", 0);
    const gltf::ExternalFiles external{folderOf(path), options.local_files_only};
    gltf::Loading loading(gltf::readDocument(isImported(path) ? imported.glb : readFile(path), path.string(), external),
                          progress);
    loading.warnings = std::move(imported.warnings);
    loading.all_nodes = true;
    gltf::loadSkeleton(loading);
    gltf::loadClips(loading);
    Character& character = loading.character;
    loading.progress.finished();
    return {std::move(character.skeleton), std::move(character.clips), std::move(loading.warnings)};
}

Loaded loadCharacter(const fs::path& path, const LoadOptions& options, const Progress& progress) {
    const std::string extension = extensionOf(path);
    if (isImported(path))
        return loadImported(importGlb(path, {}, progress.share("import", 0, 0.9)), path, options,
                            progress.share("import", 0.9, 1));
    if (extension != ".glb" && extension != ".gltf" && extension != ".vrm" && extension != ".vrma")
        throw Error::badInput({path.string()}, "characters are read from .glb, .gltf, .vrm, .vrma, .fbx and .dae");
    progress.report("load", 0);
    return loadGltf(readFile(path), path.string(), folderOf(path), options, progress);
}

void saveCharacter(const Character& character, const fs::path& path, const SaveOptions& options) {
    const std::string extension = extensionOf(path);
    if (extension != ".glb" && extension != ".gltf" && extension != ".vrm" && extension != ".fbx")
        throw Error::badUsage({path.string()}, "characters are written as .glb, .gltf, .vrm or .fbx");
    if (extension == ".fbx") {
        AtomicFile file(path);
        file.write(toFbx(character, options));
        return file.commit();
    }
    const gltf::Document document = documentOf(character);
    if (extension == ".vrm") gltf::checkVrm(document, path.string());
    gltf::writeDocument(document, path, extension != ".gltf");
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
    const gltf::Document document = documentWithLevels(character, levels, coverage);
    if (extensionOf(path) == ".vrm") gltf::checkVrm(document, path.string());
    gltf::writeDocument(document, path, extensionOf(path) != ".gltf");
}

std::vector<std::byte> levelsToGlb(const Character& character, std::span<const Character> levels,
                                   std::span<const double> coverage) {
    return gltf::toGlb(documentWithLevels(character, levels, coverage));
}

std::vector<std::byte> toFbx(const Character& character, const SaveOptions& options) {
    gltf::Document document = documentOf(character);
    gltf::embedImages(document);
    const bool payload = character.ddm != nullptr, driven = !character.driven.empty();
    const Loaded loaded = loadDocument(std::move(document), {}, {}, true);
    const auto& source = dynamic_cast<const gltf::GltfSource&>(*loaded.character.source);
    std::vector<std::string> warnings = loaded.warnings;
    if (payload) warnings.push_back("FBX cannot store the data of Direct Delta Mush; the file has the skin alone");
    if (driven) warnings.push_back("FBX cannot store what drives joints; the file has them as its clips move them");
    std::vector<std::byte> bytes = fbx::write(loaded.character, source, options.z_up, warnings);
    if (options.warnings) options.warnings->insert(options.warnings->end(), warnings.begin(), warnings.end());
    return bytes;
}

std::vector<std::byte> toGlb(const Character& character) { return gltf::toGlb(documentOf(character)); }

}  // namespace pelt::io
