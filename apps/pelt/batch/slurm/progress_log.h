#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

namespace pelt::batch {

/// What the tasks of a run have begun and ended: a file per task beside the task's, to which it appends a line each
/// time. Who waits for them learns from it how far they are, and which items were lost with their task.
class ProgressLog {
public:
    /// Of the task whose file is `task`. Throws Error (system) if it cannot be written.
    explicit ProgressLog(const std::filesystem::path& task);
    ~ProgressLog();
    ProgressLog(const ProgressLog&) = delete;
    ProgressLog& operator=(const ProgressLog&) = delete;

    void begun(const std::string& id) { append('+', id); }
    void ended(const std::string& id) { append('-', id); }

    struct Counts {
        std::size_t begun = 0, ended = 0;
        std::unordered_map<std::string, int> attempts;  ///< by nameOf(id)

        int attemptsOf(const std::string& id) const;
    };
    /// The sums over all tasks of a run.
    static Counts read(const std::filesystem::path& folder);

private:
    void append(char mark, const std::string& id);

    int descriptor_ = -1;
};

}  // namespace pelt::batch
