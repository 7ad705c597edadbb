#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Standard error less the lines that say how far long work is: how many there are depends on the machine.
std::string withoutProgress(const std::string& err);

/// Runs the real program and looks at what a user or a script sees.
struct RunResult {
    int status = -1;  ///< exit status; 128 + signal where one ended it; -1 after a timeout
    std::string out, err;
    std::uint64_t max_resident = 0;  ///< bytes, as whoever started the program is told

    nlohmann::json json() const { return nlohmann::json::parse(out); }
    bool oneErrorLine() const {
        const std::string line = withoutProgress(err);
        return line.rfind("pelt: ", 0) == 0 && line.find('\n') == line.size() - 1;
    }
};

struct RunOptions {
    std::vector<std::string> environment;  ///< "NAME=value", added to the caller's
    std::chrono::seconds timeout{60};
    int interrupt = SIGINT;                        ///< the signal that is sent …
    std::chrono::milliseconds interrupt_after{0};  ///< … then, where this is above 0, …
    std::function<bool(int)> interrupt_when;       ///< … or as soon as this holds of the process
    int interrupts = 1;                            ///< how often, a few milliseconds apart
    bool close_stdout = false;
    bool terminal = false;                     ///< standard error is a terminal
    long file_size_limit = 0;                  ///< bytes a file may grow to, as a disk that fills up
    std::vector<std::pair<int, long>> limits;  ///< RLIMIT_…, most
    bool as_nobody = false;                    ///< gives up the rights of root: some limits are not for that one
    std::string stdout_file;                   ///< instead of being captured
    std::string stdin_file;                    ///< what standard input reads; empty: the caller's
};

RunResult runPelt(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// Expects success and no word on standard error.
RunResult runWell(const std::vector<std::string>& arguments);

std::string readBytes(const std::filesystem::path& path);
void writeBytes(const std::filesystem::path& path, const std::string& bytes);

/// A fresh folder per test, removed at its end.
class CliTest : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    /// A small animated character with smooth weights, made once for all tests.
    static std::string bar();
    std::vector<std::string> filesLeft() const;

    std::filesystem::path folder_;
};

/// Expects that status, nothing on standard output, and exactly one line on standard error that has `words` in it.
void expectFailure(const RunResult& result, int status, const std::string& words);
