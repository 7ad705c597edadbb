// The materials of a glTF document as FBX has them, with their pictures inside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/document/accessor.h"
#include "scene.h"

namespace pelt::io::fbx {
namespace {

using gltf::JsonRef;

class MaterialWriter {
public:
    explicit MaterialWriter(Scene& scene)
        : scene_(scene), document_(scene.source.document), reader_(document_), videos_(document_.count("images"), 0) {}

    std::vector<std::int64_t> write() {
        std::vector<std::int64_t> ids;
        for (std::size_t m = 0; m < document_.count("materials"); ++m)
            ids.push_back(material(document_.item("materials", m)));
        if (document_.count("materials") == 0 || wantsDefault()) ids.push_back(plain());
        if (missing_ > 0)
            scene_.warnings.push_back(
                fmt::format("{} textures have no PNG or JPEG picture and were left out", missing_));
        return ids;
    }

private:
    bool wantsDefault() const {
        for (std::size_t m = 0; m < document_.count("meshes"); ++m)
            for (const gltf::Json& primitive : document_.json["meshes"][m]["primitives"])
                if (!primitive.contains("material")) return true;
        return false;
    }

    static std::vector<double> numbers(const std::optional<JsonRef>& list, std::vector<double> fallback) {
        for (std::size_t i = 0; list && i < fallback.size() && i < list->size(); ++i)
            fallback[i] = list->element(i).asFinite();
        return fallback;
    }

    void begin(std::int64_t id, const std::string& name, const std::vector<double>& color, double roughness,
               double metallic, const std::vector<double>& glow) {
        RecordWriter& out = scene_.out;
        const double opacity = color[3], shininess = std::min(2 / std::max(roughness * roughness, 1e-3) - 2, 1000.0);
        out.begin("Material", id, ObjectName{name, "Material"}, "");
        out.leaf("Version", 102);
        out.leaf("ShadingModel", "phong");
        out.leaf("MultiLayer", 0);
        out.begin("Properties70");
        out.property("DiffuseColor", "Color", "", "A", color[0], color[1], color[2]);
        out.property("DiffuseFactor", "Number", "", "A", 1.0);
        out.property("EmissiveColor", "Color", "", "A", glow[0], glow[1], glow[2]);
        out.property("EmissiveFactor", "Number", "", "A", 1.0);
        out.property("TransparentColor", "Color", "", "A", 1.0, 1.0, 1.0);
        out.property("TransparencyFactor", "Number", "", "A", 1 - opacity);
        out.property("Opacity", "Number", "", "A", opacity);
        out.property("SpecularColor", "Color", "", "A", 0.2, 0.2, 0.2);
        out.property("ShininessExponent", "Number", "", "A", std::max(shininess, 0.0));
        out.property("ReflectionFactor", "Number", "", "A", metallic);
        out.end();
        out.end();
    }

    std::int64_t plain() {
        const std::int64_t id = scene_.newId("Material");
        begin(id, "default", {0.72, 0.56, 0.46, 1}, 0.65, 0, {0, 0, 0});
        return id;
    }

    std::int64_t material(const JsonRef& material) {
        const std::int64_t id = scene_.newId("Material");
        const auto pbr = material.find("pbrMetallicRoughness");
        const auto in_pbr = [&](const char* key) { return pbr ? pbr->find(key) : std::nullopt; };
        const auto roughness = in_pbr("roughnessFactor"), metallic = in_pbr("metallicFactor");
        begin(id, material.stringOr("name", "material"), numbers(in_pbr("baseColorFactor"), {1, 1, 1, 1}),
              roughness ? roughness->asFinite() : 1, metallic ? metallic->asFinite() : 1,
              numbers(material.find("emissiveFactor"), {0, 0, 0}));
        const bool clear = material.stringOr("alphaMode", "OPAQUE") != "OPAQUE";
        if (const std::int64_t color = texture(in_pbr("baseColorTexture"))) {
            scene_.link(color, id, "DiffuseColor");
            if (clear) scene_.link(color, id, "TransparentColor");
        }
        if (const std::int64_t normal = texture(material.find("normalTexture"))) scene_.link(normal, id, "NormalMap");
        if (const std::int64_t glow = texture(material.find("emissiveTexture"))) scene_.link(glow, id, "EmissiveColor");
        return id;
    }

