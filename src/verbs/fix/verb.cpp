// pelt fix: repairs what check finds.
#include <fmt/format.h>
#include <pelt/verbs/bake.h>

#include <algorithm>

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
    std::size_t helpers = 0, virtual_joints = 0;
    std::optional<PictureSize> size;
};

OptionTable<FixOptions> fixRows() {
    using F = FixOptions;
    using Row = OptionRow<F>;
    return {Row("only", "KIND,…", &F::only, "Repair findings of these kinds alone")
                .separatedBy(',')
                .choices(kEnumWords<measure::Flaw>)
                .in(kCommon),
            Row("helpers", "N", &F::helpers, "Add at most N driven joints where the shape still suffers, by pelt bake")
                .in(kCommon),
            Row("virtual", "N", &F::virtual_joints, "The same with virtual joints").in(kCommon),
            Row("dry_run", "", &F::dry_run, "Say what would be done; the output equals the input").in(kCommon),
            Row("size", "WxH", &F::size, "Size of the picture").unit("pixels").programOnly()};
}

FixRequest requestOf(const FixOptions& options) {
    FixRequest request;
    for (const std::string& word : options.only) request.only.push_back(*enumOf<measure::Flaw>(word));
    return request;
}

void reportFix(Run& run, const Character& character, const Judge& judge, const FixResult& fixed) {
    using FixJson = nlohmann::ordered_json;
    const std::string& file = run.nameOf("character");
    run.result["before"] = fixed.before.score;
    run.result["after"] = fixed.after.score;
    run.result["done"] = FixJson::array();
    run.print(fmt::format("{}: score {:.1f}, was {:.1f}\n", oneLine(run.outputName()), fixed.after.score,
                          fixed.before.score));
    for (const Repair& repair : fixed.repairs) {
        const FixJson finding = findingJson(character, judge, repair.finding, file);
        if (repair.by.empty()) continue;
        run.result["done"].push_back({{"kind", finding["kind"]},
                                      {"joint", finding["joint"]},
                                      {"by", repair.by},
                                      {"before", repair.before},
                                      {"after", repair.after}});
        run.print(fmt::format("  mended   {}: by {}, score {:.1f} to {:.1f}\n",
                              oneLine(finding["says"].get<std::string>()), repair.by, repair.before, repair.after));
    }
    run.result["left"] = FixJson::array();
    for (const measure::Finding& finding : fixed.after.findings) {
        if (finding.severity == measure::Severity::note) continue;
        FixJson json = findingJson(character, judge, finding, file);
        json["why"] = finding.severity == measure::Severity::fault ? "nothing that was tried leaves a better score"
                                                                   : "only faults are repaired";
        run.print(fmt::format("  left     {}\n", oneLine(json["says"].get<std::string>())));
        run.result["left"].push_back(std::move(json));
    }
}

/// Joints that go where weights cannot, if poses still spoil the shape.
Character withMoreJoints(Run& run, Character character, const FixOptions& options, const FixResult& fixed,
                         const rig::RangeOfMotion& range) {
    const bool suffers = std::any_of(fixed.after.findings.begin(), fixed.after.findings.end(), [](const auto& finding) {
        return finding.severity != measure::Severity::note && finding.flaw >= measure::Flaw::collapse &&
               finding.flaw <= measure::Flaw::poke;
    });
    if (!suffers || (options.helpers == 0 && options.virtual_joints == 0)) return character;
    run.stage("bake");
    BakeRequest request;
    request.range = range;
    request.helpers = options.helpers;
    request.virtual_joints = options.virtual_joints;
    BakeResult baked = aboutFile(run.nameOf("character"), [&] { return bake(character, request, run.progress()); });
    run.result["done"].push_back({{"kind", "collapse"},
                                  {"joint", nullptr},
                                  {"by", options.helpers > 0 ? "helpers" : "virtual"},
                                  {"before", fixed.after.score},
                                  {"after", fixed.after.score}});
    run.print(fmt::format("  added    {}\n", counted(baked.helpers.size(), "driven joint", "driven joints")));
    return std::move(baked.character);
}

void runFix(Run& run) {
    const auto options = run.read(fixRows());
    run.excludes("helpers", "virtual");
    run.stage("load");
    Character character = run.ownCharacter("character");
    const bool was_bare = character.weights.empty();
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
    const bool mended = !options.dry_run && fixed.weights != character.weights;
    if (mended) {
        character.weights = fixed.weights;
        character.ddm = nullptr;  // made from the skin that these weights replace
    }
    const std::size_t joints = character.skeleton.joints.size();
    if (!options.dry_run) character = withMoreJoints(run, std::move(character), options, fixed, range);
    const bool same = !mended && !was_bare && !run.has("clips") && character.skeleton.joints.size() == joints;
    if (same && run.given("character").isFile() && run.host().takeCopy("output", file)) return;
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
