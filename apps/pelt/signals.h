#pragma once

namespace pelt::cli {

/// Ctrl-C, SIGTERM and SIGHUP set a flag that the work looks at between two steps. Work that does not get there within
/// most of a second, or a second Ctrl-C, ends the program at once, after its temporary files are removed.
/// Call it once, before any thread is started. A closed standard stream is replaced, so that no file takes its number.
void installSignals();

bool cancelRequested();

}  // namespace pelt::cli
