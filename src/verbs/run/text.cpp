// Words of messages: flags and counts.
#include "verbs/run/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace pelt::verbs {
namespace {

constexpr const char* kOptionLetters = "abcdefghijklmnopqrstuvwxyz_";

}  // namespace

std::string flagOf(std::string_view option) {
    std::string flag = fmt::format("--{}", option);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

std::string withFlags(const std::string& sentence) {
    std::string text;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t end = sentence[at] == '`' ? sentence.find_first_not_of(kOptionLetters, at + 1) : at;
        if (end > at + 1 && end < sentence.size() && sentence[end] == '`') {
            text += flagOf(sentence.substr(at + 1, end - at - 1));
            at = end + 1;
        } else {
            text += sentence[at++];
        }
    }
    return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string plainWords(const std::exception& fault) {
    if (dynamic_cast<const std::bad_alloc*>(&fault) || dynamic_cast<const std::length_error*>(&fault))
        return "not enough memory: more is needed than is free; close other programs, raise the limit (ulimit -v, the "
               "container's) or use a smaller file";
    if (const auto* system = dynamic_cast<const std::filesystem::filesystem_error*>(&fault))
        return fmt::format("{}: {}", system->path1().string(), system->code().message());
    if (const auto* system = dynamic_cast<const std::system_error*>(&fault))
        return fmt::format("the system refused a request: {}; raise the limits (ulimit -a)", system->code().message());
    return "internal error; please report it with the command and the file";
}

}  // namespace pelt::verbs
