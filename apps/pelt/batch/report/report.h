#pragma once

#include <filesystem>

#include "batch/plan/plan.h"
#include "batch/run/run.h"

namespace pelt::batch {

/// The items of a report by how they ended; pictures of the gallery are not counted.
struct Totals {
    std::size_t items = 0, before = 0;  ///< all; done by earlier runs
    std::size_t done = 0, bad_input = 0, gate = 0, failed = 0, timeout = 0, skipped = 0;
    double seconds = 0, cpu_seconds = 0;  ///< of all items, whenever they were done
    std::uint64_t peak_bytes = 0;

    /// 0, or the first of 1, 3, 4 that an item calls for.
    int exitStatus() const;
};

Totals totalsOf(const Plan& plan, const Results& results);

/// Writes STATE/report.jsonl: an object per item, in the order of the manifest.
void writeReport(const Plan& plan, const Results& results, const std::filesystem::path& path);

/// "3 items: 2 done (1 before), 1 bad input".
std::string countsOf(const Totals& totals);

/// The report for people: totals, and one line per item that is not done (the first ones).
std::string describeTotals(const Plan& plan, const Results& results, const Totals& totals, double wall_seconds);

Json totalsJson(const Totals& totals);

}  // namespace pelt::batch
