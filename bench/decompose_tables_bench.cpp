// [LeDeng12] Tables 2 and 3 on the data sets that a folder has by their names: a line of JSON for each row, as it is
// measured. usage: decompose_tables_bench FOLDER [--quick]
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/eigenskin.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

#include "decompose/data_sets.h"
#include "decompose/mesh_animation.h"
#include "decompose/published.h"

namespace pelt::bench {
namespace {

constexpr std::size_t kInfluences = 4, kEigenSkin = 5;

double cpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string published(const PublishedError& error, double minutes) {
    return fmt::format(R"({{"e_rms": {}, "eigenskin": {}, "minutes": {}}})", error.e_rms, error.eigenskin, minutes);
}

/// Measures one decomposition: its errors and times as a JSON object.
template <typename Make>
std::string measured(const DataSet& set, Make make) {
    const double cpu = cpuSeconds();
    const auto begin = std::chrono::steady_clock::now();
    const fit::Decomposition made = make();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double cpu_seconds = cpuSeconds() - cpu;
    const std::size_t rank = std::min(kEigenSkin, set.frames->frameCount());
    const fit::EigenSkin corrected = fit::fitEigenSkin(made, *set.frames, rank, {}, set.rest.positions);
    return fmt::format(R"({{"bones": {}, "e_rms": {}, "eigenskin": {}, "cpu_seconds": {}, "seconds": {}}})", made.bones,
                       made.e_rms, corrected.world_e_rms, cpu_seconds, wall.count());
}

std::string decomposed(const DataSet& set, const fit::DecomposeOptions& options) {
    return measured(set, [&] { return fit::decompose(*set.frames, set.rest.positions, set.rest.triangles, options); });
}

fit::DecomposeOptions rigid(std::size_t bones) {
    fit::DecomposeOptions options;
    options.bones = bones;
    options.influences = kInfluences;
    options.smoothness = 0;  // the paper's objective
    return options;
}

fit::DecomposeOptions flexible(std::size_t bones, fit::Association association) {
    fit::DecomposeOptions options = rigid(bones);
    options.kind = fit::BoneKind::flexible;
    options.correct_rest_always = true;
    options.association = association;
    return options;
}

/// The set `name` if the folder has it; one that cannot be read is named and left out.
std::optional<DataSet> readSet(const std::filesystem::path& folder, const std::string& name) {
    try {
        if (const auto found = findDataSet(folder, name)) return loadDataSet(*found);
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    return std::nullopt;
}

void rigidRow(const RigidRow& row, const DataSet& set) {
    const std::string ours = decomposed(set, rigid(row.bones));
    const std::string baseline =
        measured(set, [&] { return skinMeshAnimation(*set.frames, set.rest, row.bones, kInfluences); });
    fmt::print(R"({{"table": 2, "set": "{}", "bones": {}, "vertices": {}, "frames": {}, "ours": {}, "baseline": {}, )",
               row.set, row.bones, set.rest.vertexCount(), set.frames->frameCount(), ours, baseline);
    fmt::print("\"SMA\": {}, \"LSSP\": {}, \"SSDR\": {}}}\n", published(row.sma, row.sma_minutes),
               published(row.lssp, row.lssp_minutes), published(row.ssdr, row.ssdr_minutes));
    std::fflush(stdout);
}

void flexibleRow(const FlexibleRow& row, const DataSet& set) {
    const std::string solved = decomposed(set, flexible(row.bones, fit::Association::solved));
    const std::string closest = decomposed(set, flexible(row.bones, fit::Association::closest));
    fmt::print(R"({{"table": 3, "set": "{}", "bones": {}, "ours": {}, "ours_closest": {}, "Kavan10": {}, "SSDR": {}}})",
               row.set, row.bones, solved, closest, row.closest, row.solved);
    fmt::print("\n");
    std::fflush(stdout);
}

/// Rows of one set follow each other, so that one set at a time is in memory.
template <typename Row>
void table(const std::filesystem::path& folder, std::span<const Row> rows, bool quick,
           void (*run)(const Row&, const DataSet&)) {
    std::string_view last;
    std::optional<DataSet> set;
    for (const Row& row : rows) {
        const bool fresh = row.set != last;
        if (fresh) set = readSet(folder, row.set);
        last = row.set;
        if (set && (fresh || !quick)) run(row, *set);
    }
}

}  // namespace
}  // namespace pelt::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: decompose_tables_bench FOLDER [--quick]\n");
        return 2;
    }
    try {
        using namespace pelt::bench;
        const bool quick = argc > 2 && std::string_view(argv[2]) == "--quick";
        table(argv[1], table2(), quick, rigidRow);
        table(argv[1], table3(), quick, flexibleRow);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
