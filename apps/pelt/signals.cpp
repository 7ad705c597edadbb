#include "signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMilliseconds = 700;
constexpr int kCancelled = 130;

std::atomic<bool> cancel_requested{false};
int wake_pipe[2] = {-1, -1};
std::mutex outputs_mutex;
std::vector<fs::path> outputs;

void onSignal(int) {
    const int saved = errno;
    cancel_requested.store(true);
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
    errno = saved;
}

/// Temporary names end in ".PID-serial.tmp" (io/atomic_file).
void removeTemporaries() {
    const std::string mark = "." + std::to_string(::getpid()) + "-";
    const std::lock_guard lock(outputs_mutex);
    for (const fs::path& output : outputs) {
        std::error_code fault;
        const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
        std::vector<fs::path> found;
        for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
            const std::string name = it->path().filename().string();
            if (name.find(mark) != std::string::npos && it->path().extension() == ".tmp") found.push_back(it->path());
        }
        // The work may be removing the same files; what it took from under our hands is no reason to stop.
        for (const fs::path& path : found)
            for (int tries = 0; tries < 100 && fs::exists(path, fault); ++tries) fs::remove_all(path, fault);
    }
}

void watch() {
    char byte = 0;
    while (::read(wake_pipe[0], &byte, 1) != 1) {
    }
    pollfd again{wake_pipe[0], POLLIN, 0};
    while (::poll(&again, 1, kPatienceMilliseconds) < 0) {
    }
    removeTemporaries();
    constexpr char message[] = "pelt: cancelled\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, sizeof message - 1);
    ::_exit(kCancelled);
}

}  // namespace

void installSignals() {
    // Opened for the other direction: using a stream that the caller closed still fails, as it should.
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            ::_exit(1);
    // A closed pipe and a file over the user's limit become errors of the write that met them.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    if (::pipe2(wake_pipe, O_CLOEXEC) != 0) return;
    std::thread(watch).detach();
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    struct sigaction hang_up {};
    ::sigaction(SIGHUP, nullptr, &hang_up);
    if (hang_up.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup stays nohup
}

bool cancelRequested() { return cancel_requested.load(); }

void watchOutput(const fs::path& output) {
    const std::lock_guard lock(outputs_mutex);
    outputs.push_back(output.has_filename() ? output : output.parent_path());
}

}  // namespace pelt::cli
