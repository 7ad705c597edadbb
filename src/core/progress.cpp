// Tells the caller how far the work is, and throws where the caller cancels it.
#include <pelt/core/error.h>
#include <pelt/core/progress.h>

namespace pelt {

void Progress::report(std::string_view stage, double fraction) const {
    if (callback_ && !callback_(stage, fraction)) throw Error(ErrorCode::cancelled, "cancelled");
}

}  // namespace pelt
