// Inputs and options that several verbs have.
#include "verbs/run/common_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pelt/core/spelling.h>
#include <pelt/methods/methods.h>
#include <pelt/rig/ddm_settings.h>

#include <algorithm>

#include "verbs/run/run.h"

namespace pelt::verbs {
namespace {

std::vector<std::string> methodHeadings() {
    std::vector<std::string> headings;
    for (const methods::Method& method : methods::all()) headings.push_back("--method " + std::string(method.name));
    return headings;
}

/// A word that is neither a method nor a file may be a misspelling of either.
void checkWord(const std::string& name, const std::string& word) {
    std::error_code fault;
    const bool pattern = word.find_first_of("*?[/.\\") != std::string::npos;
    if (pattern || std::filesystem::exists(word, fault)) return;
    const std::vector<std::string> names(methodNames().begin(), methodNames().end());
    throw Error::badUsage(fmt::format("`{}` {}: neither a file nor a method{}; the methods are {}", name, word,
                                      didYouMean(word, names), fmt::join(names, ", ")));
}

}  // namespace

Input characterInput(std::string_view summary) { return {"character", Kind::character, "CHAR", summary}; }

Input clipsInput() {
    return {
        .name = "clips",
        .kind = Kind::clips,
        .values = "F.glb",
        .summary = "A file whose clips are added before the character's own, matched by joint names; may be repeated",
        .required = false,
        .many = true,
        .group = kFrames};
}

Input limitsInput(std::string_view summary) {
    return {.name = "limits",
            .kind = Kind::limits,
            .values = "F.json",
            .summary = summary,
            .required = false,
            .group = kFrames};
}

Input meshInput(std::string_view summary) {
    return {.name = "mesh", .kind = Kind::mesh, .values = "M", .summary = summary, .required = false, .group = kCommon};
}

Output characterOutput(std::string_view summary) {
    return {.name = "output", .kinds = {Kind::character}, .values = "FILE", .summary = summary, .group = kCommon};
}

OptionTable<methods::Sampling> samplingRows(bool with_frames, bool with_bind_pose) {
    using S = methods::Sampling;
    OptionTable<S> rows;
    rows.push_back(OptionRow<S>("clip", "NAME|INDEX|@range", &S::clip,
                                "The clip, by name or index (default: the first); @range: a test motion that bends and "
                                "twists every joint")
                       .type(OptionType::clip)
                       .in(kFrames));
    rows.push_back(OptionRow<S>("fps", "F", &S::fps, "Samples per second, starting at the first key (default: 30)")
                       .above(0)
                       .in(kFrames));
    if (with_bind_pose)
        rows.push_back(
            OptionRow<S>("bind_pose", "", &S::bind_pose, "One frame: the mesh as stored in the file").in(kFrames));
    if (with_frames)
        rows.push_back(
            OptionRow<S>("frames", "SLICE", &S::frames, "Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1")
                .in(kFrames));
    return rows;
}

methods::Sampling readSampling(const Run& run, const OptionTable<methods::Sampling>& rows) {
    const auto sampling = run.read<methods::Sampling>(rows);
    if (sampling.bind_pose)
        for (const char* other : {"clip", "fps", "frames"}) run.excludes("bind_pose", other);
    return sampling;
}

OptionTable<PropsOption> propsRows() {
    return {OptionRow<PropsOption>("no_props", "", &PropsOption::no_props,
                                   "Leave out props: meshes without a skin (hats, weapons) that are attached to nodes")
                .in(kFrames)};
}

std::vector<OptionInfo> grouped(std::vector<OptionInfo> infos, std::string_view group,
                                const std::vector<OptionInfo>& own) {
    std::erase_if(infos, [&](const OptionInfo& info) {
        return std::any_of(own.begin(), own.end(), [&](const OptionInfo& other) { return other.name == info.name; });
    });
    for (OptionInfo& info : infos)
        if (info.group.empty()) info.group = group;
    return infos;
}

std::vector<OptionInfo> common(std::vector<OptionInfo> infos, std::initializer_list<std::string_view> names) {
    for (OptionInfo& info : infos)
        if (std::find(names.begin(), names.end(), info.name) != names.end()) info.group = kCommon;
    return infos;
}

std::vector<OptionInfo> methodInfos(const std::vector<OptionInfo>& own) {
    static const std::vector<std::string> headings = methodHeadings();
    std::vector<OptionInfo> infos = grouped(optionInfos(ddmFields()), kDdmGroup, own);
    for (std::size_t m = 0; m < headings.size(); ++m) {
        const std::vector<OptionInfo> fresh = grouped(methods::all()[m].options(), headings[m], joined(own, infos));
        infos.insert(infos.end(), fresh.begin(), fresh.end());
    }
    return infos;
}

std::span<const std::string_view> methodNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const methods::Method& method : methods::all()) all.push_back(method.name);
        return all;
    }();
    return names;
}

bool isMethod(std::string_view word) {
    const std::span<const std::string_view> names = methodNames();
    return std::find(names.begin(), names.end(), word) != names.end();
}

Input meshesInput(std::string_view name, std::string_view summary) {
    return {.name = name,
            .kind = Kind::sequence,
            .values = "SEQ",
            .summary = summary,
            .required = false,
            .in_memory_only = true};
}

std::unique_ptr<MeshSequence> givenMeshes(Run& run, const std::string& name, const std::string& value,
                                          const Character& character) {
    const bool lent = run.has(name);
    if (lent && run.gives(name))
        throw Error::badUsage(fmt::format("`{}` is given twice: as a word and as frames", name));
    if (!lent && isMethod(value)) return nullptr;
    if (!lent) checkWord(name, value);
    return methods::withoutProps(run.sequence(lent ? run.given(name) : Given{value}, {}, {}, false), character);
}

std::unique_ptr<MeshSequence> baseMeshes(Run& run, const methods::Method& method, const Character& character,
                                         methods::MethodOptions& options) {
    const auto given = options.find("base");
    if (!method.traits.over_others || (given == options.end() && !run.has("base"))) return nullptr;
    std::unique_ptr<MeshSequence> meshes =
        givenMeshes(run, "base", given == options.end() ? "" : textOf(given->second.back()), character);
    if (meshes && given != options.end()) options.erase(given);
    return meshes;
}

}  // namespace pelt::verbs
