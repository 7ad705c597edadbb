// Puts the one line of an error together from file, subject and sentence.
#include <pelt/core/error.h>

#include <algorithm>

namespace pelt {
namespace {

/// what() ends at the first NUL, which a name of a file's may have.
std::string whole(const ErrorPlace& place, const std::string& sentence) {
    std::string text;
    for (const std::string* part : {&place.file, &place.subject})
        if (!part->empty()) text += *part + ": ";
    text += sentence;
    std::replace(text.begin(), text.end(), '\0', '?');
    return text;
}

}  // namespace

Error::Error(ErrorCode code, const ErrorPlace& place, const std::string& sentence)
    : std::runtime_error(whole(place, sentence)),
      code_(code),
      parts_(std::make_shared<const Parts>(Parts{place, sentence})) {}

Error Error::in(const std::string& file) const {
    if (!this->file().empty() || code_ == ErrorCode::cancelled) return *this;
    return {code_, ErrorPlace{file, subject()}, sentence()};
}

}  // namespace pelt
