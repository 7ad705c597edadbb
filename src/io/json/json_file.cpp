// JSON files that users write.
#include "io/json/json_file.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace pelt::io {
namespace {

constexpr std::uint64_t kMostJsonBytes = std::uint64_t(64) << 20;  ///< parsing needs many times as much memory

}  // namespace

nlohmann::ordered_json readJsonFile(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = readFile(path, kMostJsonBytes);
    return parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

nlohmann::ordered_json parseJson(std::string_view text, const std::string& name) {
    try {
        return nlohmann::ordered_json::parse(text);
    } catch (const nlohmann::ordered_json::parse_error& error) {
        const auto end = text.begin() + std::ptrdiff_t(std::min(error.byte > 0 ? error.byte - 1 : 0, text.size()));
        const auto line = 1 + std::count(text.begin(), end, '\n');
        throw Error::badInput(
            {name},
            fmt::format("line {}: is not valid JSON from here on; look for a missing or extra comma, quote or bracket",
                        line));
    } catch (const nlohmann::ordered_json::exception&) {
        throw Error::badInput({name}, "has a number that is too large");
    }
}

}  // namespace pelt::io
