#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pelt::io::gltf {

/// Keys stay in the order of the file, so that a saved document reads like the loaded one.
using Json = nlohmann::ordered_json;

/// A value of the document and its path, so that every error says where it is. Keeps references to the value and the
/// file's name.
class JsonRef {
public:
    JsonRef(const Json& value, const std::string& file, std::string place)
        : value_(&value), file_(&file), place_(std::move(place)) {}

    const Json& value() const { return *value_; }
    const std::string& place() const { return place_; }
    const std::string& file() const { return *file_; }

    /// Throws Error (bad input): "file: path: message".
    [[noreturn]] void fail(const std::string& message) const;

    /// A member, if the object has it. Fails if this is not an object.
    std::optional<JsonRef> find(const char* key) const;
    /// A required member.
    JsonRef at(const char* key) const;
    JsonRef element(std::size_t index) const;
    /// The number of elements; fails if this is not an array.
    std::size_t size() const;

    std::uint64_t asUnsigned() const;
    /// An index into the top-level array `collection` of `count` entries.
    std::size_t asIndex(const char* collection, std::size_t count) const;
    double asFinite() const;
    float asFloat() const;
    bool asBool() const;
    const std::string& asString() const;

    std::uint64_t unsignedOr(const char* key, std::uint64_t fallback) const;
    bool boolOr(const char* key, bool fallback) const;
    std::string stringOr(const char* key, const std::string& fallback) const;
    std::optional<std::size_t> indexOf(const char* key, const char* collection, std::size_t count) const;

private:
    const Json* value_;
    const std::string* file_;
    std::string place_;
};

/// The extension object of that name, where `object` has one.
std::optional<JsonRef> findExtension(const JsonRef& object, const char* name);

}  // namespace pelt::io::gltf
