#include "option_words.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>

#include "text.h"

namespace pelt::c {
namespace {

using Json = nlohmann::json;

/// A number or a text as the command line writes it.
std::string textOfValue(const std::string& name, const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    throw Error::badUsage(fmt::format("option '{}': {} is not a number or a text", name, value.dump()));
}

/// {"hips": 0.2} is hips=0.2.
std::vector<std::string> textsOf(const std::string& name, const Json& value) {
    std::vector<std::string> texts;
    if (value.is_array())
        for (const Json& one : value) texts.push_back(textOfValue(name, one));
    else if (value.is_object())
        for (const auto& [key, one] : value.items()) texts.push_back(fmt::format("{}={}", key, textOfValue(name, one)));
    else
        texts.push_back(textOfValue(name, value));
    return texts;
}

bool isJsonFile(const std::string& name) { return name == "handles" || name == "limits"; }

}  // namespace

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

std::vector<std::string> optionWords(const Json& options, cli::Documents& documents) {
    std::vector<std::string> words;
    for (const auto& [name, value] : options.items()) {
        const std::string flag = cli::flagOf(name);
        if (value.is_null() || value == false) continue;
        if (name == "output" || name == "o") throw Error::badUsage("option 'output': the result is returned");
        if (value == true) {
            words.push_back(flag);
        } else if (isJsonFile(name) && value.is_structured()) {
            const std::string document = fmt::format("memory:{}", name);
            documents.objects[document] = value;
            words.push_back(fmt::format("{}={}", flag, document));
        } else {
            for (const std::string& text : textsOf(name, value)) words.push_back(fmt::format("{}={}", flag, text));
        }
    }
    return words;
}

pipeline::MethodOptions methodOptions(const pipeline::Method& method, const Json& options) {
    pipeline::MethodOptions given;
    for (const auto& [name, value] : options.items())
        if (!value.is_null())
            given[name] = textsOf(name, value == true ? Json("auto") : value == false ? Json("off") : value);
    const std::vector<std::string> unknown = pipeline::optionsNotOf(method, given);
    if (unknown.empty()) return given;
    std::vector<std::string> known;
    for (const OptionInfo& option : method.options()) known.emplace_back(option.name);
    throw Error::badUsage(
        fmt::format("{} has no option '{}'{}", method.name, unknown.front(), didYouMean(unknown.front(), known)));
}

}  // namespace pelt::c
