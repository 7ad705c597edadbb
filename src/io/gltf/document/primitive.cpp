// Reads the attributes and triangles of one glTF primitive.
#include "primitive.h"

#include <fmt/format.h>

#include <cmath>

namespace pelt::io::gltf {
namespace {

enum Mode : std::uint64_t { kTriangles = 4, kStrip = 5, kFan = 6 };

/// Draco data is read if the plain data is not in the file: an accessor without a buffer view and without sparse
/// values.
bool lacksPlainData(const Document& document, const JsonRef& primitive, const JsonRef& extension) {
    const auto empty = [&](const JsonRef& reference) {
        const JsonRef accessor =
            document.item("accessors", reference.asIndex("accessors", document.count("accessors")));
        return !accessor.find("bufferView") && !accessor.find("sparse");
    };
    if (const auto indices = primitive.find("indices"); indices && empty(*indices)) return true;
    const JsonRef packed = extension.at("attributes"), attributes = primitive.at("attributes");
    if (!packed.value().is_object()) packed.fail("must be a JSON object; re-export the file");
    for (const auto& [name, id] : packed.value().items())
        if (const auto attribute = attributes.find(name.c_str()); attribute && empty(*attribute)) return true;
    return false;
}

}  // namespace

PrimitiveReader::PrimitiveReader(AccessorReader& reader, JsonRef primitive)
    : reader_(reader), json_(std::move(primitive)) {
    const JsonRef attributes = json_.at("attributes");
    if (!attributes.value().is_object()) attributes.fail("must be a JSON object; re-export the file");
    const Document& document = reader_.document();
    for (const auto& [name, accessor] : attributes.value().items())
        attributes_[name] = attributes.at(name.c_str()).asIndex("accessors", document.count("accessors"));
    if (!has("POSITION")) {
        // Valid, but there is nothing to draw or to skin.
        return;
    }
    vertex_count_ = info("POSITION").count;
    const auto extension = findExtension(json_, kDraco);
    if (extension && lacksPlainData(document, json_, *extension)) draco_ = unpackDraco(reader_, json_, *extension);
}

std::vector<std::string> PrimitiveReader::attributeNames() const {
    std::vector<std::string> names;
    for (const auto& [name, accessor] : json_.at("attributes").value().items()) names.push_back(name);
    return names;
}

JsonRef PrimitiveReader::attributeRef(const std::string& attribute) const {
    return json_.at("attributes").at(attribute.c_str());
}

std::vector<float> PrimitiveReader::floats(const std::string& attribute, const char* type) {
    const AccessorInfo about = info(attribute);
    if (about.type != type)
        attributeRef(attribute).fail(fmt::format("is {} where {} is needed; re-export the file", about.type, type));
    if (about.count != vertex_count_)
        attributeRef(attribute).fail(
            fmt::format("has {} elements for {} vertices; re-export the file", about.count, vertex_count_));
    if (draco_ && draco_->attributes.contains(attribute)) return toFloats(draco_->attributes.at(attribute), about);
    return reader_.floats(attributes_.at(attribute), type);
}

std::vector<std::uint32_t> PrimitiveReader::integers(const std::string& attribute, const char* type) {
    const AccessorInfo about = info(attribute);
    if (about.type != type || about.component_type == kFloat)
        attributeRef(attribute).fail(fmt::format("must be {} of whole numbers; re-export the file", type));
    if (about.count != vertex_count_)
        attributeRef(attribute).fail(
            fmt::format("has {} elements for {} vertices; re-export the file", about.count, vertex_count_));
    if (draco_ && draco_->attributes.contains(attribute)) return toIntegers(draco_->attributes.at(attribute), about);
    return reader_.integers(attributes_.at(attribute), type);
}

std::vector<std::uint32_t> PrimitiveReader::joints(const std::string& attribute) {
    if (info(attribute).component_type != kFloat) return integers(attribute, "VEC4");
    std::vector<std::uint32_t> out;
    for (const float joint : floats(attribute, "VEC4")) {
        if (!(joint >= 0 && joint < 65536 && joint == std::floor(joint)))
            attributeRef(attribute).fail(fmt::format("{} is not the index of a joint; re-export the file", joint));
        out.push_back(static_cast<std::uint32_t>(joint));
    }
    return out;
}

bool PrimitiveReader::fits(const std::string& attribute, const char* type) const {
    if (!has(attribute)) return false;
    const AccessorInfo about = info(attribute);
    return about.type == type && about.count == vertex_count_;
}

std::vector<std::uint32_t> PrimitiveReader::indices() {
    if (draco_) return draco_->indices;
    const Document& document = reader_.document();
    std::vector<std::uint32_t> out;
    if (const auto accessor = json_.indexOf("indices", "accessors", document.count("accessors"))) {
        out = reader_.integers(*accessor, "SCALAR");
    } else {
        out.resize(vertex_count_);
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = static_cast<std::uint32_t>(v);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i] >= vertex_count_)
            json_.fail(fmt::format("index {} refers to vertex {}, but there are {}; re-export the file", i, out[i],
                                   vertex_count_));
    return out;
}

std::vector<Triangle> PrimitiveReader::triangles() {
    const std::uint64_t mode = json_.unsignedOr("mode", kTriangles);
    if (mode > kFan) json_.fail(fmt::format("unknown mode {}; re-export the file", mode));
    std::vector<Triangle> out;
    if (mode < kTriangles) return out;
    const std::vector<std::uint32_t> corners = indices();
    if (mode == kTriangles || draco_) {
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
            out.push_back({corners[i], corners[i + 1], corners[i + 2]});
        return out;
    }
    // glTF 2.0, 3.7.2.1: strip p_i = {v_i, v_(i+1+i%2), v_(i+2-i%2)}, fan p_i = {v_(i+1), v_(i+2), v_0}. Triangles with
    // repeated corners only join strips and are not faces.
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        const Triangle t = mode == kFan ? Triangle{corners[i + 1], corners[i + 2], corners[0]}
                                        : Triangle{corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]};
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) out.push_back(t);
    }
    return out;
}

}  // namespace pelt::io::gltf
