// pelt fix: repairs what check finds.
#include <fmt/format.h>

#include "fix.h"
#include "verbs/check/sheet.h"
#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct FixOptions {
    std::vector<std::string> only;
    bool dry_run = false;
    std::optional<PictureSize> size;
};

OptionTable<FixOptions> fixRows() {
    using F = FixOptions;
    using Row = OptionRow<F>;
    return {Row("only", "KIND,…", &F::only, "Repair findings of these kinds alone")
                .separatedBy(',')
                .choices(kEnumWords<measure::Flaw>)
                .in(kCommon),
            Row("dry_run", "", &F::dry_run, "Say what would be done; the output equals the input").in(kCommon),
            Row("size", "WxH", &F::size, "Size of the picture").unit("pixels").programOnly()};
}

FixRequest requestOf(const FixOptions& options) {
    FixRequest request;
    for (const std::string& word : options.only) request.only.push_back(*enumOf<measure::Flaw>(word));
    return request;
}

void reportFix(Run& run, const Character& character, const Judge& judge, const FixResult& fixed) {
    using Json = nlohmann::ordered_json;
    const std::string& file = run.nameOf("character");
    run.result["before"] = fixed.before.score;
    run.result["after"] = fixed.after.score;
    run.result["done"] = Json::array();
    run.print(fmt::format("{}: score {:.1f}, was {:.1f}\n", oneLine(run.outputName()), fixed.after.score,
                          fixed.before.score));
    for (const Repair& repair : fixed.repairs) {
        const Json finding = findingJson(character, judge, repair.finding, file);
        if (repair.by.empty()) continue;
        run.result["done"].push_back({{"kind", finding["kind"]},
                                      {"joint", finding["joint"]},
                                      {"by", repair.by},
                                      {"before", repair.before},
                                      {"after", repair.after}});
        run.print(fmt::format("  mended   {}: by {}, score {:.1f} to {:.1f}\n",
                              oneLine(finding["says"].get<std::string>()), repair.by, repair.before, repair.after));
    }
    run.result["left"] = Json::array();
    for (const measure::Finding& finding : fixed.after.findings) {
        if (finding.severity == measure::Severity::note) continue;
        Json json = findingJson(character, judge, finding, file);
        json["why"] = finding.severity == measure::Severity::fault ? "nothing that was tried leaves a better score"
                                                                   : "only faults are repaired";
        run.print(fmt::format("  left     {}\n", oneLine(json["says"].get<std::string>())));
        run.result["left"].push_back(std::move(json));
    }
}

void runFix(Run& run) {
    const auto options = run.read(fixRows());
    run.stage("load");
    Character character = run.ownCharacter("character");
    bindIfBare(run, "character", character);
    run.stage("prepare");
    const std::string& file = run.nameOf("character");
    const rig::RangeOfMotion range = run.limits(character.skeleton).value_or(rig::RangeOfMotion{});
    const Judge judge = aboutFile(file, [&] { return Judge(character, range, Engine::any, {}, run.progress()); });
    run.stage("fix");
    const FixResult fixed =
        aboutFile(file, [&] { return fixSkin(character, judge, requestOf(options), run.progress()); });
    run.stage("write");
    run.result["output"] = run.outputName();
    reportFix(run, character, judge, fixed);
    if (run.wants("sheet", Kind::picture))
        drawFindings(run, character, judge, fixed.before.findings, &fixed.weights, options.size);
    if (!options.dry_run && fixed.weights != character.weights) {
        character.weights = fixed.weights;
        character.ddm = nullptr;  // made from the skin that these weights replace
    }
    run.save(std::move(character));
}

}  // namespace

Verb fixVerb() {
    return {.name = "fix",
            .summary = "Repairs what check finds in a skin, and nothing else",
            .example = "pelt fix character.glb -o fixed.glb",
            .inputs = {characterInput(), clipsInput(), limitsInput()},
            .options = optionInfos(fixRows()),
            .outputs = {characterOutput(), sheetOutput()},
            .run = runFix};
}

}  // namespace pelt::verbs
