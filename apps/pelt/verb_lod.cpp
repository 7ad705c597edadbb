#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/files.h>
#include <pelt/pipeline/lod.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "outputs.h"
#include "text.h"
#include "verbs.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

struct LodVerbOptions {
    fs::path input, output;
    pipeline::LodOptions lod;
    bool one_file = false;
};

std::size_t triangleCount(const Character& character) {
    return character.mesh.triangles.size() + character.props.mesh.triangles.size();
}

/// The files to write: one per level, or one for all.
std::vector<fs::path> lodFiles(const LodVerbOptions& options) {
    if (options.one_file) return {options.output};
    const std::string name = options.input == "-" ? "character" : options.input.stem().string();
    std::vector<fs::path> files;
    for (std::size_t l = 1; l <= options.lod.ratios.size(); ++l)
        files.push_back(options.output / fmt::format("{}_lod{}.glb", name, l));
    return files;
}

/// Checks the outputs before any work.
void checkOutputs(const Session& session, const LodVerbOptions& options) {
    const std::vector<fs::path> inputs = session.allInputs({options.input});
    std::error_code fault;
    const std::string extension = pipeline::extensionOf(options.output);
    if (!options.one_file && (extension == ".glb" || extension == ".gltf"))
        throw Error::badUsage({options.output.string()},
                              "levels of detail are written to a folder; --one-file writes a single file");
    if (options.one_file || fs::is_directory(options.output, fault)) {
        for (const fs::path& file : lodFiles(options)) checkOutput(file, OutputKind::character, inputs);
        return;
    }
    if (fs::exists(options.output, fault))
        throw Error::system({options.output.string()}, fmt::format("cannot write: {}", std::strerror(ENOTDIR)));
    fs::path parent = fs::absolute(options.output, fault).lexically_normal();
    if (!parent.has_filename()) parent = parent.parent_path();
    parent = parent.parent_path();
    if (!fs::is_directory(parent, fault))
        throw Error::system({options.output.string()},
                            fmt::format("the folder {} does not exist; make it first", parent.string()));
}

/// All files are written before any of them gets its name, so that a full disk leaves the old ones.
void writeFiles(const LodVerbOptions& options, const std::vector<pipeline::LodLevel>& levels) {
    std::error_code fault;
    if (!fs::is_directory(options.output, fault) && !fs::create_directory(options.output, fault) && fault)
        throw Error::system({options.output.string()}, fmt::format("cannot make the folder: {}", fault.message()));
    const std::vector<fs::path> files = lodFiles(options);
    std::vector<std::unique_ptr<io::AtomicFile>> written;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        written.push_back(std::make_unique<io::AtomicFile>(files[l]));
        written.back()->write(io::toGlb(levels[l].character));
    }
    for (const auto& file : written) file->commit();
}

void writeLevels(const LodVerbOptions& options, const Character& character, std::vector<pipeline::LodLevel>& levels) {
    if (!options.one_file) return writeFiles(options, levels);
    std::vector<Character> coarser;
    for (pipeline::LodLevel& level : levels) {
        level.character.ddm = nullptr;
        coarser.push_back(level.character);
    }
    io::saveLevels(character, coarser, options.lod.ratios, options.output);
}

nlohmann::ordered_json lodErrorJson(const pipeline::LodError& error) {
    return {{"rms", error.rms}, {"max", error.max}, {"e_rms", error.e_rms}};
}

void report(Session& session, const LodVerbOptions& options, const Character& character,
            const std::vector<pipeline::LodLevel>& levels) {
    const std::vector<fs::path> files = lodFiles(options);
    nlohmann::ordered_json& result = session.result;
    result["output"] = options.output.string();
    result["vertices"] = rig::vertexCount(character);
    result["triangles"] = triangleCount(character);
    result["levels"] = nlohmann::ordered_json::array();
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const pipeline::LodLevel& level = levels[l];
        const std::size_t triangles = triangleCount(level.character);
        const double reached = double(triangles) / double(std::max<std::size_t>(triangleCount(character), 1));
        const fs::path& file = files[std::min(l, files.size() - 1)];
        result["levels"].push_back({{"file", file.string()},
                                    {"ratio", level.ratio},
                                    {"vertices", rig::vertexCount(level.character)},
                                    {"triangles", triangles},
                                    {"weights", level.resolved ? "solved" : "kept"},
                                    {"rest", lodErrorJson(level.rest)},
                                    {"range_of_motion", lodErrorJson(level.range)}});
        if (reached > 1.1 * level.ratio)
            session.warn(options.input,
                         fmt::format("level {} has {:.3g} of the triangles, not {:.3g}: seams, borders and small parts "
                                     "cannot be simplified further",
                                     l + 1, reached, level.ratio));
        session.print(
            fmt::format("{}: {} vertices, {} triangles ({:.3g}); E_RMS {:.4g} at rest, {:.4g} over the range "
                        "of motion (max {:.4g})\n",
                        oneLine(options.one_file ? fmt::format("level {}", l + 1) : file.string()),
                        rig::vertexCount(level.character), triangles, reached, level.rest.e_rms, level.range.e_rms,
                        level.range.max));
    }
}

void runLod(Session& session, const LodVerbOptions& options) {
    checkOutputs(session, options);
    session.stage("load");
    const Character character = session.loadCharacter(options.input);
    session.stage("simplify");
    std::vector<pipeline::LodLevel> levels =
        aboutFile(options.input, [&] { return pipeline::makeLods(character, options.lod, session.progress()); });
    session.stage("write");
    writeLevels(options, character, levels);
    report(session, options, character, levels);
}

}  // namespace

void addLod(CLI::App& app, Session& session) {
    const auto options = std::make_shared<LodVerbOptions>();
    CLI::App* verb = session.addVerb(app, "lod", "Levels of detail: simplified meshes that deform alike",
                                     "pelt lod hero.glb --ratios 0.5,0.25,0.1 -o lods/",
                                     [&session, options] { runLod(session, *options); });
    verb->add_option("character", options->input,
                     "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard input")
        ->required()
        ->type_name("CHAR");
    verb->add_option("-o,--output", options->output,
                     "The folder for NAME_lod1.glb, NAME_lod2.glb, ..., or with --one-file the file to write")
        ->required()
        ->type_name("DIR|FILE");
    verb->add_option("--ratios", options->lod.ratios,
                     "Triangles of each level, as fractions of the original, descending (default: 0.5,0.25,0.1)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("R,R");
    verb->add_flag("--one-file", options->one_file,
                   "Write the character and its levels as one .glb or .gltf, linked by MSFT_lod");
    verb->add_option("--influences", options->lod.influences,
                     "At most K joints per vertex (default: as many as the character has)")
        ->check(zeroOrMore())
        ->type_name("K");
}

}  // namespace pelt::cli
