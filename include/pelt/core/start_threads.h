#pragma once

namespace pelt {

/// Starts the threads that parallelFor may use, as far as the system lets it; from then on there are only those that
/// did start. parallelFor does this itself: this is for who uses oneTBB by other ways. Never fails.
void startThreads();

}  // namespace pelt
