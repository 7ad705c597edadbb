#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pelt::batch {

/// Slurm by its commands: sbatch, squeue, scancel, scontrol. All jobs of a run have its name.
class Slurm {
public:
    Slurm(std::string name, std::vector<std::string> arguments)
        : name_(std::move(name)), arguments_(std::move(arguments)) {}

    const std::string& name() const { return name_; }

    /// The largest number of tasks of one array job (MaxArraySize).
    static std::size_t largestArray();

    /// Submits an array job of `count` tasks and returns its number. It starts when the jobs `after` have ended.
    /// Throws Error (system) with the line that sbatch prints.
    std::string submit(const std::filesystem::path& script, const std::filesystem::path& log, std::size_t count,
                       const std::vector<std::string>& after) const;

    /// The number of jobs and waiting arrays of the run that have not ended; -1 if Slurm does not answer.
    int countActive() const;
    void cancelAll() const;

private:
    std::string name_;
    std::vector<std::string> arguments_;  ///< the user's, for sbatch
};

}  // namespace pelt::batch
