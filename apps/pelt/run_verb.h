#pragma once

#include <pelt/core/progress.h>

#include <CLI/CLI.hpp>

#include "documents.h"

namespace pelt::cli {

/// Parses `words` and runs their verb. Throws CLI::ParseError if they request help, and Error (bad usage) for invalid
/// arguments.
void parseWords(CLI::App& app, std::vector<std::string> words);

struct VerbOutcome {
    nlohmann::ordered_json report;
    std::string missed_gate;  ///< a sentence, if a quality limit was missed
};

/// Runs a verb in this process for another program, with documents in memory or files, and without output on the
/// standard streams. Supports all verbs except those that render. Throws Error as the verb does.
VerbOutcome runVerb(const std::vector<std::string>& words, Documents& documents, const Progress::Callback& progress);

}  // namespace pelt::cli
