// pelt lod: simplified versions of a character that deform alike.
#include <fmt/format.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/props.h>
#include <pelt/verbs/files.h>
#include <pelt/verbs/lod.h>

#include <algorithm>

#include "verbs/run/common_options.h"
#include "verbs/run/report.h"

namespace pelt::verbs {
namespace {

struct OneFileOption {
    bool one_file = false;
};

OptionTable<LodOptions> lodRows() {
    using L = LodOptions;
    using Row = OptionRow<L>;
    return {
        Row("ratios", "R,R", &L::ratios,
            "Triangles of each level, as fractions of the original, descending (default: 0.5,0.25,0.1)")
            .above(0, 1)
            .separatedBy(',')
            .in(kCommon),
        Row("influences", "K", &L::influences, "At most K joints per vertex (default: as many as the character has)")
            .in(kCommon)};
}

OptionTable<OneFileOption> oneFileRows() {
    return {OptionRow<OneFileOption>("one_file", "", &OneFileOption::one_file,
                                     "Write the character and its levels as one .glb or .gltf, linked by MSFT_lod")
                .in(kCommon)
                .programOnly()};
}

std::size_t triangleCount(const Character& character) {
    return character.mesh.triangles.size() + character.props.mesh.triangles.size();
}

void checkLodOutput(const Run& run, bool one_file) {
    const std::string output = run.outputName();
    if (!one_file && !run.wants("output", Kind::folder))
        throw Error::badUsage({output}, "levels of detail are written to a folder; `one_file` writes a single file");
    if (one_file && (!run.wants("output", Kind::character) || io::extensionOf(output) == ".fbx"))
        throw Error::badUsage({output}, "this extension cannot be written; write .glb, .gltf or .vrm");
}

/// hero_lod1, hero_lod2 …
std::vector<std::string> levelNames(const Run& run, std::size_t count) {
    std::string input = std::filesystem::path(run.nameOf("character")).stem().string();
    if (input.empty() || input == "standard input") input = "character";
    std::vector<std::string> names;
    for (std::size_t l = 1; l <= count; ++l) names.push_back(fmt::format("{}_lod{}", input, l));
    return names;
}

void saveOneFile(Run& run, const Character& character, std::vector<LodLevel>& levels, std::span<const double> ratios) {
    std::vector<Character> coarser;
    for (LodLevel& level : levels) {
        level.character.ddm = nullptr;
        coarser.push_back(std::move(level.character));
    }
    const std::string extension = io::extensionOf(run.outputName());
    if (extension == ".gltf" || extension == ".vrm")
        io::saveLevels(character, coarser, ratios, run.outputName());  // two files, or an avatar, which is checked
    else
        run.save(io::levelsToGlb(character, coarser, ratios));
}

nlohmann::ordered_json lodErrorJson(const LodError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}};
}

/// `file`: where the level is; `shown`: how the text calls it.
void reportLevel(Run& run, const LodLevel& level, std::size_t whole, const std::string& file,
                 const std::string& shown) {
    const std::size_t triangles = triangleCount(level.character), number = run.result["levels"].size() + 1;
    const double reached = double(triangles) / double(std::max<std::size_t>(whole, 1));
    run.result["levels"].push_back({{"file", file},
                                    {"ratio", level.ratio},
                                    {"vertices", rig::vertexCount(level.character)},
                                    {"triangles", triangles},
                                    {"weights", level.resolved ? "solved" : "kept"},
                                    {"rest", lodErrorJson(level.rest)},
                                    {"range_of_motion", lodErrorJson(level.range)}});
    if (reached > 1.1 * level.ratio)
        run.warn(run.nameOf("character"),
                 fmt::format("level {} has {:.3g} of the triangles, not {:.3g}: seams, borders and small parts cannot "
                             "be simplified further",
                             number, reached, level.ratio));
    run.print(
        fmt::format("{}: {} vertices, {} triangles ({:.3g}); E_RMS {:.4g} at rest, {:.4g} over the range of "
                    "motion (max {:.4g})\n",
                    oneLine(shown), rig::vertexCount(level.character), triangles, reached, level.rest.e_rms,
                    level.range.e_rms, level.range.max));
}

void runLod(Run& run) {
    const auto options = run.read(lodRows());
    const bool one_file = run.read(oneFileRows()).one_file;
    checkLodOutput(run, one_file);
    run.stage("load");
    const CharacterRef character = run.character("character");
    run.stage("simplify");
    std::vector<LodLevel> levels =
        aboutFile(run.nameOf("character"), [&] { return makeLods(*character, options, run.progress()); });
    run.stage("write");
    run.result["output"] = run.outputName();
    run.result["vertices"] = rig::vertexCount(*character);
    run.result["triangles"] = triangleCount(*character);
    run.result["levels"] = nlohmann::ordered_json::array();
    const std::vector<std::string> names = levelNames(run, levels.size());
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const std::string in_folder = (std::filesystem::path(run.outputName()) / (names[l] + ".glb")).string();
        reportLevel(run, levels[l], triangleCount(*character), one_file ? run.outputName() : in_folder,
                    one_file ? fmt::format("level {}", l + 1) : in_folder);
    }
    if (one_file) return saveOneFile(run, *character, levels, options.ratios);
    for (std::size_t l = 0; l < levels.size(); ++l) run.save(std::move(levels[l].character), "output", names[l]);
}

}  // namespace

Verb lodVerb() {
    return {.name = "lod",
            .summary = "Levels of detail: simplified meshes that deform alike",
            .example = "pelt lod hero.glb --ratios 0.5,0.25,0.1 -o lods/",
            .inputs = {characterInput()},
            .options = joined(optionInfos(lodRows()), optionInfos(oneFileRows())),
            .outputs = {{.name = "output",
                         .kinds = {Kind::folder, Kind::character},
                         .values = "DIR|FILE",
                         .summary = "The folder for NAME_lod1.glb, NAME_lod2.glb, ..., or with --one-file the file to "
                                    "write",
                         .group = kCommon}},
            .run = runLod};
}

}  // namespace pelt::verbs
