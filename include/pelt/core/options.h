#pragma once

#include <pelt/core/enum_words.h>
#include <pelt/core/error.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

/// Options as tables. A row names a field of a struct, says what it is for and holds the member; files, the command
/// line, reports and bindings all go through the table, so that a new option is a field and a row.
namespace pelt {

/// What help says of an option.
struct OptionInfo {
    std::string_view name;                                ///< in snake_case, as the field is called
    std::string_view values;                              ///< what it takes: "K", "uniform|cotangent"
    std::string_view summary;                             ///< one line
    bool repeats = false;                                 ///< may be given several times
    char separator = 0;                                   ///< between several values of one text; 0: none
    bool (*accepts)(const std::string& value) = nullptr;  ///< whether a text is such a value
};

/// Options by name, each with the texts that it was given, in their order.
using OptionTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Reads a value; false where the text is none. Types of their own bring an overload beside them.
bool readText(const std::string& text, int& value);
bool readText(const std::string& text, double& value);
bool readText(const std::string& text, float& value);
bool readText(const std::string& text, bool& value);  ///< auto: wherever it is of use; off
bool readText(const std::string& text, std::string& value);

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

/// A list is given value by value.
template <class T>
bool readText(const std::string& text, std::vector<T>& list) {
    return readText(text, list.emplace_back());
}

/// A row of the table: `Types` are those that the fields of `Settings` have.
template <class Settings, class... Types>
struct OptionField {
    OptionInfo info;
    std::variant<Types Settings::*...> member;
    bool stored;  ///< files keep it

    template <class T>
    constexpr OptionField(const OptionInfo& about, T Settings::*field, bool is_stored = true)
        : info(about), member(field), stored(is_stored) {
        info.accepts = [](const std::string& text) {
            T value{};
            return readText(text, value);
        };
    }

    /// Sets the field from what it was given; the last text counts, unless it is a list. Throws Error (bad usage).
    void set(Settings& settings, std::span<const std::string> texts) const {
        std::visit([&](auto field) { setField(settings.*field, texts); }, member);
    }

private:
    template <class T>
    void setField(T& value, std::span<const std::string> texts) const;
};

/// The values of a text: itself, or its parts between separators.
std::vector<std::string> splitValues(const std::string& text, char separator);
[[noreturn]] void refuseValue(const OptionInfo& option, const std::string& text);

template <class Settings, class... Types>
template <class T>
void OptionField<Settings, Types...>::setField(T& value, std::span<const std::string> texts) const {
    value = T{};
    for (const std::string& text : texts)
        for (const std::string& part : splitValues(text, info.separator))
            if (!readText(part, value)) refuseValue(info, part);
}

/// Sets what the table has of the options; true where that was any. Throws Error (bad usage) for a text that is no
/// value of its option.
template <class Settings, class... Types>
bool setOptions(Settings& settings, std::span<const OptionField<Settings, Types...>> fields,
                const OptionTexts& options) {
    bool any = false;
    for (const auto& field : fields)
        if (const auto given = options.find(field.info.name); given != options.end()) {
            field.set(settings, given->second);
            any = true;
        }
    return any;
}

/// What help says of all rows.
template <class Settings, class... Types>
std::vector<OptionInfo> optionInfos(std::span<const OptionField<Settings, Types...>> fields) {
    std::vector<OptionInfo> infos;
    for (const auto& field : fields) infos.push_back(field.info);
    return infos;
}

}  // namespace pelt
