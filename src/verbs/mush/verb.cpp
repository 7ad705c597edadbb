// pelt mush: precomputes Direct Delta Mush and stores it in the file.
#include <fmt/format.h>
#include <pelt/methods/ddm.h>

#include <algorithm>

#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

void reportMush(Run& run, const Character& character, const methods::MushReport& mushed) {
    const DdmPayload& payload = *character.ddm;
    const std::size_t bones = boneCount(character);
    const double mean =
        double(payload.rows.joints.size()) / double(std::max<std::size_t>(payload.rows.vertexCount(), 1));
    run.result["variant"] = wordOf(payload.variant);
    run.result["output"] = run.outputName();
    run.result["vertices"] = character.mesh.vertexCount();
    run.result["triangles"] = character.mesh.triangles.size();
    run.result["bones"] = bones;
    run.result["influences"] = mushed.influences;
    run.result["mean_influences"] = mean;
    run.result["influences_capped"] = mushed.capped;
    run.result["expected_error"] = payload.expected_error;
    run.result["trials"] = nlohmann::ordered_json::array();
    for (const auto& trial : mushed.trials)
        run.result["trials"].push_back({{"influences", trial.influences}, {"error", trial.error}});
    run.print(
        fmt::format("{}: {} vertices on {} joints, {}, at most {} joints per vertex ({:.2f} on average); RMS error of "
                    "pruning {:.1e} of the bounding-box diagonal\n",
                    oneLine(run.outputName()), character.mesh.vertexCount(), bones, wordOf(payload.variant),
                    mushed.influences, mean, payload.expected_error));
    constexpr double kVisible = 5e-4;  // of the diagonal: a millimeter on a grown figure
    if (mushed.capped && payload.expected_error > kVisible)
        run.print(
            fmt::format("  that may be seen: `influences` K keeps more than {} joints per vertex, `influences` 0 all\n",
                        mushed.influences));
}

void runMush(Run& run) {
    run.stage("load");
    Character character = run.ownCharacter("character");
    // A mushed file is mushed again from its original bind, with its stored settings unless options override them.
    const DdmPayload* const mush = rig::mushOf(character);
    DdmSettings settings = mush ? mush->settings : DdmSettings{};
    methods::MushTarget target;
    if (mush) target = {mush->variant, mush->encoding};
    run.apply(settings, ddmFields());
    run.apply(target, methods::mushFields());
    if (settings.translations.kind == DdmTranslations::Kind::file)
        for (const char* idle : {"kappa", "kappa_map", "kappa_iterations"})
            if (run.gives(idle))
                run.warn(run.nameOf("character"), fmt::format("`{}` has no effect: `translations` are file", idle));

    // What the skin of the file says cannot come from a bind.
    const bool needs_own = settings.translations.kind != DdmTranslations::Kind::bind;
    if (!character.ddm && !needs_own && !character.skeleton.joints.empty())
        aboutFile(run.nameOf("character"), [&] {
            bindIfBare(run, "character", character,
                       methods::bindOptions(character.skeleton, settings.joints, settings.exclude_joints));
        });
    run.stage("prepare");
    methods::MushReport mushed;
    aboutFile(run.nameOf("character"),
              [&] { methods::mushCharacter(character, settings, target, run.progress(), &mushed); });
    run.stage("write");
    reportMush(run, character, mushed);
    run.save(std::move(character));
}

}  // namespace

Verb mushVerb() {
    return {.name = "mush",
            .summary = "Precomputes Direct Delta Mush (smooth skin from a rigid bind) and stores it in the file",
            .example = "pelt mush character.glb -o mushed.glb",
            .inputs = {characterInput(), clipsInput()},
            .options = common(joined(grouped(optionInfos(methods::mushFields()), kOther),
                                     grouped(optionInfos(ddmFields()), kDdmGroup)),
                              {"alpha", "influences", "payload"}),
            .outputs = {characterOutput()},
            .run = runMush};
}

}  // namespace pelt::verbs
