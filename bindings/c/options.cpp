// Options of calls: JSON objects as values for the tables of options.
#include "options.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>

namespace pelt::c {
namespace {

using Json = nlohmann::ordered_json;

OptionValue valueOf(const std::string& name, const Json& value) {
    if (value.is_string()) {
        refuseNul(name, value.get_ref<const std::string&>());
        return value.get<std::string>();
    }
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>();
    throw Error::badUsage(fmt::format("option '{}': {} is not a number or a text", name, value.dump()));
}

}  // namespace

void refuseNul(const std::string& name, const std::string& text) {
    if (text.find('\0') != std::string::npos)
        throw Error::badUsage(fmt::format("option '{}': has a NUL character, which ends texts; leave it out", name));
}

Json parseOptions(const char* options) {
    if (!options) return Json::object();
    Json parsed = Json::parse(options, nullptr, false);
    if (!parsed.is_object()) throw Error::badUsage("options: is not a JSON object such as {\"kappa\": 0.5}");
    return parsed;
}

Json parseHandles(const char* handles) {
    Json parsed = Json::parse(handles, nullptr, false);
    if (parsed.is_discarded()) throw Error::badUsage("handles: is not JSON");
    return parsed.is_array() ? Json{{"handles", parsed}} : parsed;
}

std::vector<OptionValue> valuesOf(const std::string& name, const Json& value) {
    if (value.is_null()) return {};
    std::vector<OptionValue> values;
    if (value.is_array())
        for (const Json& one : value) values.push_back(valueOf(name, one));
    else if (value.is_object())
        for (const auto& [key, one] : value.items())
            values.emplace_back(fmt::format("{}={}", key, textOf(valueOf(name, one))));
    else
        values.push_back(valueOf(name, value));
    return values;
}

methods::MethodOptions methodOptions(const methods::Method& method, const Json& options) {
    methods::MethodOptions given;
    for (const auto& [name, value] : options.items())
        if (!value.is_null()) given[name] = valuesOf(name, value);
    const std::vector<std::string> unknown = methods::optionsNotOf(method, given);
    if (unknown.empty()) return given;
    std::vector<std::string> known;
    for (const OptionInfo& option : method.options()) known.emplace_back(option.name);
    throw Error::badUsage(
        fmt::format("{} has no option '{}'{}", method.name, unknown.front(), didYouMean(unknown.front(), known)));
}

}  // namespace pelt::c
