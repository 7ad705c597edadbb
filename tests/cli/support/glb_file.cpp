// A reader of .glb that shares no code with Pelt.
#include "glb_file.h"

#include <cstring>

#include "program.h"

using Json = nlohmann::json;

namespace {

std::uint32_t wordAt(const std::string& bytes, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.substr(at, 4).data(), 4);
    return word;
}

std::string word(std::size_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &bits, 4);
    return bytes;
}

std::string padded(std::string bytes, char with) {
    bytes.resize((bytes.size() + 3) / 4 * 4, with);
    return bytes;
}

std::size_t elementBytes(const Json& accessor) {
    const int component = accessor["componentType"];
    const std::size_t size = component == 5126 || component == 5125   ? 4
                             : component == 5122 || component == 5123 ? 2
                                                                      : 1;
    const std::string type = accessor["type"];
    return size * (type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type.back() - '0'));
}

}  // namespace

GlbFile::GlbFile(const std::filesystem::path& path) {
    const std::string file = readBytes(path);
    const std::size_t length = wordAt(file, 12);
    json = Json::parse(file.substr(20, length));
    binary = file.substr(28 + length, wordAt(file, 20 + length));
}

void GlbFile::save(const std::filesystem::path& path) const {
    const std::string text = padded(json.dump(), ' '), data = padded(binary, '\0');
    writeBytes(path, "glTF" + word(2) + word(28 + text.size() + data.size()) + word(text.size()) + "JSON" + text +
                         word(data.size()) + std::string("BIN\0", 4) + data);
}

std::string GlbFile::bytes(std::size_t accessor) const {
    const Json& a = json["accessors"][accessor];
    const Json& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    EXPECT_FALSE(view.contains("byteStride") && view["byteStride"] != elementBytes(a)) << "not tightly packed";
    return binary.substr(view.value("byteOffset", std::size_t(0)) + a.value("byteOffset", std::size_t(0)),
                         count(accessor) * elementBytes(a));
}

std::vector<float> GlbFile::floats(std::size_t accessor) const {
    const std::string data = bytes(accessor);
    EXPECT_EQ(json["accessors"][accessor]["componentType"], 5126);
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
    return values;
}

std::size_t GlbFile::addFloats(const std::vector<float>& values, const std::string& type) {
    binary = padded(binary, '\0');
    const std::size_t size = values.size() * sizeof(float);
    json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", size}});
    binary.append(reinterpret_cast<const char*>(values.data()), size);
    json["buffers"][0]["byteLength"] = binary.size();
    const std::size_t width = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type.back() - '0');
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", 5126},
                                 {"count", values.size() / width},
                                 {"type", type}});
    return json["accessors"].size() - 1;
}
