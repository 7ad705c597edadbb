#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Parses and builds a .glb without the library's reader, so that tests can inspect and create files independently.
class GlbFile {
public:
    explicit GlbFile(const std::filesystem::path& path);
    void save(const std::filesystem::path& path) const;

    /// The bytes of a tightly packed accessor.
    std::string bytes(std::size_t accessor) const;
    std::vector<float> floats(std::size_t accessor) const;
    std::size_t count(std::size_t accessor) const { return json["accessors"][accessor]["count"]; }

    /// A new accessor of floats: "SCALAR", "VEC3", "VEC4" or "MAT4". Returns its index.
    std::size_t addFloats(const std::vector<float>& values, const std::string& type);

    nlohmann::json& primitive(std::size_t index = 0) { return json["meshes"][0]["primitives"][index]; }
    const nlohmann::json& primitive(std::size_t index = 0) const { return json["meshes"][0]["primitives"][index]; }

    nlohmann::json json;
    std::string binary;
};
