#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/io/character_file.h>
#include <pelt/io/picture.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/range_of_motion.h>
#include <pelt/verbs/files.h>
#include <pelt/verbs/verb.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "verbs/run/stages.h"
#include "verbs/run/text.h"

namespace pelt::verbs {

/// A character that is looked at: one in memory is not copied.
using CharacterRef = std::shared_ptr<const Character>;

/// Runs `work` so that its errors name `file`.
template <class Work>
auto aboutFile(const std::string& file, Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw error.in(file);
    } catch (const std::length_error&) {
        throw Error::badInput({file}, "claims sizes that exceed any memory; export it again");
    }
}

/// One run of a verb: its inputs and options, stages and progress, results and report.
class Run {
public:
    Run(const Verb& verb, const Inputs& inputs, const OptionValues& options, Host& host);

    nlohmann::ordered_json result;  ///< filled by the verb; "verb", "warnings" and "stages" are added

    // ---- Options ----

    /// The options of a table. Throws Error (bad usage) for values that are not valid.
    template <class Options>
    Options read(const OptionTable<Options>& rows) const {
        Options options;
        setOptions(options, rows, options_);
        return options;
    }
    /// Sets the fields of settings that the options of a table name; others stay as they are.
    template <class Settings, class... Types>
    void apply(Settings& settings, std::span<const OptionField<Settings, Types...>> fields) const {
        setOptions(settings, fields, options_);
    }
    bool gives(std::string_view option) const { return options_.contains(option); }
    /// Throws Error (bad usage) if both are given; either is an option or an input. A flag that is off is not given.
    void excludes(std::string_view one, std::string_view other) const;
    /// Throws Error (bad usage) if the first is given without the other.
    void needs(std::string_view one, std::string_view other) const;
    /// Those of Direct Delta Mush and of all other methods.
    OptionValues methodOptions() const;

    // ---- Inputs ----

    /// Frames in memory, one or many, are a sequence.
    static FileKind kindOf(const Given& given);

    bool has(std::string_view input) const { return inputs_.contains(input); }
    /// What is given for an input; of several, the first.
    const Given& given(std::string_view input) const;
    const std::vector<Given>& allGiven(std::string_view input) const;
    /// How messages and reports call it.
    const std::string& nameOf(std::string_view input) const { return given(input).name; }
    std::string outputName(std::string_view output = "output") const { return host_.nameOf(output); }

    /// The character of an input, with the clips of the inputs `clips`, without props if the option `no_props` is
    /// given, and with the clip `clip` if that is a generated one (@range). What the loader mended becomes warnings.
    /// Throws Error (bad input) for a file without a mesh.
    CharacterRef character(std::string_view input, const std::optional<std::string>& clip = {});
    /// The same as one of one's own.
    Character ownCharacter(std::string_view input, const std::optional<std::string>& clip = {});
    CharacterRef characterOf(const Given& given, const std::optional<std::string>& clip, bool lend_clips);
    /// A character, or a skeleton with clips alone, as it is: without the clips of other files; what was repaired goes
    /// to `warnings` alone.
    CharacterRef asItIs(const Given& given, std::vector<std::string>* warnings = nullptr);
    /// A character, or the mesh of a mesh file as a character without joints.
    CharacterRef characterOrMesh(std::string_view input, bool lend_clips = true);
    Character ownCharacterOrMesh(std::string_view input);
    /// The frames of a sequence, a mesh or a character, whose clip is sampled as `sampling` says. `mesh` is the name of
    /// the input with the faces of formats that have none; empty: there is none.
    std::unique_ptr<MeshSequence> sequence(const Given& given, const methods::Sampling& sampling,
                                           std::string_view mesh = {}, bool lend_clips = true);
    /// The mesh of an input that matches frames with this many vertices.
    Mesh meshFor(const Given& given, std::size_t vertices);
    /// The input `limits` for this skeleton; none: not given.
    std::optional<rig::RangeOfMotion> limits(const Skeleton& skeleton);
    nlohmann::ordered_json json(const Given& given) const;
    io::Picture picture(const Given& given) const;

    // ---- Work ----

    /// Begins a stage that is also shown as progress. Throws Error (cancelled).
    void stage(std::string_view name);
    /// Begins or continues a stage inside a loop that reports its progress itself.
    void lap(std::string_view name);
    Progress progress();
    /// Shows the progress of a part of the stage `name` as the range `from` to `to` of the whole.
    Progress progressPart(std::string name, double from, double to);
    void warn(const std::string& file, const std::string& message);
    void warn(const std::string& message);
    /// Text for people.
    void print(const std::string& text) { text_ += host_.worded(text); }
    /// A quality limit was missed: the result is written anyway, and the program ends with the status of `code`.
    void missGate(const std::string& message, ErrorCode code = ErrorCode::gate) {
        missed_gate_ = message;
        missed_code_ = code;
    }

    // ---- Results ----

    bool wants(std::string_view output, Kind kind) const { return host_.wants(output, kind); }
    void save(Character&& character, std::string_view output = "output", const std::string& name = {}) {
        host_.take(output, name, std::move(character));
    }
    std::unique_ptr<io::SequenceWriter> open(std::string_view output, const io::SequenceInfo& info) {
        return host_.open(output, info);
    }
    void save(std::span<const std::byte> bytes, std::string_view output = "output") { host_.take(output, bytes); }
    /// Draws a picture and saves it.
    void draw(const Heatmap& heatmap, std::string_view output);
    void draw(const CloseupSheet& sheet, std::string_view output);

    bool utf8() const { return host_.utf8; }
    bool usesCache() const { return host_.uses_cache; }
    const Verb& verb() const { return verb_; }
    Host& host() { return host_; }
    void watchMemory() { stages_.watchMemory(); }
    Report report();

private:
    io::LoadOptions loadOptions() const { return {.local_files_only = host_.local_files_only}; }
    void check() const;
    bool isOn(std::string_view name) const;
    void borrowClips(const Given& from, const std::string& to, Character& character);

    const Verb& verb_;
    const Inputs& inputs_;
    const OptionValues& options_;
    Host& host_;
    Stages stages_;
    std::vector<std::string> warnings_;
    std::string text_, missed_gate_;
    ErrorCode missed_code_ = ErrorCode::gate;
};

}  // namespace pelt::verbs
