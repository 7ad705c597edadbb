#pragma once

#include <memory>
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

/// Where something is wrong; either may be empty.
struct ErrorPlace {
    std::string file = {};     ///< its path or name
    std::string subject = {};  ///< what of it: "line 7", "accessors[3].count", "clip 'walk'", "joint 'hips'"
};

/// The one exception of Pelt. `what()` is one line that a user can act on: "file: subject: sentence", where the
/// sentence says what is wrong and what to do.
///
/// A sentence names an option by its name in the C++ interface, in backquotes: "lower `fps`". A program whose users
/// know it by another name puts that in its place: "lower --fps".
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

    /// The same error with its file. One that names a file already stays as it is, and so does one that was cancelled.
    Error in(const std::string& file) const;

private:
    struct Parts {
        ErrorPlace place;
        std::string sentence;
    };
    ErrorCode code_;
    std::shared_ptr<const Parts> parts_;  ///< shared, as copying an exception must not throw
};

}  // namespace pelt
