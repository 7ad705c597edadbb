// Finds mesh sequences by their names, and reads them.
#include "data_sets.h"

#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>

#include <algorithm>
#include <cctype>

namespace pelt::bench {
namespace {

namespace fs = std::filesystem;

std::string plain(std::string name) {
    for (char& c : name) c = c == '_' || c == ' ' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

bool isMesh(const fs::path& file) {
    const std::string ending = plain(file.extension().string());
    return ending == ".obj" || ending == ".ply" || ending == ".off";
}

bool isSequence(const fs::path& file) {
    const std::string ending = plain(file.extension().string());
    return ending == ".npy" || ending == ".pc2" || ending == ".mdd";
}

bool isRest(const fs::path& file) {
    const std::string stem = plain(file.stem().string());
    return stem.find("rest") != std::string::npos || stem.find("reference") != std::string::npos;
}

std::vector<fs::path> filesOf(const fs::path& folder, bool (*wanted)(const fs::path&)) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && wanted(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {  // pose-2 before pose-10
        const auto left = a.filename().string(), right = b.filename().string();
        return left.size() != right.size() ? left.size() < right.size() : left < right;
    });
    return files;
}

fs::path meshBeside(const fs::path& sequence) {
    for (const char* ending : {".obj", ".ply", ".off"})
        if (auto mesh = fs::path(sequence).replace_extension(ending); fs::exists(mesh)) return mesh;
    return {};
}

DataSet fromMeshes(std::vector<fs::path> files) {
    const auto rest = std::find_if(files.begin(), files.end(), isRest);
    DataSet set;
    set.rest = io::loadMesh(rest == files.end() ? files.front() : *rest);
    if (rest != files.end()) files.erase(rest);
    std::vector<Vec3f> all;
    for (const fs::path& file : files) {
        const Mesh frame = io::loadMesh(file);
        if (frame.vertexCount() != set.rest.vertexCount())
            throw Error::badInput({file.string()}, "has another number of vertices than the rest pose");
        all.insert(all.end(), frame.positions.begin(), frame.positions.end());
    }
    set.frames = makeSequence(std::move(all), set.rest.vertexCount());
    return set;
}

}  // namespace

std::unique_ptr<MeshSequence> inMemory(MeshSequence& sequence) {
    const std::size_t vertices = sequence.vertexCount();
    std::vector<Vec3f> all(sequence.frameCount() * vertices);
    for (std::size_t f = 0; f < sequence.frameCount(); ++f)
        sequence.readFrame(f, std::span(all).subspan(f * vertices, vertices));
    return makeSequence(std::move(all), vertices);
}

std::optional<fs::path> findDataSet(const fs::path& folder, const std::string& name) {
    const auto options =
        fs::directory_options::skip_permission_denied | fs::directory_options::follow_directory_symlink;
    for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
        const fs::path& path = entry.path();
        if (entry.is_directory()) {
            if (plain(path.filename().string()) != plain(name)) continue;
            if (!filesOf(path, isSequence).empty() || filesOf(path, isMesh).size() > 1) return path;
        } else if (isSequence(path) && plain(path.stem().string()) == plain(name) && !meshBeside(path).empty()) {
            return path;
        }
    }
    return std::nullopt;
}

DataSet loadDataSet(const fs::path& found) {
    if (!fs::is_directory(found)) return {io::loadMesh(meshBeside(found)), inMemory(*io::openSequence(found))};
    const std::vector<fs::path> meshes = filesOf(found, isMesh), sequences = filesOf(found, isSequence);
    if (sequences.empty()) return fromMeshes(meshes);
    if (meshes.empty()) throw Error::badInput({found.string()}, "has frames, but no rest.obj with their faces");
    const auto rest = std::find_if(meshes.begin(), meshes.end(), isRest);
    return {io::loadMesh(rest == meshes.end() ? meshes.front() : *rest),
            inMemory(*io::openSequence(sequences.front()))};
}

}  // namespace pelt::bench
