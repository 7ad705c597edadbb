// Runs the program and keeps what it prints.
#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "places.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

[[noreturn]] void becomePelt(const std::vector<std::string>& arguments, const RunOptions& options, int out, int err) {
    ::dup2(err, STDERR_FILENO);
    if (!options.stdin_file.empty()) ::dup2(::open(options.stdin_file.c_str(), O_RDONLY), STDIN_FILENO);
    if (options.close_stdout) {
        ::close(STDOUT_FILENO);
    } else if (!options.stdout_file.empty()) {
        ::dup2(::open(options.stdout_file.c_str(), O_WRONLY), STDOUT_FILENO);
    } else {
        ::dup2(out, STDOUT_FILENO);
    }
    if (options.as_nobody && ::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(126);
    std::vector<std::pair<int, long>> limits = options.limits;
    if (options.file_size_limit > 0) limits.emplace_back(RLIMIT_FSIZE, options.file_size_limit);
    for (const auto& [resource, most] : limits) {
        const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
        ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
    }
    for (const std::string& variable : options.environment) ::putenv(const_cast<char*>(variable.c_str()));
    std::vector<char*> words{const_cast<char*>(kProgram)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(kProgram, words.data());
    ::_exit(127);
}

/// A pipe: bytes written to the second end are read from the first.
bool openPipe(int ends[2], bool terminal) {
    if (!terminal) return ::pipe2(ends, O_CLOEXEC) == 0;
    ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[128];
    if (ends[0] < 0 || ::grantpt(ends[0]) != 0 || ::unlockpt(ends[0]) != 0) return false;
    if (::ptsname_r(ends[0], name, sizeof name) != 0) return false;
    ends[1] = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return ends[1] >= 0;
}

/// Appends the available bytes to `text`; false when the other end is closed.
bool drain(int pipe, std::string& text) {
    char buffer[65536];
    const ssize_t got = ::read(pipe, buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
}

bool interruptIsDue(const RunOptions& options, pid_t child, Clock::time_point began) {
    if (options.interrupt_after.count() > 0) return Clock::now() - began > options.interrupt_after;
    return options.interrupt_when && options.interrupt_when(child);
}

void readBoth(pid_t child, int out, int err, const RunOptions& options, RunResult& result) {
    const Clock::time_point began = Clock::now();
    int interrupts = 0;
    pollfd pipes[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        ::poll(pipes, 2, 5);
        if (pipes[0].revents != 0 && !drain(out, result.out)) pipes[0].fd = -1;
        if (pipes[1].revents != 0 && !drain(err, result.err)) pipes[1].fd = -1;
        const bool begun = interrupts > 0 && interrupts < options.interrupts;
        if (begun || (interrupts == 0 && interruptIsDue(options, child, began))) {
            ++interrupts;
            ::kill(child, options.interrupt);
        }
        if (Clock::now() - began > options.timeout) {
            ::kill(child, SIGKILL);
            result.err += "\n(killed after the time limit)";
            break;
        }
    }
}

}  // namespace

RunResult runPelt(const std::vector<std::string>& arguments, const RunOptions& options) {
    RunResult result;
    int out[2], err[2];
    if (!openPipe(out, false) || !openPipe(err, options.terminal)) return result;
    const pid_t child = ::fork();
    if (child == 0) becomePelt(arguments, options, out[1], err[1]);
    ::close(out[1]);
    ::close(err[1]);
    readBoth(child, out[0], err[0], options, result);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    result.max_resident = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    ::close(out[0]);
    ::close(err[0]);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

std::string withoutProgress(const std::string& err) {
    static const std::regex progress("pelt: [a-z ]+( [0-9]+ %, .* left|, .* so far)");
    std::istringstream lines(err);
    std::string kept, line;
    while (std::getline(lines, line))
        if (!std::regex_match(line, progress)) kept += lines.eof() ? line : line + '\n';
    return kept;
}

RunResult runWell(const std::vector<std::string>& arguments) {
    RunResult result = runPelt(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(withoutProgress(result.err), "");
    return result;
}

void expectFailure(const RunResult& result, int status, const std::string& words) {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << "'" << words << "' is not in: " << result.err;
}

std::string readBytes(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void writeBytes(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void CliTest::SetUp() {
    std::string name = (fs::temp_directory_path() / "pelt-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::setenv("XDG_CACHE_HOME", (name + "-cache").c_str(), 1);  // not the user's own
}

void CliTest::TearDown() {
    fs::remove_all(folder_);
    fs::remove_all(folder_.string() + "-cache");
}

std::vector<std::string> CliTest::filesLeft() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

/// Exists for the whole run and is removed when the test program ends.
struct SharedFolder {
    fs::path folder;
    SharedFolder() {
        std::string name = (fs::temp_directory_path() / "pelt-shared-XXXXXX").string();
        if (::mkdtemp(name.data())) folder = name;
    }
    ~SharedFolder() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
};

}  // namespace

std::string CliTest::madeOnce(const std::string& name, const std::vector<std::string>& words) {
    static const SharedFolder shared;
    const std::string file = (shared.folder / name).string();
    if (!fs::exists(file)) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"-o", file});
        runWell(all);
    }
    return file;
}

std::string CliTest::bar() { return madeOnce("bar.glb", {"sample", "bar", "--resolution", "400", "--skin", "smooth"}); }
