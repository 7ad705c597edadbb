#pragma once

#include <pelt/core/enum_words.h>
#include <pelt/core/error.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Tables of options. A row has the name of a field of a struct, its description and a pointer to the member. Files,
/// the command line, bindings, the page, Blender and reports all use the table, so that a new option needs only a field
/// and a row.
namespace pelt {

enum class OptionType { number, integer, flag, choice, text, file, joint, joints, clip };
template <>
inline constexpr std::string_view kEnumWords<OptionType>[] = {"number", "integer", "flag",   "choice", "text",
                                                              "file",   "joint",   "joints", "clip"};

/// What a user gives for an option: a text is read as the option's type; numbers and flags are taken as they are.
class OptionValue {
public:
    OptionValue(std::string text) : value_(std::move(text)) {}
    OptionValue(const char* text) : value_(std::string(text)) {}
    OptionValue(double number) : value_(number) {}
    OptionValue(int number) : value_(double(number)) {}
    OptionValue(bool flag) : value_(flag) {}

    const std::string* text() const { return std::get_if<std::string>(&value_); }
    const double* number() const { return std::get_if<double>(&value_); }
    const bool* flag() const { return std::get_if<bool>(&value_); }

private:
    std::variant<std::string, double, bool> value_;
};

/// The value as a message shows it.
std::string textOf(const OptionValue& value);

/// Options by name, each with the values that were given for it, in order.
using OptionValues = std::map<std::string, std::vector<OptionValue>, std::less<>>;

/// The value of an option that nobody gives; none: the code decides, as the summary says.
using OptionDefault = std::variant<std::monostate, bool, double, std::string_view>;

/// The range of a number.
struct OptionRange {
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool without_least = false;  ///< a number must be above `least`
    bool without_most = false;   ///< a number must be below `most`

