// pelt mirror: one side of a character like the other.
#include <fmt/format.h>
#include <pelt/verbs/mirror.h>

#include "verbs/run/bare_skin.h"
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

enum class MirrorAxis { x, y, z };
enum class MirrorFrom { left, right };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::MirrorAxis>[] = {"x", "y", "z"};
template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::MirrorFrom>[] = {"left", "right"};

namespace pelt::verbs {
namespace {

struct MirrorOptions {
    MirrorFrom from = MirrorFrom::left;
    std::optional<MirrorAxis> axis;

    MirrorRequest request() const {
        MirrorRequest made;
        if (axis) made.axis = int(*axis);
        made.from = from == MirrorFrom::left ? rig::Side::left : rig::Side::right;
        return made;
    }
};

OptionTable<MirrorOptions> mirrorRows() {
    using M = MirrorOptions;
    using Row = OptionRow<M>;
    return {Row("from", "left|right", &M::from, "The side to copy (default: left)").in(kCommon),
            Row("axis", "x|y|z", &M::axis,
                "The axis from one side to the other in the bind pose (default: that of the joints' pairs)")
                .in(kCommon)};
}

void reportMirror(Run& run, std::string_view from, const MirrorResult& made) {
    const std::string_view axis = wordOf(MirrorAxis(made.plane.axis));
    reportWritten(made.character, run);
    run.result["axis"] = axis;
    run.result["place"] = made.plane.place;
    run.result["from"] = from;
    run.result["joint_pairs"] = made.pairs;
    run.result["joint_pairs_by_name"] = made.pairs_by_name;
    run.result["lonely_joints"] = made.lonely_joints;
    run.result["copied"] = made.copied;
    run.result["interpolated"] = made.interpolated;
    run.result["middle"] = made.middle;
    run.result["unmatched"] = made.unmatched;
    run.result["changed"] = made.changed;
    run.result["mean_change"] = made.mean_change;
    run.result["maps"] = made.maps;
    run.print(fmt::format(
        "{}: mirrored from the {} across {} = {:.4g} with {}; {} changed: {} copied, {} interpolated, {} in the "
        "middle{}\n",
        oneLine(run.outputName()), from, axis, made.plane.place,
        counted(made.pairs, "pair of joints", "pairs of joints"), counted(made.changed, "vertex", "vertices"),
        made.copied, made.interpolated, made.middle,
        made.unmatched > 0 ? fmt::format("; {} without a counterpart kept theirs", made.unmatched) : ""));
}

void runMirror(Run& run) {
    const auto options = run.read(mirrorRows());
    run.stage("load");
    const CharacterRef character = boundIfBare(run, "character", run.character("character"));
    run.stage("mirror");
    MirrorResult made =
        aboutFile(run.nameOf("character"), [&] { return mirror(*character, options.request(), run.progress()); });
    run.stage("write");
    reportMirror(run, wordOf(options.from), made);
    run.save(std::move(made.character));
}

}  // namespace

Verb mirrorVerb() {
    return {.name = "mirror",
            .summary = "Gives one side of a character the weights, maps and settings of the other",
            .example = "pelt mirror hero.glb --from left -o symmetric.glb",
            .inputs = {characterInput(), clipsInput()},
            .options = optionInfos(mirrorRows()),
            .outputs = {characterOutput()},
            .run = runMirror};
}

}  // namespace pelt::verbs
