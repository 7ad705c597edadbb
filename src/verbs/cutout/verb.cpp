// pelt cutout: a picture as a flat mesh that can be posed.
#include <fmt/format.h>
#include <pelt/verbs/cutout.h>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"
#include "verbs/run/run.h"

namespace pelt::verbs {
namespace {

OptionTable<CutoutRequest> cutoutRows() {
    using C = CutoutRequest;
    using Row = OptionRow<C>;
    return {
        Row("triangles", "N", &C::triangles, "About N triangles of even size (default: 1000)")
            .from(1, 200000)
            .in(kCommon),
        Row("background", "#RRGGBB|corner", &C::background,
            "What is not the figure, where a picture has no transparency: a color, or that of its corners")
            .in(kCommon),
        Row("depth", "D", &C::depth, "The distance between layers, in heights of the figure (default: 0.02)")
            .from(0, 100)
            .in(kCommon),
    };
}

void reportCutout(Run& run, const CutoutResult& made) {
    reportWritten(made.character, run);
    run.result["triangles"] = made.triangles;
    run.result["parts"] = made.parts;
    run.result["smallest_angle"] = made.smallest_angle;
    run.print(fmt::format("{}: {} in {}, no corner below {:.0f}°\n", oneLine(run.outputName()),
                          counted(made.triangles, "triangle", "triangles"), counted(made.parts, "part", "parts"),
                          std::floor(made.smallest_angle)));
}

void runCutout(Run& run) {
    const auto request = run.read(cutoutRows());
    run.stage("load");
    std::vector<CutoutPicture> pictures;
    for (const Given& given : run.allGiven("picture")) pictures.push_back({given.name, run.picture(given)});
    run.stage("cut out");
    CutoutResult made = cutout(pictures, request, run.progress());
    run.stage("write");
    reportCutout(run, made);
    run.save(std::move(made.character));
}

}  // namespace

Verb cutoutVerb() {
    return {.name = "cutout",
            .summary = "Cuts a figure out of a picture: a flat textured mesh, to be posed",
            .example = "pelt cutout hero.png -o hero.glb",
            .browser = false,
            .inputs = {{.name = "picture",
                        .kind = Kind::picture,
                        .values = "PICTURE…",
                        .summary = "A picture with transparency, .png or .jpg; several of one size are layers, from "
                                   "the back to the front",
                        .many = true}},
            .options = optionInfos(cutoutRows()),
            .outputs = {characterOutput("The mesh to write, .glb, .gltf or .fbx, or - for .glb on standard output")},
            .run = runCutout};
}

}  // namespace pelt::verbs
