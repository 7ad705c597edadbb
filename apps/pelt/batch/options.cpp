#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/memory.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "../streams.h"
#include "../text.h"
#include "arguments.h"
#include "chains.h"
#include "manifest.h"
#include "sha256.h"
#include "verb_batch.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostManifest = std::uint64_t(4) << 30;

/// A number of the environment; 0 if it is not there.
std::uint64_t numberFrom(const char* variable) {
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

std::string nodeName() {
    if (const char* name = std::getenv("SLURMD_NODENAME")) return name;
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

/// What Slurm gave to this task; unlimited if it does not say.
std::uint64_t memoryOfTask(std::uint64_t cpus) {
    constexpr std::uint64_t kMegabyte = std::uint64_t(1) << 20;
    if (const std::uint64_t whole = numberFrom("SLURM_MEM_PER_NODE")) return whole * kMegabyte;
    if (const std::uint64_t each = numberFrom("SLURM_MEM_PER_CPU")) return each * cpus * kMegabyte;
    return ~std::uint64_t(0);
}

Plan planOfManifest(const BatchOptions& options) {
    if (options.inputs.size() != 1)
        throw Error::badUsage("name one manifest, or files together with --do; see pelt batch --help");
    const fs::path path = options.inputs.front();
    const std::vector<std::byte> bytes =
        cli::isStandardStream(path) ? cli::readStandardInput() : io::readFile(path, kMostManifest);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const fs::path folder = cli::isStandardStream(path) ? fs::current_path() : fs::absolute(path).parent_path();
    return readManifest(text, cli::inputName(path), folder, {options.retries, options.timeout});
}

/// Items that a run would start: not done, and nothing that they need has failed for good.
std::vector<bool> openItems(const Plan& plan, const std::optional<State>& state) {
    Results known;
    known.records.resize(plan.items.size());
    std::vector<bool> open(plan.items.size());
    for (const std::size_t i : plan.order) {
        const auto& needs = plan.needs[i];
        const bool later = std::any_of(needs.begin(), needs.end(), [&](std::size_t need) { return open[need]; });
        const std::string skipped = whySkipped(plan, i, known);
        std::optional<Record> record;
        if (!skipped.empty())
            record = skippedRecord(plan.items[i], skipped);
        else if (!later && state)
            record = findResult(plan, i, *state, {});
        open[i] = !record;
        if (record) known.records[i] = std::move(*record);
    }
    return open;
}

}  // namespace

std::string newRunName() {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return sha256(fmt::format("{} {} {}", nodeName(), ::getpid(), now)).substr(0, 12);
}

fs::path stateFolder(const BatchOptions& options) {
    if (!options.state.empty()) return options.state;
    if (!options.commands.empty()) {
        const fs::path out = options.out.has_filename() ? options.out : options.out.parent_path();
        return fs::path(out) += ".state";
    }
    const fs::path manifest = options.inputs.empty() ? fs::path() : fs::path(options.inputs.front());
    if (manifest.empty() || cli::isStandardStream(manifest))
        throw Error::badUsage("a manifest on standard input needs --state, a folder for results");
    return fs::path(manifest).replace_extension(".state");
}

Plan makePlan(cli::Session& session, const BatchOptions& options) {
    if (options.inputs.empty())
        throw Error::badUsage("name a manifest, or files together with --do; see pelt batch --help");
    if (!options.commands.empty() && options.out.empty())
        throw Error::badUsage("--do needs --out, the folder for results");
    const Plan plan = options.commands.empty() ? planOfManifest(options)
                                               : planChains({options.inputs,
                                                             options.commands,
                                                             options.out,
                                                             stateFolder(options),
                                                             fs::current_path(),
                                                             {options.retries, options.timeout}});
    for (const std::string& warning : plan.warnings) session.warn(options.inputs.front(), warning);
    return plan;
}

RunOptions runOptions(const cli::Session& session, const BatchOptions& options) {
    const bool task = !options.task.empty();
    const std::uint64_t given = task ? numberFrom("SLURM_CPUS_ON_NODE") : 0;
    const int cpus = std::max(1, task ? int(given) : int(std::thread::hardware_concurrency()));
    RunOptions run;
    run.run = newRunName();
    run.program = "/proc/self/exe";
    run.node = nodeName();
    run.jobs = options.jobs > 0 ? options.jobs : cpus;
    run.threads = session.threads > 0 ? session.threads : std::max(1, cpus / run.jobs);
    if (session.local_files_only) run.common.emplace_back("--local-files-only");
    run.item_bytes = options.memory;
    run.bytes = std::min(availableMemory(), task ? memoryOfTask(std::uint64_t(cpus)) : ~std::uint64_t(0));
    return run;
}

void printDryRun(cli::Session& session, const BatchOptions& options, const Plan& plan) {
    std::optional<State> state;
    if (std::error_code fault; fs::is_directory(stateFolder(options), fault)) state.emplace(stateFolder(options));
    const std::vector<bool> open = openItems(plan, state);
    Json list = Json::array();
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        if (!open[i]) continue;
        list.push_back({{"id", plan.items[i].id}, {"argv", plan.items[i].argv}});
        session.print(
            fmt::format("{}: pelt {}\n", cli::oneLine(plan.items[i].id), cli::oneLine(joinWords(plan.items[i].argv))));
    }
    session.print(fmt::format("{} of {} would run\n", list.size(), cli::counted(plan.items.size(), "item", "items")));
    session.result["items"] = plan.items.size();
    session.result["would_run"] = std::move(list);
}

}  // namespace pelt::batch
