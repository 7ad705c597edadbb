// `--do` over files: a chain of items for each.
#include "batch/plan/chains.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>
#include <pelt/verbs/files.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "batch/plan/arguments.h"
#include "batch/plan/glob.h"
#include "program/table.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

/// A step of a chain reads one character, its first word.
bool canBeStep(const verbs::Verb& verb) {
    const auto isCharacter = [](const verbs::Input& input) {
        return input.required && (input.kind == verbs::Kind::character || input.kind == verbs::Kind::any);
    };
    return !verb.inputs.empty() && isCharacter(verb.inputs.front()) &&
           std::count_if(verb.inputs.begin(), verb.inputs.end(), isCharacter) == 1;
}

/// What a verb of a chain writes: the extension of a file; "/" is a folder, "" nothing.
std::string extensionOf(const verbs::Verb& verb, const Words& words) {
    using verbs::Kind;
    if (verb.outputs.empty()) return "";
    const std::vector<Kind>& kinds = verb.outputs.front().kinds;
    const auto writes = [&](Kind kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
    if (writes(Kind::folder) && !hasOption(words, "--one-file")) return "/";
    if (writes(Kind::character)) return ".glb";
    if (writes(Kind::picture)) return ".png";
    return writes(Kind::rig) ? ".peltrig" : ".npy";
}

struct Step {
    Words words;
    std::string writes = ".glb";
    bool character() const { return writes == ".glb"; }
};

struct Source {
    fs::path file;     ///< as it was named
    fs::path below;    ///< relative to the folder in which it was found
    std::string name;  ///< of its results
};

Step readStep(const std::string& command) {
    Step step{splitWords(command)};
    if (!step.words.empty() && step.words[0] == "pelt") step.words.erase(step.words.begin());
    if (step.words.empty()) throw Error::badUsage("--do: the command is empty; write a verb and its options");
    const verbs::Verb* verb = program::findVerb(step.words[0]);
    if (verb && !canBeStep(*verb))
        throw Error::badUsage(
            fmt::format("--do {}: {} cannot be a step; write a manifest instead", command, verb->name));
    if (!outputsOf(step.words).empty())
        throw Error::badUsage(fmt::format("--do {}: leave out the output; it is given by --out", command));
    if (verb) step.writes = extensionOf(*verb, step.words);
    return step;
}

bool isInside(const ChainRequest& request, const fs::path& file, const fs::path& folder) {
    const fs::path outer = (request.folder / folder / ".").lexically_normal();
    const fs::path relative = (request.folder / file).lexically_normal().lexically_relative(outer);
    return !relative.empty() && *relative.begin() != "..";
}

bool isCharacter(const fs::path& file) {
    static constexpr std::array<std::string_view, 6> kCharacters = {".glb", ".gltf", ".vrm", ".vrma", ".fbx", ".dae"};
    return std::find(kCharacters.begin(), kCharacters.end(), io::extensionOf(file)) != kCharacters.end();
}

bool isUtf8(const std::string& text) {
    return !nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore))
                .get_ref<const std::string&>()
                .compare(text);
}

void addSources(const std::string& input, const ChainRequest& request, std::vector<Source>& sources, Plan& plan) {
    std::error_code fault;
    const bool folder = fs::is_directory(request.folder / input, fault);
    const bool pattern = !folder && !fs::exists(request.folder / input, fault) && isPattern(input);
    if (!folder && !pattern) {
        sources.push_back({input, fs::path(input).filename(), {}});
        return;
    }
    const fs::path base = folder ? fs::path(input) : fixedPart(input);
    std::size_t found = 0;
    for (const fs::path& file : findFiles(folder ? (base / "**" / "*").string() : input, request.folder)) {
        if (folder && !isCharacter(file)) continue;
        if (isInside(request, file, request.out) || isInside(request, file, request.state)) continue;
        ++found;
        if (isUtf8(file.string()))
            sources.push_back({file, file.lexically_relative(base.empty() ? fs::path(".") : base), {}});
        else
            plan.warnings.push_back("a file whose name is not UTF-8 is left out: " + file.string());
    }
    if (found == 0) throw Error::badInput({input}, folder ? "there is no character in this folder" : "no file matches");
}

