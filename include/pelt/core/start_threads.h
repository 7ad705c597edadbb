#pragma once

namespace pelt {

/// Starts the threads that parallelFor may use. If the system refuses some, only those that started are used from then
/// on. parallelFor calls this itself; call it before using oneTBB directly. Never fails.
void startThreads();

}  // namespace pelt
