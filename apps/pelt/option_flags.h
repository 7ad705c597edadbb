#pragma once

#include <pelt/core/options.h>

#include <CLI/CLI.hpp>
#include <list>

namespace pelt::cli {

/// The options of a table as flags of a verb.
class OptionFlags {
public:
    /// Adds options that are not flags of the verb yet, under a heading of its help.
    void addTo(CLI::App& verb, std::span<const OptionInfo> options, const std::string& heading);
    /// Those of Direct Delta Mush, then those of every other method, each under its name.
    void addMethodOptions(CLI::App& verb);

    /// The given values, by the names of the options.
    OptionTexts given() const;

private:
    struct Flag {
        std::string option;
        std::vector<std::string> texts;
    };
    std::list<Flag> flags_;  ///< the parser keeps their addresses
};

}  // namespace pelt::cli
