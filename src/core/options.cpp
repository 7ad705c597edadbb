// Reading and checking the values that users give for options.
#include <pelt/core/options.h>
#include <pelt/core/spelling.h>

#include <charconv>
#include <cmath>

namespace pelt {
namespace {

template <class T>
bool readNumber(const std::string& text, T& value) {
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(first, last, value);
    return fault == std::errc() && end == last;
}

std::string plain(double number) {
    char text[32];
    const auto [end, fault] = std::to_chars(text, text + sizeof text, number);
    return std::string(text, end);
}

/// The number that the value is, or says as a text.
std::optional<double> numberOf(const OptionValue& value) {
    if (value.number()) return *value.number();
    double number = 0;
    if (value.text() && readText(*value.text(), number)) return number;
    return std::nullopt;
}

std::string choicesOf(const OptionInfo& option) {
    std::string words;
    for (const std::string_view word : option.choices) words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
}

bool isNumber(const OptionInfo& option) {
    return option.type == OptionType::number || option.type == OptionType::integer;
}

}  // namespace

std::string textOf(const OptionValue& value) {
    if (value.text()) return *value.text();
    if (value.flag()) return *value.flag() ? "true" : "false";
    return plain(*value.number());
}

bool readText(const std::string& text, int& value) { return readNumber(text, value); }
bool readText(const std::string& text, std::size_t& value) { return readNumber(text, value); }
bool readText(const std::string& text, double& value) { return readNumber(text, value); }
bool readText(const std::string& text, float& value) { return readNumber(text, value); }

bool readText(const std::string& text, bool& value) {
    value = text == "auto" || text == "on" || text == "true";
    return value || text == "off" || text == "false";
}

bool readText(const std::string& text, std::string& value) {
    value = text;
    return !text.empty();
}

bool readText(const std::string& text, std::filesystem::path& value) {
    value = text;
    return !text.empty();
}

std::string wantedBy(const OptionInfo& option) {
    if (option.type == OptionType::choice && !option.choices.empty()) return choicesOf(option);
    if (!isNumber(option)) return std::string(option.values);
    const OptionRange& range = option.range;
    const std::string kind = option.type == OptionType::integer ? "a whole number" : "a number";
    if (std::isfinite(range.least) && std::isfinite(range.most))
        return kind + (range.without_least ? " above " : " from ") + plain(range.least) +
               (range.without_most ? " to below " : " to ") + plain(range.most);
    if (std::isfinite(range.least))
        return kind + (range.without_least ? " above " + plain(range.least) : ", " + plain(range.least) + " or more");
    return std::isfinite(range.most) ? kind + ", at most " + plain(range.most) : kind;
}

std::string faultOf(const OptionInfo& option, const OptionValue& value) {
    const std::vector<std::string> names(option.choices.begin(), option.choices.end());
    const std::string text = textOf(value), near = didYouMean(text, names);
    const auto refused = [&] {
        return "`" + std::string(option.name) + "` is '" + text + "'; it takes " + wantedBy(option) + near;
    };
    if (option.accepts && !option.accepts(value)) return refused();
    if (isNumber(option)) {
        const std::optional<double> number = numberOf(value);
        if (!number || !std::isfinite(*number) || !option.range.contains(*number)) return refused();
    }
    if (option.type != OptionType::choice || option.choices.empty()) return {};
    if (value.flag() && option.choices.size() == 2) return {};  // auto|off as true and false
    for (const std::string_view word : option.choices)
        if (value.text() && *value.text() == word) return {};
    if (option.noun.empty()) return refused();
    return "no " + std::string(option.noun) + " '" + text + "'" + near + "; there are " + choicesOf(option);
}

std::vector<OptionValue> checkedValues(const OptionInfo& option, std::span<const OptionValue> values) {
    std::vector<OptionValue> all;
    for (const OptionValue& value : values) {
        if (option.separator == 0 || !value.text()) {
            all.push_back(value);
            continue;
        }
        std::string part;
        for (const char c : *value.text() + option.separator) {
            if (c == option.separator)
                all.emplace_back(std::exchange(part, {}));
            else
                part += c;
        }
    }
    for (const OptionValue& value : all)
        if (const std::string fault = faultOf(option, value); !fault.empty()) throw Error::badUsage(fault);
    if (!option.repeats && all.size() > 1)
        throw Error::badUsage("`" + std::string(option.name) + "` is given " + std::to_string(all.size()) +
                              " times; it takes one value");
    return all;
}

}  // namespace pelt
