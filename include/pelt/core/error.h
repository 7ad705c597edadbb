#pragma once

#include <stdexcept>
#include <string>

namespace pelt {

enum class ErrorCode {
    bad_usage,  ///< a call or an option that makes no sense whatever the data: exit status 2
    bad_input,  ///< a file or data that is unreadable, malformed or inconsistent: exit status 3
    gate,       ///< a quality gate that was asked for is missed: exit status 4
    system,     ///< disk full, folder missing, no permission to write: exit status 1
    cancelled,  ///< the caller asked to stop: exit status 130
};

/// The one exception of Pelt. `what()` is one line that a user can act on: file, what is wrong, where, what to do.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

    static Error badUsage(const std::string& message) { return {ErrorCode::bad_usage, message}; }
    static Error badInput(const std::string& message) { return {ErrorCode::bad_input, message}; }
    static Error system(const std::string& message) { return {ErrorCode::system, message}; }

    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

}  // namespace pelt
