// What the options of `pelt batch` mean: the plan, the state, and how items run.
#include "batch/options.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/memory.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "batch/plan/arguments.h"
#include "batch/plan/chains.h"
#include "batch/plan/manifest.h"
#include "batch/run/sha256.h"
#include "program/streams.h"
#include "verbs/run/common_options.h"

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
        program::isStandardStream(path) ? program::readStandardInput() : io::readFile(path, kMostManifest);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const fs::path folder = program::isStandardStream(path) ? fs::current_path() : fs::absolute(path).parent_path();
    return readManifest(text, program::inputName(path), folder, {options.retries, options.timeout});
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

/// What a letter multiplies by: k, m, g, t, p or e, also as KB, KiB and so on; 0 if it is no unit.
std::uint64_t factorOf(std::string unit) {
    for (char& c : unit) c = char(std::tolower(static_cast<unsigned char>(c)));
    if (unit.empty() || unit == "b") return 1;
    const std::size_t power = std::string_view("kmgtpe").find(unit[0]);
    const std::string rest = unit.substr(1);
    const bool known = power != std::string_view::npos && (rest.empty() || rest == "b" || rest == "i" || rest == "ib");
    return known ? std::uint64_t(1) << (10 * (power + 1)) : 0;
}

}  // namespace

bool readText(const std::string& text, ByteCount& bytes) {
    std::uint64_t number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc()) return false;
    const std::string unit = text.substr(std::size_t(rest - text.data()));
    const std::uint64_t factor = factorOf(unit.substr(std::min(unit.find_first_not_of(' '), unit.size())));
    if (factor == 0 || number > ~std::uint64_t(0) / factor) return false;
    bytes.count = number * factor;
    return true;
}

OptionTable<BatchOptions> batchRows() {
    using B = BatchOptions;
    using Row = OptionRow<B>;
    using verbs::kCommon;
    return {
        Row("inputs", "MANIFEST|FILE", &B::inputs,
            "A manifest, one JSON object per line: {\"id\": \"hero\", \"argv\": [\"mush\", \"hero.glb\", \"-o\", "
            "\"mushed.glb\"], \"after\": [], \"retries\": 1, \"timeout\": 600}; or, with --do, files, folders and "
            "quoted patterns with ** * ? [")
            .positional(),
        Row("do", "'VERB …'", &B::commands,
            "A verb and its options, for each file; repeated, each reads what the one before wrote")
            .in(kCommon),
        Row("out", "FOLDER", &B::out, "With --do: the folder for results, OUT/NAME.glb").in(kCommon),
        Row("jobs", "N", &B::jobs, "Number of items at a time (default: as many as cores)").from(1, 4096).in(kCommon),
        Row("engine", "local|slurm", &B::engine,
            "Where items run: local, this machine; slurm, a cluster (default: local). What follows -- is for sbatch: "
            "-- --partition=film --mem=8G")
            .in(kCommon),
        Row("report", "F.jsonl", &B::report, "Also write the report here, one JSON object per item and line")
            .in(kCommon),
        Row("html", "F.html", &B::html,
            "Also write a page with pictures, errors and times of each character; pictures are kept in the state")
            .in(kCommon),
        Row("dry_run", "", &B::dry_run, "Print the commands that would run, and change nothing").in(kCommon),
        Row("state", "FOLDER", &B::state,
            "The folder that keeps what is done (default: beside the manifest or --out, NAME.state)"),
        Row("retries", "N", &B::retries,
            "How often an item is tried again after a crash, a timeout or a lost node (default: 1)")
            .from(0, 1000),
        Row("timeout", "S", &B::timeout, "Seconds after which an item is stopped (default: never)")
            .from(0)
            .unit("seconds"),
        Row("memory", "SIZE", &B::memory,
            "Memory that an item is expected to need, as 2G (default: what was measured before); items at a time stay "
            "under what is free"),
        Row("items_per_task", "N", &B::items_per_task,
            "Items that a task of Slurm runs one after the other (default: 64)")
            .from(1, 1000000),
        Row("cancel", "", &B::cancel, "End the tasks of a run on Slurm"),
        Row("task", "FILE", &B::task, "What a task of Slurm runs").hidden(),
    };
}

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
    if (manifest.empty() || program::isStandardStream(manifest))
        throw Error::badUsage("a manifest on standard input needs --state, a folder for results");
    return fs::path(manifest).replace_extension(".state");
}

Plan makePlan(verbs::Run& run, const BatchOptions& options) {
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
    for (const std::string& warning : plan.warnings) run.warn(options.inputs.front(), warning);
    return plan;
}

RunOptions runOptions(const program::FileHost& host, const BatchOptions& options) {
    const bool task = !options.task.empty();
    const std::uint64_t given = task ? numberFrom("SLURM_CPUS_ON_NODE") : 0;
    const int cpus = std::max(1, task ? int(given) : int(std::thread::hardware_concurrency()));
    RunOptions run;
    run.run = newRunName();
    run.program = "/proc/self/exe";
    run.node = nodeName();
    run.jobs = options.jobs.value_or(cpus);
    run.threads = host.threads > 0 ? host.threads : std::max(1, cpus / run.jobs);
    if (host.local_files_only) run.common.emplace_back("--local-files-only");
    run.item_bytes = options.memory.count;
    run.bytes = std::min(availableMemory(), task ? memoryOfTask(std::uint64_t(cpus)) : ~std::uint64_t(0));
    return run;
}

void printDryRun(verbs::Run& run, const BatchOptions& options, const Plan& plan) {
    std::optional<State> state;
    if (std::error_code fault; fs::is_directory(stateFolder(options), fault)) state.emplace(stateFolder(options));
    const std::vector<bool> open = openItems(plan, state);
    Json list = Json::array();
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        if (!open[i]) continue;
        list.push_back({{"id", plan.items[i].id}, {"argv", plan.items[i].argv}});
        run.print(fmt::format("{}: pelt {}\n", verbs::oneLine(plan.items[i].id),
                              verbs::oneLine(joinWords(plan.items[i].argv))));
    }
    run.print(fmt::format("{} of {} would run\n", list.size(), verbs::counted(plan.items.size(), "item", "items")));
    run.result["items"] = plan.items.size();
    run.result["would_run"] = std::move(list);
}

}  // namespace pelt::batch
