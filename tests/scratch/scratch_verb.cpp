// A verb that exists in tests alone: scales a character's rest pose. One file and one row of the table.
#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

enum class Direction { all, up };

}  // namespace
}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::Direction>[] = {"all", "up"};

namespace pelt::verbs {
namespace {

struct ScratchOptions {
    double factor = 1;
    Direction direction = Direction::all;
    std::string joint;
};

OptionTable<ScratchOptions> scratchRows() {
    using S = ScratchOptions;
    using Row = OptionRow<S>;
    return {Row("factor", "F", &S::factor, "How large the result is (default: 1)").above(0, 10).in(kCommon),
            Row("direction", "all|up", &S::direction, "Along which axes (default: all)"),
            Row("joint", "JOINT", &S::joint, "The joint that stays in place").type(OptionType::joint)};
}

void runScratch(Run& run) {
    const auto options = run.read(scratchRows());
    run.stage("load");
    Character character = run.ownCharacter("character");
    run.stage("scratch");
    for (Vec3f& p : character.mesh.positions)
        p = options.direction == Direction::up ? Vec3f{p.x, float(p.y * options.factor), p.z}
                                               : p * float(options.factor);
    run.result["factor"] = options.factor;
    reportWritten(character, run);
    run.print("scratched\n");
    run.save(std::move(character));
}

}  // namespace

Verb scratchVerb() {
    return {.name = "scratch",
            .summary = "Scales a character's rest pose, to see a new verb everywhere",
            .example = "pelt scratch hero.glb --factor 2 -o twice.glb",
            .inputs = {characterInput()},
            .options = optionInfos(scratchRows()),
            .outputs = {characterOutput()},
            .run = runScratch};
}

}  // namespace pelt::verbs
