#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batch/plan/plan.h"
#include "batch/run/keys.h"
#include "batch/run/state.h"

namespace pelt::batch {

/// How items are run on one machine.
struct RunOptions {
    std::string run;                  ///< a name of this run, which its records carry
    std::string program;              ///< pelt itself
    std::string node;                 ///< the name of this machine
    int jobs = 1, threads = 1;        ///< items at a time, threads of each
    std::vector<std::string> common;  ///< options that every item gets
    std::uint64_t item_bytes = 0;     ///< memory that each item is expected to need; 0: as measured before
    std::uint64_t bytes = 0;          ///< memory that items may use together
};

/// Called when an item starts (`ended` is null) and when it has ended.
using Listener = std::function<void(std::size_t item, const Record* ended)>;

struct Results {
    std::vector<Record> records;    ///< one per item; empty ids: not run here
    std::vector<bool> done_before;  ///< the result is that of an earlier run

    bool has(std::size_t i) const { return !records[i].id.empty(); }
};

/// Runs the items of the plan, each when those that it needs are done, and keeps the records in the state. Items that
/// another process works on are waited for. Items with `context` are only looked up; those that need one without a
/// result are left out. Throws Error (cancelled) when the user asks for it, after ending all children.
Results runItems(const Plan& plan, const State& state, const RunOptions& options, const Listener& listener);

/// The result that the state has of an item, if it counts: final and of the present inputs, or a failure of this run.
std::optional<Record> findResult(const Plan& plan, std::size_t item, const State& state, const std::string& run);

/// Why an item is not run although its turn has come: one that it needs did not end well. Empty if all are done.
std::string whySkipped(const Plan& plan, std::size_t item, const Results& results);

}  // namespace pelt::batch
