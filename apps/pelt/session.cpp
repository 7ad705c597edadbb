#include "session.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/io/character_file.h>
#include <pelt/io/png.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/range_of_motion.h>

#include "joint_limits.h"
#include "json_file.h"
#include "signals.h"
#include "streams.h"
#include "text.h"

namespace pelt::cli {
namespace {

constexpr double kOtherRest = 30;  ///< degrees between rest rotations above which a clip of another file may be wrong

}  // namespace

CLI::App* Session::addVerb(CLI::App& app, const std::string& name, const std::string& description,
                           const std::string& example, std::function<void()> work) {
    CLI::App* verb = app.add_subcommand(name, description);
    verb->footer("Example:\n  " + example);
    verb->add_flag("--json", json, "Print the report as one JSON object on standard output, and nothing else there");
    verb->add_flag("-q,--quiet", quiet, "Print no progress and no report; warnings and errors are still printed");
    verb->add_option("--threads", threads, "Number of threads; the result does not depend on it (default: all cores)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    verb->add_flag("--local-files-only", local_files_only,
                   "Read no file outside the folder of a .gltf, whatever it refers to: for files you do not trust");
    verb->callback([this, verb, work = std::move(work)] { run(*verb, work); });
    return verb;
}

void Session::run(const CLI::App& verb, const std::function<void()>& work) {
    if (!documents) {  // a process shared with other work keeps its own settings
        setThreadCount(threads);
        io::setLocalFilesOnly(local_files_only);
    }
    result["verb"] = verb.get_name();
    stdout_is_file_ = checkStreams(verb, json);
    if (!quiet && !documents) display_.start();
    if (json) stages_.watchMemory();
    try {
        withThreads(documents ? threads : 0, work);
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

bool Session::goesOn(std::string_view stage, double fraction) {
    display_.update(stage, fraction);
    return !cancelRequested() && (!listener || listener(stage, fraction));
}

Progress Session::progress() {
    return Progress([this](std::string_view name, double fraction) { return goesOn(name, fraction); });
}

Progress Session::progressPart(std::string name, double from, double to) {
    return Progress([this, name = std::move(name), from, to](std::string_view, double fraction) {
        return goesOn(name, from + fraction * (to - from));
    });
}

void Session::print(const std::string& text) {
    const bool names_stdout = text.rfind("-: ", 0) == 0;  // a line about the output
    text_ += names_stdout ? "standard output" + text.substr(1) : text;
}

void Session::warn(const std::filesystem::path& file, const std::string& message) {
    warnings_.push_back(fmt::format("{}: {}", inputName(file), message));
}

pipeline::FileKind Session::kindOf(const std::filesystem::path& path) const {
    if (isStandardStream(path)) return pipeline::FileKind::character;
    if (!isInMemory(path)) return pipeline::fileKind(path);
    const bool sequence = documents && documents->sequences.count(path.string()) > 0;
    return sequence ? pipeline::FileKind::sequence : pipeline::FileKind::character;
}

const Character& Session::documentOf(const std::filesystem::path& path) const {
    if (!documents) throw Error::badUsage({path.string()}, "there is no such document in memory");
    return documents->character(path);
}

std::unique_ptr<MeshSequence> Session::sequenceInMemory(const std::filesystem::path& path) const {
    return documents && isInMemory(path) ? documents->sequence(path) : nullptr;
}

nlohmann::json Session::readJson(const std::filesystem::path& path) const {
    return documents && isInMemory(path) ? documents->object(path) : readJsonFile(path);
}

void Session::saveCharacter(const Character& character, const std::filesystem::path& path) {
    if (documents && isInMemory(path))
        documents->written = character;
    else if (isStandardStream(path))
        writeStdout(io::toGlb(character));
    else
        io::saveCharacter(character, path);
}

void Session::savePicture(const Image& picture, const std::filesystem::path& path) {
    if (!isStandardStream(path)) return io::savePng(picture, path);
    writeStdout(io::toPng(picture, "standard output"));
}

std::unique_ptr<io::SequenceWriter> Session::createSequence(const std::filesystem::path& path,
                                                            const io::SequenceInfo& info) {
    if (!isStandardStream(path)) return io::createSequence(path, info);
    return io::streamNpy(info, [](std::span<const std::byte> bytes) { writeStdout(bytes); });
}

Character Session::loadAny(const std::filesystem::path& path) {
    if (kindOf(path) != pipeline::FileKind::character)
        throw Error::badInput({path.string()}, "is not a character file (.glb .gltf .vrm .fbx .dae)");
    Character character = aboutFile(path, [&] {
        if (isInMemory(path)) return documentOf(path);
        if (!isStandardStream(path)) return io::loadCharacter(path, progressPart("load", 0, 1));
        return io::loadGltf(readStandardInput(), inputName(path), {}, progressPart("load", 0, 1));
    });
    if (no_props) character.props = {};
    return character;
}

Character Session::loadCharacter(const std::filesystem::path& path, bool with_warnings) {
    Character character = loadAny(path);
    if (character.mesh.positions.empty())
        throw Error::badInput({path.string()}, "has no mesh; use its clips with another character: --clips");
    if (with_warnings)
        for (const std::string& message : character.warnings) warn(path, message);
    for (auto file = clips.rbegin(); file != clips.rend(); ++file) borrowClips(*file, path, character);
    return character;
}

Character Session::loadCharacter(const std::filesystem::path& path, const std::optional<std::string>& clip) {
    Character character = loadCharacter(path);
    if (clip != rig::kRangeClip) return character;
    if (character.skeleton.joints.empty())
        throw Error::badInput({path.string()}, "has no joints for --clip @range to move");
    const rig::RangeOfMotion range =
        limits ? readJointLimits(readJson(*limits), *limits, character.skeleton) : rig::RangeOfMotion{};
    character.clips.push_back(rig::rangeClip(character.skeleton, character.driven, range));
    return character;
}

void Session::borrowClips(const std::filesystem::path& from, const std::filesystem::path& path, Character& character) {
    if (pipeline::fileKind(from) != pipeline::FileKind::character)
        throw Error::badInput({from.string()}, "is not a file with clips (.glb .gltf .vrm .fbx .dae)");
    const io::Motion motion = aboutFile(from, [&] { return io::loadMotion(from, progressPart("load", 0, 1)); });
    for (const std::string& message : motion.warnings) warn(from, message);
    if (motion.clips.empty()) throw Error::badInput({from.string()}, "has no clips");
    const rig::BorrowedClips told = rig::borrowClips(character, motion.skeleton, motion.clips, from.stem().string());
    if (told.matched == 0)
        throw Error::badInput({from.string()},
                              fmt::format("none of its {} animated nodes has the name of a joint of {}",
                                          told.unmatched.size(), path.string()));
    if (!told.unmatched.empty())
        warn(from, fmt::format("{} of its {} animated nodes are not in {} ('{}'{}); they are left out",
                               told.unmatched.size(), told.unmatched.size() + told.matched, path.string(),
                               told.unmatched.front(), told.unmatched.size() > 1 ? ", …" : ""));
    if (told.most_turned > kOtherRest)
        warn(from, fmt::format("rest rotations differ from those of {} by up to {:.0f}° ('{}'); rotations are copied, "
                               "which is correct only if the joints have the same axes",
                               path.string(), told.most_turned, told.most_turned_node));
}

nlohmann::ordered_json Session::report() {
    result["warnings"] = warnings_;
    result["stages"] = stages_.json();
    return result;
}

void Session::writeResult() {
    for (const std::string& warning : warnings_) writeStderr(fmt::format("pelt: warning: {}\n", oneLine(warning)));
    if (json) {
        writeStdout(report().dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    } else if (!quiet) {
        if (stdout_is_file_)
            writeStderr(text_);
        else
            writeStdout(text_);
    }
    if (!missed_gate_.empty()) throw Error(ErrorCode::gate, missed_gate_);
}

}  // namespace pelt::cli
