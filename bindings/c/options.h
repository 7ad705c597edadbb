#pragma once

#include <pelt/pipeline/methods.h>

#include <string>
#include <vector>

#include "documents.h"

namespace pelt::c {

/// An object of options; null stands for none. Throws Error (bad usage) for what is no JSON object.
nlohmann::json parseOptions(const char* options);

/// The object of a handles file, or the list alone. Throws Error (bad usage) for what is no JSON.
nlohmann::json parseHandles(const char* handles);

/// Options as words of the command line. Objects in place of JSON files go to `documents`.
std::vector<std::string> optionWords(const nlohmann::json& options, cli::Documents& documents);

/// Options of a method by name. Throws Error (bad usage) for one that it does not take.
pipeline::MethodOptions methodOptions(const pipeline::Method& method, const nlohmann::json& options);

}  // namespace pelt::c
