#pragma once

#include <filesystem>

namespace pelt::cli {

/// Ctrl-C, SIGTERM and SIGHUP set a flag that the work looks at between two steps. Work that does not get there within
/// most of a second, or a second Ctrl-C, ends the program at once, after its temporary files are removed.
/// Call it once, before any thread is started. A closed standard stream is replaced, so that no file takes its number.
void installSignals();

bool cancelRequested();

/// Where temporary files of the output may lie, should the program have to end at once.
void watchOutput(const std::filesystem::path& output);

}  // namespace pelt::cli
