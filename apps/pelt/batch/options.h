#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batch/plan/plan.h"
#include "batch/run/run.h"
#include "program/file_host.h"

namespace pelt::batch {

enum class Engine { local, slurm };

/// A number of bytes, written as 2G or 512 MiB.
struct ByteCount {
    std::uint64_t count = 0;
};
bool readText(const std::string& text, ByteCount& bytes);

struct BatchOptions {
    std::vector<std::string> inputs, commands;
    std::filesystem::path out, state, report, html;
    Engine engine = Engine::local;
    std::optional<int> jobs;
    int retries = 1, items_per_task = 64;
    double timeout = 0;
    ByteCount memory;
    bool dry_run = false, cancel = false;
    std::filesystem::path task;  ///< the file of a task of Slurm, which this process is
};

OptionTable<BatchOptions> batchRows();

/// A new name for a run, different on every machine.
std::string newRunName();

/// Where the state is if --state does not say so: beside the manifest or the results.
std::filesystem::path stateFolder(const BatchOptions& options);

/// The items of the manifest, or of --do. Warnings go to the report.
Plan makePlan(verbs::Run& run, const BatchOptions& options);

/// How this process runs items: here, or in a task of Slurm with what the task was given.
RunOptions runOptions(const program::FileHost& host, const BatchOptions& options);

/// Prints the commands that would run.
void printDryRun(verbs::Run& run, const BatchOptions& options, const Plan& plan);

}  // namespace pelt::batch

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::batch::Engine>[] = {"local", "slurm"};
