#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pelt::program {

/// Help that fits a terminal: wrapped lines, short option names, and options in groups.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter();
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

private:
    std::string optionGroups(const CLI::App* app) const;
};

/// `text` in lines of at most `columns`, each after the first indented by `indent`.
std::string wrapped(const std::string& text, std::size_t columns, const std::string& indent = "");

}  // namespace pelt::program
