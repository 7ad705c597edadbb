// Runs the helper process: its streams, time limit and progress.
#include "child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

extern char** environ;

namespace pelt::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadSize = std::size_t(1) << 16;
constexpr int kPollMilliseconds = 100;

class Pipe {
public:
    Pipe() {
        int ends[2];
        // Close-on-exec, so that a child started by another thread does not keep the writing end open.
        if (::pipe2(ends, O_CLOEXEC) != 0) throw Error::system(fmt::format("cannot make a pipe: {}", strerror(errno)));
        read_ = ends[0], write_ = ends[1];
    }
    ~Pipe() { closeRead(), closeWrite(); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int readEnd() const { return read_; }
    int writeEnd() const { return write_; }
    bool open() const { return read_ >= 0; }
    void closeRead() { close(read_); }
    void closeWrite() { close(write_); }

private:
    static void close(int& fd) {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }
    int read_ = -1, write_ = -1;
};

/// Reads the available bytes; closes the pipe at its end. Returns the bytes read into `buffer`.
std::size_t drain(Pipe& pipe, std::vector<std::byte>& buffer) {
    buffer.resize(kReadSize);
    const ssize_t n = ::read(pipe.readEnd(), buffer.data(), buffer.size());
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) pipe.closeRead();
    return 0;
}

/// Removes complete lines "progress: F" from the child's messages and reports each increase. `fraction` is the last
/// value.
void passProgressOn(std::string& messages, std::size_t& looked_at, double& fraction, const Progress& progress) {
    constexpr std::string_view kMark = "progress: ";
    for (std::size_t end; (end = messages.find('\n', looked_at)) != std::string::npos;) {
        const std::string_view line = std::string_view(messages).substr(looked_at, end - looked_at);
        if (!line.starts_with(kMark)) {
            looked_at = end + 1;
            continue;
        }
        double read_fraction = 0;
        const char* last = line.data() + line.size();
        const bool read = std::from_chars(line.data() + kMark.size(), last, read_fraction).ec == std::errc();
        messages.erase(looked_at, line.size() + 1);
        if (!read || !(read_fraction > fraction && read_fraction <= 1)) continue;
        fraction = read_fraction;
        progress.report("import", fraction);
    }
}

/// Fills `result` until both pipes end; returns false if the child must be killed.
bool readStreams(Pipe& out, Pipe& err, ChildResult& result, Clock::time_point deadline, std::size_t output_limit,
                 const Progress& progress) {
    std::vector<std::byte> buffer;
    std::size_t looked_at = 0;  // in the messages
    double fraction = 0;
    while (out.open() || err.open()) {
        progress.report("import", fraction);
        if (Clock::now() >= deadline) return result.timed_out = true, false;
        pollfd polled[2] = {{out.readEnd(), POLLIN, 0}, {err.readEnd(), POLLIN, 0}};  // a closed one is -1: skipped
        if (::poll(polled, 2, kPollMilliseconds) <= 0) continue;
        if (polled[0].revents != 0) {
            const std::size_t n = drain(out, buffer);
            if (n > output_limit - result.output.size()) return result.too_much_output = true, false;
            result.output.insert(result.output.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(n));
        }
        if (polled[1].revents != 0) {
            const std::size_t n = std::min(drain(err, buffer), kMostMessageBytes - result.messages.size());
            result.messages.append(reinterpret_cast<const char*>(buffer.data()), n);
            passProgressOn(result.messages, looked_at, fraction, progress);
        }
    }
    return true;
}

void addStream(posix_spawn_file_actions_t& actions, int given, int stream) {
    if (given >= 0)
        posix_spawn_file_actions_adddup2(&actions, given, stream);
    else
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY,
                                         0);
}

}  // namespace

ChildGuard::~ChildGuard() {
    if (pid_ <= 0) return;
    kill();
    wait();
}

void ChildGuard::kill() { ::kill(pid_, SIGKILL); }

int ChildGuard::wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
    return status;
}

int ChildGuard::waitBriefly() {
    constexpr int kMilliseconds = 1000;
    int status = 0;
    for (int i = 0; i < kMilliseconds; ++i) {
        if (::waitpid(pid_, &status, WNOHANG) == pid_) return pid_ = 0, status;
        ::poll(nullptr, 0, 1);
    }
    kill();
    return wait();
}

pid_t startChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const ChildStreams& streams) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    addStream(actions, streams.in, STDIN_FILENO);
    addStream(actions, streams.out, STDOUT_FILENO);
    addStream(actions, streams.err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // The helper uses default signal handlers, whatever this program does: Ctrl-C ends both.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    std::string name = program.string();
    std::vector<std::string> copies = arguments;
    std::vector<char*> argv{name.data()};
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    const int fault = ::posix_spawn(&pid, name.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (fault != 0) throw Error::system({name}, fmt::format("cannot be started: {}", strerror(fault)));
    return pid;
}

ChildResult runChild(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                     double timeout_seconds, std::size_t output_limit, const Progress& progress) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(timeout_seconds * 1000));
    Pipe out, err;
    ChildGuard child(startChild(program, arguments, {-1, out.writeEnd(), err.writeEnd()}));
    out.closeWrite();
    err.closeWrite();

    ChildResult result;
    if (!readStreams(out, err, result, deadline, output_limit, progress)) child.kill();
    const int status = child.wait();
    if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

}  // namespace pelt::io
