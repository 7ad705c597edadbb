#pragma once

#include <filesystem>
#include <vector>

#include "batch/plan/plan.h"

namespace pelt::batch {

/// Items that one task of a cluster runs one after the other; each wave starts when the one before has ended.
struct Task {
    std::size_t wave = 0;
    std::vector<std::size_t> items;
};

/// Divides items among tasks of at most `most` items. Items that need each other share a task if they fit into one;
/// those of larger groups go into waves. Sorted by wave.
std::vector<Task> divideItems(const Plan& plan, const std::vector<bool>& chosen, std::size_t most);

/// What a task is given: a file with its items, and the items that they need.
struct TaskFile {
    std::filesystem::path folder;  ///< of the plan
    std::string run;
    int jobs = 0, threads = 0;
    std::uint64_t memory = 0;
    bool local_files_only = false;
};
void writeTask(const std::filesystem::path& path, const TaskFile& task, const Plan& plan,
               const std::vector<std::size_t>& items);
/// Throws Error (bad input) if the file is not one of writeTask().
Plan readTask(const std::filesystem::path& path, TaskFile& task);
Plan taskFromText(const std::string& text, const std::string& name, TaskFile& task);

}  // namespace pelt::batch
