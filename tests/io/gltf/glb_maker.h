#pragma once

#include <pelt/io/character_file.h>

#include <cstring>
#include <nlohmann/json.hpp>

/// Small glTF files, made by hand for the tests.
namespace pelt::io::test {

using Json = nlohmann::ordered_json;

class GlbMaker {
public:
    Json json = {{"asset", {{"version", "2.0"}}}};
    std::vector<std::byte> binary;

    std::size_t addView(std::span<const std::byte> bytes, Json more = Json::object());
    template <class T>
    std::size_t addView(const std::vector<T>& values, Json more = Json::object()) {
        return addView(std::as_bytes(std::span(values)), std::move(more));
    }
    /// An accessor over a view; `more` adds or replaces members.
    std::size_t addAccessor(Json members);
    /// A tightly packed accessor with a view of its own.
    std::size_t addFloats(const std::vector<float>& values, const char* type, Json more = Json::object());
    std::size_t addBytes(const std::vector<std::uint8_t>& values, const char* type, Json more = Json::object());
    std::size_t addShorts(const std::vector<std::uint16_t>& values, const char* type, Json more = Json::object());

    /// The whole file.
    std::vector<std::byte> bytes() const;
    Loaded loaded() const { return loadGltf(bytes(), "made.glb"); }
    Character load() const { return loaded().character; }

private:
    std::size_t addPacked(std::span<const std::byte> bytes, int component, std::size_t count, const char* type,
                          Json more);
};

/// A strip of 2 x `rows` vertices along y from 0 to 2 with two joints at y = 0 and y = 1, each vertex bound to both, a
/// clip "bend", a material with extras, a camera and an unknown extension. Node 0: mesh, 1: root joint, 2: its child.
GlbMaker makeStrip(std::size_t rows = 5);

/// The JSON of a .glb.
Json jsonOf(std::span<const std::byte> glb);

/// Puts other JSON in front of the same binary chunk.
std::vector<std::byte> withJson(std::span<const std::byte> glb, const Json& json);

/// Exact equality of everything but the source.
void expectEqual(const Character& a, const Character& b);

/// A temporary folder for one test, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace pelt::io::test
