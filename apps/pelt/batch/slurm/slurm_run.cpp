// A run on Slurm: submits tasks, waits for them, and submits again what was lost.
#include "batch/slurm/slurm_run.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <regex>
#include <thread>

#include "batch/plan/arguments.h"
#include "batch/slurm/progress_log.h"
#include "program/signals.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kSilence = 300;  ///< seconds without an answer of Slurm after which waiting ends
constexpr double kShortestWait = 0.5, kLongestWait = 15;

std::string readText(const fs::path& path) {
    std::string text;
    std::ifstream(path) >> text;
    return text;
}

void writeText(const fs::path& path, const std::string& text) {
    io::AtomicFile file(path);
    file.write(text);
    file.commit();
}

fs::path runFolder(const fs::path& state, const std::string& run) { return state / "slurm" / run; }
std::string jobName(const std::string& run) { return "pelt-" + run; }

/// The run on Slurm that the state knows, if any. Names are those of newRunName(): they become part of paths.
std::string lastRun(const fs::path& state) {
    const std::string name = readText(state / "slurm" / "run");
    const bool known = name.size() == 12 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
    return known ? name : "";
}

/// What a run has written into its folder; anything else there is somebody's.
bool isOfRun(const fs::path& file) {
    static const std::regex names(R"(cancelled|\d+-\d+\.(jsonl|sh|progress)|\d+-\d+-(\d+|%a)\.log)");
    std::error_code fault;
    return std::regex_match(file.filename().string(), names) && fs::is_regular_file(fs::symlink_status(file, fault));
}

void forgetRun(const fs::path& state, const std::string& run) {
    std::error_code fault;
    std::vector<fs::path> files;
    for (fs::directory_iterator it(runFolder(state, run), fault), end; !fault && it != end; it.increment(fault))
        if (isOfRun(it->path())) files.push_back(it->path());
    for (const fs::path& file : files) fs::remove(file, fault);
    fs::remove(runFolder(state, run), fault);  // if it is empty now
    fs::remove(state / "slurm" / "run", fault);
}

/// From now on the state knows the run: who comes later finds its tasks, and --cancel ends them.
void beginRun(const fs::path& state, const std::string& run) {
    std::error_code fault;
    fs::create_directories(runFolder(state, run), fault);
    writeText(state / "slurm" / "run", run + "\n");
}

bool isCancelled(const fs::path& state, const std::string& run) {
    std::error_code fault;
    return fs::exists(runFolder(state, run) / "cancelled", fault);
}

/// Waits until no job of the run is left.
class Waiter {
public:
    Waiter(const Progress& progress, const fs::path& state, std::size_t items)
        : progress_(progress), state_(state), items_(items) {}

    void wait(const Slurm& slurm, const std::string& run, std::size_t ended_before) {
        double pause = kShortestWait;
        Clock::time_point answered = Clock::now();
        while (true) {
            const int active = slurm.countActive();
            if (active == 0) break;
            if (active > 0) answered = Clock::now();
            if (std::chrono::duration<double>(Clock::now() - answered).count() > kSilence)
                throw Error::system("squeue does not answer; the same command goes on when Slurm is back");
            const std::size_t ended = ended_before + ProgressLog::read(runFolder(state_, run)).ended;
            progress_.report("items", std::min(1.0, double(ended) / double(items_)));
            sleep(pause, run);
            pause = std::min(1.3 * pause, kLongestWait);
        }
        checkCancelled(run);
    }

private:
    void checkCancelled(const std::string& run) const {
        if (isCancelled(state_, run)) throw Error(ErrorCode::cancelled, "cancelled by --cancel");
    }

