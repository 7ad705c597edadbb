// The program: parses the command line, runs a verb of the table, and ends with its status.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>

#include "program/flags.h"
#include "program/help.h"
#include "program/memory_limit.h"
#include "program/signals.h"
#include "program/streams.h"
#include "program/table.h"
#include "program/terminal.h"

namespace pelt::program {
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

/// A file on standard input, read before the verb runs.
struct StandardInput {
    std::optional<io::Loaded> loaded;
    std::string text;
};

/// "-" in the place of an input becomes what standard input has.
void takeStandardInput(const verbs::Verb& verb, verbs::Inputs& inputs, FileHost& host, StandardInput& read) {
    for (const verbs::Input& row : verb.inputs)
        for (verbs::Given& given : inputs[std::string(row.name)]) {
            if (given.name != "-") continue;
            const std::vector<std::byte> bytes = readStandardInput();
            given.name = "standard input";
            if (row.kind == verbs::Kind::limits || row.kind == verbs::Kind::handles) {
                given.json.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                continue;
            }
            if (row.kind == verbs::Kind::picture) {
                given.bytes = bytes;
                continue;
            }
            const Progress progress([&](std::string_view, double done) { return host.goesOn("load", done); });
            read.loaded = io::loadGltf(bytes, given.name, {}, {}, progress);
            given.character = &read.loaded->character;
            given.warnings = read.loaded->warnings;
        }
    std::erase_if(inputs, [](const auto& input) { return input.second.empty(); });
}

/// Standard output gets the report; an Error thrown here is still one line and an exit status.
void writeReport(const verbs::Report& report, const FileHost& host, bool stdout_is_file) {
    for (const std::string& warning : report.warnings)
        writeStderr(fmt::format("pelt: warning: {}\n", oneLine(warning)));
    if (host.json) {
        writeStdout(report.json + "\n");
    } else if (!host.quiet) {
        const bool names_stdout = report.text.rfind("-: ", 0) == 0;  // a line about the output
        const std::string text = names_stdout ? "standard output" + report.text.substr(1) : report.text;
        stdout_is_file ? writeStderr(text) : writeStdout(text);
    }
    if (!report.missed_gate.empty()) throw Error(report.missed_code, report.missed_gate);
}

void runChosen(const Flags& flags, FileHost& host) {
    const verbs::Verb& verb = flags.verb();
    verbs::Inputs inputs = flags.inputs();
    const OptionValues options = flags.options();
    setThreadCount(host.threads);
    flags.setOutputs(inputs);
    const bool stdout_is_file = checkStreams(verb, inputs, host.outputs, host.json);
    StandardInput read;
    if (!host.quiet) host.startProgress();
    host.watches_memory = host.json;
    host.utf8 = speaksUtf8();
    takeStandardInput(verb, inputs, host, read);
    const verbs::Report report = verbs::run(verb, inputs, options, host);
    host.endProgress();
    writeReport(report, host, stdout_is_file);
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
    FileHost host;
    std::list<Flags> flags;
    for (const verbs::Verb& verb : table())
        flags.emplace_back(app, verb, host, [&host](Flags& chosen) { runChosen(chosen, host); });

    try {
        std::vector<std::string> parsed = joinColorWords(count, words);
        host.passed_on = cutPassedOn(parsed);
        parseWords(app, std::move(parsed));
    } catch (const CLI::ParseError& request) {  // for help or the version
        std::ostringstream out, ignored;
        app.exit(request, out, ignored);
        writeStdout(out.str());
    }
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
        return fail(1, verbs::plainWords(fault));
    } catch (...) {
        return fail(1, verbs::plainWords(std::exception()));
    }
}

/// For an exception that could not be caught (in a thread of a library, or out of memory in noexcept code): prints one
/// line and removes temporary files.
[[noreturn]] void endWithALine() {
    io::removeTemporaryFiles();
    ::_exit(std::current_exception() ? reportFault() : fail(1, verbs::plainWords(std::exception())));
}

}  // namespace
}  // namespace pelt::program

int main(int count, char** words) {
    using namespace pelt::program;
    installSignals();
    std::set_terminate(endWithALine);
    limitMemory();
    try {
        return runProgram(count, words);
    } catch (...) {
        return reportFault();
    }
}
