#include "verbs.h"

#include <fmt/format.h>

namespace pelt::cli {

void addClipsOption(CLI::App& verb, Session& session) {
    verb.add_option("--clips", session.clips,
                    "A file whose clips are added before the character's own, matched by joint names; may be repeated")
        ->allow_extra_args(false)
        ->type_name("F.glb");
}

void addPropsOption(CLI::App& verb, Session& session) {
    verb.add_flag("--no-props", session.no_props,
                  "Leave out props: meshes without a skin (hats, weapons) that are attached to nodes");
}

void addLimitsOption(CLI::App& verb, Session& session) {
    verb.add_option("--limits", session.limits,
                    "How far joints bend and twist with --clip @range; the format is that of bake --limits")
        ->needs(verb.get_option("--clip"))
        ->type_name("F.json");
}

void addSamplingOptions(CLI::App& verb, Session& session, pipeline::Sampling& sampling, bool with_frames) {
    CLI::Option* clip = verb.add_option("--clip", sampling.clip,
                                        "The clip, by name or index (default: the first); @range: a test motion that "
                                        "bends and twists every joint")
                            ->type_name("NAME|INDEX|@range");
    addClipsOption(verb, session);
    CLI::Option* fps =
        verb.add_option("--fps", sampling.fps, "Samples per second, starting at the first key (default: 30)")
            ->check(aboveZero())
            ->type_name("F");
    CLI::Option* bind_pose =
        verb.add_flag("--bind-pose", sampling.bind_pose, "One frame: the mesh as stored in the file");
    bind_pose->excludes(clip)->excludes(fps);
    if (!with_frames) return;
    CLI::Option* frames =
        verb.add_option("--frames", sampling.frames, "Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1")
            ->type_name("SLICE");
    bind_pose->excludes(frames);
}

CLI::Option* addOutputOption(CLI::App& verb, std::filesystem::path& output, const std::string& what) {
    return verb.add_option("-o,--output", output, what)->required()->type_name("FILE");
}

std::vector<std::string> methodNames() {
    std::vector<std::string> names;
    for (const pipeline::Method& method : pipeline::methods()) names.emplace_back(method.name);
    return names;
}

std::unique_ptr<MeshSequence> openSequence(Session& session, const std::filesystem::path& path,
                                           const pipeline::Sampling& sampling,
                                           const std::optional<std::filesystem::path>& mesh, bool lend_clips) {
    if (session.kindOf(path) != pipeline::FileKind::character) {
        if (isInMemory(path)) return session.sequenceInMemory(path);
        return pipeline::openSequence(path, sampling, mesh);
    }
    std::vector<std::filesystem::path> kept;
    if (!lend_clips) std::swap(kept, session.clips);
    Character character = session.loadCharacter(path, sampling.clip);
    if (!lend_clips) std::swap(kept, session.clips);
    return aboutFile(
        path, [&] { return pipeline::sampleCharacter(std::move(character), sampling, pipeline::findMethod("lbs")); });
}

}  // namespace pelt::cli
