// The commands of Slurm: sbatch, squeue, scancel, scontrol.
#include "batch/slurm/slurm.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cstdlib>

#include "batch/run/child.h"
#include "verbs/run/text.h"

namespace pelt::batch {
namespace {

std::string lastLine(const std::string& text) {
    const std::size_t end = text.find_last_not_of("\n\r ");
    if (end == std::string::npos) return {};
    const std::size_t begin = text.rfind('\n', end);
    return verbs::oneLine(text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin + 1) + 1));
}

[[noreturn]] void refuseCommand(const std::string& program, const ChildResult& result) {
    if (result.exit_code == 127)
        throw Error::system(
            fmt::format("--engine slurm: there is no {} on this machine; run it on a login node of the "
                        "cluster, or leave out --engine",
                        program));
    throw Error::system(fmt::format("{}: {}", program, lastLine(result.err)));
}

}  // namespace

std::size_t Slurm::largestArray() {
    constexpr std::size_t kUsual = 1001;
    const ChildResult result = runCommand({"scontrol", "show", "config"});
    if (result.exit_code != 0) refuseCommand("scontrol", result);
    const std::size_t at = result.out.find("MaxArraySize");
    const std::size_t equals = at == std::string::npos ? at : result.out.find('=', at);
    const std::size_t most =
        equals == std::string::npos ? 0 : std::strtoul(result.out.c_str() + equals + 1, nullptr, 10);
    return most > 0 ? most : kUsual;
}

std::string Slurm::submit(const std::filesystem::path& script, const std::filesystem::path& log, std::size_t count,
                          const std::vector<std::string>& after) const {
    // What comes later wins: the user may change where logs go, but not what the run is found by.
    std::vector<std::string> words = {"sbatch", "--requeue", fmt::format("--output={}", log.string())};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    words.insert(words.end(), {"--parsable", "--job-name=" + name_, fmt::format("--array=0-{}", count - 1)});
    if (!after.empty()) words.push_back(fmt::format("--dependency=afterany:{}", fmt::join(after, ":")));
    words.push_back(script.string());
    const ChildResult result = runCommand(words);
    if (result.exit_code != 0) refuseCommand("sbatch", result);
    const std::string job = result.out.substr(0, result.out.find_first_not_of("0123456789"));
    if (job.empty()) throw Error::system(fmt::format("sbatch: no job number in its answer: {}", lastLine(result.out)));
    return job;
}

int Slurm::countActive() const {
    const ChildResult result = runCommand({"squeue", "--noheader", "--format=%i", "--name=" + name_});
    if (result.exit_code == 127) refuseCommand("squeue", result);
    if (result.exit_code != 0) return -1;
    return int(std::count(result.out.begin(), result.out.end(), '\n'));
}

void Slurm::cancelAll() const {
    const ChildResult result = runCommand({"scancel", "--name=" + name_});
    if (result.exit_code != 0) refuseCommand("scancel", result);
}

}  // namespace pelt::batch
