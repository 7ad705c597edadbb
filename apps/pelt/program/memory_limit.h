#pragma once

namespace pelt::program {

/// Limits the program's memory to what is free now: work that needs more ends with a message, before the system starts
/// to kill processes.
void limitMemory();

}  // namespace pelt::program
