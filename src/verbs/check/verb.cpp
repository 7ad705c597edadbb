// pelt check: what is wrong with a skin.
#include <fmt/format.h>

#include <algorithm>

#include "io/json/json_file.h"
#include "judge.h"
#include "sheet.h"
#include "verbs/info/describe.h"
#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"

namespace pelt::verbs {
namespace {

enum class FailOn { fault, warning };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::FailOn>[] = {"fault", "warning"};

namespace pelt::verbs {
namespace {

struct CheckOptions {
    std::optional<double> min_score;
    std::optional<FailOn> fail_on;
    std::filesystem::path baseline;
    std::optional<Engine> engine;
    std::optional<PictureSize> size;
};

OptionTable<CheckOptions> checkRows() {
    using C = CheckOptions;
    using Row = OptionRow<C>;
    return {
        Row("min_score", "S", &C::min_score, "Exit with status 4 if the score is below this").from(0, 100).in(kCommon),
        Row("fail_on", "fault|warning", &C::fail_on, "Exit with status 4 if there is a fault, or a warning")
            .in(kCommon),
        Row("baseline", "F.json", &C::baseline, "An earlier report: only what is new counts for these").in(kCommon),
        Row("for", "gltf|three|unity|unreal|godot|mobile", &C::engine,
            "An engine: more influences or joints than it takes are a fault")
            .choices(std::span(kEnumWords<Engine>).subspan(1))
            .in(kCommon),
        Row("size", "WxH", &C::size, "Size of that picture").unit("pixels").programOnly()};
}

using CheckJson = nlohmann::ordered_json;

/// What tells one finding from another across reports.
std::string keyOf(const CheckJson& finding) {
    const auto text = [&](const char* key) { return finding.contains(key) ? finding[key].dump() : std::string(); };
    return text("kind") + text("joint") + text("other_joint") + text("part");
}

/// Findings of an earlier report, those that were more severe first.
std::vector<std::string> knownFindings(const std::filesystem::path& path) {
    if (path.empty()) return {};
    const CheckJson report = io::readJsonFile(path);
    if (!report.is_object() || !report.contains("findings") || !report["findings"].is_array())
        throw Error::badInput({path.string()}, "is no report of check; write one with pelt check --json");
    std::vector<std::string> known;
    for (const CheckJson& finding : report["findings"])
        if (finding.is_object()) known.push_back(keyOf(finding));
    return known;
}

void gate(Run& run, const CheckOptions& options, double score, const CheckJson& fresh) {
    if (options.min_score && !(score >= *options.min_score))
        run.missGate(fmt::format("{}: the score {:.4g} is below `min_score` {:.4g}", run.nameOf("character"), score,
                                 *options.min_score));
    if (!options.fail_on) return;
    std::size_t bad = 0;
    for (const CheckJson& finding : fresh)
        bad +=
            finding["severity"] == "fault" || (*options.fail_on == FailOn::warning && finding["severity"] == "warning");
    if (bad > 0)
        run.missGate(fmt::format("{}: {} ({})", run.nameOf("character"), counted(bad, "finding", "findings"),
                                 wordOf(*options.fail_on)));
}

void printFindings(Run& run, double score, const CheckJson& findings) {
    run.print(fmt::format("{}: score {:.1f}\n", oneLine(run.nameOf("character")), score));
    if (findings.empty()) run.print("  nothing found\n");
    for (const CheckJson& finding : findings) {
        run.print(fmt::format("  {:<8} {:<11} {}\n", finding["severity"].get<std::string>(),
                              finding["kind"].get<std::string>(), oneLine(finding["says"].get<std::string>())));
        if (!finding["moment"].is_null())
            run.print(fmt::format("           at {} s of {}\n",
                                  fmt::format("{:.4g}", finding["moment"]["time"].get<double>()),
                                  oneLine(finding["moment"]["clip"].get<std::string>())));
        if (finding["severity"] != "note")
            run.print(fmt::format("           mend: {}\n", oneLine(finding["fix"].get<std::string>())));
    }
}

void runCheck(Run& run) {
    const auto options = run.read(checkRows());
    run.stage("load");
    const CharacterRef character = boundIfBare(run, "character", run.character("character"));
    const std::string& file = run.nameOf("character");
    const std::vector<std::string> known = knownFindings(options.baseline);
    run.stage("prepare");
    const rig::RangeOfMotion range = run.limits(character->skeleton).value_or(rig::RangeOfMotion{});
    Findings described;
    describeCharacter(*character, 0, false, described);
    const Judge judge = aboutFile(file, [&] {
        return Judge(*character, range, options.engine.value_or(Engine::any), described.problems, run.progress());
    });
    run.stage("check");
    const measure::SkinCheck check = aboutFile(file, [&] { return judge.check(*character, run.progress()); });
    CheckJson findings = CheckJson::array(), fresh = CheckJson::array();
    std::vector<measure::Finding> counted_ones;
    for (const measure::Finding& finding : check.findings) {
        findings.push_back(findingJson(*character, judge, finding, file));
        if (std::find(known.begin(), known.end(), keyOf(findings.back())) != known.end()) continue;
        fresh.push_back(findings.back());
        counted_ones.push_back(finding);
    }
    run.result["score"] = check.score;
    run.result["findings"] = findings;
    run.result["regions"] = CheckJson::array();
    for (std::size_t j = 0; j < check.regions.size(); ++j)
        if (check.regions[j] >= 0)
            run.result["regions"].push_back(
                {{"joint", rig::jointName(character->skeleton, j)}, {"score", check.regions[j]}});
    if (!options.baseline.empty()) {
        run.result["baseline"] = options.baseline.string();
        run.result["new"] = fresh;
    }
    if (run.wants("sheet", Kind::picture)) drawFindings(run, *character, judge, check.findings, nullptr, options.size);
    printFindings(run, check.score, options.baseline.empty() ? findings : fresh);
    gate(run, options, options.baseline.empty() ? check.score : measure::scoreOf(counted_ones), fresh);
}

}  // namespace

Verb checkVerb() {
    return {.name = "check",
            .summary = "Says what is wrong with a skin, as an artist would point at it",
            .example = "pelt check character.glb",
            .inputs = {characterInput(), clipsInput(), limitsInput()},
            .options = optionInfos(checkRows()),
            .outputs = {sheetOutput()},
            .run = runCheck};
}

}  // namespace pelt::verbs
