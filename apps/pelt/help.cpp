#include "help.h"

#include <sstream>

namespace pelt::cli {
namespace {

constexpr std::size_t kNameColumns = 30, kLineColumns = 100;

std::string wrapped(const std::string& text, std::size_t columns) {
    std::istringstream words(text);
    std::string lines;
    std::size_t used = 0;
    for (std::string word; words >> word;) {
        const bool fits = used == 0 || used + 1 + word.size() <= columns;
        if (used > 0) lines += fits ? ' ' : '\n';
        used = fits && used > 0 ? used + 1 + word.size() : word.size();
        lines += word;
    }
    return lines;
}

}  // namespace

HelpFormatter::HelpFormatter() {
    column_width(kNameColumns);
    label("SUBCOMMAND", "VERB");
    label("Subcommands", "Verbs");
    label("Positionals", "Inputs");
    label("OPTIONS", "options");
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

}  // namespace pelt::cli
