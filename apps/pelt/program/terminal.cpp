// Writes to the standard streams, and asks what the terminal can show.
#include "program/terminal.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace pelt::program {
namespace {

/// False with errno set if the text could not be written completely.
bool writeAll(int stream, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(stream, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

bool isTerminal(int stream) { return ::isatty(stream) == 1 && environment("TERM") != "dumb"; }

bool wantsColor(int stream) { return isTerminal(stream) && environment("NO_COLOR").empty(); }

bool speaksUtf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (!value.empty())
            return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos;
    }
    return false;
}

void writeStdout(std::string_view text) {
    if (!writeAll(STDOUT_FILENO, text))
        throw Error::system(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

void writeStdout(std::span<const std::byte> bytes) {
    writeStdout(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void writeStderr(std::string_view text) { writeAll(STDERR_FILENO, text); }

}  // namespace pelt::program
