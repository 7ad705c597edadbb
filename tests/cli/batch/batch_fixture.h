#pragma once

#include "cli/support/program.h"

/// Manifests of `pelt batch` in the test's folder, and what their runs report.
class BatchTest : public CliTest {
protected:
    using Statuses = std::vector<std::pair<std::string, std::string>>;

    void copyBar(const std::string& name) const;
    /// Writes jobs.jsonl.
    void manifest(const std::vector<nlohmann::json>& items) const;
    /// `mush ID.glb -o out/ID.glb`.
    static nlohmann::json mushItem(const std::string& id, const std::vector<std::string>& options = {});
    /// Items "0", "1", … that take some tenths of a second each.
    void slowManifest(int count) const;

    std::vector<nlohmann::json> report() const;
    nlohmann::json item(const std::string& id) const;
    Statuses statuses() const;
    /// Runs jobs.jsonl and returns the ids of the items that were not done before.
    std::vector<std::string> doneNow() const;
    /// Records in the state.
    std::size_t recordCount() const;
    /// Processes that a process has started.
    static std::vector<int> childrenOf(int process);
};
