// The verbs of the table, and the calls for single ones.
#include <pelt/scenes/scenes.h>

#include <nlohmann/json.hpp>

#include "options.h"
#include "verb_run.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;
using pelt::c::VerbRun;

namespace {

std::span<const Triangle> trianglesOf(const uint32_t* corners, std::size_t count) {
    return {reinterpret_cast<const Triangle*>(corners), corners ? count : 0};
}

void readInput(VerbRun& run, const pelt_input& given) {
    need(given.name, "an input's name");
    const std::string name = given.name;
    if (given.character) return run.input(name, given.character);
    if (!given.frames) {
        need(given.path, given.name);
        return run.input(name, verbs::Given{.name = given.path});
    }
    run.frames(name, given.frames, given.frame_count, given.vertex_count,
               trianglesOf(given.triangles, given.triangle_count), given.path);
}

/// Runs the verb and hands over a character, if one is wanted, and the report.
void give(const VerbRun& run, pelt_character** character, char** report) {
    const std::unique_ptr<pelt_result> made = run.run();
    if (character) {
        if (made->characters.empty()) throw Error::badUsage("this verb made no character with these options");
        *character = made->characters.front().release();
    }
    if (report) *report = c::copied(made->report);
    made->checkGate();
}

/// What most verbs do: a character is made of another one.
pelt_status makeFrom(const char* verb, const pelt_character* character, const char* options, const pelt_call* call,
                     pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run(verb, call);
        run.input("character", character);
        run.options(options);
        give(run, result, report);
    });
}

}  // namespace

const char* pelt_verbs(void) {
    static const std::string table = verbs::tableJson(verbs::all());
    return table.c_str();
}

pelt_status pelt_run(const char* verb, const pelt_input* inputs, size_t count, const pelt_option* options, size_t n,
                     pelt_progress progress, void* user, pelt_result** out) {
    return guarded([&] {
        need(out, "out");
        const pelt_call call{sizeof(pelt_call), progress, user, 0};
        VerbRun run(verb, &call);
        if (count > 0) need(inputs, "inputs");
        if (n > 0) need(options, "options");
        for (const pelt_input& given : std::span(inputs, count)) readInput(run, given);
        for (const pelt_option& given : std::span(options, n)) {
            need(given.name, "an option's name");
            run.option(given.name,
                       given.text ? nlohmann::ordered_json(given.text) : nlohmann::ordered_json(given.number));
        }
        std::unique_ptr<pelt_result> made = run.run();
        const std::string missed_gate = made->missed_gate;
        *out = made.release();
        (*out)->checkGate();
    });
}

pelt_character* pelt_result_character(pelt_result* result) {
    if (result->handed_over == result->characters.size()) return nullptr;
    return result->characters[result->handed_over++].release();
}

const float* pelt_result_frames(const pelt_result* result, size_t* frame_count, size_t* vertex_count) {
    return pelt_result_frames_of(result, "output", frame_count, vertex_count);
}

const float* pelt_result_frames_of(const pelt_result* result, const char* output, size_t* frame_count,
                                   size_t* vertex_count) {
    const auto found = result->sequences.find(output);
    const bool some = found != result->sequences.end() && !found->second.frames.empty();
    if (vertex_count) *vertex_count = some ? found->second.vertex_count : 0;
    if (frame_count) *frame_count = some ? found->second.frames.size() / found->second.vertex_count : 0;
    return some ? &found->second.frames.front().x : nullptr;
}

const uint8_t* pelt_result_bytes(const pelt_result* result, size_t* size) {
    if (size) *size = result->bytes.size();
    return result->bytes.empty() ? nullptr : reinterpret_cast<const uint8_t*>(result->bytes.data());
}

const char* pelt_result_report(const pelt_result* result) { return result->report.c_str(); }
void pelt_result_free(pelt_result* result) { delete result; }

pelt_status pelt_info(const pelt_character* character, const char* options, char** report) {
    return guarded([&] {
        need(report, "report");
        VerbRun run("info");
        run.input("file", character);
        run.options(options);
        give(run, nullptr, report);
    });
}

