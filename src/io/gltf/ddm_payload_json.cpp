#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "gltf/ddm_payload.h"

namespace pelt::io::gltf {
namespace {

constexpr std::array kVariants = {"v0", "v1", "v2", "v3", "v4", "v5"};
constexpr std::array kEncodings = {"float", "q16"};

template <class Names>
std::size_t readName(const JsonRef& json, const Names& names) {
    const std::string& name = json.asString();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (name == names[i]) return i;
    json.fail(fmt::format("unknown name '{}'; run pelt mush again", name));
}

int readCount(const JsonRef& json) {
    const std::uint64_t number = json.asUnsigned();
    if (number > std::uint64_t(std::numeric_limits<int>::max())) json.fail("is far too large; run pelt mush again");
    return static_cast<int>(number);
}

std::optional<double> readNumber(const JsonRef& object, const char* key) {
    const auto member = object.find(key);
    return member ? std::optional(member->asFinite()) : std::nullopt;
}

std::optional<int> readOptionalCount(const JsonRef& object, const char* key) {
    const auto member = object.find(key);
    return member ? std::optional(readCount(*member)) : std::nullopt;
}

DdmSettings readSettings(const JsonRef& json) {
    DdmSettings out;
    out.iterations = readOptionalCount(json, "iterations");
    out.lambda = readNumber(json, "lambda");
    out.kappa = readNumber(json, "kappa");
    out.alpha = readNumber(json, "alpha");
    out.laplacian = json.stringOr("laplacian", out.laplacian);
    out.smoothing = json.stringOr("smoothing", out.smoothing);
    out.lambda_map = json.stringOr("lambdaMap", "");
    out.kappa_map = json.stringOr("kappaMap", "");
    out.alpha_map = json.stringOr("alphaMap", "");
    if (const auto listed = json.find("jointAlpha"))
        for (std::size_t i = 0; i < listed->size(); ++i)
            out.joint_alpha.emplace_back(listed->element(i).at("joint").asString(),
                                         listed->element(i).at("alpha").asFinite());
    out.connect_parts = json.boolOr("connectParts", true);
    if (const auto listed = json.find("exclude"))
        for (std::size_t i = 0; i < listed->size(); ++i) out.exclude.push_back(listed->element(i).asString());
    out.keep_bind = json.stringOr("bind", "rigid") == "keep";
    out.influences = readOptionalCount(json, "influences");
    if (const auto weld = json.find("weld")) out.weld = weld->asFloat();
    return out;
}

Json settingsJson(const DdmSettings& from) {
    Json json = Json::object();
    const auto put = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    put("iterations", from.iterations);
    put("lambda", from.lambda);
    put("kappa", from.kappa);
    put("alpha", from.alpha);
    json["laplacian"] = from.laplacian;
    json["smoothing"] = from.smoothing;
    const auto put_map = [&](const char* key, const std::string& name) {
        if (!name.empty()) json[key] = name;
    };
    put_map("lambdaMap", from.lambda_map);
    put_map("kappaMap", from.kappa_map);
    put_map("alphaMap", from.alpha_map);
    for (const auto& [joint, alpha] : from.joint_alpha)
        json["jointAlpha"].push_back({{"joint", joint}, {"alpha", alpha}});
    json["connectParts"] = from.connect_parts;
    if (!from.exclude.empty()) json["exclude"] = from.exclude;
    json["bind"] = from.keep_bind ? "keep" : "rigid";
    put("influences", from.influences);
    json["weld"] = from.weld;
    return json;
}

/// FNV-1a, a byte at a time.
class Hash {
public:
    void add(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3U; }
    void add(float number) {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        for (int shift = 0; shift < 32; shift += 8) add(static_cast<std::uint8_t>(bits >> shift & 0xFFU));
    }
    std::string digits() const { return fmt::format("{:016x}", hash_); }

private:
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

}  // namespace

Affine3d readSpace(const JsonRef& extension) {
    Affine3d space;
    const auto listed = extension.find("space");
    if (!listed) return space;
    if (listed->size() != 16) listed->fail("must have 16 numbers; run pelt mush again");
    for (std::size_t i = 0; i < 16; ++i) space.m[i] = listed->element(i).asFinite();
    const double det = determinant(space.linear());
    if (!std::isfinite(1 / det) || space.m[3] != 0 || space.m[7] != 0 || space.m[11] != 0 || space.m[15] != 1)
        listed->fail("must be an invertible affine map; run pelt mush again");
    return space;
}

PayloadTerms readTerms(const JsonRef& extension) {
    PayloadTerms terms;
    terms.variant = static_cast<DdmVariant>(readName(extension.at("variant"), kVariants));
    terms.encoding = static_cast<DdmEncoding>(readName(extension.at("encoding"), kEncodings));
    if (const auto error = readNumber(extension, "expectedError")) terms.expected_error = *error;
    if (const auto settings = extension.find("settings")) terms.settings = readSettings(*settings);
    return terms;
}

Json termsJson(const DdmPayload& payload) {
    Json json = {{"version", kPayloadVersion},
                 {"variant", kVariants[static_cast<std::size_t>(payload.variant)]},
                 {"encoding", kEncodings[static_cast<std::size_t>(payload.encoding)]}};
    if (payload.expected_error >= 0) json["expectedError"] = payload.expected_error;
    json["settings"] = settingsJson(payload.settings);
    return json;
}

std::string hashPositions(std::span<const float> positions) {
    Hash hash;
    for (const float x : positions) hash.add(x);
    return hash.digits();
}

std::string hashJoints(AccessorReader& reader, std::size_t skin) {
    const Document& document = reader.document();
    const JsonRef json = document.item("skins", skin);
    const JsonRef joints = json.at("joints");
    std::vector<float> matrices;
    if (const auto accessor = json.indexOf("inverseBindMatrices", "accessors", document.count("accessors")))
        matrices = reader.floats(*accessor, "MAT4");
    Hash hash;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const JsonRef node = document.item("nodes", joints.element(j).asIndex("nodes", document.count("nodes")));
        for (const char c : node.stringOr("name", "")) hash.add(static_cast<std::uint8_t>(c));
        hash.add(std::uint8_t(0));
        for (std::size_t i = 0; i < 16; ++i)
            hash.add(matrices.empty() ? (i % 5 == 0 ? 1.0F : 0.0F) : matrices.at(j * 16 + i));
    }
    return hash.digits();
}

}  // namespace pelt::io::gltf
