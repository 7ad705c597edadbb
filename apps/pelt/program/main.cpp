#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>

#include "help.h"
#include "memory_limit.h"
#include "run_verb.h"
#include "signals.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

int exitStatus(ErrorCode code) {
    switch (code) {
        case ErrorCode::bad_usage:
            return 2;
        case ErrorCode::bad_input:
            return 3;
        case ErrorCode::gate:
            return 4;
        case ErrorCode::cancelled:
            return 130;
        case ErrorCode::system:
            break;
    }
    return 1;
}

/// Messages for exceptions that are not pelt::Error. The texts of the standard library would not help users.
std::string plainWords(const std::exception& fault) {
    if (dynamic_cast<const std::bad_alloc*>(&fault) || dynamic_cast<const std::length_error*>(&fault))
        return "not enough memory: more is needed than is free; close other programs, raise the limit (ulimit -v, the "
               "container's) or use a smaller file";
    if (const auto* system = dynamic_cast<const std::filesystem::filesystem_error*>(&fault))
        return fmt::format("{}: {}", system->path1().string(), system->code().message());
    if (const auto* system = dynamic_cast<const std::system_error*>(&fault))
        return fmt::format("the system refused a request: {}; raise the limits (ulimit -a)", system->code().message());
    return "internal error; please report it with the command and the file";
}

int fail(int status, const std::string& message) {
    writeStderr(fmt::format("pelt: {}\n", oneLine(message)));
    return status;
}

/// `--color joint NAME` is two words; the parser sees them as one, joint=NAME.
std::vector<std::string> joinColorWords(int count, char** words) {
    std::vector<std::string> joined;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const bool color = !joined.empty() && joined.back() == "--color" && word == "joint";
        const bool name_follows = i + 1 < count && words[i + 1][0] != '-';
        if ((color || word == "--color=joint") && name_follows)
            joined.push_back(word + "=" + words[++i]);
        else
            joined.push_back(word);
    }
    return joined;
}

/// `pelt batch … -- words`: the words after -- are for another program.
std::vector<std::string> cutPassedOn(std::vector<std::string>& words) {
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (words.empty() || words[0] != "batch" || dashes == words.end()) return {};
    std::vector<std::string> passed_on(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return passed_on;
}

int runProgram(int count, char** words) {
    CLI::App app(
        "Pelt, a toolkit for character skin: inspects, binds, deforms, bakes, fits, poses, compares and renders rigged "
        "characters.",
        "pelt");
    app.set_version_flag("--version", "pelt " PELT_VERSION);
    app.require_subcommand(1);
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(
        "pelt VERB --help explains a verb and shows an example. In the place of a file, - is standard input or "
        "output.\n\nExample:\n"
        "  pelt sample biped -o biped.glb && pelt render biped.glb --method lbs,dqs -o biped.png");
    Session session;
    addInfo(app, session);
    addSample(app, session);
    addBind(app, session);
    addTransfer(app, session);
    addLod(app, session);
    addMush(app, session);
    addDeform(app, session);
    addBake(app, session);
    addClean(app, session);
    addLimit(app, session);
    addMirror(app, session);
    addPack(app, session);
    addFit(app, session);
    addDecompose(app, session);
    addPose(app, session);
    addCompare(app, session);
    addRender(app, session);
    addStudio(app, session);
    addBatch(app, session);

    for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) {
        verb->group("Verbs");
        groupOptions(*verb);
    }

    try {
        std::vector<std::string> parsed = joinColorWords(count, words);
        session.passed_on = cutPassedOn(parsed);
        parseWords(app, std::move(parsed));
    } catch (const CLI::ParseError& asked) {  // for help or the version
        std::ostringstream out, ignored;
        app.exit(asked, out, ignored);
        writeStdout(out.str());
        return 0;
    }
    session.writeResult();
    return 0;
}

/// Prints the current exception and returns its exit status.
int reportFault() {
    try {
        throw;
    } catch (const Error& error) {
        const ErrorPlace place{error.file() == "-" ? "standard input" : error.file(), error.subject()};
        return fail(exitStatus(error.code()), Error(error.code(), place, withFlags(error.sentence())).what());
    } catch (const std::exception& fault) {
        return fail(1, plainWords(fault));
    } catch (...) {
        return fail(1, plainWords(std::exception()));
    }
}

/// For an exception that could not be caught (in a thread of a library, or out of memory in noexcept code): prints one
/// line and removes temporary files.
[[noreturn]] void endWithALine() {
    io::removeTemporaryFiles();
    ::_exit(std::current_exception() ? reportFault() : fail(1, plainWords(std::exception())));
}

}  // namespace
}  // namespace pelt::cli

int main(int count, char** words) {
    using namespace pelt::cli;
    installSignals();
    std::set_terminate(endWithALine);
    limitMemory();
    try {
        return runProgram(count, words);
    } catch (...) {
        return reportFault();
    }
}
