#include "payload_report.h"

#include <fmt/format.h>
#include <pelt/io/ddm_storage.h>

#include <algorithm>

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

/// By the names of mush's options; what was not set is not said.
Json settingsJson(const DdmSettings& settings) {
    Json json = Json::object();
    const auto put = [&](const char* key, const auto& value) {
        if (value) json[key] = *value;
    };
    const auto put_map = [&](const char* key, const std::string& name) {
        if (!name.empty()) json[key] = name;
    };
    put("iterations", settings.iterations);
    put("lambda", settings.lambda);
    put("kappa", settings.kappa);
    put("alpha", settings.alpha);
    json["laplacian"] = settings.laplacian;
    json["smoothing"] = settings.smoothing;
    put_map("lambda_map", settings.lambda_map);
    put_map("kappa_map", settings.kappa_map);
    put_map("alpha_map", settings.alpha_map);
    for (const auto& [joint, alpha] : settings.joint_alpha) json["joint_alpha"][joint] = alpha;
    json["connect_parts"] = settings.connect_parts ? "auto" : "off";
    if (!settings.exclude.empty()) json["exclude"] = settings.exclude;
    json["bind"] = settings.keep_bind ? "keep" : "rigid";
    put("influences", settings.influences);
    json["weld"] = settings.weld;
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
    json["variant"] = fmt::format("v{}", static_cast<int>(payload.variant));
    json["encoding"] = payload.encoding == DdmEncoding::q16 ? "q16" : "float";
    json["max_influences"] = most;
    json["influences"] = histogram;
    json["blocks"] = rows.joints.size();
    json["bytes"] = bytes;
    json["bytes_per_vertex"] = per_vertex;
    if (payload.expected_error >= 0) json["expected_error"] = payload.expected_error;
    json["settings"] = settingsJson(payload.settings);

    std::string shares;
    for (std::size_t n = 1; n < histogram.size(); ++n)
        if (histogram[n] > 0) shares += fmt::format("{}{}: {}", shares.empty() ? "" : ", ", n, histogram[n]);
    report.lines.push_back(fmt::format("Direct Delta Mush {}, at most {} joints (vertices by joints: {})",
                                       json["variant"].get<std::string>(), most, shares));
    report.lines.push_back(fmt::format(
        "{}: {} bytes, {:.1f} a vertex; expected error {}", json["encoding"].get<std::string>(), bytes, per_vertex,
        payload.expected_error >= 0 ? fmt::format("{:.2g} of the diagonal", payload.expected_error) : "not measured"));
    report.lines.push_back(settingsText(json["settings"]));
    return report;
}

}  // namespace pelt::cli
