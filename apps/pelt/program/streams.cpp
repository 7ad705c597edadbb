#include "streams.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace pelt::cli {
namespace {

constexpr std::uint64_t kMostInput = std::uint64_t(1) << 32;  ///< bytes; a .glb uses 32-bit sizes

/// Options that may name standard output, and further files that are written.
constexpr std::array<std::string_view, 2> kOutputs = {"output", "heatmap"};
constexpr std::array<std::string_view, 5> kFurtherOutputs = {"normals", "tangents", "examples", "report", "html"};
/// Options that may name standard input: JSON. Positional inputs may if they are characters.
constexpr std::array<std::string_view, 2> kInputs = {"handles", "limits"};
/// Options with file names that are read in other ways.
constexpr std::array<std::string_view, 7> kSeekingInputs = {"clips", "mesh",         "rest",       "from",
                                                            "tets",  "keep-weights", "keep-motion"};

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

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

bool checkStreams(const CLI::App& verb, bool json) {
    std::string input, output;
    for (const CLI::Option* option : verb.get_options()) {
        const auto& values = option->results();
        const auto count = std::count(values.begin(), values.end(), "-");
        const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
        const std::string shown =
            option->get_positional() ? fmt::format("input '{}'", option->get_name()) : fmt::format("--{} -", name);
        for (long i = 0; i < count; ++i) {
            if (isOneOf(kOutputs, name)) take(output, shown, "standard output");
            if (option->get_positional() || isOneOf(kInputs, name)) take(input, shown, "standard input");
            if (isOneOf(kFurtherOutputs, name))
                throw Error::badUsage({shown}, "only the main output may be standard output; name a file");
            if (isOneOf(kSeekingInputs, name))
                throw Error::badUsage({shown}, "is not read from standard input; name a file");
        }
    }
    if (!output.empty() && json)
        throw Error::badUsage(fmt::format("--json and {} both ask for standard output; write one into a file", output));
    checkTerminals(input, output);
    return !output.empty();
}

bool isOutputOption(std::string_view name) { return isOneOf(kOutputs, name) || isOneOf(kFurtherOutputs, name); }

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

}  // namespace pelt::cli
