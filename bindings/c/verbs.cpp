#include <fmt/format.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/sequence_error.h>
#include <pelt/pipeline/pack.h>
#include <pelt/scenes/scenes.h>

#include "handles.h"
#include "option_words.h"
#include "run_verb.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

namespace {

using Json = nlohmann::json;

constexpr const char* kResult = "memory:result.glb";
constexpr const char* kFrames = "memory:frames.npy";

/// One run of a verb: its documents and words, and where the results go.
class VerbRun {
public:
    VerbRun(const char* verb, const char* options, const pelt_call* call) : call_(call) {
        words_ = {verb};
        options_ = c::optionWords(c::parseOptions(options), documents_);
    }

    void input(const pelt_character* character) {
        need(character, "character");
        std::string name = "memory:" + character->name;
        while (documents_.characters.count(name) > 0) name += "'";  // two inputs may have the same name
        documents_.characters[name] = &character->character;
        words_.push_back(name);
    }

    /// Frames that are borrowed during the call.
    void input(const float* frames, std::size_t frame_count, std::size_t vertex_count, const Mesh& mesh) {
        need(frames, "frames");
        if (frame_count == 0 || vertex_count == 0) throw Error::badInput("frames: there are none");
        documents_.sequences[kFrames] = [=, mesh = mesh] {
            const auto* all = reinterpret_cast<const Vec3f*>(frames);
            return makeSequence(std::vector<Vec3f>(all, all + frame_count * vertex_count), vertex_count, mesh);
        };
        words_.push_back(kFrames);
    }

    void word(const std::string& text) { words_.push_back(text); }
    /// Frames as the value of an option.
    void option(const char* flag, const float* frames, std::size_t frame_count, std::size_t vertex_count) {
        input(frames, frame_count, vertex_count, {});
        words_.back() = fmt::format("{}={}", flag, kFrames);
    }
    void object(const std::string& name, Json value) {
        documents_.objects["memory:" + name] = std::move(value);
        words_.push_back(fmt::format("--{}=memory:{}", name, name));
    }

    void run(pelt_character** result, char** report) {
        words_.insert(words_.end(), options_.begin(), options_.end());
        if (result) words_.insert(words_.end(), {"-o", kResult});
        if (c::threadsOf(call_) > 0) words_.push_back(fmt::format("--threads={}", c::threadsOf(call_)));
        const cli::VerbOutcome outcome = cli::runVerb(words_, documents_, c::callbackOf(call_));
        if (result) {
            if (!documents_.written) throw Error::badUsage("this verb made no character with these options");
            *result = new pelt_character(std::move(*documents_.written), "result.glb");
        }
        if (report)
            *report = c::copied(withoutMemory(outcome.report).dump(-1, ' ', false, Json::error_handler_t::replace));
        if (!outcome.missed_gate.empty()) throw Error(ErrorCode::gate, outcome.missed_gate);
    }

private:
    /// Names of documents as a user knows them.
    static nlohmann::ordered_json withoutMemory(nlohmann::ordered_json report) {
        for (auto& [key, value] : report.items())
            if (value.is_string() && cli::isInMemory(value.get<std::string>()))
                value = value.get<std::string>().substr(std::string_view("memory:").size());
        return report;
    }

    const pelt_call* call_;
    cli::Documents documents_;
    std::vector<std::string> words_, options_;
};

pelt_status makeFrom(const char* verb, const pelt_character* character, const char* options, const pelt_call* call,
                     pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run(verb, options, call);
        run.input(character);
        run.run(result, report);
    });
}

}  // namespace

pelt_status pelt_info(const pelt_character* character, const char* options, char** report) {
    return guarded([&] {
        need(report, "report");
        VerbRun run("info", options, nullptr);
        run.input(character);
        run.run(nullptr, report);
    });
}

pelt_status pelt_samples(char** names) {
    return guarded([&] {
        need(names, "names");
        Json list = Json::array();
        for (const scenes::Scene& scene : scenes::all()) list.push_back(scene.name);
        *names = c::copied(list.dump());
    });
}

pelt_status pelt_sample(const char* name, const char* options, pelt_character** character) {
    return guarded([&] {
        need(name, "name");
        need(character, "character");
        VerbRun run("sample", options, nullptr);
        run.word(name);
        run.run(character, nullptr);
    });
}

pelt_status pelt_mush(const pelt_character* character, const char* options, const pelt_call* call,
                      pelt_character** result, char** report) {
    return makeFrom("mush", character, options, call, result, report);
}

pelt_status pelt_bind(const pelt_character* character, const char* options, const pelt_call* call,
                      pelt_character** result, char** report) {
    return makeFrom("bind", character, options, call, result, report);
}

pelt_status pelt_transfer(const pelt_character* from, const pelt_character* to, const char* options,
                          const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("transfer", options, call);
        run.input(from);
        run.input(to);
        run.run(result, report);
    });
}

