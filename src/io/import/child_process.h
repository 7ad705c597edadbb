#pragma once

#include <pelt/core/progress.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pelt::io {

struct ChildResult {
    std::vector<std::byte> output;  ///< everything it wrote to stdout
    std::string messages;           ///< its output on stderr, at most kMostMessageBytes
    int exit_status = -1;           ///< -1 if a signal ended it
    int signal = 0;
    bool timed_out = false;
    bool too_much_output = false;
};

/// Ends and reaps a child unless it was waited for.
class ChildGuard {
public:
    explicit ChildGuard(pid_t pid) : pid_(pid) {}
    ~ChildGuard();
    ChildGuard(const ChildGuard&) = delete;
    ChildGuard& operator=(const ChildGuard&) = delete;

    void kill();
    int wait();  ///< its status as returned by waitpid
    /// The same for a child that is about to end; it is killed if that takes longer than a moment.
    int waitBriefly();

private:
    pid_t pid_;
};

/// Standard streams of a child; -1: it gets an empty one.
struct ChildStreams {
    int in = -1, out = -1, err = -1;
};

/// Throws Error (system) if it cannot be started.
pid_t startChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const ChildStreams& streams);

inline constexpr std::size_t kMostMessageBytes = std::size_t(1) << 18;

/// Runs a program to its end, reading both its streams; standard input is empty. It is killed when the time is up, when
/// it writes more than `output_limit` bytes, or when `progress` requests it (which throws). Lines "progress: F" on
/// its stderr, F rising from 0 to 1, are passed on and left out of the messages. Throws Error (system) if it cannot be
/// started.
ChildResult runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                     double timeout_seconds, std::size_t output_limit, const Progress& progress);

}  // namespace pelt::io
