#include "help.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace pelt::cli {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kNameColumns = 30, kLineColumns = 100;

constexpr const char *kCommon = "Common options", *kFrames = "Clips and frames", *kOther = "Other options",
                     *kGeneral = "General";

const Names kFrameOptions = {"clip", "clips", "fps", "frames", "bind-pose", "limits", "at", "no-props"};
const Names kGeneralOptions = {"help", "json", "quiet", "threads"};

/// The options that most users of a verb need, in the order in which help lists them.
const Names& commonOptions(const std::string& verb) {
    static const std::map<std::string, Names> by_verb = {
        {"info", {"mesh", "weld"}},
        {"sample", {"output", "list", "resolution", "skin"}},
        {"bind", {"output", "method", "influences", "joints", "exclude-joints"}},
        {"transfer", {"output", "distance", "angle", "influences"}},
        {"lod", {"output", "ratios", "one-file", "influences"}},
        {"mush", {"output", "alpha", "influences", "payload"}},
        {"deform", {"output", "method", "clip", "frames"}},
        {"bake", {"output", "from", "helpers", "influences", "max-error"}},
        {"clean", {"output", "threshold", "unused-joints"}},
        {"limit", {"output", "influences", "max-joints"}},
        {"mirror", {"output", "from", "axis"}},
        {"fit", {"output", "influences", "max-extra-joints", "validate"}},
        {"decompose", {"output", "bones", "rest", "tolerance", "skeleton"}},
        {"pose", {"output", "handles", "method", "clip", "at"}},
        {"compare", {"mesh", "heatmap", "max-error"}},
        {"render", {"output", "method", "frame", "clip", "color", "skeleton", "camera", "focus", "size"}},
        {"batch", {"do", "out", "jobs", "engine", "report", "html", "dry-run"}},
        {"studio", {"no-open"}}};
    static const Names none;
    const auto found = by_verb.find(verb);
    return found == by_verb.end() ? none : found->second;
}

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string longName(const CLI::Option* option) {
    return option->get_lnames().empty() ? "" : option->get_lnames().front();
}

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
        return group == kCommon ? 0 : group == kFrames ? 1 : group == kOther ? 3 : group == kGeneral ? 4 : 2;
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    const Names& order = commonOptions(app->get_name());
    std::string text;
    for (const std::string& group : groups) {
        std::vector<const CLI::Option*> options = app->get_options(
            [&group](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
        if (group.empty() || options.empty()) continue;
        const auto place = [&order](const CLI::Option* option) {
            return std::find(order.begin(), order.end(), longName(option)) - order.begin();
        };
        if (group == kCommon)
            std::stable_sort(options.begin(), options.end(),
                             [&](const auto* a, const auto* b) { return place(a) < place(b); });
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

void groupOptions(CLI::App& verb) {
    const Names& common = commonOptions(verb.get_name());
    for (CLI::Option* option : verb.get_options()) {
        const std::string name = longName(option);
        if (contains(kGeneralOptions, name))
            option->group(kGeneral);
        else if (contains(common, name))
            option->group(kCommon);
        else if (contains(kFrameOptions, name))
            option->group(kFrames);
        else if (option->nonpositional() && option->get_group() == "Options")
            option->group(kOther);
    }
}

}  // namespace pelt::cli