pelt_status pelt_bake(const pelt_character* character, const char* options, const pelt_call* call,
                      pelt_character** result, char** report) {
    return makeFrom("bake", character, options, call, result, report);
}

pelt_status pelt_clean(const pelt_character* character, const char* options, const pelt_call* call,
                       pelt_character** result, char** report) {
    return makeFrom("clean", character, options, call, result, report);
}

pelt_status pelt_limit(const pelt_character* character, const char* options, const pelt_call* call,
                       pelt_character** result, char** report) {
    return makeFrom("limit", character, options, call, result, report);
}

pelt_status pelt_mirror(const pelt_character* character, const char* options, const pelt_call* call,
                        pelt_character** result, char** report) {
    return makeFrom("mirror", character, options, call, result, report);
}

pelt_status pelt_bake_frames(const pelt_character* character, const float* frames, size_t frame_count,
                             const char* options, const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("bake", options, call);
        run.input(character);
        run.option("--from", frames, frame_count, pelt_vertex_count(character));
        run.run(result, report);
    });
}

pelt_status pelt_pack(const pelt_character* character, const char* method, const char* options, const pelt_call* call,
                      uint8_t** bytes, size_t* size) {
    return guarded([&] {
        need(character, "character");
        need(bytes, "bytes");
        need(size, "size");
        const char* by_default = character->character.ddm ? "ddm" : "lbs";
        const pipeline::Method& found = pipeline::findMethod(method ? method : by_default);
        const pipeline::MethodOptions given = c::methodOptions(found, c::parseOptions(options));
        const Progress progress = c::progressOf(call);
        withThreads(c::threadsOf(call), [&] {
            const AlignedBytes all = pipeline::packCharacter(character->character, found, given, progress);
            *bytes = c::copied(std::span<const std::byte>(all));
            *size = all.size();
        });
    });
}

pelt_status pelt_fit(const pelt_character* character, const float* examples, size_t frame_count, const char* options,
                     const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("fit", options, call);
        run.input(character);
        run.input(examples, frame_count, pelt_vertex_count(character), {});
        run.run(result, report);
    });
}

pelt_status pelt_pose(const pelt_character* character, const char* handles, const char* options, const pelt_call* call,
                      pelt_character** result, char** report) {
    return guarded([&] {
        need(handles, "handles");
        need(result, "result");
        VerbRun run("pose", options, call);
        run.input(character);
        run.object("handles", c::parseHandles(handles));
        run.word("--no-cache");
        run.run(result, report);
    });
}

pelt_status pelt_decompose(const float* frames, size_t frame_count, size_t vertex_count, const float* rest,
                           const uint32_t* triangles, size_t triangle_count, const char* options, const pelt_call* call,
                           pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        need(frames, "frames");
        Mesh mesh;
        const auto* positions = reinterpret_cast<const Vec3f*>(rest ? rest : frames);
        mesh.positions.assign(positions, positions + vertex_count);
        for (std::size_t t = 0; t < triangle_count; ++t) {
            const std::uint32_t* corner = triangles + 3 * t;
            for (int k = 0; k < 3; ++k)
                if (corner[k] >= vertex_count)
                    throw Error::badInput(
                        fmt::format("triangles: triangle {} names vertex {} of {}", t, corner[k], vertex_count));
            mesh.triangles.push_back({corner[0], corner[1], corner[2]});
        }
        VerbRun run("decompose", options, call);
        run.input(frames, frame_count, vertex_count, mesh);
        run.run(result, report);
    });
}

pelt_status pelt_compare(const float* a, const float* b, size_t frame_count, size_t vertex_count, const float* rest,
                         char** report) {
    return guarded([&] {
        need(a, "a");
        need(b, "b");
        need(report, "report");
        if (frame_count == 0 || vertex_count == 0) throw Error::badInput("a: there are no frames");
        const auto sequence = [&](const float* all) {
            const auto* first = reinterpret_cast<const Vec3f*>(all);
            return makeSequence(std::vector<Vec3f>(first, first + frame_count * vertex_count), vertex_count);
        };
        const std::span<const Vec3f> rest_pose(reinterpret_cast<const Vec3f*>(rest ? rest : a), vertex_count);
        const geometry::SequenceError error = geometry::compareSequences(*sequence(a), *sequence(b), rest_pose);
        nlohmann::ordered_json json{{"vertices", vertex_count},
                                    {"frame_count", frame_count},
                                    {"rms", error.rms},
                                    {"max", error.max},
                                    {"e_rms", error.e_rms}};
        json["frames"] = nlohmann::ordered_json::array();
        for (const auto& frame : error.frames) json["frames"].push_back({{"rms", frame.rms}, {"max", frame.max}});
        *report = c::copied(json.dump());
    });
}