/// The shortest of: the file's name, its path below the pattern's fixed part, the same with its extension.
void nameSources(std::vector<Source>& sources, Plan& plan) {
    const auto choice = [](const Source& source, int level) {
        const fs::path path = level == 0 ? source.below.filename() : source.below;
        return (level < 2 ? fs::path(path).replace_extension() : path).generic_string();
    };
    std::vector<int> level(sources.size(), 0);
    for (int round = 0; round < 2; ++round) {
        std::map<std::string, int> count;
        for (std::size_t i = 0; i < sources.size(); ++i) ++count[choice(sources[i], level[i])];
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (level[i] == round && count[choice(sources[i], level[i])] > 1) ++level[i];
    }
    std::set<std::string> names;
    std::vector<std::string> renamed;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        sources[i].name = choice(sources[i], level[i]);
        if (level[i] > 0) renamed.push_back(sources[i].name);
        if (!names.insert(sources[i].name).second)
            throw Error::badInput({sources[i].file.string()},
                                  fmt::format("two results would be called {}; run the folders one by one, each with "
                                              "its own --out",
                                              sources[i].name));
    }
    if (!renamed.empty())
        plan.warnings.push_back(fmt::format("{} files share their names with others; their results are called {}",
                                            renamed.size(), listNames(renamed)));
}

/// "hero" for the step that writes the result, "hero-mush" for the others.
std::string newId(const std::string& wanted, std::set<std::string>& taken) {
    std::string id = wanted;
    for (int number = 2; !taken.insert(id).second; ++number) id = fmt::format("{}-{}", wanted, number);
    return id;
}

fs::path outputOf(const ChainRequest& request, const Source& source, const std::vector<Step>& steps, std::size_t k,
                  std::size_t result) {
    const Step& step = steps[k];
    if (step.writes == "/") return (request.out / source.name).parent_path();
    if (!step.character()) return request.out / (source.name + step.writes);
    if (k == result) return request.out / (source.name + ".glb");
    return request.state / "files" / fmt::format("{}.{}-{}.glb", source.name, k + 1, step.words[0]);
}

void addChain(const ChainRequest& request, const Source& source, const std::vector<Step>& steps,
              std::set<std::string>& taken, Plan& plan) {
    std::size_t result = steps.size() - 1;  // the step whose id is the name
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k].character()) result = k;
    fs::path character = source.file;
    std::string before;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        Item item;
        item.retries = request.defaults.retries;
        item.timeout = request.defaults.timeout;
        item.id = k == result ? source.name : newId(fmt::format("{}-{}", source.name, steps[k].words[0]), taken);
        item.character = source.name;
        if (!before.empty()) item.after = {before};
        item.argv = steps[k].words;
        item.argv.insert(item.argv.begin() + 1, fileWord(character));
        if (const fs::path output = outputOf(request, source, steps, k, result); !steps[k].writes.empty()) {
            item.argv.insert(item.argv.end(), {"-o", fileWord(output)});
            if (steps[k].character()) character = output, before = item.id;
        }
        plan.items.push_back(std::move(item));
    }
}

}  // namespace

Plan planChains(const ChainRequest& request) {
    std::vector<Step> steps;
    for (const std::string& command : request.commands) steps.push_back(readStep(command));
    Plan plan;
    plan.folder = request.folder;
    std::vector<Source> sources;
    for (const std::string& input : request.inputs) addSources(input, request, sources, plan);
    std::set<fs::path> known;
    std::erase_if(sources, [&](const Source& source) {
        return !known.insert((request.folder / source.file).lexically_normal()).second;
    });
    nameSources(sources, plan);
    std::set<std::string> taken;
    for (const Source& source : sources) taken.insert(source.name);
    for (const Source& source : sources) addChain(request, source, steps, taken, plan);
    plan.connect("--do");
    return plan;
}

}  // namespace pelt::batch
