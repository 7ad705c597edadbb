#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace pelt {

enum class ErrorCode {
    bad_usage,  ///< a call or option that is wrong whatever the data: exit status 2
    bad_input,  ///< a file or data that is unreadable, malformed or inconsistent: exit status 3
    gate,       ///< a requested quality limit was missed: exit status 4
    system,     ///< disk full, folder missing, no permission to write: exit status 1
    cancelled,  ///< the caller asked to stop: exit status 130
};

/// Where something is wrong; either may be empty.
struct ErrorPlace {
    std::string file = {};     ///< its path or name
    std::string subject = {};  ///< the part of it: "line 7", "accessors[3].count", "clip 'walk'", "joint 'hips'"
};

/// The only exception type of Pelt. `what()` is one line that a user can act on: "file: subject: sentence", where the
/// sentence says what is wrong and what to do.
///
/// A sentence names an option by its name in the C++ interface, in backquotes: "lower `fps`". A program whose users
/// know the option by another name replaces it: "lower --fps".
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& sentence) : Error(code, ErrorPlace{}, sentence) {}
    Error(ErrorCode code, const ErrorPlace& place, const std::string& sentence);

    static Error badUsage(const std::string& sentence) { return {ErrorCode::bad_usage, sentence}; }
    static Error badInput(const std::string& sentence) { return {ErrorCode::bad_input, sentence}; }
    static Error system(const std::string& sentence) { return {ErrorCode::system, sentence}; }
    static Error badUsage(const ErrorPlace& place, const std::string& sentence) {
        return {ErrorCode::bad_usage, place, sentence};
    }
    static Error badInput(const ErrorPlace& place, const std::string& sentence) {
        return {ErrorCode::bad_input, place, sentence};
    }
    static Error system(const ErrorPlace& place, const std::string& sentence) {
        return {ErrorCode::system, place, sentence};
    }

    ErrorCode code() const noexcept { return code_; }
    const std::string& file() const noexcept { return parts_->place.file; }
    const std::string& subject() const noexcept { return parts_->place.subject; }
    const std::string& sentence() const noexcept { return parts_->sentence; }

    /// The same error with a file name. An error that already names a file, or that is a cancellation, does not change.
    Error in(const std::string& file) const;

private:
    struct Parts {
        ErrorPlace place;
        std::string sentence;
    };
    ErrorCode code_;
    std::shared_ptr<const Parts> parts_;  ///< shared, because copying an exception must not throw
};

}  // namespace pelt
