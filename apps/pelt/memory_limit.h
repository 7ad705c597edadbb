#pragma once

namespace pelt::cli {

/// From now on the program can take no more memory than is free now: work that needs more ends with a line that says
/// so, before the machine has to end programs of its own choice.
void limitMemory();

}  // namespace pelt::cli
