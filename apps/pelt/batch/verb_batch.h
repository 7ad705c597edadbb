#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../session.h"
#include "plan.h"
#include "report.h"
#include "run.h"

namespace pelt::batch {

struct BatchOptions {
    std::vector<std::string> inputs, commands;
    std::filesystem::path out, state, report, html;
    std::string engine = "local";
    int jobs = 0, retries = 1, items_per_task = 64;
    double timeout = 0;
    std::uint64_t memory = 0;
    bool dry_run = false, cancel = false;
    std::filesystem::path task;  ///< the file of a task of Slurm, which this process is
};

/// A new name for a run, different on every machine.
std::string newRunName();

/// Where the state is if --state does not say so: beside the manifest or the results.
std::filesystem::path stateFolder(const BatchOptions& options);

/// The items of the manifest, or of --do. Warnings go to the session.
Plan makePlan(cli::Session& session, const BatchOptions& options);

/// How this process runs items: here, or in a task of Slurm with what the task was given.
RunOptions runOptions(const cli::Session& session, const BatchOptions& options);

/// Prints the commands that would run.
void printDryRun(cli::Session& session, const BatchOptions& options, const Plan& plan);

}  // namespace pelt::batch