    bool contains(double number) const {
        return (without_least ? number > least : number >= least) && (without_most ? number < most : number <= most);
    }
};

/// The description of an option.
struct OptionInfo {
    std::string_view name;     ///< in snake_case
    std::string_view values;   ///< placeholder or choices: "K", "uniform|cotangent"
    std::string_view summary;  ///< one line
    bool repeats = false;      ///< may be given several times
    char separator = 0;        ///< between several values in one text; 0: none
    OptionType type = OptionType::text;
    OptionDefault default_value = {};
    OptionRange range = {};
    std::span<const std::string_view> choices = {};       ///< of type choice
    std::string_view noun = {};                           ///< what the choices are, for messages: "method"
    std::string_view unit = {};                           ///< "degrees", "seconds"; empty: none
    std::string_view group = {};                          ///< heading in help and panels
    bool program_only = false;                            ///< for the command line alone
    bool positional = false;                              ///< on the command line, a word in place of a flag
    bool hidden = false;                                  ///< not in help and not in the table's JSON
    bool (*accepts)(const OptionValue& value) = nullptr;  ///< whether a value can be read, whatever its range
};

/// The description of a number, with its range.
constexpr OptionInfo ranged(OptionInfo info, const OptionRange& range) {
    info.range = range;
    return info;
}

/// A sentence that says why the option does not take the value; empty if it does.
std::string faultOf(const OptionInfo& option, const OptionValue& value);
/// What the option takes, for messages: "a number from 0 to 65535", "rigid, keep".
std::string wantedBy(const OptionInfo& option);

/// Reads a text; false if it is not valid. Other types have an overload beside their definition.
bool readText(const std::string& text, int& value);
bool readText(const std::string& text, std::size_t& value);
bool readText(const std::string& text, double& value);
bool readText(const std::string& text, float& value);
bool readText(const std::string& text, bool& value);  ///< auto or on: wherever it is of use; off
bool readText(const std::string& text, std::string& value);
bool readText(const std::string& text, std::filesystem::path& value);

template <class Enum>
std::enable_if_t<std::is_enum_v<Enum>, bool> readText(const std::string& text, Enum& value) {
    const std::optional<Enum> found = enumOf<Enum>(text);
    if (found) value = *found;
    return found.has_value();
}

template <class T>
bool readText(const std::string& text, std::optional<T>& value) {
    return readText(text, value.emplace());
}

/// Appends one value to a list.
template <class T>
bool readText(const std::string& text, std::vector<T>& list) {
    return readText(text, list.emplace_back());
}

template <class T>
struct OptionElement {
    using Type = T;
};
template <class T>
struct OptionElement<std::optional<T>> : OptionElement<T> {};
template <class T>
struct OptionElement<std::vector<T>> : OptionElement<T> {};

/// Reads a value; false if it is not valid.
template <class T>
bool readValue(const OptionValue& value, T& out) {
    using Element = typename OptionElement<T>::Type;
    if (value.text()) return readText(*value.text(), out);
    if constexpr (std::is_same_v<Element, bool>) {
        if (value.flag()) out = *value.flag();
        return value.flag() != nullptr;
    } else if constexpr (std::is_arithmetic_v<Element>) {
        if (!value.number()) return false;
        const double number = *value.number();
        if constexpr (std::is_integral_v<Element>)
            if (!(number >= double(std::numeric_limits<Element>::lowest()) &&
                  number < double(std::numeric_limits<Element>::max()) && number == double(Element(number))))
                return false;
        if constexpr (requires { out.push_back(Element(number)); })
            out.push_back(Element(number));
        else
            out = Element(number);
        return true;
    } else {
        return readText(textOf(value), out);  // a name that looks like a number
    }
}

/// What the type of a field says of its option; the table's row may say more.
template <class T>
constexpr OptionType optionType(std::string_view values) {
    using Element = typename OptionElement<T>::Type;
    if constexpr (std::is_same_v<Element, bool>)
        return values.empty() ? OptionType::flag : OptionType::choice;
    else if constexpr (std::is_integral_v<Element>)
        return OptionType::integer;
    else if constexpr (std::is_arithmetic_v<Element>)
        return OptionType::number;
    else if constexpr (std::is_enum_v<Element>)
        return OptionType::choice;
    else if constexpr (std::is_same_v<Element, std::filesystem::path>)
        return OptionType::file;
    else
        return OptionType::text;
}

inline constexpr std::string_view kAutoOff[] = {"auto", "off"}, kOnOff[] = {"on", "off"};

/// Completes a description by what the field's type and default say.
template <class T>
constexpr OptionInfo describedBy(OptionInfo info, const T& value) {
    using Element = typename OptionElement<T>::Type;
    info.type = optionType<T>(info.values);
    if constexpr (std::is_enum_v<Element>) info.choices = kEnumWords<Element>;
    if constexpr (std::is_same_v<Element, bool>)
        if (info.type == OptionType::choice)
            info.choices = info.values == "on|off" ? std::span<const std::string_view>(kOnOff) : kAutoOff;
    if constexpr (std::is_integral_v<Element> && std::is_unsigned_v<Element>) info.range.least = 0;
    if constexpr (std::is_same_v<T, bool>) {
        if (info.type == OptionType::flag)
            info.default_value = value;
        else
            info.default_value = info.choices[value ? 0 : 1];
    } else if constexpr (std::is_enum_v<T>) {
        info.default_value = wordOf(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        info.default_value = double(value);
    }
    info.accepts = [](const OptionValue& given) {
        T read{};
        return readValue(given, read);
    };
    return info;
}

/// The values that are given for an option, those of a text between its separators. Throws Error (bad usage) for one
/// that the option does not take.
std::vector<OptionValue> checkedValues(const OptionInfo& option, std::span<const OptionValue> values);

/// A row of a table of settings; `Types` are the types of the fields of `Settings`, by which files read and write them.
template <class Settings, class... Types>
struct OptionField {
    OptionInfo info;
    std::variant<Types Settings::*...> member;
    bool stored;  ///< stored in files

    template <class T>
    constexpr OptionField(const OptionInfo& about, T Settings::*field, bool is_stored = true)
        : info(describedBy(about, T{})), member(field), stored(is_stored) {
        info.default_value = {};
        if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
            info.default_value = describedBy(about, Settings{}.*field).default_value;
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
            info.default_value = double(Settings{}.*field);
        info.range = about.range;
        if (about.type != OptionType::text) info.type = about.type;
    }

    /// Sets the field from the given values; for a field that is not a list, the last one counts. Throws Error (bad
    /// usage).
    void set(Settings& settings, std::span<const OptionValue> values) const {
        std::visit([&](auto field) { setField(info, settings.*field, values); }, member);
    }

    template <class T>
    static void setField(const OptionInfo& info, T& value, std::span<const OptionValue> values) {
        value = T{};
        for (const OptionValue& given : checkedValues(info, values)) readValue(given, value);
    }
};

/// Sets those options that the table has; true if there was one. Throws Error (bad usage) for a value that the option
/// does not take.
template <class Settings, class... Types>
bool setOptions(Settings& settings, std::span<const OptionField<Settings, Types...>> fields,
                const OptionValues& options) {
    bool any = false;
    for (const auto& field : fields)
        if (const auto given = options.find(field.info.name); given != options.end()) {
            field.set(settings, given->second);
            any = true;
        }
    return any;
}

/// The descriptions of all rows.
template <class Settings, class... Types>
std::vector<OptionInfo> optionInfos(std::span<const OptionField<Settings, Types...>> fields) {
    std::vector<OptionInfo> infos;
    for (const auto& field : fields) infos.push_back(field.info);
    return infos;
}

/// A row of the table of a verb: the description, made by the calls below, and how it sets its field.
template <class Options>
class OptionRow {
public:
    OptionInfo info;
    std::function<void(Options&, std::span<const OptionValue>)> set;

    template <class T>
    OptionRow(std::string_view name, std::string_view values, T Options::*field, std::string_view summary) {
        static const Options defaults{};
        info = describedBy(OptionInfo{name, values, summary}, defaults.*field);
        if constexpr (std::is_same_v<T, std::string>)
            if (!(defaults.*field).empty()) info.default_value = std::string_view(defaults.*field);
        info.repeats = requires(T list) { list.emplace_back(); }
        &&!std::is_same_v<T, std::string>;
        set = [field](Options& options, std::span<const OptionValue> given_values) {
            (options.*field) = T{};
            for (const OptionValue& given : given_values) readValue(given, options.*field);
        };
    }

    OptionRow& in(std::string_view group) { return info.group = group, *this; }
    OptionRow& type(OptionType type) { return info.type = type, *this; }
    OptionRow& from(double least, double most = std::numeric_limits<double>::infinity()) {
        return info.range = {least, most, false}, *this;
    }
    OptionRow& above(double least, double most = std::numeric_limits<double>::infinity()) {
        return info.range = {least, most, true}, *this;
    }
    OptionRow& below(double least, double most) { return info.range = {least, most, false, true}, *this; }
    OptionRow& unit(std::string_view unit) { return info.unit = unit, *this; }
    OptionRow& separatedBy(char separator) { return info.separator = separator, *this; }
    OptionRow& choices(std::span<const std::string_view> words) {
        return info.type = OptionType::choice, info.choices = words, *this;
    }
    OptionRow& noun(std::string_view word) { return info.noun = word, *this; }
    OptionRow& programOnly() { return info.program_only = true, *this; }
    OptionRow& positional() { return info.positional = true, *this; }
    OptionRow& hidden() { return info.hidden = true, *this; }
};

template <class Options>
using OptionTable = std::vector<OptionRow<Options>>;

/// Several lists as one.
template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

template <class Options>
std::vector<OptionInfo> optionInfos(const OptionTable<Options>& rows) {
    std::vector<OptionInfo> infos;
    for (const OptionRow<Options>& row : rows) infos.push_back(row.info);
    return infos;
}

/// Sets those options that the table has. Throws Error (bad usage) for a value that the option does not take.
template <class Options>
void setOptions(Options& options, const OptionTable<Options>& rows, const OptionValues& values) {
    for (const OptionRow<Options>& row : rows)
        if (const auto given = values.find(row.info.name); given != values.end())
            row.set(options, checkedValues(row.info, given->second));
}

}  // namespace pelt
