#pragma once

#include <pelt/core/progress.h>
#include <pelt/pipeline/files.h>
#include <pelt/rig/character.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "progress_display.h"
#include "stages.h"

namespace pelt::cli {

/// What every verb shares: the common options, the clock, progress and cancelling, warnings, the result.
class Session {
public:
    bool json = false, quiet = false;
    int threads = 0;
    nlohmann::ordered_json result;  ///< filled by the verb; "verb", "stages" and "warnings" are added

    /// Makes a verb: description, the common options, one worked example, and what it does.
    CLI::App* addVerb(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example, std::function<void()> work);

    /// Begins a stage that is also shown as progress. Throws Error (cancelled) after Ctrl-C.
    void stage(std::string_view name);
    /// Begins or goes on with a stage inside a loop that reports its progress itself.
    void lap(std::string_view name) { stages_.enter(name); }
    Progress progress();
    /// Shows what a part of the stage `name` reports as the share `from` to `to` of the whole.
    Progress progressPart(std::string name, double from, double to);

    void warn(const std::filesystem::path& file, const std::string& message);
    /// Text for people, on standard output at the end; not with --json or --quiet.
    void print(const std::string& text) { text_ += text; }

    /// What the loader mended becomes warnings, unless the verb itself reports it.
    Character loadCharacter(const std::filesystem::path& path, bool with_warnings = true);

    /// A quality gate was missed: the result is written all the same, then the program says so and ends with 4.
    void missGate(const std::string& message) { missed_gate_ = message; }

    /// Standard output gets the result; an Error thrown here is still one line and an exit status.
    void writeResult();

private:
    void run(const std::string& verb, const std::function<void()>& work);

    Stages stages_;
    ProgressDisplay display_;
    std::vector<std::string> warnings_;
    std::string text_;
    std::string missed_gate_;
};

/// Runs `work` so that its errors name `file`.
template <class Work>
auto aboutFile(const std::filesystem::path& file, Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw pipeline::withFile(error, file);
    }
}

}  // namespace pelt::cli