pelt_status pelt_samples(char** names) {
    return guarded([&] {
        need(names, "names");
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const scenes::Scene& scene : scenes::all()) list.push_back(scene.name);
        *names = c::copied(list.dump());
    });
}

pelt_status pelt_sample(const char* name, const char* options, pelt_character** character) {
    return guarded([&] {
        need(name, "name");
        need(character, "character");
        VerbRun run("sample");
        run.option("name", name);
        run.options(options);
        give(run, character, nullptr);
    });
}

// The verbs that make a character from another one, by their names.
#define PELT_MAKES(verb)                                                                                 \
    pelt_status pelt_##verb(const pelt_character* character, const char* options, const pelt_call* call, \
                            pelt_character** result, char** report) {                                    \
        return makeFrom(#verb, character, options, call, result, report);                                \
    }
PELT_MAKES(mush)
PELT_MAKES(bind)
PELT_MAKES(bake)
PELT_MAKES(clean)
PELT_MAKES(limit)
PELT_MAKES(mirror)
#undef PELT_MAKES

pelt_status pelt_transfer(const pelt_character* from, const pelt_character* to, const char* options,
                          const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("transfer", call);
        run.input("from", from);
        run.input("to", to);
        run.options(options);
        give(run, result, report);
    });
}

pelt_status pelt_bake_frames(const pelt_character* character, const float* frames, size_t frame_count,
                             const char* options, const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("bake", call);
        run.input("character", character);
        run.frames("from", frames, frame_count, pelt_vertex_count(character));
        run.options(options);
        give(run, result, report);
    });
}

pelt_status pelt_pack(const pelt_character* character, const char* method, const char* options, const pelt_call* call,
                      uint8_t** bytes, size_t* size) {
    return guarded([&] {
        need(bytes, "bytes");
        need(size, "size");
        VerbRun run("pack", call);
        run.input("character", character);
        if (method) run.option("method", method);
        run.options(options);
        const std::unique_ptr<pelt_result> made = run.run();
        *bytes = c::copied(std::span<const std::byte>(made->bytes));
        *size = made->bytes.size();
    });
}

pelt_status pelt_fit(const pelt_character* character, const float* examples, size_t frame_count, const char* options,
                     const pelt_call* call, pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        VerbRun run("fit", call);
        run.input("character", character);
        run.frames("examples", examples, frame_count, pelt_vertex_count(character));
        run.options(options);
        give(run, result, report);
    });
}

pelt_status pelt_pose(const pelt_character* character, const char* handles, const char* options, const pelt_call* call,
                      pelt_character** result, char** report) {
    return guarded([&] {
        need(handles, "handles");
        need(result, "result");
        VerbRun run("pose", call);
        run.input("character", character);
        run.option("handles", c::parseHandles(handles));
        run.options(options);
        give(run, result, report);
    });
}

pelt_status pelt_decompose(const float* frames, size_t frame_count, size_t vertex_count, const float* rest,
                           const uint32_t* triangles, size_t triangle_count, const char* options, const pelt_call* call,
                           pelt_character** result, char** report) {
    return guarded([&] {
        need(result, "result");
        const std::span<const Triangle> faces = trianglesOf(triangles, triangle_count);
        VerbRun run("decompose", call);
        run.frames("sequence", frames, frame_count, vertex_count, faces, "frames");
        run.frames("rest", rest ? rest : frames, 1, vertex_count, faces);
        run.options(options);
        give(run, result, report);
    });
}

pelt_status pelt_compare(const float* a, const float* b, size_t frame_count, size_t vertex_count, const float* rest,
                         char** report) {
    return guarded([&] {
        need(report, "report");
        VerbRun run("compare");
        run.frames("a", a, frame_count, vertex_count);
        run.frames("b", b, frame_count, vertex_count);
        if (rest) run.frames("mesh", rest, 1, vertex_count);
        give(run, nullptr, report);
    });
}
