// A process that runs one item, and waiting for several.
#include "batch/run/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace pelt::batch {
namespace {

double secondsOf(const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); }

std::string takeText(int file) {
    std::string text(std::size_t(std::max<off_t>(::lseek(file, 0, SEEK_END), 0)), '\0');
    std::size_t read = 0;
    while (read < text.size()) {
        const ssize_t got = ::pread(file, text.data() + read, text.size() - read, off_t(read));
        if (got <= 0) break;
        read += std::size_t(got);
    }
    text.resize(read);
    return text;
}

int openMemory() {
    const int file = ::memfd_create("pelt-batch", MFD_CLOEXEC);
    if (file < 0) throw Error::system(fmt::format("no file in memory can be opened: {}", std::strerror(errno)));
    return file;
}

/// In the new process: only functions that are safe between fork and exec in a program with threads.
[[noreturn]] void become(const ChildRequest& request, char* const* words, int out, int err, pid_t parent) {
    ::setpgid(0, 0);
    // SIGTERM lets a verb remove its temporary files.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    const int nothing = ::open("/dev/null", O_RDWR);
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
        ::dup2(err, STDERR_FILENO) < 0)
        ::_exit(126);
    if (nothing > STDERR_FILENO) ::close(nothing);
    if (request.keep_open >= 0) ::fcntl(request.keep_open, F_SETFD, 0);
    if (!request.folder.empty() && ::chdir(request.folder.c_str()) != 0) ::_exit(126);
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    for (const int number : {SIGPIPE, SIGXFSZ}) ::sigaction(number, &plain, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(words[0], words);
    ::_exit(127);
}

}  // namespace

Child::Child(const ChildRequest& request) {
    out_ = openMemory();
    err_ = openMemory();
    std::vector<char*> words;
    for (const std::string& word : request.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) become(request, words.data(), out_, err_, parent);
    if (pid_ < 0) {
        const int code = errno;
        ::close(out_);
        ::close(err_);
        throw Error::system(
            fmt::format("no process can be started: {}; raise the limits (ulimit -u)", std::strerror(code)));
    }
    ::setpgid(pid_, pid_);  // whichever of both processes comes first
}

Child::~Child() {
    if (!waited_) {
        signal(SIGKILL);
        wait();
    }
    ::close(out_);
    ::close(err_);
}

void Child::signal(int number) const { ::kill(-pid_, number); }

ChildResult Child::wait() {
    int status = 0;
    rusage usage{};
    while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) continue;
    waited_ = true;
    ChildResult result;
    result.seconds = seconds();
    result.cpu_seconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
    result.peak_bytes = std::uint64_t(usage.ru_maxrss) * 1024;
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + result.signal;
    result.out = takeText(out_);
    result.err = takeText(err_);
    return result;
}

ChildWatch::~ChildWatch() {
    for (std::thread& thread : threads_) thread.join();
}

void ChildWatch::collect(pid_t pid) {
    siginfo_t info{};
    // The process stays a zombie until it is waited for, so that its number is not given to another one.
    while (::waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    {
        const std::lock_guard lock(mutex_);
        ended_.push_back(pid);
        finished_.push_back(std::this_thread::get_id());
    }
    wake_.notify_one();
}

void ChildWatch::add(pid_t pid) {
    std::vector<std::thread::id> finished;
    {
        const std::lock_guard lock(mutex_);
        std::swap(finished, finished_);
    }
    std::erase_if(threads_, [&](std::thread& thread) {
        if (std::find(finished.begin(), finished.end(), thread.get_id()) == finished.end()) return false;
        thread.join();
        return true;
    });
    threads_.emplace_back([this, pid] { collect(pid); });
}

pid_t ChildWatch::next(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, most, [this] { return !ended_.empty(); })) return -1;
    const pid_t pid = ended_.front();
    ended_.erase(ended_.begin());
    return pid;
}

ChildResult runCommand(const std::vector<std::string>& words) { return Child({words, {}, -1}).wait(); }

}  // namespace pelt::batch
