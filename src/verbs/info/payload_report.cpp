// What `info` says of a mushed or fitted skin.
#include "payload_report.h"

#include <fmt/format.h>
#include <pelt/io/ddm_storage.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

using Json = nlohmann::ordered_json;

/// Values that are not set become null, which is not printed.
template <class T>
Json valueJson(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return wordOf(value);
    else
        return value;
}
template <class T>
Json valueJson(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}
Json valueJson(bool value) { return value ? "auto" : "off"; }
Json valueJson(const DdmMap& map) { return map.isChosen() ? Json() : Json(textOf(map)); }
Json valueJson(const DdmTranslations& value) { return value == DdmTranslations{} ? Json() : Json(textOf(value)); }
Json valueJson(const std::vector<std::string>& names) { return names.empty() ? Json() : Json(names); }
Json valueJson(const std::vector<JointAlpha>& list) {
    Json json;
    for (const JointAlpha& entry : list) json[entry.joint] = entry.alpha;
    return json;
}

/// By the names of mush's options.
Json settingsJson(const DdmSettings& settings) {
    Json json = Json::object();
    for (const DdmField& field : ddmFields()) {
        Json value = std::visit([&](auto setting) { return valueJson(settings.*setting); }, field.member);
        if (!value.is_null() && field.stored) json[std::string(field.info.name)] = std::move(value);
    }
    return json;
}

std::string valueText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
    if (!value.is_structured()) return value.dump();
    std::string text;
    for (const auto& [key, part] : value.items())
        text += (text.empty() ? "" : " ") + (value.is_object() ? key + "=" : "") + valueText(part);
    return text;
}

std::string settingsText(const Json& settings) {
    std::string text;
    for (const auto& [key, value] : settings.items())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, valueText(value));
    return text;
}

}  // namespace

PayloadReport reportPayload(const DdmPayload& payload) {
    const DdmRows<float>& rows = payload.rows;
    std::vector<std::size_t> histogram;
    for (std::size_t v = 0; v < rows.vertexCount(); ++v) {
        histogram.resize(std::max(histogram.size(), rows.influenceCount(v) + 1));
        ++histogram[rows.influenceCount(v)];
    }
    const std::size_t most = histogram.empty() ? 0 : histogram.size() - 1;
    const std::size_t bytes = io::storedBytes(rows, payload.encoding);
    const double per_vertex =
        static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(1, rows.vertexCount()));

    PayloadReport report;
    Json& json = report.json;
    json["variant"] = wordOf(payload.variant);
    json["encoding"] = wordOf(payload.encoding);
    json["max_influences"] = most;
    json["influences"] = histogram;
    json["blocks"] = rows.joints.size();
    json["bytes"] = bytes;
    json["bytes_per_vertex"] = per_vertex;
    if (payload.expected_error >= 0) json["expected_error"] = payload.expected_error;
    json["fitted"] = payload.fitted;
    if (!payload.fitted) json["settings"] = settingsJson(payload.settings);

    std::string shares;
    for (std::size_t n = 1; n < histogram.size(); ++n)
        if (histogram[n] > 0) shares += fmt::format("{}{}: {}", shares.empty() ? "" : ", ", n, histogram[n]);
    report.lines.push_back(fmt::format("{}, at most {} joints (vertices by joints: {})",
                                       payload.fitted ? std::string("weights of any sign")
                                                      : fmt::format("Direct Delta Mush {}", wordOf(payload.variant)),
                                       most, shares));
    if (payload.fitted) {
        report.lines.push_back(fmt::format("{} bytes, {:.1f} per vertex", bytes, per_vertex));
        return report;
    }
    report.lines.push_back(fmt::format(
        "{}: {} bytes, {:.1f} per vertex; expected error {}", json["encoding"].get<std::string>(), bytes, per_vertex,
        payload.expected_error >= 0 ? fmt::format("{:.2g} of the diagonal", payload.expected_error) : "not measured"));
    report.lines.push_back(settingsText(json["settings"]));
    return report;
}

}  // namespace pelt::verbs
