// The materials of an FBX file as those of glTF: color, opacity, emission, and pictures inside the file or beside it.
#include "materials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/document/uri.h"

namespace pelt::io::fbx {
namespace {

using gltf::Json;
using Properties = std::span<const std::string_view>;

constexpr std::string_view kColor[] = {"DiffuseColor", "Maya|TEX_color_map", "Maya|baseColor", "Maya|DiffuseTexture",
                                       "3dsMax|Parameters|base_color_map"};
constexpr std::string_view kNormal[] = {"NormalMap", "Bump", "Maya|TEX_normal_map", "Maya|normalCamera",
                                        "3dsMax|Parameters|bump_map"};
constexpr std::string_view kMask[] = {"TransparentColor", "TransparencyFactor"};
constexpr std::string_view kEmission[] = {"EmissiveColor", "Maya|TEX_emissive_map", "Maya|emissionColor",
                                          "3dsMax|Parameters|emit_color_map"};

const char* mediaType(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
    if (head.starts_with("\x89PNG")) return "image/png";
    if (head.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
    return nullptr;
}

/// A path of any system as a relative URI; of an absolute path only the file's name.
std::string uriOf(std::string_view path) {
    std::string slashed(path);
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    std::string_view rest = slashed;
    if (rest.starts_with('/') || rest.find(':') != std::string_view::npos) rest.remove_prefix(rest.rfind('/') + 1);
    std::string uri;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        if (!uri.empty()) uri += '/';
        uri += gltf::percentEncoded(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return uri;
}

std::string_view childText(const FbxObject& object, const char* name) {
    const Element* child = object.element->find(name);
    return child ? child->text(0) : std::string_view();
}

/// The file that is embedded in a video object: bytes, or base64 in a text file.
std::vector<std::byte> contentOf(const FbxObject& video) {
    const Element* content = video.element->find("Content");
    if (!content) return {};
    std::string text;
    for (const Value& value : content->values) {
        if (value.type == 'R') {
            const auto bytes = std::as_bytes(std::span(value.text));
            return {bytes.begin(), bytes.end()};
        }
        text += value.text;
    }
    return gltf::decodeDataUri("data:;base64," + text).value_or(std::vector<std::byte>());
}

double unit(double value) { return std::clamp(value, 0.0, 1.0); }

}  // namespace

std::size_t Materials::add(const FbxObject& material, const std::vector<std::string>& uv_names) {
    const auto [known, is_new] = materials_.try_emplace({material.id, uv_names}, 0);
    if (!is_new) return known->second;
    Json json = made(material, uv_names);
    Json& list = gltf::collection(document_, "materials");
    list.push_back(std::move(json));
    return known->second = list.size() - 1;
}

Json Materials::made(const FbxObject& material, const std::vector<std::string>& uv_names) {
    Json json = Json::object();
    std::string name = material.name;
    for (int copy = 2; !names_.insert(name).second; ++copy) name = fmt::format("{}_{}", material.name, copy);
    if (!name.empty()) json["name"] = name;
    const Json color_map = textureFor(material, kColor, uv_names);
    const double strength = unit(file_.number(material, "DiffuseFactor", 1));
    const Vec3d color =
        color_map.is_null() ? file_.vector(material, "DiffuseColor", {0.8, 0.8, 0.8}) * strength : Vec3d(1, 1, 1);
    const Vec3d clear = file_.vector(material, "TransparentColor", {});
    double opacity = 1 - file_.number(material, "TransparencyFactor", 0) * (clear.x + clear.y + clear.z) / 3;
    if (file_.property(material, "Opacity")) opacity = file_.number(material, "Opacity", 1);
    if (!(opacity > 0)) opacity = 1;  // exporters disagree about the direction; nobody exports what is invisible
    const double shininess = std::max(0.0, file_.number(material, "ShininessExponent", 20));
    json["pbrMetallicRoughness"] = {{"baseColorFactor", {unit(color.x), unit(color.y), unit(color.z), unit(opacity)}},
                                    {"metallicFactor", 0.0},
                                    {"roughnessFactor", std::sqrt(2 / (2 + shininess))}};
    if (!color_map.is_null()) json["pbrMetallicRoughness"]["baseColorTexture"] = color_map;
    if (Json normal = textureFor(material, kNormal, uv_names); !normal.is_null()) json["normalTexture"] = normal;
    const Json emission_map = textureFor(material, kEmission, uv_names);
    const Vec3d glow = emission_map.is_null()
                           ? file_.vector(material, "EmissiveColor", {}) * file_.number(material, "EmissiveFactor", 1)
                           : Vec3d(1, 1, 1);
    if (!emission_map.is_null()) json["emissiveTexture"] = emission_map;
    if (!(glow == Vec3d())) json["emissiveFactor"] = {unit(glow.x), unit(glow.y), unit(glow.z)};
    const Json mask = textureFor(material, kMask, uv_names);
    const bool in_color = !mask.is_null() && !color_map.is_null() && mask["index"] == color_map["index"];
    if (in_color || opacity < 1) json["alphaMode"] = "BLEND";
    return json;
}

Json Materials::textureFor(const FbxObject& material, Properties properties, const std::vector<std::string>& uv_names) {
    for (const FbxLink& link : file_.sources(material.id)) {
        if (std::find(properties.begin(), properties.end(), link.property) == properties.end()) continue;
        const FbxObject* texture = link.object;
        if (texture->kind == "LayeredTexture") {  // the lowest layer
            const auto layers = file_.sources(texture->id, "Texture");
            if (layers.empty()) continue;
            texture = layers.front();
        }
        if (texture->kind != "Texture") continue;
        const auto index = textureOf(*texture);
        if (!index) continue;
        Json json = {{"index", *index}};
        const Element* set = file_.property(*texture, "UVSet");
        const auto named = std::find(uv_names.begin(), uv_names.end(), set ? set->text(4) : std::string_view());
        if (named != uv_names.end() && named != uv_names.begin()) json["texCoord"] = named - uv_names.begin();
        const Vec3d offset = file_.vector(*texture, "Translation"),
                    scale = file_.vector(*texture, "Scaling", {1, 1, 1});
        if (offset == Vec3d() && scale == Vec3d(1, 1, 1)) return json;
        json["extensions"]["KHR_texture_transform"] = {{"offset", {offset.x, 1 - scale.y - offset.y}},
                                                       {"scale", {scale.x, scale.y}}};
        Json& used = document_.json["extensionsUsed"];
        if (std::find(used.begin(), used.end(), "KHR_texture_transform") == used.end())
            used.push_back("KHR_texture_transform");
        return json;
    }
    return {};
}

std::optional<std::size_t> Materials::textureOf(const FbxObject& texture) {
    const auto [known, is_new] = textures_.try_emplace(texture.id);
    if (!is_new) return known->second;
    const std::optional<Json> image = imageOf(texture);
    if (!image) return std::nullopt;
    Json& images = gltf::collection(document_, "images");
    const auto same = std::find(images.begin(), images.end(), *image);
    const auto index = static_cast<std::size_t>(same - images.begin());
    if (same == images.end()) images.push_back(*image);
    Json& textures = gltf::collection(document_, "textures");
    textures.push_back({{"source", index}});
    return known->second = textures.size() - 1;
}

std::optional<Json> Materials::imageOf(const FbxObject& texture) {
    std::string_view path = childText(texture, "RelativeFilename");
    if (path.empty()) path = childText(texture, "FileName");
    for (const FbxObject* video : file_.sources(texture.id, "Video")) {
        if (path.empty()) path = childText(*video, "RelativeFilename");
        if (path.empty()) path = childText(*video, "Filename");
        const std::vector<std::byte> file = contentOf(*video);
        if (file.empty()) continue;
        if (const char* type = mediaType(file))
            return Json{{"name", texture.name}, {"mimeType", type}, {"bufferView", appender_.addView(file)}};
        warnings_.push_back(
            fmt::format("the embedded picture '{}' is neither PNG nor JPEG and was left out; convert it in the program "
                        "that made it",
                        texture.name));
        return std::nullopt;
    }
    const std::string uri = uriOf(path);
    if (uri.empty()) return std::nullopt;
    if (!pictures_beside_) {
        if (!told_) warnings_.push_back("pictures beside the file are not read from memory and were left out");
        told_ = true;
        return std::nullopt;
    }
    return Json{{"name", texture.name}, {"uri", uri}};
}

}  // namespace pelt::io::fbx
