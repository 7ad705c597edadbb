// pelt batch: verbs over many characters, here or on a Slurm cluster.
#include "batch/verb_batch.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <chrono>
#include <map>

#include "batch/plan/arguments.h"
#include "batch/report/gallery.h"
#include "batch/slurm/slurm_run.h"
#include "program/streams.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

/// Runs all items here, with progress.
Results runHere(verbs::Run& run, const BatchOptions& options, const Plan& plan, const State& state) {
    std::size_t ended = 0;
    const auto show = [&](std::size_t, const Record* record) {
        ended += record != nullptr;
        run.progress().report("items", double(ended) / double(plan.items.size()));
    };
    return runItems(plan, state, runOptions(program::hostOf(run), options), show);
}

/// Results are reported before the status says what some of them are.
void endWith(verbs::Run& run, const Totals& totals, const fs::path& report) {
    const int status = totals.exitStatus();
    if (status == 0) return;
    const std::size_t ill = totals.items - totals.done;
    const std::string message =
        fmt::format("{} of {} not done; see {}", ill, verbs::counted(totals.items, "item", "items"), report.string());
    run.missGate(message, status == 1 ? ErrorCode::system : status == 3 ? ErrorCode::bad_input : ErrorCode::gate);
}

void checkEngine(const program::FileHost& host, const BatchOptions& options) {
    if (options.engine == Engine::slurm) return;
    if (!host.passed_on.empty()) throw Error::badUsage("what follows -- is for sbatch; it needs --engine slurm");
}

/// Before any work, as for every output.
void checkPages(const BatchOptions& options) {
    std::error_code fault;
    for (const auto& [flag, file] : {std::pair("--report", options.report), std::pair("--html", options.html)}) {
        if (program::isStandardStream(file))
            throw Error::badUsage({fmt::format("{} -", flag)},
                                  "only the main output may be standard output; name a file");
        if (file.empty()) continue;
        if (!fs::is_directory(fs::absolute(file).parent_path(), fault))
            throw Error::system({file.string()}, fmt::format("the folder {} does not exist; make it first",
                                                             fs::absolute(file).parent_path().string()));
        if (fs::is_directory(file, fault) || !file.has_filename())
            throw Error::system({file.string()}, "is a folder; name a file");
        if (!io::mayReplace(file)) throw Error::system({file.string()}, "cannot write: it is read-only");
    }
}

fs::path placeOf(const fs::path& file) {
    std::error_code fault;
    const fs::path place = fs::weakly_canonical(file, fault);
    return fault ? fs::absolute(file).lexically_normal() : place;
}

/// Neither page may take the place of what items read or write, or of the manifest.
void checkPagesAreNew(const BatchOptions& options, const Plan& plan) {
    std::map<fs::path, const char*> pages;
    for (const auto& [flag, file] : {std::pair("--report", options.report), std::pair("--html", options.html)})
        if (!file.empty() && !pages.emplace(placeOf(file), flag).second)
            throw Error::badUsage("--report and --html name the same file; choose two");
    if (pages.empty()) return;
    const auto check = [&](const fs::path& file, const char* what) {
        const auto page = pages.find(placeOf(file));
        if (page != pages.end())
            throw Error::badUsage({fmt::format("{} {}", page->second, file.string())},
                                  fmt::format("is {}; choose another file", what));
    };
    for (const std::string& input : options.inputs) check(input, "an input of this run");
    for (const Item& item : plan.items) {
        for (const fs::path& file : inputsOf(item.argv, plan.folder)) check(plan.folder / file, "read by an item");
        for (const fs::path& file : outputsOf(item.argv)) check(plan.folder / file, "written by an item");
    }
}

void cancelRun(verbs::Run& run, const BatchOptions& options) {
    const fs::path state = stateFolder(options);
    const bool any = cancelSlurmRun(fs::absolute(state));
    run.result["cancelled"] = any;
    run.print(fmt::format("{}: {}\n", verbs::oneLine(state.string()),
                          any ? "all its tasks are cancelled" : "no run of Slurm"));
}

void runBatch(verbs::Run& run) {
    const auto options = run.read(batchRows());
    if (!options.task.empty()) return runTask(program::hostOf(run), options);
    checkEngine(program::hostOf(run), options);
    if (options.cancel) return cancelRun(run, options);
    checkPages(options);
    const auto begun = std::chrono::steady_clock::now();
    run.stage("plan");
    Plan plan = makePlan(run, options);
    checkPagesAreNew(options, plan);
    if (options.dry_run) return printDryRun(run, options, plan);
    if (!options.html.empty()) addPictures(plan, fs::absolute(stateFolder(options)));
    const State state(fs::absolute(stateFolder(options)));
    run.stage("items");
    const bool here = options.engine == Engine::local;
    const Results results = here ? runHere(run, options, plan, state) : runOnSlurm(run, options, plan, state);
    run.stage("report");
    const fs::path report = stateFolder(options) / "report.jsonl";
    writeReport(plan, results, report);
    if (!options.report.empty()) writeReport(plan, results, options.report);
    if (!options.html.empty()) writeGallery(options.html, plan, results);
    const Totals totals = totalsOf(plan, results);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    run.result.update(totalsJson(totals));
    run.result["seconds"] = seconds;
    run.result["report"] = report.string();
    run.print(describeTotals(plan, results, totals, seconds));
    run.print(fmt::format("{}\n", verbs::oneLine(report.string())));
    endWith(run, totals, report);
}

}  // namespace

verbs::Verb batchVerb() {
    return {.name = "batch",
            .summary = "Runs verbs over many characters, here or on a Slurm cluster; what is done is not done again",
            .example = "pelt batch 'lib/**/*.glb' --do mush --do 'bake --helpers 8' --out built",
            .where = verbs::Where::program,
            .browser = false,
            .options = optionInfos(batchRows()),
            .run = runBatch};
}

}  // namespace pelt::batch
