#pragma once

#include <pelt/core/image.h>
#include <pelt/core/progress.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/files.h>
#include <pelt/rig/character.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "documents.h"
#include "progress_display.h"
#include "stages.h"

namespace pelt::cli {

/// Shared by all verbs: common options, timing, progress and cancellation, warnings, results.
class Session {
public:
    bool json = false, quiet = false;
    int threads = 0;
    bool local_files_only = false;                ///< external files outside the file's folder are not read
    bool no_props = false;                        ///< characters are loaded without their props
    std::vector<std::filesystem::path> clips;     ///< files whose clips are added to every loaded character
    std::optional<std::filesystem::path> limits;  ///< of the range of motion that --clip @range plays
    Documents* documents = nullptr;               ///< documents in memory, if another program runs the verb
    Progress::Callback listener;                  ///< receives all progress reports; may cancel
    std::vector<std::string> passed_on;           ///< what follows -- on the command line, for another program
    nlohmann::ordered_json result;                ///< filled by the verb; "verb", "stages" and "warnings" are added

    /// Adds a verb: its description, the common options, an example, and its function.
    CLI::App* addVerb(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& example, std::function<void()> work);

    /// Begins a stage that is also shown as progress. Throws Error (cancelled) after Ctrl-C.
    void stage(std::string_view name);
    /// Begins or continues a stage inside a loop that reports its progress itself.
    void lap(std::string_view name) { stages_.enter(name); }
    Progress progress();
    /// Shows the progress of a part of the stage `name` as the range `from` to `to` of the whole.
    Progress progressPart(std::string name, double from, double to);

    void warn(const std::filesystem::path& file, const std::string& message);
    /// Nothing more is shown as progress: what follows waits for the user.
    void endProgress() { display_.stop(); }
    /// Text for people, on standard output at the end (on standard error if standard output gets a file); not with
    /// --json or --quiet.
    void print(const std::string& text);

    /// The loader's repairs become warnings, unless the verb itself reports them. A file without a mesh is refused.
    Character loadCharacter(const std::filesystem::path& path, bool with_warnings = true);
    /// The same, with the clip `name` added if it is a generated one: the range of motion.
    Character loadCharacter(const std::filesystem::path& path, const std::optional<std::string>& clip);
    /// A character or a skeleton with clips alone, as it is. "-" is standard input, a .glb or a .gltf without other
    /// files.
    Character loadAny(const std::filesystem::path& path);
    /// The kind of a file; standard input is a character.
    pipeline::FileKind kindOf(const std::filesystem::path& path) const;
    /// The character of a document in memory; null for all other paths.
    std::unique_ptr<MeshSequence> sequenceInMemory(const std::filesystem::path& path) const;
    nlohmann::json readJson(const std::filesystem::path& path) const;

    // Writes the output of a verb; "-" is standard output, which gets .glb, .npy or .png.
    void saveCharacter(const Character& character, const std::filesystem::path& path);
    void savePicture(const Image& picture, const std::filesystem::path& path);
    std::unique_ptr<io::SequenceWriter> createSequence(const std::filesystem::path& path, const io::SequenceInfo& info);

    /// All files that a verb reads, including those of common options: none of them may be the output.
    std::vector<std::filesystem::path> allInputs(std::vector<std::filesystem::path> files) const {
        files.insert(files.end(), clips.begin(), clips.end());
        if (limits) files.push_back(*limits);
        return files;
    }

    /// A quality limit was missed: the result is written anyway, then the program reports it and exits with 4.
    void missGate(const std::string& message) { missed_gate_ = message; }
    const std::string& missedGate() const { return missed_gate_; }

    /// The result with warnings and stages.
    nlohmann::ordered_json report();

    /// Standard output gets the result; an Error thrown here is still one line and an exit status.
    void writeResult();

private:
    void borrowClips(const std::filesystem::path& from, const std::filesystem::path& path, Character& character);
    void run(const CLI::App& verb, const std::function<void()>& work);
    bool goesOn(std::string_view stage, double fraction);
    const Character& documentOf(const std::filesystem::path& path) const;

    Stages stages_;
    ProgressDisplay display_;
    std::vector<std::string> warnings_;
    std::string text_;
    std::string missed_gate_;
    bool stdout_is_file_ = false;
};

/// Runs `work` so that its errors name `file`.
template <class Work>
auto aboutFile(const std::filesystem::path& file, Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw error.in(file.string());
    } catch (const std::length_error&) {
        throw Error::badInput({file.string()}, "claims sizes that exceed any memory; export it again");
    }
}

}  // namespace pelt::cli
