#pragma once

#include <functional>

#include "batch/options.h"
#include "batch/slurm/slurm.h"
#include "batch/slurm/tasks.h"

namespace pelt::batch {

/// Runs the plan by tasks of Slurm and waits for them. Tasks of an earlier run that was interrupted are waited for
/// first. Items whose task ended without a result (it was killed, its node died) are submitted again. Throws Error:
/// system if Slurm refuses or does not answer; cancelled after Ctrl-C (the tasks go on) and after --cancel.
Results runOnSlurm(verbs::Run& run, const BatchOptions& options, const Plan& plan, const State& state);

/// Ends all tasks of the last run. Returns false if there are none.
bool cancelSlurmRun(const std::filesystem::path& state);

/// The work of one task.
void runTask(program::FileHost& host, BatchOptions options);

}  // namespace pelt::batch
