// A new document whose materials show pictures.
#include <pelt/io/character_file.h>
#include <pelt/io/textured.h>

#include <algorithm>

#include "io/gltf/document/appender.h"
#include "io/gltf/document/container.h"
#include "write_new.h"

namespace pelt::io {
namespace {

constexpr const char* kUnlit = "KHR_materials_unlit";
/// glTF 2.0, 5.26: linear filters with mipmaps, and nothing of the other side of the picture at its edge.
constexpr int kLinear = 9729, kLinearMipmaps = 9987, kClampToEdge = 33071;

}  // namespace

Character texturedCharacter(Mesh mesh, std::span<const Texture> textures) {
    Character character;
    character.mesh = std::move(mesh);
    gltf::Document document = gltf::makeDocument(character);
    gltf::Appender appender(document);
    gltf::Json& json = document.json;
    json["extensionsUsed"] = {kUnlit};
    json["samplers"] = gltf::Json::array(
        {{{"magFilter", kLinear}, {"minFilter", kLinearMipmaps}, {"wrapS", kClampToEdge}, {"wrapT", kClampToEdge}}});
    for (const Texture& texture : textures)
        for (gltf::Json& material : json["materials"]) {
            if (material.value("name", "") != texture.name) continue;
            const std::size_t index = json.contains("textures") ? json["textures"].size() : 0;
            json["images"].push_back({{"name", texture.name},
                                      {"mimeType", texture.media_type},
                                      {"bufferView", appender.addView(texture.file)}});
            json["textures"].push_back({{"sampler", 0}, {"source", index}});
            material["pbrMetallicRoughness"] = {
                {"baseColorTexture", {{"index", index}}}, {"metallicFactor", 0.0}, {"roughnessFactor", 1.0}};
            material["alphaMode"] = texture.has_alpha ? "BLEND" : "OPAQUE";
            material["doubleSided"] = true;
            material["extensions"] = {{kUnlit, gltf::Json::object()}};
        }
    return loadGltf(gltf::toGlb(std::move(document)), "figure.glb").character;
}

}  // namespace pelt::io
