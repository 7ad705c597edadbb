#pragma once

#include <pelt/core/mesh.h>

#include <map>

#include "accessor.h"

namespace pelt::io::gltf {

/// The data of KHR_draco_mesh_compression for a primitive: attributes packed in the component types of their accessors.
struct DracoData {
    std::vector<std::uint32_t> indices;
    std::map<std::string, std::vector<std::byte>> attributes;
};

/// Decompresses the extension object of a primitive. Throws Error (bad input).
DracoData unpackDraco(AccessorReader& reader, const JsonRef& primitive, const JsonRef& extension);

/// One primitive of a mesh, compressed or not.
class PrimitiveReader {
public:
    PrimitiveReader(AccessorReader& reader, JsonRef primitive);

    const JsonRef& json() const { return json_; }
    std::size_t vertexCount() const { return vertex_count_; }
    bool has(const std::string& attribute) const { return attributes_.contains(attribute); }
    /// Names in the document's order.
    std::vector<std::string> attributeNames() const;
    AccessorInfo info(const std::string& attribute) const { return reader_.info(attributes_.at(attribute)); }

    /// vertexCount() · width numbers. Fails if the attribute has another type or another number of vertices.
    std::vector<float> floats(const std::string& attribute, const char* type);
    std::vector<std::uint32_t> integers(const std::string& attribute, const char* type);

    /// JOINTS_n, four per vertex; integers stored as floats are accepted.
    std::vector<std::uint32_t> joints(const std::string& attribute);
    /// Whether the attribute exists, has that type and is as long as the positions.
    bool fits(const std::string& attribute, const char* type) const;

    /// Vertices of this primitive, three per triangle: strips and fans are converted, points and lines have none.
    std::vector<Triangle> triangles();

    /// The decompressed data, if the file has only Draco.
    const DracoData* draco() const { return draco_ ? &*draco_ : nullptr; }

private:
    JsonRef attributeRef(const std::string& attribute) const;
    std::vector<std::uint32_t> indices();

    AccessorReader& reader_;
    JsonRef json_;
    std::map<std::string, std::size_t> attributes_;  ///< name -> accessor
    std::optional<DracoData> draco_;
    std::size_t vertex_count_ = 0;
};

}  // namespace pelt::io::gltf