    void sleep(double seconds, const std::string& run) const {
        const Clock::time_point end = Clock::now() + std::chrono::milliseconds(int(1000 * seconds));
        while (Clock::now() < end) {
            if (program::cancelRequested())
                throw Error(ErrorCode::cancelled,
                            "no longer waiting; the tasks of Slurm go on: the same command waits for them again, with "
                            "--cancel it ends them");
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        checkCancelled(run);
    }

    Progress progress_;
    const fs::path& state_;
    std::size_t items_;
};

/// What is known of all items: results, and which of the others can be submitted.
struct Survey {
    Results results;
    std::vector<bool> open;
    std::size_t open_count = 0;
};

Survey survey(const Plan& plan, const State& state, const std::string& run) {
    Survey made{{std::vector<Record>(plan.items.size()), std::vector<bool>(plan.items.size())},
                std::vector<bool>(plan.items.size()),
                0};
    for (const std::size_t i : plan.order) {
        if (std::string why = whySkipped(plan, i, made.results); !why.empty()) {
            made.results.records[i] = skippedRecord(plan.items[i], why);
            continue;
        }
        const auto& needs = plan.needs[i];
        const bool later = std::any_of(needs.begin(), needs.end(), [&](std::size_t need) { return made.open[need]; });
        std::optional<Record> record;
        if (!later) record = findResult(plan, i, state, run);
        made.open[i] = !record;
        made.open_count += made.open[i];
        if (!record) continue;
        made.results.done_before[i] = record->run != run;
        made.results.records[i] = std::move(*record);
    }
    return made;
}

/// Writes the tasks' files and submits an array of them per wave, or more if arrays may not be that large.
void submitTasks(const BatchOptions& options, const Plan& plan, const fs::path& state, const Slurm& slurm,
                 const TaskFile& head, const std::vector<bool>& open, int round) {
    const fs::path folder = runFolder(state, head.run);
    const std::vector<Task> tasks = divideItems(plan, open, std::size_t(options.items_per_task));
    for (std::size_t t = 0; t < tasks.size(); ++t)
        writeTask(folder / fmt::format("{}-{}.jsonl", round, t), head, plan, tasks[t].items);
    const std::size_t most = Slurm::largestArray();
    const fs::path program = fs::read_symlink("/proc/self/exe");
    std::vector<std::string> before, wave;
    for (std::size_t first = 0; first < tasks.size();) {
        std::size_t end = first;
        while (end < tasks.size() && end - first < most && tasks[end].wave == tasks[first].wave) ++end;
        const std::string words =
            joinWords({program.string(), "batch", "--quiet", "--state", state.string(), "--task"});
        const fs::path script = folder / fmt::format("{}-{}.sh", round, first);
        writeText(script, fmt::format("#!/bin/sh\nexec {} {}-$(({} + SLURM_ARRAY_TASK_ID)).jsonl\n", words,
                                      joinWords({(folder / std::to_string(round)).string()}), first));
        wave.push_back(slurm.submit(script, folder / fmt::format("{}-{}-%a.log", round, first), end - first, before));
        if (end < tasks.size() && tasks[end].wave != tasks[first].wave) before = std::exchange(wave, {});
        first = end;
    }
}

/// An item that was begun as often as it may be, and whose tasks always ended before it did.
Record lostRecord(const Plan& plan, const Item& item, const std::string& run) {
    ItemKey key = keyOf(item, plan.folder, {});
    Record record;
    record.id = item.id;
    record.run = run;
    record.key = key.key;
    record.hashed = key.hashed;
    record.inputs = std::move(key.inputs);
    record.status = "failed";
    record.exit_code = 1;
    record.attempts = item.tried;
    record.error = "its task ended before it did: it was killed, ran out of time or memory, or its node died";
    return record;
}

/// Counts the attempts that were lost with their tasks. True if an item was given up.
bool giveUpLost(Plan& plan, const State& state, const std::vector<bool>& open, const ProgressLog::Counts& progress,
                const std::string& run) {
    bool any = false;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        Item& item = plan.items[i];
        item.tried = open[i] ? progress.attemptsOf(item.id) : 0;
        if (item.tried <= item.retries) continue;
        state.write(lostRecord(plan, item, run));
        any = true;
    }
    return any;
}

/// Waits for the tasks of an earlier run that was interrupted; forgets it when they have ended.
void finishFormer(const fs::path& state, Waiter& waiter) {
    const std::string former = lastRun(state);
    if (former.empty()) return;
    const Slurm slurm(jobName(former), {});
    if (!isCancelled(state, former) && slurm.countActive() != 0) waiter.wait(slurm, former, 0);
    forgetRun(state, former);
}

}  // namespace

Results runOnSlurm(verbs::Run& run, const BatchOptions& options, const Plan& given, const State& state) {
    const program::FileHost& host = program::hostOf(run);
    const fs::path& folder = state.folder();
    Plan plan = given;
    Waiter waiter(run.progress(), folder, plan.items.size());
    finishFormer(folder, waiter);
    const std::string name = newRunName();
    const Slurm slurm(jobName(name), host.passed_on);
    const TaskFile head{plan.folder,          name, options.jobs.value_or(0), host.threads, options.memory.count,
                        host.local_files_only};
    const fs::path files = runFolder(folder, name);
    std::size_t open = 0, begun = 0;
    for (int round = 0;; ++round) {
        const ProgressLog::Counts progress = ProgressLog::read(files);
        Survey now = survey(plan, state, name);
        if (giveUpLost(plan, state, now.open, progress, name)) now = survey(plan, state, name);
        if (now.open_count == 0) return std::move(now.results);
        if (round > 0 && now.open_count == open && progress.begun == begun)
            throw Error::system({files.string()}, "the tasks of Slurm end without doing anything; see the logs there");
        open = now.open_count;
        begun = progress.begun;
        if (round == 0) beginRun(folder, name);
        submitTasks(options, plan, folder, slurm, head, now.open, round);
        waiter.wait(slurm, name, plan.items.size() - open);
    }
}

bool cancelSlurmRun(const fs::path& state) {
    const std::string run = lastRun(state);
    if (run.empty()) return false;
    writeText(runFolder(state, run) / "cancelled", "\n");
    Slurm(jobName(run), {}).cancelAll();
    return true;
}

void runTask(program::FileHost& host, BatchOptions options) {
    TaskFile task;
    const Plan plan = readTask(options.task, task);
    if (task.jobs > 0) options.jobs = task.jobs;
    options.memory.count = task.memory;
    host.threads = task.threads;
    host.local_files_only = task.local_files_only;
    RunOptions run = runOptions(host, options);
    run.run = task.run;
    ProgressLog progress(options.task);
    runItems(plan, State(options.state), run, [&](std::size_t i, const Record* ended) {
        if (ended)
            progress.ended(ended->id);
        else
            progress.begun(plan.items[i].id);
    });
}

}  // namespace pelt::batch
