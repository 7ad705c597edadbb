#pragma once

namespace pelt::program {

/// Ctrl-C, SIGTERM and SIGHUP set a flag that the work checks between two steps. If it does not do so within most of a
/// second, or after a second Ctrl-C, temporary files are removed and the program ends immediately. Call it once, before
/// any thread is started. A closed standard stream is replaced, so that no other file gets its descriptor.
void installSignals();

bool cancelRequested();

}  // namespace pelt::program
