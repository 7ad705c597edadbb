// The table of verbs as JSON: what `pelt verbs --json` prints and pelt_verbs() returns.
#include <pelt/verbs/verb.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "verbs/run/common_options.h"

namespace pelt::verbs {
namespace {

using Json = nlohmann::ordered_json;

/// Null for no bound.
Json numberJson(double number) {
    if (!std::isfinite(number)) return nullptr;
    if (number == std::floor(number)) return std::int64_t(number);
    if (double(float(number)) != number) return number;
    char text[32];  // of single precision: 0.0001, not 9.99999974e-05
    const auto end = std::to_chars(text, text + sizeof text, float(number)).ptr;
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
}

Json defaultJson(const OptionDefault& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* word = std::get_if<std::string_view>(&value)) return *word;
    if (const double* number = std::get_if<double>(&value)) return numberJson(*number);
    return nullptr;
}

/// A default outside the range stands for "not given".
Json defaultJson(const OptionInfo& option) {
    const double* number = std::get_if<double>(&option.default_value);
    return number && !option.range.contains(*number) ? Json() : defaultJson(option.default_value);
}

Json optionJson(const OptionInfo& option, Where verb) {
    const bool is_number = option.type == OptionType::number || option.type == OptionType::integer;
    const OptionRange range = is_number ? option.range : OptionRange{};
    Json json{{"name", option.name}, {"type", wordOf(option.type)}, {"default", defaultJson(option)}};
    json["min"] = numberJson(range.least);
    json["max"] = numberJson(range.most);
    json["choices"] = option.choices.empty() ? Json() : Json(option.choices);
    json["unit"] = option.unit.empty() ? Json() : Json(option.unit);
    json["help"] = option.summary;
    json["group"] = option.group.empty() ? kOther : option.group;
    json["where"] = wordOf(option.program_only ? Where::program : verb);
    json["many"] = option.repeats;
    json["above_min"] = range.without_least;
    json["below_max"] = range.without_most;
    json["positional"] = option.positional;
    json["values"] = option.values;
    return json;
}

/// A flag of the command line that names a file: for other surfaces it is an input or an output.
Json fileFlagJson(std::string_view name, std::string_view help, std::string_view group, std::string_view values,
                  bool many) {
    OptionInfo flag{name, values, help, many};
    flag.type = OptionType::file;
    flag.group = group;
    flag.program_only = true;
    return optionJson(flag, Where::program);
}

Json verbJson(const Verb& verb) {
    Json json{{"name", verb.name},           {"summary", verb.summary}, {"example", verb.example},
              {"where", wordOf(verb.where)}, {"browser", verb.browser}, {"inputs", Json::array()},
              {"outputs", Json::array()},    {"options", Json::array()}};
    for (const OptionInfo& option : verb.options)
        if (!option.hidden) json["options"].push_back(optionJson(option, verb.where));
    for (const Input& input : verb.inputs) {
        json["inputs"].push_back({{"name", input.name},
                                  {"kind", wordOf(input.kind)},
                                  {"required", input.required},
                                  {"many", input.many},
                                  {"help", input.summary}});
        if (!input.in_memory_only && !input.isWord())
            json["options"].push_back(fileFlagJson(input.name, input.summary, input.group, input.values, input.many));
    }
    for (const Output& output : verb.outputs) {
        json["outputs"].push_back({{"name", output.name},
                                   {"kind", wordOf(output.kinds.front())},
                                   {"kinds", Json::array()},
                                   {"required", output.required},
                                   {"where", wordOf(output.program_only ? Where::program : Where::everywhere)},
                                   {"help", output.summary}});
        for (const Kind kind : output.kinds) json["outputs"].back()["kinds"].push_back(wordOf(kind));
        json["options"].push_back(fileFlagJson(output.name, output.summary, output.group, output.values, false));
    }
    return json;
}

}  // namespace

std::string tableJson(std::span<const Verb> verbs) {
    Json table{{"verbs", Json::array()}};
    for (const Verb& verb : verbs) table["verbs"].push_back(verbJson(verb));
    return table.dump(1);
}

}  // namespace pelt::verbs
