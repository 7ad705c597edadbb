#include "verb_batch.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <chrono>

#include "../text.h"
#include "../verbs.h"
#include "slurm_run.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;
using batch::BatchOptions;
using batch::Plan;
using batch::Results;
using batch::State;

/// Runs all items here, with progress.
Results runHere(Session& session, const BatchOptions& options, const Plan& plan, const State& state) {
    std::size_t ended = 0;
    const auto show = [&](std::size_t, const batch::Record* record) {
        ended += record != nullptr;
        session.progress().report("items", double(ended) / double(plan.items.size()));
    };
    return batch::runItems(plan, state, batch::runOptions(session, options), show);
}

/// Results are printed before the status says what some of them are.
void endWith(Session& session, const batch::Totals& totals, const fs::path& report) {
    const int status = totals.exitStatus();
    if (status == 0) return;
    session.endProgress();
    session.writeResult();
    const std::size_t ill = totals.items - totals.done;
    const std::string message =
        fmt::format("{} of {} not done; see {}", ill, counted(totals.items, "item", "items"), report.string());
    throw Error(status == 1 ? ErrorCode::system : status == 3 ? ErrorCode::bad_input : ErrorCode::gate, message);
}

void checkEngine(const Session& session, const BatchOptions& options) {
    if (options.engine == "slurm") return;
    if (!session.passed_on.empty()) throw Error::badUsage("what follows -- is for sbatch; it needs --engine slurm");
}

/// Before any work, as for every output.
void checkPages(const BatchOptions& options) {
    std::error_code fault;
    for (const fs::path& file : {options.report, options.html})
        if (!file.empty() && !fs::is_directory(fs::absolute(file).parent_path(), fault))
            throw Error::system({file.string()}, fmt::format("the folder {} does not exist; make it first",
                                                             fs::absolute(file).parent_path().string()));
}

void cancelRun(Session& session, const BatchOptions& options) {
    const fs::path state = batch::stateFolder(options);
    const bool any = batch::cancelSlurmRun(fs::absolute(state));
    session.result["cancelled"] = any;
    session.print(
        fmt::format("{}: {}\n", oneLine(state.string()), any ? "all its tasks are cancelled" : "no run of Slurm"));
}

void runBatch(Session& session, const BatchOptions& options) {
    if (!options.task.empty()) return batch::runTask(session, options);
    checkEngine(session, options);
    if (options.cancel) return cancelRun(session, options);
    checkPages(options);
    const auto begun = std::chrono::steady_clock::now();
    session.stage("plan");
    Plan plan = batch::makePlan(session, options);
    if (options.dry_run) return batch::printDryRun(session, options, plan);
    if (!options.html.empty()) batch::addPictures(plan, fs::absolute(batch::stateFolder(options)));
    const State state(fs::absolute(batch::stateFolder(options)));
    session.stage("items");
    const bool here = options.engine == "local";
    const Results results = here ? runHere(session, options, plan, state) : runOnSlurm(session, options, plan, state);
    session.stage("report");
    const fs::path report = batch::stateFolder(options) / "report.jsonl";
    batch::writeReport(plan, results, report);
    if (!options.report.empty()) batch::writeReport(plan, results, options.report);
    if (!options.html.empty()) batch::writeGallery(options.html, plan, results);
    const batch::Totals totals = batch::totalsOf(plan, results);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    session.result.update(batch::totalsJson(totals));
    session.result["seconds"] = seconds;
    session.result["report"] = report.string();
    session.print(batch::describeTotals(plan, results, totals, seconds));
    session.print(fmt::format("{}\n", oneLine(report.string())));
    endWith(session, totals, report);
}

}  // namespace

void addBatch(CLI::App& app, Session& session) {
    const auto options = std::make_shared<BatchOptions>();
    CLI::App* verb = session.addVerb(app, "batch",
                                     "Runs verbs over many characters, here or on a Slurm cluster; what is done is not "
                                     "done again",
                                     "pelt batch 'lib/**/*.glb' --do mush --do 'bake --helpers 8' --out built",
                                     [&session, options] { runBatch(session, *options); });
    verb->add_option("inputs", options->inputs,
                     "A manifest, one JSON object per line: {\"id\": \"hero\", \"argv\": [\"mush\", \"hero.glb\", "
                     "\"-o\", \"mushed.glb\"], \"after\": [], \"retries\": 1, \"timeout\": 600}; or, with --do, "
                     "files, folders and quoted patterns with ** * ? [")
        ->type_name("MANIFEST|FILE");
    verb->add_option("--do", options->commands,
                     "A verb and its options, for each file; repeated, each reads what the one before wrote")
        ->allow_extra_args(false)
        ->type_name("'VERB …'");
    verb->add_option("--out", options->out, "With --do: the folder for results, OUT/NAME.glb")->type_name("FOLDER");
    verb->add_option("--jobs", options->jobs, "Number of items at a time (default: as many as cores)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    verb->add_option("--state", options->state,
                     "The folder that keeps what is done (default: beside the manifest or --out, NAME.state)")
        ->type_name("FOLDER");
    verb->add_option("--report", options->report, "Also write the report here, one JSON object per item and line")
        ->type_name("F.jsonl");
    verb->add_option(
            "--html", options->html,
            "Also write a page with pictures, errors and times of each character; pictures are kept in the state")
        ->type_name("F.html");
    verb->add_option("--retries", options->retries,
                     "How often an item is tried again after a crash, a timeout or a lost node (default: 1)")
        ->check(CLI::Range(0, 1000))
        ->type_name("N");
    verb->add_option("--timeout", options->timeout, "Seconds after which an item is stopped (default: never)")
        ->check(zeroOrMore())
        ->type_name("S");
    verb->add_option("--memory", options->memory,
                     "Memory that an item is expected to need, as 2G (default: what was measured before); items at a "
                     "time stay under what is free")
        ->transform(CLI::AsSizeValue(false))
        ->type_name("SIZE");
    verb->add_option("--engine", options->engine,
                     "Where items run: local, this machine; slurm, a cluster (default: local). What follows -- is for "
                     "sbatch: -- --partition=film --mem=8G")
        ->check(CLI::IsMember({"local", "slurm"}))
        ->type_name("local|slurm");
    verb->add_option("--items-per-task", options->items_per_task,
                     "Items that a task of Slurm runs one after the other (default: 64)")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    verb->add_flag("--cancel", options->cancel, "End the tasks of a run on Slurm");
    verb->add_option("--task", options->task)->group("");  // what a task of Slurm runs
    verb->add_flag("--dry-run", options->dry_run, "Print the commands that would run, and change nothing");
}

}  // namespace pelt::cli
