// A document with other triangles over its vertices, for levels of detail.
#include "with_triangles.h"

#include <algorithm>
#include <cstring>

#include "edit.h"
#include "io/gltf/document/primitive.h"
#include "io/gltf/payload/ddm_payload.h"
#include "io/gltf/write/levels.h"

namespace pelt::io::gltf {
namespace {

class TriangleWriter {
public:
    explicit TriangleWriter(const GltfSource& source)
        : source_(source), document_(source.document), appender_(document_), reader_(source.document) {
        dropPayload(document_);
        dropLevels(document_);
        // A new top-level array would move all others.
        for (const char* name : {"buffers", "bufferViews", "accessors"}) collection(document_, name);
    }

    /// The parts of one mesh, in the order of its instances.
    void write(const Mesh& mesh, std::span<const Triangle> triangles, const std::vector<InstanceSource>& instances,
               std::size_t first_instance) {
        std::size_t primitive = 0;
        for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
            const MeshPart& part = mesh.parts[p];
            const bool starts = p == 0 || mesh.parts[p - 1].instance != part.instance;
            const InstanceSource& instance = instances[part.instance - first_instance];
            if (starts) copyMesh(instance);
            primitive = starts ? 0 : primitive + 1;
            if (part.triangle_count > 0) writePrimitive(mesh, part, triangles, instance.mesh, primitive);
        }
    }
    Document finish() {
        dropUnusedCompression(document_);
        dropUnused(document_);
        return std::move(document_);
    }

private:
    void copyMesh(const InstanceSource& instance) {
        Json& meshes = document_.json["meshes"];
        Json copy = source_.document.json["meshes"][instance.mesh];
        for (Json& primitive : copy["primitives"]) eraseExtension(primitive, kDirectDeltaMush);
        mesh_ = instance.mesh;
        if (std::find(written_.begin(), written_.end(), instance.mesh) == written_.end()) {
            meshes[mesh_] = std::move(copy);
        } else {
            mesh_ = meshes.size();
            meshes.push_back(std::move(copy));
        }
        written_.push_back(instance.mesh);
        document_.json["nodes"][instance.node]["mesh"] = mesh_;
    }

    std::size_t addRows(std::size_t accessor, std::span<const std::byte> packed, std::span<const std::uint32_t> rows) {
        AccessorInfo about = reader_.info(accessor);
        about.count = rows.size();
        const std::size_t size = about.component_bytes * about.width;
        std::vector<std::byte> picked(rows.size() * size);
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::memcpy(picked.data() + i * size, packed.data() + rows[i] * size, size);
        const Json& was = source_.document.json["accessors"][accessor];
        Json made = was;
        for (const char* key : {"byteOffset", "sparse", "min", "max"}) made.erase(key);
        made["bufferView"] = addVertexView(appender_, picked, size);
        made["count"] = rows.size();
        if (was.contains("min")) writeBounds(made, about, picked);
        // Equal data has one view, and a view without a stride has one accessor.
        Json& accessors = document_.json["accessors"];
        const auto [known, is_new] = accessors_.try_emplace(made.dump(), accessors.size());
        if (is_new) accessors.push_back(std::move(made));
        return known->second;
    }

    void writePrimitive(const Mesh& mesh, const MeshPart& part, std::span<const Triangle> triangles,
                        std::size_t source_mesh, std::size_t index) {
        const JsonRef was = source_.document.item("meshes", source_mesh).at("primitives").element(index);
        PrimitiveReader from(reader_, was);
        const std::vector<Triangle> stored = from.triangles();
        // A mirrored node turned the faces over while loading.
        const std::uint32_t first = part.first_vertex;
        const Triangle& loaded = mesh.triangles[part.first_triangle];
        const bool mirrored = !(loaded[1] == stored.front()[1] + first && loaded[2] == stored.front()[2] + first);
        std::vector<std::uint32_t> rows, number(part.vertex_count, 0), indices;
        std::vector<Triangle> own;
        for (const Triangle& t : triangles)
            if (t[0] >= first && t[0] < first + part.vertex_count) own.push_back(t);
        for (const Triangle& t : own)
            for (const std::uint32_t v : t) number[v - first] = 1;
        for (std::uint32_t v = 0; v < number.size(); ++v)
            if (number[v] > 0) {
                number[v] = static_cast<std::uint32_t>(rows.size());
                rows.push_back(v);
            }
        for (Triangle t : own) {
            if (mirrored) std::swap(t[1], t[2]);
            for (const std::uint32_t v : t) indices.push_back(number[v - first]);
        }
        Json& primitive = document_.json["meshes"][mesh_]["primitives"][index];
        for (const std::string& name : from.attributeNames()) {
            const std::size_t accessor = was.at("attributes").value()[name].get<std::size_t>();
            if (reader_.info(accessor).count != part.vertex_count) {  // of a damaged file, and left out while loading
                primitive["attributes"].erase(name);
                continue;
            }
            const DracoData* draco = from.draco();
            const bool packed_by_draco = draco && draco->attributes.contains(name);
            primitive["attributes"][name] =
                addRows(accessor, packed_by_draco ? draco->attributes.at(name) : reader_.packed(accessor), rows);
        }
        if (primitive.contains("targets"))
            for (Json& target : primitive["targets"])
                for (auto it = target.begin(); it != target.end();) {
                    const std::size_t old = it->get<std::size_t>();
                    const bool fits = reader_.info(old).count == part.vertex_count;
                    if (fits) *it = addRows(old, reader_.packed(old), rows);
                    it = fits ? std::next(it) : target.erase(it);
                }
        eraseExtension(primitive, kDraco);
        primitive["indices"] = appender_.addIndices(indices, rows.size());
        primitive.erase("mode");
    }

    const GltfSource& source_;
    Document document_;
    Appender appender_;
    AccessorReader reader_;
    std::map<std::string, std::size_t> accessors_;  ///< those that were added, by their JSON
    std::size_t mesh_ = 0;                          ///< that is written
    std::vector<std::size_t> written_;              ///< meshes of the source that have been written
};

}  // namespace

Document withTriangles(const GltfSource& source, const Mesh& mesh, std::span<const Triangle> triangles,
                       const Mesh& props, std::span<const Triangle> prop_triangles) {
    TriangleWriter writer(source);
    writer.write(mesh, triangles, source.instances, 0);
    writer.write(props, prop_triangles, source.props, source.instances.size());
    return writer.finish();
}

}  // namespace pelt::io::gltf
