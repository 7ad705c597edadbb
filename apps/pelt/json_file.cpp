#include "json_file.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace pelt::cli {

nlohmann::json readJsonFile(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) throw Error::badInput({path.string()}, "is a folder; name a JSON file");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error::badInput({path.string()}, "cannot be read; is the name right?");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const auto end = text.begin() + std::ptrdiff_t(std::min(error.byte > 0 ? error.byte - 1 : 0, text.size()));
        const auto line = 1 + std::count(text.begin(), end, '\n');
        throw Error::badInput(
            {path.string()},
            fmt::format("line {}: is no JSON from here on; look for a comma, quote or bracket too many or too few",
                        line));
    } catch (const nlohmann::json::exception&) {
        throw Error::badInput({path.string()}, "has a number that no computer can hold");
    }
}

}  // namespace pelt::cli
