#include "run_verb.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>

#include "verbs.h"

namespace pelt::cli {
namespace {

/// The first word must be a verb or an option; this message is clearer than the parser's.
void checkVerb(const CLI::App& app, const std::vector<std::string>& words) {
    if (!words.empty() && words[0].rfind('-', 0) == 0) return;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!words.empty() && words[0] == verb->get_name()) return;
        verbs.push_back(verb->get_name());
    }
    const std::string fault =
        words.empty() ? "no verb given" : fmt::format("no verb '{}'{}", words[0], didYouMean(words[0], verbs));
    throw Error::badUsage(fmt::format("{}; there are {}; see pelt --help", fault, fmt::join(verbs, ", ")));
}

/// Explains arguments that the parser did not accept: a misspelled option, or one input too many.
std::string explainExtras(const CLI::App& verb) {
    std::vector<std::string> options;
    for (const CLI::Option* option : verb.get_options())
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    const std::string word = verb.remaining().empty() ? "" : verb.remaining().front();
    if (word.size() < 2 || word[0] != '-')
        return fmt::format("pelt {} takes no further input '{}'", verb.get_name(), word);
    const std::string given = word.substr(0, word.find('='));
    return fmt::format("pelt {} has no option '{}'{}", verb.get_name(), given, didYouMean(given, options));
}

}  // namespace

void parseWords(CLI::App& app, std::vector<std::string> words) {
    checkVerb(app, words);
    std::reverse(words.begin(), words.end());  // the parser reads them from the back
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) throw;  // help, version
        const auto parsed = app.get_subcommands();
        const std::string verb = parsed.empty() ? "" : " " + parsed.front()->get_name();
        const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !parsed.empty();
        const std::string fault = extras ? explainExtras(*parsed.front()) : error.what();
        throw Error::badUsage(fmt::format("{}; see pelt{} --help", fault, verb));
    }
}

VerbOutcome runVerb(const std::vector<std::string>& words, Documents& documents, const Progress::Callback& progress) {
    CLI::App app;
    Session session;
    session.documents = &documents;
    session.listener = progress;
    session.quiet = true;
    addInfo(app, session);
    addSample(app, session);
    addBind(app, session);
    addTransfer(app, session);
    addMush(app, session);
    addBake(app, session);
    addClean(app, session);
    addLimit(app, session);
    addMirror(app, session);
    addFit(app, session);
    addDecompose(app, session);
    addPose(app, session);
    parseWords(app, words);
    return {session.report(), session.missedGate()};
}

}  // namespace pelt::cli
