#pragma once

#include <pelt/core/progress.h>

#include <CLI/CLI.hpp>

#include "documents.h"

namespace pelt::cli {

/// Lets the parser run the verb that `words` ask for. Throws CLI::ParseError where they ask for help, and Error (bad
/// usage) for words that make no sense.
void parseWords(CLI::App& app, std::vector<std::string> words);

struct VerbOutcome {
    nlohmann::ordered_json report;
    std::string missed_gate;  ///< a sentence, where a quality gate was missed
};

/// Runs a verb in this process for another program: over documents in memory as well as files, and without a word on
/// the standard streams. All verbs but those that draw. Throws Error as the verb does.
VerbOutcome runVerb(const std::vector<std::string>& words, Documents& documents, const Progress::Callback& progress);

}  // namespace pelt::cli
