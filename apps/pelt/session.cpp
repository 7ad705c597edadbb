#include "session.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/io/character_file.h>

#include "signals.h"
#include "text.h"

namespace pelt::cli {

CLI::App* Session::addVerb(CLI::App& app, const std::string& name, const std::string& description,
                           const std::string& example, std::function<void()> work) {
    CLI::App* verb = app.add_subcommand(name, description);
    verb->footer("Example:\n  " + example);
    verb->add_flag("--json", json, "Print one JSON object, and nothing else, on standard output");
    verb->add_flag("--quiet", quiet, "Print nothing unless something is wrong");
    verb->add_option("--threads", threads, "Threads to use; the result is the same for any number (default: all)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    verb->callback([this, name, work = std::move(work)] { run(name, work); });
    return verb;
}

void Session::run(const std::string& verb, const std::function<void()>& work) {
    setThreadCount(threads);
    result["verb"] = verb;
    if (!quiet) display_.start();
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

Character Session::loadCharacter(const std::filesystem::path& path, bool with_warnings) {
    if (pipeline::fileKind(path) != pipeline::FileKind::character)
        throw Error::badInput(fmt::format("{}: is no character file; those are .glb .gltf .fbx .dae", path.string()));
    Character character = aboutFile(path, [&] { return io::loadCharacter(path, progressPart("load", 0, 1)); });
    if (with_warnings)
        for (const std::string& message : character.warnings) warn(path, message);
    return character;
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
