#pragma once

#include <map>
#include <set>

#include "document.h"
#include "io/gltf/document/appender.h"

namespace pelt::io::fbx {

/// Writes the materials of an FBX file and their pictures to a glTF document, each once.
class Materials {
public:
    Materials(const FbxDocument& file, gltf::Document& document, gltf::Appender& appender, bool pictures_beside,
              std::vector<std::string>& warnings)
        : file_(file),
          document_(document),
          appender_(appender),
          pictures_beside_(pictures_beside),
          warnings_(warnings) {}

    /// The glTF material for one of the file. `uv_names` are those of the mesh.
    std::size_t add(const FbxObject& material, const std::vector<std::string>& uv_names);

private:
    gltf::Json made(const FbxObject& material, const std::vector<std::string>& uv_names);
    gltf::Json textureFor(const FbxObject& material, std::span<const std::string_view> properties,
                          const std::vector<std::string>& uv_names);
    std::optional<std::size_t> textureOf(const FbxObject& texture);
    std::optional<gltf::Json> imageOf(const FbxObject& texture);

    const FbxDocument& file_;
    gltf::Document& document_;
    gltf::Appender& appender_;
    const bool pictures_beside_;
    std::vector<std::string>& warnings_;
    bool told_ = false;
    std::map<std::pair<std::int64_t, std::vector<std::string>>, std::size_t> materials_;
    std::map<std::int64_t, std::optional<std::size_t>> textures_;
    std::set<std::string> names_;
};

}  // namespace pelt::io::fbx
