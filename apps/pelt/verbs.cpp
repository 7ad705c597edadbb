#include "verbs.h"

#include <fmt/format.h>

namespace pelt::cli {

void addSamplingOptions(CLI::App& verb, pipeline::Sampling& sampling, bool with_frames) {
    CLI::Option* clip = verb.add_option("--clip", sampling.clip, "The clip, by name or index (default: the first)")
                            ->type_name("NAME|INDEX");
    CLI::Option* fps = verb.add_option("--fps", sampling.fps, "Samples a second, from the first key on (default: 30)")
                           ->check(aboveZero())
                           ->type_name("F");
    CLI::Option* bind_pose =
        verb.add_flag("--bind-pose", sampling.bind_pose, "One frame, the mesh as the file stores it");
    bind_pose->excludes(clip)->excludes(fps);
    if (!with_frames) return;
    CLI::Option* frames = verb.add_option("--frames", sampling.frames,
                                          "Which of the samples, as a Python slice: 0:100:5, ::2, -10:, ::-1")
                              ->type_name("SLICE");
    bind_pose->excludes(frames);
}

CLI::Option* addOutputOption(CLI::App& verb, std::filesystem::path& output, const std::string& what) {
    return verb.add_option("-o,--output", output, what)->required()->type_name("FILE");
}

std::string methodNames() {
    std::string names;
    for (const pipeline::Method& method : pipeline::methods())
        names += fmt::format("{}{}", names.empty() ? "" : "|", method.name);
    return names;
}

std::unique_ptr<MeshSequence> openSequence(Session& session, const std::filesystem::path& path,
                                           const pipeline::Sampling& sampling,
                                           const std::optional<std::filesystem::path>& mesh) {
    if (pipeline::fileKind(path) != pipeline::FileKind::character) return pipeline::openSequence(path, sampling, mesh);
    Character character = session.loadCharacter(path);
    return aboutFile(
        path, [&] { return pipeline::sampleCharacter(std::move(character), sampling, pipeline::findMethod("lbs")); });
}

}  // namespace pelt::cli
