// Standard input and output in the place of files.
#include "program/streams.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "verbs/run/text.h"

namespace pelt::program {
namespace {

constexpr std::uint64_t kMostInput = std::uint64_t(1) << 32;  ///< bytes; a .glb uses 32-bit sizes

/// Records which option uses a standard stream; each can be used once.
void take(std::string& taken, const std::string& by, const char* stream) {
    if (!taken.empty()) throw Error::badUsage(fmt::format("{} and {} both ask for {}", taken, by, stream));
    taken = by;
}

void checkTerminals(const std::string& input, const std::string& output) {
    if (!input.empty() && ::isatty(STDIN_FILENO) == 1)
        throw Error::badUsage({input}, "standard input is a terminal; pipe a file into it");
    if (!output.empty() && ::isatty(STDOUT_FILENO) == 1)
        throw Error::badUsage({output}, "standard output is a terminal; redirect it or name a file");
}

}  // namespace

bool isStandardStream(const std::filesystem::path& path) { return path == "-"; }

std::string inputName(const std::filesystem::path& path) {
    return isStandardStream(path) ? "standard input" : path.string();
}

bool checkStreams(const verbs::Verb& verb, const verbs::Inputs& inputs,
                  const std::map<std::string, std::filesystem::path, std::less<>>& outputs, bool json) {
    using verbs::flagOf, verbs::Kind;
    std::string input, output;
    for (const verbs::Input& row : verb.inputs) {
        const auto given = inputs.find(row.name);
        if (given == inputs.end()) continue;
        const std::string shown =
            row.isWord() ? fmt::format("input '{}'", row.name) : fmt::format("{} -", flagOf(row.name));
        const bool streams = row.kind == Kind::limits || row.kind == Kind::handles || row.isWord();
        for (const verbs::Given& one : given->second) {
            if (one.name != "-") continue;
            if (!streams) throw Error::badUsage({shown}, "is not read from standard input; name a file");
            take(input, shown, "standard input");
        }
    }
    for (const auto& [name, path] : outputs) {
        if (!isStandardStream(path)) continue;
        const std::string shown = fmt::format("{} -", flagOf(name));
        const bool main = name == "output" || name == "heatmap";
        if (!main) throw Error::badUsage({shown}, "only the main output may be standard output; name a file");
        take(output, shown, "standard output");
    }
    if (!output.empty() && json)
        throw Error::badUsage(fmt::format("--json and {} both ask for standard output; write one into a file", output));
    checkTerminals(input, output);
    return !output.empty();
}

std::vector<std::byte> readStandardInput() {
    std::vector<std::byte> bytes, buffer(std::size_t(1) << 20);
    while (true) {
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error::system(fmt::format("standard input: cannot be read: {}", std::strerror(errno)));
        if (got == 0) return bytes;
        bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + got);
        if (bytes.size() > kMostInput)
            throw Error::badInput("standard input: has more than 4 GiB, which no .glb has; read it from a file");
    }
}

}  // namespace pelt::program
