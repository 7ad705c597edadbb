#include <pelt/core/options.h>

#include <charconv>

namespace pelt {
namespace {

template <class T>
bool readNumber(const std::string& text, T& value) {
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(first, last, value);
    return fault == std::errc() && end == last;
}

}  // namespace

bool readText(const std::string& text, int& value) { return readNumber(text, value); }
bool readText(const std::string& text, double& value) { return readNumber(text, value); }
bool readText(const std::string& text, float& value) { return readNumber(text, value); }

bool readText(const std::string& text, bool& value) {
    value = text == "auto";
    return value || text == "off";
}

bool readText(const std::string& text, std::string& value) {
    value = text;
    return !text.empty();
}

std::vector<std::string> splitValues(const std::string& text, char separator) {
    if (separator == 0) return {text};
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

void refuseValue(const OptionInfo& option, const std::string& text) {
    const std::string name(option.name), values(option.values);
    throw Error::badUsage("`" + name + "` is '" + text + "'; it takes " + values);
}

}  // namespace pelt
