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

/// Tables of options. A row has the name of a field of a struct, its description and a pointer to the member. Files,
/// the command line, reports and bindings all use the table, so that a new option needs only a field and a row.
namespace pelt {

/// The description of an option for help texts.
struct OptionInfo {
    std::string_view name;                                ///< in snake_case, the name of the field
    std::string_view values;                              ///< placeholder or choices: "K", "uniform|cotangent"
    std::string_view summary;                             ///< one line
    bool repeats = false;                                 ///< may be given several times
    char separator = 0;                                   ///< between several values in one text; 0: none
    bool (*accepts)(const std::string& value) = nullptr;  ///< whether a text is a valid value
};

/// Options by name, each with the texts that were given for it, in order.
using OptionTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Reads a value; false if the text is not valid. Other types have an overload beside their definition.
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

/// Appends one value to a list.
template <class T>
bool readText(const std::string& text, std::vector<T>& list) {
    return readText(text, list.emplace_back());
}

/// A row of the table; `Types` are the types of the fields of `Settings`.
template <class Settings, class... Types>
struct OptionField {
    OptionInfo info;
    std::variant<Types Settings::*...> member;
    bool stored;  ///< stored in files

    template <class T>
    constexpr OptionField(const OptionInfo& about, T Settings::*field, bool is_stored = true)
        : info(about), member(field), stored(is_stored) {
        info.accepts = [](const std::string& text) {
            T value{};
            return readText(text, value);
        };
    }

    /// Sets the field from the given texts; for a field that is not a list, the last one counts. Throws Error (bad
    /// usage).
    void set(Settings& settings, std::span<const std::string> texts) const {
        std::visit([&](auto field) { setField(settings.*field, texts); }, member);
    }

private:
    template <class T>
    void setField(T& value, std::span<const std::string> texts) const;
};

/// The values in a text: the text itself, or its parts between separators.
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

/// Sets those options that the table has; true if there was one. Throws Error (bad usage) for a text that is not a
/// valid value.
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

/// The descriptions of all rows.
template <class Settings, class... Types>
std::vector<OptionInfo> optionInfos(std::span<const OptionField<Settings, Types...>> fields) {
    std::vector<OptionInfo> infos;
    for (const auto& field : fields) infos.push_back(field.info);
    return infos;
}

}  // namespace pelt
