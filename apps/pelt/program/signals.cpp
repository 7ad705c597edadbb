// Ends the work in order at Ctrl-C, SIGTERM and SIGHUP, and at once if it does not react.
#include "program/signals.h"

#include <fcntl.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace pelt::program {
namespace {

constexpr timespec kPatience{0, 700'000'000};
constexpr int kCancelled = 130;

std::atomic<bool> cancel_requested{false};

void watch(sigset_t waited) {
    int which = 0;
    while (::sigwait(&waited, &which) != 0) continue;
    cancel_requested.store(true);
    while (::sigtimedwait(&waited, nullptr, &kPatience) < 0 && errno == EINTR) continue;
    io::removeTemporaryFiles();
    constexpr char message[] = "pelt: cancelled\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, sizeof message - 1);
    ::_exit(kCancelled);
}

/// If no thread can be started: the first signal asks the work to stop, the second ends the program immediately.
void handleInstead(const sigset_t& signals) {
    struct sigaction action {};
    action.sa_handler = [](int) { cancel_requested.store(true); };
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (::sigismember(&signals, signal) == 1) ::sigaction(signal, &action, nullptr);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

void installSignals() {
    // Opened for the other direction: using a stream that the caller closed still fails, as it should.
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            ::_exit(1);
    // Writing to a closed pipe or beyond the file size limit returns an error instead of raising a signal.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    struct sigaction hang_up {};
    ::sigaction(SIGHUP, nullptr, &hang_up);
    if (hang_up.sa_handler != SIG_IGN) ::sigaddset(&signals, SIGHUP);  // nohup stays nohup
    // Blocked in every thread and waited for by one, so that no code runs inside a handler.
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        std::thread(watch, signals).detach();
    } catch (const std::system_error&) {
        handleInstead(signals);
    }
}

bool cancelRequested() { return cancel_requested.load(); }

}  // namespace pelt::program
