// Finds the pictures of an FBX file.
#include <fmt/format.h>
#include <pelt/io/extension.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/fbx/fbx.h"
#include "io/gltf/document/uri.h"

namespace pelt::io::fbx {
namespace {

namespace fs = std::filesystem;
using gltf::Json;

bool isReadable(const gltf::Document& document, const std::string& uri) {
    const auto file = gltf::relativeFile(document.external.folder, uri);
    std::error_code fault;
    const std::string extension = file ? extensionOf(*file) : std::string();
    if (extension != ".png" && extension != ".jpg" && extension != ".jpeg") return false;
    return gltf::mayRead(document.external, *file) && fs::is_regular_file(*file, fault);
}

/// Where the picture is, as a URI; empty if nowhere.
std::string found(const gltf::Document& document, const std::string& uri, const std::string& file_name) {
    if (document.external.folder.empty()) return {};
    const std::string name = uri.substr(uri.rfind('/') + 1);
    const std::string stem = gltf::percentEncoded(fs::path(file_name).stem().string());
    for (const std::string& place : {uri, name, "textures/" + name, "Textures/" + name, "../textures/" + name,
                                     "../Textures/" + name, stem + ".fbm/" + name})
        if (isReadable(document, place)) return place;
    return {};
}

/// Removes the members of `object` that refer to a texture which is gone, and renumbers the others.
void keepTextures(Json& object, const std::vector<std::int64_t>& renumbered) {
    for (auto member = object.begin(); member != object.end();) {
        const bool texture = member->is_object() && member->contains("index") && member.key().ends_with("Texture");
        if (member->is_object() && !texture) keepTextures(*member, renumbered);
        const std::int64_t index = texture ? renumbered[(*member)["index"].get<std::size_t>()] : 0;
        if (texture && index >= 0) (*member)["index"] = index;
        member = index < 0 ? object.erase(member) : std::next(member);
    }
}

/// Erases the entries without `kept`; returns the new number of each, or -1.
std::vector<std::int64_t> eraseEntries(Json& list, const std::vector<bool>& kept) {
    std::vector<std::int64_t> renumbered;
    Json left = Json::array();
    for (std::size_t i = 0; i < kept.size(); ++i) {
        renumbered.push_back(kept[i] ? static_cast<std::int64_t>(left.size()) : -1);
        if (kept[i]) left.push_back(std::move(list[i]));
    }
    list = std::move(left);
    return renumbered;
}

void dropPictures(gltf::Document& document, const std::vector<bool>& kept) {
    const std::vector<std::int64_t> images = eraseEntries(document.json["images"], kept);
    std::vector<bool> kept_textures;
    for (Json& texture : document.json["textures"]) {
        const std::int64_t image = images[texture["source"].get<std::size_t>()];
        kept_textures.push_back(image >= 0);
        if (image >= 0) texture["source"] = image;
    }
    const std::vector<std::int64_t> textures = eraseEntries(document.json["textures"], kept_textures);
    for (Json& material : document.json["materials"]) keepTextures(material, textures);
    for (const char* key : {"images", "textures"})
        if (document.json[key].empty()) document.json.erase(key);
}

}  // namespace

void findPictures(gltf::Document& document, const std::string& file_name, std::vector<std::string>& warnings) {
    if (!document.json.contains("images")) return;
    std::vector<bool> kept;
    std::string missing;
    std::size_t count = 0;
    for (Json& image : document.json["images"]) {
        kept.push_back(true);
        if (!image.contains("uri")) continue;
        const std::string uri = image["uri"].get<std::string>(), place = found(document, uri, file_name);
        if (!place.empty()) {
            image["uri"] = place;
            continue;
        }
        kept.back() = false;
        if (++count <= 3) missing += (missing.empty() ? "" : ", ") + gltf::percentDecoded(uri);
    }
    if (count == 0) return;
    warnings.push_back(fmt::format("{} {} not found as .png or .jpg beside the file and left out: {}{}", count,
                                   count == 1 ? "picture was" : "pictures were", missing, count > 3 ? ", …" : ""));
    dropPictures(document, kept);
}

}  // namespace pelt::io::fbx
