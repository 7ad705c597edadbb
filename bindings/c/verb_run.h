#pragma once

#include <pelt/verbs/verb.h>

#include <nlohmann/json_fwd.hpp>
#include <set>

#include "handles.h"

/// What a verb made.
struct pelt_result {
    struct Sequence {
        std::size_t vertex_count = 0;
        std::vector<pelt::Vec3f> frames;
    };

    std::vector<std::unique_ptr<pelt_character>> characters;
    std::size_t handed_over = 0;                             ///< of the characters
    std::map<std::string, Sequence, std::less<>> sequences;  ///< by their outputs
    std::vector<std::byte> bytes;
    std::string report, missed_gate;

    /// Throws Error (gate) if a quality limit was missed.
    void checkGate() const;
};

namespace pelt::c {

/// One run of a verb: its inputs and options, and what its results are to be.
class VerbRun {
public:
    /// Throws Error (bad usage) if there is no such verb.
    explicit VerbRun(const char* verb, const pelt_call* call = nullptr);

    void input(const std::string& name, const pelt_character* character);
    void input(const std::string& name, verbs::Given given);
    /// Frames that are borrowed during the call.
    void frames(const std::string& name, const float* frames, std::size_t frame_count, std::size_t vertex_count,
                std::span<const Triangle> triangles = {}, const char* called = nullptr);

    /// An option; or an input that is a path or JSON, an output that is asked for, or the number of threads. Throws
    /// Error (bad usage).
    void option(const std::string& name, const nlohmann::ordered_json& value);
    /// All of a JSON object.
    void options(const char* object);

    std::unique_ptr<pelt_result> run() const;

private:
    bool inputOption(const std::string& name, const nlohmann::ordered_json& value);
    bool outputOption(const std::string& name, const nlohmann::ordered_json& value);
    /// The error without the name of a character in memory, which no user knows.
    Error forUsers(const Error& error) const;

    const verbs::Verb& verb_;
    Progress::Callback callback_;
    int threads_;
    verbs::Inputs inputs_;
    OptionValues options_;
    std::map<std::string, verbs::Kind, std::less<>> outputs_;  ///< those that are asked for
};

}  // namespace pelt::c
