#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Standard error without the lines that report progress, whose number depends on the machine.
std::string withoutProgress(const std::string& err);

/// Runs the real program and checks the output that a user or a script sees.
struct RunResult {
    int status = -1;  ///< exit status; 128 + signal if one ended it; -1 after a timeout
    std::string out, err;
    std::uint64_t max_resident = 0;  ///< bytes, as reported to the parent process

    nlohmann::json json() const { return nlohmann::json::parse(out); }
    bool oneErrorLine() const {
        const std::string line = withoutProgress(err);
        return line.rfind("pelt: ", 0) == 0 && line.find('\n') == line.size() - 1;
    }
};

struct RunOptions {
    std::vector<std::string> environment;          ///< "NAME=value", added to the caller's
    std::chrono::seconds timeout{240};             ///< enough for a busy machine
    int interrupt = SIGINT;                        ///< the signal that is sent …
    std::chrono::milliseconds interrupt_after{0};  ///< … then, if this is above 0, …
    std::function<bool(int)> interrupt_when;       ///< … or as soon as this is true of the process
    int interrupts = 1;                            ///< how often, a few milliseconds apart
    bool close_stdout = false;
    bool terminal = false;                     ///< standard error is a terminal
    long file_size_limit = 0;                  ///< maximum size of a file in bytes, like a full disk
    std::vector<std::pair<int, long>> limits;  ///< RLIMIT_…, most
    bool as_nobody = false;                    ///< drops root privileges: some limits do not apply to root
    std::string stdout_file;                   ///< instead of being captured
    std::string stdin_file;                    ///< what standard input reads; empty: the caller's
};

RunResult runPelt(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// Expects success and no output on standard error.
RunResult runWell(const std::vector<std::string>& arguments);

std::string readBytes(const std::filesystem::path& path);
void writeBytes(const std::filesystem::path& path, const std::string& bytes);

/// A fresh folder per test, removed at its end.
class CliTest : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    /// The file NAME that `pelt WORDS… -o NAME` writes, made once for all tests of the process, which only read it.
    static std::string madeOnce(const std::string& name, const std::vector<std::string>& words);
    /// A small animated character with smooth weights.
    static std::string bar();
    std::vector<std::string> filesLeft() const;

    std::filesystem::path folder_;
};

/// Expects that status, nothing on standard output, and exactly one line on standard error that contains `words`.
void expectFailure(const RunResult& result, int status, const std::string& words);
