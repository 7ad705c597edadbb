#pragma once

#include <pelt/methods/methods.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pelt::c {

/// An object of options; null stands for none. Throws Error (bad usage) for what is no JSON object.
nlohmann::ordered_json parseOptions(const char* options);

/// The object of a handles file, or the list alone. Throws Error (bad usage) for what is no JSON.
nlohmann::ordered_json parseHandles(const char* handles);

/// Paths and names end at the first NUL, in the system as in C. Throws Error (bad usage) for a text that has one.
void refuseNul(const std::string& name, const std::string& text);

/// The values of an option: one, those of a list, or of {"hips": 0.2} the text hips=0.2; none for null. Throws Error
/// (bad usage) for what is no number, flag or text.
std::vector<OptionValue> valuesOf(const std::string& name, const nlohmann::ordered_json& value);

/// Options of a method by name. Throws Error (bad usage) for one that it does not take.
methods::MethodOptions methodOptions(const methods::Method& method, const nlohmann::ordered_json& options);

}  // namespace pelt::c
