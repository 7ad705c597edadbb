#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pelt::batch {

struct ChildRequest {
    std::vector<std::string> words;  ///< the program and its arguments
    std::filesystem::path folder;    ///< where it starts; empty: here
    int keep_open = -1;              ///< a descriptor that it inherits
};

/// How a child ended.
struct ChildResult {
    int exit_code = 0;  ///< 128 + signal if one ended it
    int signal = 0;
    double seconds = 0, cpu_seconds = 0;
    std::uint64_t peak_bytes = 0;
    std::string out, err;
};

/// A process of its own group that ends with this one. What it prints is kept in memory.
class Child {
public:
    using Clock = std::chrono::steady_clock;

    /// Throws Error (system) if no process can be started.
    explicit Child(const ChildRequest& request);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t pid() const { return pid_; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    void signal(int number) const;  ///< to the process and those that it started
    /// Waits for its end. Call it once.
    ChildResult wait();

private:
    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    bool waited_ = false;
    Clock::time_point began_ = Clock::now();
};

/// Tells which of several children have ended.
class ChildWatch {
public:
    ~ChildWatch();
    void add(pid_t pid);
    /// A child that has ended and has not been waited for yet; -1 if none ends within that time.
    pid_t next(std::chrono::milliseconds most);

private:
    void collect(pid_t pid);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<pid_t> ended_;
    std::vector<std::thread> threads_;
    std::vector<std::thread::id> finished_;
};

/// Runs a program of the system, found on the path, to its end. `exit_code` is 127 if there is none of that name.
ChildResult runCommand(const std::vector<std::string>& words);

}  // namespace pelt::batch
