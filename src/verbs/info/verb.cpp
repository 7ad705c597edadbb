// pelt info: what is in a file.
#include <fmt/format.h>
#include <pelt/io/mesh_file.h>

#include "describe.h"
#include "verbs/run/common_options.h"
#include "verbs/run/run.h"

namespace pelt::verbs {
namespace {

struct InfoOptions {
    float weld = 0;
};

OptionTable<InfoOptions> infoRows() {
    return {OptionRow<InfoOptions>("weld", "TOL", &InfoOptions::weld,
                                   "Treat vertices within this distance as one (default: 0, equal positions)")
                .from(0)
                .in(kCommon)};
}

/// A sequence may be truncated or damaged in any frame; the reader reports where.
void readEveryFrame(MeshSequence& sequence, const Progress& progress) {
    std::vector<Vec3f> positions(sequence.vertexCount());
    const std::size_t frames = sequence.frameCount();
    for (std::size_t frame = 0; frame < frames; ++frame) {
        progress.report("inspect", static_cast<double>(frame) / static_cast<double>(frames));
        sequence.readFrame(frame, positions);
    }
}

/// A mesh or a sequence has the same keys as a character, so that scripts need not distinguish them.
void fillMissingKeys(nlohmann::ordered_json& json) {
    const auto list = nlohmann::ordered_json::array();
    const nlohmann::ordered_json empty = {{"bones", 0}, {"joints", list}, {"max_influences", 0}, {"clips", list}};
    for (const auto& [key, value] : empty.items())
        if (!json.contains(key)) json[key] = value;
}

void runInfo(Run& run) {
    const float weld = run.read(infoRows()).weld;
    const Given& file = run.given("file");
    Findings found;
    const char* kind = "character";
    run.stage("load");
    switch (Run::kindOf(file)) {
        case FileKind::character: {
            std::vector<std::string> repaired;
            const CharacterRef character = run.asItIs(file, &repaired);
            run.stage("inspect");
            describeCharacter(*character, weld, run.utf8(), found);
            found.problems.insert(found.problems.end(), repaired.begin(), repaired.end());
            break;
        }
        case FileKind::mesh: {
            const Mesh loaded = io::loadMesh(file.name);
            run.stage("inspect");
            kind = "mesh";
            describeMesh(loaded, weld, found);
            break;
        }
        case FileKind::sequence: {
            const auto sequence = run.sequence(file, {}, "mesh");
            run.stage("inspect");
            kind = "sequence";
            readEveryFrame(*sequence, run.progress());
            describeSequence(*sequence, weld, found);
            break;
        }
    }
    fillMissingKeys(found.json);
    run.result["file"] = file.name;
    run.result["kind"] = kind;
    run.result.update(found.json);
    run.result["problems"] = found.problems;
    run.print(fmt::format("{} ({})\n{}", oneLine(file.name), kind, found.text));
    run.print(found.problems.empty() ? "  problems     none\n" : "  problems\n");
    for (const std::string& problem : found.problems) run.print(fmt::format("    - {}\n", oneLine(problem)));
}

}  // namespace

Verb infoVerb() {
    return {.name = "info",
            .summary = "Shows what is in a file: counts, joints, influences, clips, problems",
            .example = "pelt info character.glb",
            .inputs =
                {{.name = "file", .kind = Kind::any, .values = "FILE", .summary = "A character, a mesh or a sequence"},
                 meshInput()},
            .options = joined(optionInfos(infoRows()), optionInfos(propsRows())),
            .run = runInfo};
}

}  // namespace pelt::verbs
