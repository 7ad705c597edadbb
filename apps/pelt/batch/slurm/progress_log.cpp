// What tasks report while they run, as lines of a file each.
#include "batch/slurm/progress_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "batch/run/sha256.h"

namespace pelt::batch {
namespace {

constexpr const char* kProgressExtension = ".progress";

/// An id may have any characters; lines need one word.
std::string wordOf(const std::string& id) { return sha256(id).substr(0, 32); }

}  // namespace

ProgressLog::ProgressLog(const std::filesystem::path& task) {
    const std::filesystem::path path = std::filesystem::path(task).replace_extension(kProgressExtension);
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw Error::system({path.string()}, fmt::format("cannot write: {}", std::strerror(errno)));
}

ProgressLog::~ProgressLog() { ::close(descriptor_); }

void ProgressLog::append(char mark, const std::string& id) {
    const std::string line = fmt::format("{}{}\n", mark, wordOf(id));
    if (::write(descriptor_, line.data(), line.size()) != ssize_t(line.size()))
        throw Error::system(fmt::format("the progress of a task cannot be written: {}", std::strerror(errno)));
}

int ProgressLog::Counts::attemptsOf(const std::string& id) const {
    const auto found = attempts.find(wordOf(id));
    return found == attempts.end() ? 0 : found->second;
}

ProgressLog::Counts ProgressLog::read(const std::filesystem::path& folder) {
    Counts counts;
    std::error_code fault;
    for (std::filesystem::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
        if (it->path().extension() != kProgressExtension) continue;
        std::ifstream file(it->path());
        for (std::string line; std::getline(file, line);) {
            if (line.empty()) continue;
            counts.ended += line[0] == '-';
            counts.begun += line[0] == '+';
            if (line[0] == '+') ++counts.attempts[line.substr(1)];
        }
    }
    return counts;
}

}  // namespace pelt::batch
