// Manifests: a JSON object per line and item.
#include "batch/plan/manifest.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pelt::batch {
namespace {

constexpr const char* kExample = R"({"id": "hero", "argv": ["bake", "hero.glb", "-o", "built/hero.glb"]})";

/// Where a line is, for messages.
struct LinePlace {
    const std::string& name;
    std::size_t line;

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error::badInput({name, fmt::format("line {}", line)}, what);
    }
};

std::vector<std::string> stringsOf(const Json& value, const char* key, const LinePlace& place) {
    const bool strings =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
    if (!strings) place.refuse(fmt::format("'{}' is not a list of strings", key));
    return value.get<std::vector<std::string>>();
}

double numberOf(const Json& value, const char* key, double most, const LinePlace& place) {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= most)) place.refuse(fmt::format("'{}' is not a number from 0 to {:.0f}", key, most));
    return number;
}

std::string textOf(const Json& value, const char* key, const LinePlace& place) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        place.refuse(fmt::format("'{}' is not a string with at least one character", key));
    if (value.get_ref<const std::string&>().find('\0') != std::string::npos)
        place.refuse(fmt::format("'{}' has a NUL character; leave it out", key));
    return value.get<std::string>();
}

bool flagOf(const Json& value, const char* key, const LinePlace& place) {
    if (!value.is_boolean()) place.refuse(fmt::format("'{}' is neither true nor false", key));
    return value.get<bool>();
}

/// Fills the field `key`; false if there is none of that name.
bool readField(Item& item, const std::string& key, const Json& value, const LinePlace& place) {
    if (key == "id")
        item.id = textOf(value, "id", place);
    else if (key == "argv")
        item.argv = stringsOf(value, "argv", place);
    else if (key == "after")
        item.after = stringsOf(value, "after", place);
    else if (key == "retries")
        item.retries = int(std::floor(numberOf(value, "retries", 1000, place)));
    else if (key == "timeout")
        item.timeout = numberOf(value, "timeout", 1e9, place);
    else if (key == "scratch")
        item.scratch = flagOf(value, "scratch", place);
    else if (key == "character")
        item.character = textOf(value, "character", place);
    else if (key == "facts")
        item.facts = value;
    else
        return false;
    return true;
}

void checkArguments(const Item& item, const LinePlace& place) {
    static constexpr std::array<std::string_view, 2> kNotHere = {"batch", "studio"};
    if (item.argv.empty()) place.refuse(fmt::format("'argv' is missing; write {}", kExample));
    if (std::find(kNotHere.begin(), kNotHere.end(), item.argv[0]) != kNotHere.end())
        place.refuse(fmt::format("'{}' cannot be an item; name another verb", item.argv[0]));
    for (const std::string& word : item.argv)
        if (word.find('\0') != std::string::npos)
            place.refuse("'argv' has a NUL character, which no argument of a program may have");
    if (std::find(item.argv.begin(), item.argv.end(), "-") != item.argv.end())
        place.refuse("an item has no standard input or output; name files instead of -");
}

Item readLine(const Json& line, const ItemDefaults& defaults, const LinePlace& place, Plan& plan) {
    if (!line.is_object()) place.refuse(fmt::format("is not an object; write {}", kExample));
    Item item;
    item.retries = defaults.retries;
    item.timeout = defaults.timeout;
    static const std::vector<std::string> keys = {"id",      "argv",    "after",     "retries",
                                                  "timeout", "scratch", "character", "facts"};
    for (const auto& [key, value] : line.items())
        if (!readField(item, key, value, place))
            plan.warnings.push_back(
                fmt::format("line {}: '{}' is unknown{}; it is ignored", place.line, key, didYouMean(key, keys)));
    if (item.id.empty()) place.refuse(fmt::format("'id' is missing; write {}", kExample));
    checkArguments(item, place);
    return item;
}

}  // namespace

Plan readManifest(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const ItemDefaults& defaults) {
    Plan plan;
    plan.folder = folder;
    if (text.rfind("\xef\xbb\xbf", 0) == 0) text.remove_prefix(3);  // the mark that some editors put first
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const LinePlace place{name, number};
        const Json parsed = Json::parse(line, nullptr, false);
        if (parsed.is_discarded())
            place.refuse(fmt::format("is not valid JSON; each line is one object: {}", kExample));
        plan.items.push_back(readLine(parsed, defaults, place, plan));
    }
    plan.connect(name);
    return plan;
}

Json toJson(const Item& item) {
    Json line = {{"id", item.id},           {"argv", item.argv},       {"after", item.after},
                 {"retries", item.retries}, {"timeout", item.timeout}, {"scratch", item.scratch}};
    line["tried"] = item.tried;
    line["context"] = item.context;
    return line;
}

Item itemFromJson(const Json& line) {
    Item item;
    item.id = line.at("id").get<std::string>();
    item.argv = line.at("argv").get<std::vector<std::string>>();
    item.after = line.at("after").get<std::vector<std::string>>();
    item.retries = line.at("retries").get<int>();
    item.timeout = line.at("timeout").get<double>();
    item.scratch = line.at("scratch").get<bool>();
    item.tried = line.at("tried").get<int>();
    item.context = line.at("context").get<bool>();
    return item;
}

}  // namespace pelt::batch
