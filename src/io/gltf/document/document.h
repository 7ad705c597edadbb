#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "io/json/json.h"

namespace pelt::io::gltf {

inline constexpr const char* kDraco = "KHR_draco_mesh_compression";
/// One extension under two names.
inline constexpr std::array kMeshopt = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

/// A chunk of a .glb that is neither JSON nor BIN: kept and written back.
struct Chunk {
    std::uint32_t type = 0;
    std::vector<std::byte> bytes;
};

/// One entry of `buffers`: its bytes, or none (the fallback buffer of EXT_meshopt_compression).
using Buffer = std::optional<std::vector<std::byte>>;

/// The files that a document may refer to.
struct ExternalFiles {
    std::filesystem::path folder;  ///< base of relative URIs; empty: external files are refused
    bool local_only = false;       ///< only those in the folder or below are read
};

/// A glTF file without interpretation: the JSON and the bytes it refers to.
struct Document {
    std::string name;  ///< its name in messages
    Json json = Json::object();
    std::vector<Buffer> buffers;  ///< one per entry of json["buffers"]
    std::vector<Chunk> chunks;
    ExternalFiles external;
    std::vector<std::filesystem::path> external_files;  ///< the buffers that were read from separate files

    JsonRef root() const { return {json, name, ""}; }
    /// The length of a top-level array, 0 if the file has none.
    std::size_t count(const char* collection) const;
    /// An entry of a top-level array; `index` is in range.
    JsonRef item(const char* collection, std::size_t index) const;
};

inline constexpr std::array kCollections = {"accessors", "animations", "buffers", "bufferViews", "images",
                                            "materials", "meshes",     "nodes",   "scenes",      "skins"};

/// The top-level array; created if the document has none.
Json& collection(Document& document, const char* name);

/// Removes an extension from an object and from the document's lists.
void eraseExtension(Json& object, const char* name);
void dropExtension(Document& document, const char* name);

/// The extension object that describes how a buffer view is compressed, under either of its names.
std::optional<JsonRef> findMeshopt(const JsonRef& view);
Json* meshoptOf(Json& view);

/// JOINTS_n or WEIGHTS_n.
bool isSkinAttribute(const std::string& name);

}  // namespace pelt::io::gltf
