#include "session.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/range_of_motion.h>

#include "joint_limits.h"
#include "signals.h"
#include "text.h"

namespace pelt::cli {
namespace {

constexpr double kOtherRest = 30;  ///< degrees between rest rotations from which on a clip of another file may go wrong

}  // namespace

CLI::App* Session::addVerb(CLI::App& app, const std::string& name, const std::string& description,
                           const std::string& example, std::function<void()> work) {
    CLI::App* verb = app.add_subcommand(name, description);
    verb->footer("Example:\n  " + example);
    verb->add_flag("--json", json, "Print one JSON object, and nothing else, on standard output");
    verb->add_flag("--quiet", quiet, "Print nothing unless something is wrong");
    verb->add_option("--threads", threads, "Threads to use; the result is the same for any number (default: all)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    verb->add_flag("--local-files-only", local_files_only,
                   "Read nothing outside of a .gltf's folder, whatever it names: for files of strangers");
    verb->callback([this, name, work = std::move(work)] { run(name, work); });
    return verb;
}

void Session::run(const std::string& verb, const std::function<void()>& work) {
    setThreadCount(threads);
    io::setLocalFilesOnly(local_files_only);
    result["verb"] = verb;
    if (!quiet) display_.start();
    if (json) stages_.watchMemory();
    try {
        work();
    } catch (...) {
        display_.stop();
        throw;
    }
    display_.stop();
    stages_.finish();
}

void Session::stage(std::string_view name) {
    stages_.enter(name);
    display_.update(name, -1);
    if (cancelRequested()) throw Error(ErrorCode::cancelled, "cancelled");
}

Progress Session::progress() {
    return Progress([this](std::string_view name, double fraction) {
        display_.update(name, fraction);
        return !cancelRequested();
    });
}

Progress Session::progressPart(std::string name, double from, double to) {
    return Progress([this, name = std::move(name), from, to](std::string_view, double fraction) {
        display_.update(name, from + fraction * (to - from));
        return !cancelRequested();
    });
}

void Session::warn(const std::filesystem::path& file, const std::string& message) {
    warnings_.push_back(fmt::format("{}: {}", file.string(), message));
}

Character Session::loadAny(const std::filesystem::path& path) {
    if (pipeline::fileKind(path) != pipeline::FileKind::character)
        throw Error::badInput(
            fmt::format("{}: is no character file; those are .glb .gltf .vrm .fbx .dae", path.string()));
    Character character = aboutFile(path, [&] { return io::loadCharacter(path, progressPart("load", 0, 1)); });
    if (no_props) character.props = {};
    return character;
}

Character Session::loadCharacter(const std::filesystem::path& path, bool with_warnings) {
    Character character = loadAny(path);
    if (character.mesh.positions.empty())
        throw Error::badInput(
            fmt::format("{}: has no mesh; its clips can play on a character that has one (--clips)", path.string()));
    if (with_warnings)
        for (const std::string& message : character.warnings) warn(path, message);
    for (auto file = clips.rbegin(); file != clips.rend(); ++file) borrowClips(*file, path, character);
    return character;
}

Character Session::loadCharacter(const std::filesystem::path& path, const std::optional<std::string>& clip) {
    Character character = loadCharacter(path);
    if (clip != rig::kRangeClip) return character;
    if (character.skeleton.joints.empty())
        throw Error::badInput(fmt::format("{}: has no joints for --clip @range to move", path.string()));
    const rig::RangeOfMotion range = limits ? readJointLimits(*limits, character.skeleton) : rig::RangeOfMotion{};
    character.clips.push_back(rig::rangeClip(character.skeleton, character.driven, range));
    return character;
}

void Session::borrowClips(const std::filesystem::path& from, const std::filesystem::path& path, Character& character) {
    if (pipeline::fileKind(from) != pipeline::FileKind::character)
        throw Error::badInput(
            fmt::format("{}: has no clips to lend; those are in .glb .gltf .vrm .fbx .dae", from.string()));
    const io::Motion motion = aboutFile(from, [&] { return io::loadMotion(from, progressPart("load", 0, 1)); });
    for (const std::string& message : motion.warnings) warn(from, message);
    if (motion.clips.empty()) throw Error::badInput(fmt::format("{}: has no clips to lend", from.string()));
    const rig::BorrowedClips told = rig::borrowClips(character, motion.skeleton, motion.clips, from.stem().string());
    if (told.matched == 0)
        throw Error::badInput(fmt::format("{}: none of its {} animated nodes has the name of a joint of {}",
                                          from.string(), told.unmatched.size(), path.string()));
    if (!told.unmatched.empty())
        warn(from, fmt::format("{} of its {} animated nodes have no namesake in {} ('{}'{}); left out",
                               told.unmatched.size(), told.unmatched.size() + told.matched, path.string(),
                               told.unmatched.front(), told.unmatched.size() > 1 ? ", …" : ""));
    if (told.most_turned > kOtherRest)
        warn(from, fmt::format("rest rotations differ from those of {} by up to {:.0f}° ('{}'); rotations are taken as "
                               "they are, which is right only where the joints' axes are the same",
                               path.string(), told.most_turned, told.most_turned_node));
}

void Session::writeResult() {
    if (!quiet)
        for (const std::string& warning : warnings_) writeStderr(fmt::format("pelt: warning: {}\n", oneLine(warning)));
    if (json) {
        result["warnings"] = warnings_;
        result["stages"] = stages_.json();
        writeStdout(result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    } else if (!quiet) {
        writeStdout(text_);
    }
    if (!missed_gate_.empty()) throw Error(ErrorCode::gate, missed_gate_);
}

}  // namespace pelt::cli