    /// The bytes of a picture, and how they are named; no bytes if it is elsewhere or of another kind.
    struct Picture {
        std::string name;
        std::span<const std::byte> bytes;
    };
    Picture picture(std::size_t index) {
        const JsonRef image = document_.item("images", index);
        const auto view = image.indexOf("bufferView", "bufferViews", document_.count("bufferViews"));
        const std::string type = image.stringOr("mimeType", "");
        if (!view || (type != "image/png" && type != "image/jpeg")) return {};
        std::string name = image.stringOr("name", fmt::format("picture_{}", index));
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':'; }, '_');
        const char* ending = type == "image/png" ? ".png" : ".jpg";
        if (!name.ends_with(ending)) name += ending;
        return {std::move(name), reader_.view(*view)};
    }

    std::int64_t texture(const std::optional<JsonRef>& info) {
        if (!info) return 0;
        const auto index = info->indexOf("index", "textures", document_.count("textures"));
        if (!index) return 0;
        const auto source = document_.item("textures", *index).indexOf("source", "images", document_.count("images"));
        const Picture file = source ? picture(*source) : Picture{};
        if (file.bytes.empty()) {
            ++missing_;
            return 0;
        }
        const std::int64_t id = scene_.newId("Texture");
        RecordWriter& out = scene_.out;
        const auto set = static_cast<std::size_t>(info->unsignedOr("texCoord", 0));
        out.begin("Texture", id, ObjectName{file.name, "Texture"}, "");
        out.leaf("Type", "TextureVideoClip");
        out.leaf("Version", 202);
        out.leaf("TextureName", ObjectName{file.name, "Texture"});
        out.begin("Properties70");
        out.property("UVSet", "KString", "", "", set == 0 ? "UVMap" : fmt::format("UVMap{}", set + 1).c_str());
        out.property("UseMaterial", "bool", "", "", 1);
        placement(*info);
        out.end();
        out.leaf("Media", ObjectName{file.name, "Video"});
        out.leaf("FileName", file.name.c_str());
        out.leaf("RelativeFilename", file.name.c_str());
        out.end();
        scene_.link(video(*source, file), id);
        return id;
    }

    /// In FBX, v starts at the bottom.
    void placement(const JsonRef& info) {
        const auto transform = gltf::findExtension(info, "KHR_texture_transform");
        if (!transform) return;
        const std::vector<double> offset = numbers(transform->find("offset"), {0, 0});
        const std::vector<double> scale = numbers(transform->find("scale"), {1, 1});
        scene_.out.property("Translation", "Vector", "", "A", offset[0], 1 - scale[1] - offset[1], 0.0);
        scene_.out.property("Scaling", "Vector", "", "A", scale[0], scale[1], 1.0);
    }

    std::int64_t video(std::size_t image, const Picture& file) {
        if (videos_[image] != 0) return videos_[image];
        const std::int64_t id = videos_[image] = scene_.newId("Video");
        RecordWriter& out = scene_.out;
        out.begin("Video", id, ObjectName{file.name, "Video"}, "Clip");
        out.leaf("Type", "Clip");
        out.begin("Properties70");
        out.property("Path", "KString", "XRefUrl", "", file.name.c_str());
        out.end();
        out.leaf("UseMipMap", 0);
        out.leaf("Filename", file.name.c_str());
        out.leaf("RelativeFilename", file.name.c_str());
        out.leaf("Content", file.bytes);
        out.end();
        return id;
    }

    Scene& scene_;
    const gltf::Document& document_;
    gltf::AccessorReader reader_;
    std::vector<std::int64_t> videos_;
    std::size_t missing_ = 0;
};

}  // namespace

std::vector<std::int64_t> writeMaterials(Scene& scene) { return MaterialWriter(scene).write(); }

}  // namespace pelt::io::fbx
