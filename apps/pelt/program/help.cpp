// Help texts that fit a terminal.
#include "program/help.h"

#include <algorithm>
#include <sstream>

#include "verbs/run/common_options.h"

namespace pelt::program {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kNameColumns = 30, kLineColumns = 100;

constexpr std::string_view kGeneral = "General";

}  // namespace

std::string wrapped(const std::string& text, std::size_t columns, const std::string& indent) {
    std::istringstream words(text);
    std::string lines;
    std::size_t used = 0;
    for (std::string word; words >> word;) {
        const bool fits = used == 0 || used + 1 + word.size() <= columns;
        if (used > 0) lines += fits ? " " : "\n" + indent;
        used = fits && used > 0 ? used + 1 + word.size() : word.size();
        lines += word;
    }
    return lines;
}

HelpFormatter::HelpFormatter() {
    column_width(kNameColumns);
    label("SUBCOMMAND", "VERB");
    label("Positionals", "Inputs");
    label("OPTIONS", "options");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + optionGroups(app) +
           make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::optionGroups(const CLI::App* app) const {
    Names groups = app->get_groups();
    const auto rank = [](const std::string& group) {
        using namespace verbs;
        return group == kCommon ? 0 : group == kFrames ? 1 : group == kOther ? 3 : group == kGeneral ? 4 : 2;
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    std::string text;
    for (const std::string& group : groups) {
        std::vector<const CLI::Option*> options = app->get_options(
            [&group](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
        if (group.empty() || options.empty()) continue;
        text += make_group(group, false, options);
    }
    return text;
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    // A validator adds its own description after a colon.
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(':'));
    return type.empty() ? "" : " " + type;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    return wrapped(option->get_description() + (option->get_required() ? " (required)" : ""),
                   kLineColumns - kNameColumns);
}

}  // namespace pelt::program
