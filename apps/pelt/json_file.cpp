#include "json_file.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "streams.h"

namespace pelt::cli {

namespace {

std::string textOf(const std::filesystem::path& path) {
    if (isStandardStream(path)) {
        const std::vector<std::byte> bytes = readStandardInput();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    if (std::filesystem::is_directory(path))
        throw Error::badInput({path.string()}, "is a folder; name a JSON file");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error::badInput({path.string()}, "cannot be read; is the name right?");
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

nlohmann::json readJsonFile(const std::filesystem::path& path) {
    const std::string text = textOf(path);
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const auto end = text.begin() + std::ptrdiff_t(std::min(error.byte > 0 ? error.byte - 1 : 0, text.size()));
        const auto line = 1 + std::count(text.begin(), end, '\n');
        throw Error::badInput({path.string()}, fmt::format("line {}: is not valid JSON from here on; look for a missing or extra comma, quote or bracket", line));
    } catch (const nlohmann::json::exception&) {
        throw Error::badInput({path.string()}, "has a number that is too large");
    }
}

}  // namespace pelt::cli
