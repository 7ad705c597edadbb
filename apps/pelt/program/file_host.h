#pragma once

#include <pelt/verbs/verb.h>

#include <filesystem>

#include "program/progress_display.h"
#include "verbs/run/run.h"
#include "verbs/run/text.h"

namespace pelt::program {

/// Runs verbs on files: outputs are written under the paths that the command line names, with progress on standard
/// error and Ctrl-C. "-" is standard output.
class FileHost final : public verbs::Host {
public:
    FileHost() { uses_cache = true; }

    std::map<std::string, std::filesystem::path, std::less<>> outputs;  ///< by the names of the table
    std::map<std::string, verbs::Kind, std::less<>> kinds;              ///< of the outputs, by their extensions
    std::vector<std::string> passed_on;  ///< what follows -- on the command line, for another program
    std::vector<std::filesystem::path> inputs;
    std::string fbx_up = "y";
    int threads = 0;
    bool json = false, quiet = false;

    void enter(std::string_view stage, bool shown) override;
    bool goesOn(std::string_view stage, double fraction) override;
    std::string worded(const std::string& message) const override { return verbs::withFlags(message); }
    std::string nameOf(std::string_view output) const override;
    bool wants(std::string_view output, verbs::Kind kind) const override;
    void take(std::string_view output, const std::string& name, Character&& character) override;
    std::unique_ptr<io::SequenceWriter> open(std::string_view output, const io::SequenceInfo& info) override;
    void take(std::string_view output, std::span<const std::byte> bytes) override;
    std::vector<std::byte> draw(const verbs::Heatmap& heatmap, const Progress& progress) override;
    std::vector<std::byte> draw(const verbs::CloseupSheet& sheet, const Progress& progress) override;
    bool takeCopy(std::string_view output, const std::filesystem::path& file) override;
    void finish() override;

    void startProgress() { display_.start(); }
    /// Nothing more is shown as progress: what follows waits for the user.
    void endProgress() { display_.stop(); }

private:
    void saveCharacter(const Character& character, const std::filesystem::path& path);
    const std::filesystem::path& pathOf(std::string_view output) const;

    ProgressDisplay display_;
    struct Level {
        std::string name;
        Character character;
    };
    std::vector<Level> levels_;  ///< of a folder; all are written before any gets its name
};

/// The host of a verb that the program alone has.
inline FileHost& hostOf(verbs::Run& run) { return static_cast<FileHost&>(run.host()); }

}  // namespace pelt::program
