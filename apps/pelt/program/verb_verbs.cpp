// pelt verbs: the table of verbs itself, for people and for programs that are made from it.
#include "program/verb_verbs.h"

#include <fmt/format.h>

#include "program/table.h"
#include "verbs/run/run.h"

namespace pelt::program {
namespace {

std::string describe(const verbs::Verb& verb) {
    std::string text = fmt::format("{:<11} {}\n", verb.name, verb.summary);
    for (const OptionInfo& option : verb.options)
        if (!option.hidden)
            text += fmt::format("    {:<22} {:<8} {}\n", option.name, wordOf(option.type), option.values);
    return text;
}

void runVerbs(verbs::Run& run) {
    run.result.update(nlohmann::ordered_json::parse(verbs::tableJson(table())));
    for (const verbs::Verb& verb : table()) run.print(describe(verb));
}

}  // namespace

verbs::Verb verbsVerb() {
    return {.name = "verbs",
            .summary = "Prints the table of verbs, their inputs and options",
            .example = "pelt verbs --json",
            .where = verbs::Where::program,
            .browser = false,
            .run = runVerbs};
}

}  // namespace pelt::program
