#pragma once

#include <pelt/verbs/verb.h>

#include <CLI/CLI.hpp>
#include <list>

#include "program/file_host.h"

namespace pelt::program {

/// The verbs of the table as CLI11 sees them: words and flags made from inputs, options and outputs.
class Flags {
public:
    /// Adds the verb; `chosen` is called when the command line names it.
    Flags(CLI::App& app, const verbs::Verb& verb, FileHost& host, std::function<void(Flags&)> chosen);

    const verbs::Verb& verb() const { return verb_; }

    /// What the command line gives. Paths of outputs go to the host, after all checks that need no file to be read.
    /// Throws Error (bad usage).
    verbs::Inputs inputs() const;
    OptionValues options() const;
    void setOutputs(const verbs::Inputs& inputs) const;

private:
    using Texts = std::vector<std::string>;

    void addInputs();
    void addOptions();
    void addOutputs();
    CLI::Option* add(const std::string& flag, Texts& texts, std::string_view summary, std::string_view values);

    const verbs::Verb& verb_;
    FileHost& host_;
    CLI::App* app_;
    std::map<std::string, Texts, std::less<>> given_;  ///< by name; the parser keeps the addresses
};

/// Parses the words of the command line and runs their verb. Throws CLI::ParseError if they request help, and Error
/// (bad usage) for invalid arguments.
void parseWords(CLI::App& app, std::vector<std::string> words);

}  // namespace pelt::program
