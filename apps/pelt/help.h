#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pelt::cli {

/// Help that fits a terminal: wrapped lines, and only what a user must type for an option.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter();
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace pelt::cli
