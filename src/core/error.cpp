// Puts the one line of an error together from file, subject and sentence.
#include <pelt/core/error.h>

namespace pelt {
namespace {

std::string whole(const ErrorPlace& place, const std::string& sentence) {
    std::string text;
    for (const std::string* part : {&place.file, &place.subject})
        if (!part->empty()) text += *part + ": ";
    return text + sentence;
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
