// Makes compressed glTF files.
#include "compressed_maker.h"

#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>
#include <meshoptimizer.h>

#include <algorithm>

namespace pelt::io::test {
namespace {

/// Moves accessor `accessor` to a packed view of `packed` bytes.
void pointToPacked(GlbMaker& maker, std::size_t accessor, const std::vector<unsigned char>& packed, const char* mode,
                   const char* filter, std::size_t count, std::size_t stride) {
    const std::size_t view = maker.addView(packed);
    Json& json = maker.json["bufferViews"][view];
    Json extension = {{"buffer", 0},
                      {"byteOffset", json["byteOffset"]},
                      {"byteLength", packed.size()},
                      {"byteStride", stride},
                      {"count", count},
                      {"mode", mode}};
    if (filter) extension["filter"] = filter;
    std::size_t& end = maker.json["buffers"][1]["byteLength"].get_ref<std::uint64_t&>();
    json = {{"buffer", 1}, {"byteOffset", end}, {"byteLength", count * stride}};
    if (std::string(mode) == "ATTRIBUTES") json["byteStride"] = stride;
    json["extensions"] = {{"EXT_meshopt_compression", extension}};
    end += (count * stride + 3) / 4 * 4;
    maker.json["accessors"][accessor]["bufferView"] = view;
}

std::vector<unsigned char> packVertices(const void* data, std::size_t count, std::size_t stride) {
    std::vector<unsigned char> packed(meshopt_encodeVertexBufferBound(count, stride));
    packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), data, count, stride));
    return packed;
}

int addAttribute(draco::Mesh& mesh, draco::GeometryAttribute::Type type, std::int8_t width, draco::DataType kind,
                 std::size_t bytes, const void* data, std::size_t count) {
    draco::GeometryAttribute attribute;
    attribute.Init(type, nullptr, width, kind, false, static_cast<std::int64_t>(bytes), 0);
    const int id = mesh.AddAttribute(attribute, true, static_cast<std::uint32_t>(count));
    for (std::uint32_t v = 0; v < count; ++v)
        mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v),
                                              static_cast<const std::byte*>(data) + v * bytes);
    return id;
}

}  // namespace

GlbMaker makeMeshoptStrip() {
    GlbMaker maker = makeStrip();
    const Character plain = maker.load();
    const std::size_t count = plain.mesh.vertexCount();
    maker.json["buffers"] = Json::array(
        {Json::object(),
         {{"byteLength", std::uint64_t(0)}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}});
    pointToPacked(maker, 0, packVertices(plain.mesh.positions.data(), count, 12), "ATTRIBUTES", nullptr, count, 12);

    std::vector<float> normals;
    for (const Vec3f& n : plain.mesh.normals) normals.insert(normals.end(), {n.x, n.y, n.z, 0});
    std::vector<std::int8_t> octahedral(count * 4);
    meshopt_encodeFilterOct(octahedral.data(), count, 4, 8, normals.data());
    pointToPacked(maker, 1, packVertices(octahedral.data(), count, 4), "ATTRIBUTES", "OCTAHEDRAL", count, 4);
    maker.json["accessors"][1]["componentType"] = 5120;
    maker.json["accessors"][1]["normalized"] = true;

    std::vector<std::uint32_t> exponential(count * 2);
    meshopt_encodeFilterExp(exponential.data(), count, 8, 23, &plain.mesh.uvs[0].x);
    pointToPacked(maker, 2, packVertices(exponential.data(), count, 8), "ATTRIBUTES", "EXPONENTIAL", count, 8);

    const std::size_t corners = plain.mesh.triangles.size() * 3;
    std::vector<unsigned char> packed(meshopt_encodeIndexBufferBound(corners, count));
    meshopt_encodeIndexVersion(1);
    packed.resize(meshopt_encodeIndexBuffer(packed.data(), packed.size(), plain.mesh.triangles[0].data(), corners));
    pointToPacked(maker, 5, packed, "TRIANGLES", nullptr, corners, 2);
    maker.json["extensionsUsed"] = {"TEST_nobody_knows", "EXT_meshopt_compression", "KHR_mesh_quantization"};
    maker.json["extensionsRequired"] = {"EXT_meshopt_compression", "KHR_mesh_quantization"};
    return maker;
}

GlbMaker makeDracoStrip(int speed, std::size_t rows) {
    GlbMaker maker = makeStrip(rows);
    const Character plain = maker.load();
    const std::size_t count = plain.mesh.vertexCount();
    draco::Mesh mesh;
    mesh.set_num_points(static_cast<std::uint32_t>(count));
    for (const Triangle& t : plain.mesh.triangles)
        mesh.AddFace({draco::PointIndex(t[0]), draco::PointIndex(t[1]), draco::PointIndex(t[2])});
    std::vector<std::uint8_t> joints(count * 4, 0);
    std::vector<float> weights(count * 4, 0.0F);
    for (std::size_t v = 0; v < count; ++v)
        for (std::size_t i = 0; i < 2; ++i) {
            joints[v * 4 + i] = static_cast<std::uint8_t>(plain.weights.jointsOf(v)[i]);
            weights[v * 4 + i] = plain.weights.weightsOf(v)[i];
        }
    using Attribute = draco::GeometryAttribute;
    addAttribute(mesh, Attribute::POSITION, 3, draco::DT_FLOAT32, 12, plain.mesh.positions.data(), count);
    addAttribute(mesh, Attribute::NORMAL, 3, draco::DT_FLOAT32, 12, plain.mesh.normals.data(), count);
    addAttribute(mesh, Attribute::TEX_COORD, 2, draco::DT_FLOAT32, 8, plain.mesh.uvs.data(), count);
    addAttribute(mesh, Attribute::GENERIC, 4, draco::DT_UINT8, 4, joints.data(), count);
    addAttribute(mesh, Attribute::GENERIC, 4, draco::DT_FLOAT32, 16, weights.data(), count);
    draco::Encoder encoder;
    encoder.SetSpeedOptions(speed, speed);
    encoder.SetEncodingMethod(speed == 10 ? draco::MESH_SEQUENTIAL_ENCODING : draco::MESH_EDGEBREAKER_ENCODING);
    draco::EncoderBuffer buffer;
    encoder.EncodeMeshToBuffer(mesh, &buffer);
    const std::vector<char> packed(buffer.data(), buffer.data() + buffer.size());

    GlbMaker out = makeStrip(rows);
    const std::size_t view = out.addView(packed);
    for (std::size_t a = 0; a < 6; ++a) {
        out.json["accessors"][a].erase("bufferView");
        out.json["accessors"][a].erase("byteOffset");
    }
    out.json["meshes"][0]["primitives"][0]["extensions"] = {
        {"KHR_draco_mesh_compression",
         {{"bufferView", view},
          {"attributes", {{"POSITION", 0}, {"NORMAL", 1}, {"TEXCOORD_0", 2}, {"JOINTS_0", 3}, {"WEIGHTS_0", 4}}}}}};
    out.json["extensionsUsed"] = {"TEST_nobody_knows", "KHR_draco_mesh_compression"};
    out.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
    return out;
}

std::vector<std::array<float, 7>> sortedVertices(const Character& character) {
    std::vector<std::array<float, 7>> out;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
        const Vec3f p = character.mesh.positions[v];
        const Vec2f uv = character.mesh.uvs[v];
        out.push_back({p.x, p.y, p.z, uv.x, uv.y, static_cast<float>(character.weights.jointsOf(v)[0]),
                       character.weights.weightsOf(v)[0]});
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace pelt::io::test
