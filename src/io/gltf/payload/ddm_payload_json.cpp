// The JSON of a Direct Delta Mush payload: settings, and hashes of what it was made for.
#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

#include "ddm_payload.h"

namespace pelt::io::gltf {
namespace {

template <class Enum>
Enum readWord(const JsonRef& json) {
    const std::string& word = json.asString();
    const auto found = enumOf<Enum>(word);
    if (!found) json.fail(fmt::format("unknown name '{}'; run pelt mush again", word));
    return *found;
}

void readSetting(const JsonRef& json, std::optional<int>& value) {
    const std::uint64_t number = json.asUnsigned();
    if (number > std::uint64_t(std::numeric_limits<int>::max())) json.fail("is far too large; run pelt mush again");
    value = static_cast<int>(number);
}
void readSetting(const JsonRef& json, std::optional<double>& value) { value = json.asFinite(); }
void readSetting(const JsonRef& json, float& value) { value = json.asFloat(); }
void readSetting(const JsonRef& json, bool& value) { value = json.asBool(); }
void readSetting(const JsonRef& json, std::string& value) { value = json.asString(); }
void readSetting(const JsonRef& json, DdmMap& value) { readText(json.asString(), value); }
void readSetting(const JsonRef& json, DdmTranslations& value) { readText(json.asString(), value); }
void readSetting(const JsonRef& json, JointAlpha& value) {
    value = {json.at("joint").asString(), json.at("alpha").asFinite()};
}
/// An unknown word is replaced by the default: settings document how a file was made, and do not affect how it moves.
template <class Enum>
std::enable_if_t<std::is_enum_v<Enum>> readSetting(const JsonRef& json, Enum& value) {
    value = enumOf<Enum>(json.asString()).value_or(value);
}
template <class T>
void readSetting(const JsonRef& json, std::vector<T>& list) {
    for (std::size_t i = 0; i < json.size(); ++i) readSetting(json.element(i), list.emplace_back());
}

/// Values that are not set and empty lists become null, which is not written.
template <class T>
Json settingJson(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return wordOf(value);
    else
        return value;
}
template <class T>
Json settingJson(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}
Json settingJson(const DdmMap& map) { return map.isChosen() ? Json() : Json(textOf(map)); }
Json settingJson(const DdmTranslations& value) { return value == DdmTranslations{} ? Json() : Json(textOf(value)); }
Json settingJson(const JointAlpha& value) { return {{"joint", value.joint}, {"alpha", value.alpha}}; }
template <class T>
Json settingJson(const std::vector<T>& list) {
    Json json;
    for (const T& value : list) json.push_back(settingJson(value));
    return json;
}

/// lambda_map is lambdaMap in files.
std::string camelCase(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (!out.empty() && out.back() == '_')
            out.back() = char(std::toupper(static_cast<unsigned char>(c)));
        else
            out += c;
    }
    return out;
}

/// Settings are used again where the character is mushed again: what no user could have given is refused here.
void checkSettings(const JsonRef& json, const DdmSettings& settings) {
    const auto refuse = [&](const char* key, const char* wanted) {
        json.at(key).fail(fmt::format("must be {}; run pelt mush again", wanted));
    };
    const auto isShare = [](double alpha) { return alpha >= 0 && alpha < 1; };
    if (settings.iterations.value_or(0) > kMostIterations) refuse("iterations", "at most 10000");
    if (settings.kappa_iterations.value_or(0) > kMostIterations) refuse("kappaIterations", "at most 10000");
    if (settings.lambda.value_or(0) < 0) refuse("lambda", "at least 0");
    if (settings.kappa.value_or(0) < 0) refuse("kappa", "at least 0");
    if (!isShare(settings.alpha.value_or(0))) refuse("alpha", "at least 0 and below 1");
    if (settings.weld < 0) refuse("weld", "at least 0");
    for (const JointAlpha& value : settings.joint_alpha)
        if (!isShare(value.alpha)) refuse("jointAlpha", "at least 0 and below 1 for each joint");
}

DdmSettings readSettings(const JsonRef& json) {
    DdmSettings out;
    for (const DdmField& field : ddmFields())
        if (const auto member = json.find(camelCase(field.info.name).c_str()); member && field.stored)
            std::visit([&](auto setting) { readSetting(*member, out.*setting); }, field.member);
    checkSettings(json, out);
    return out;
}

Json settingsJson(const DdmSettings& from) {
    Json json = Json::object();
    for (const DdmField& field : ddmFields()) {
        if (!field.stored) continue;
        Json value = std::visit([&](auto setting) { return settingJson(from.*setting); }, field.member);
        if (!value.is_null()) json[camelCase(field.info.name)] = std::move(value);
    }
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
    terms.variant = readWord<DdmVariant>(extension.at("variant"));
    terms.encoding = readWord<DdmEncoding>(extension.at("encoding"));
    if (extension.at("version").asUnsigned() == kReducedPayloadVersion) terms.content = contentOf(terms.variant);
    if (const auto error = extension.find("expectedError")) terms.expected_error = error->asFinite();
    if (const auto settings = extension.find("settings")) terms.settings = readSettings(*settings);
    if (const auto fitted = extension.find("fitted")) terms.fitted = fitted->asBool();
    if (terms.fitted && (terms.variant != DdmVariant::v5 || terms.encoding != DdmEncoding::float32))
        extension.fail("a fitted skin has the variant v5 and the encoding float; run pelt fit again");
    return terms;
}

Json termsJson(const DdmPayload& payload) {
    const bool full = payload.rows.content == DdmContent::full;
    Json json = {{"version", full ? kPayloadVersion : kReducedPayloadVersion},
                 {"variant", wordOf(payload.variant)},
                 {"encoding", wordOf(payload.encoding)}};
    if (payload.expected_error >= 0) json["expectedError"] = payload.expected_error;
    if (payload.fitted)
        json["fitted"] = true;
    else
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
            hash.add(j * 16 + i < matrices.size() ? matrices[j * 16 + i] : (i % 5 == 0 ? 1.0F : 0.0F));
    }
    return hash.digits();
}

}  // namespace pelt::io::gltf
