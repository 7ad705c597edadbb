// Runs a verb of the table on what a program has in memory.
#include "verb_run.h"

#include <fmt/format.h>
#include <pelt/core/parallel.h>
#include <pelt/core/spelling.h>
#include <pelt/io/picture.h>

#include <algorithm>

#include "options.h"

namespace pelt::c {
namespace {

using Json = nlohmann::ordered_json;
using verbs::Given;
using verbs::Kind;

const verbs::Verb& verbOf(const char* name) {
    need(name, "verb");
    if (const verbs::Verb* found = verbs::find(name)) return *found;
    std::vector<std::string> names;
    for (const verbs::Verb& verb : verbs::all()) names.emplace_back(verb.name);
    throw Error::badUsage(fmt::format("no verb '{}'{}", name, didYouMean(name, names)));
}

/// Null if there is none of that name.
template <class Row>
const Row* rowOf(const std::vector<Row>& rows, std::string_view name) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

bool isJson(Kind kind) { return kind == Kind::limits || kind == Kind::handles; }

/// An input that an option names: a path, or JSON as an object or a text.
Given givenOf(const verbs::Input& input, const Json& value) {
    const std::string name(input.name);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    const bool is_json = isJson(input.kind) && text.find_first_of("{[") == 0;
    if (!value.is_string() && !is_json) throw Error::badUsage(fmt::format("option '{}': {} is no file", name, text));
    if (!is_json) return {.name = text};
    return {.name = name, .json = input.kind == Kind::handles ? parseHandles(text.c_str()).dump() : text};
}

/// Keeps the frames of an output.
class FrameKeeper final : public io::SequenceWriter {
public:
    FrameKeeper(pelt_result::Sequence& kept, const io::SequenceInfo& info) : kept_(kept) {
        kept_.vertex_count = info.vertices;
        kept_.frames.reserve(info.vertices * info.frames);
    }
    void write(std::span<const Vec3f> positions) override {
        kept_.frames.insert(kept_.frames.end(), positions.begin(), positions.end());
    }
    void finish() override {}

private:
    pelt_result::Sequence& kept_;
};

/// Collects results in memory.
class MemoryHost final : public verbs::Host {
public:
    MemoryHost(const Progress::Callback& callback, const std::map<std::string, Kind, std::less<>>& outputs,
               pelt_result& result)
        : callback_(callback), outputs_(outputs), result_(result) {}

    bool goesOn(std::string_view stage, double fraction) override { return !callback_ || callback_(stage, fraction); }
    std::string worded(const std::string& message) const override { return c::worded(message); }
    std::string nameOf(std::string_view output) const override {
        return output == "output" ? "result.glb" : std::string(output);
    }
    bool wants(std::string_view output, Kind kind) const override {
        const auto found = outputs_.find(output);
        return found != outputs_.end() && found->second == kind;
    }
    void take(std::string_view, const std::string& name, Character&& character) override {
        const std::string called = name.empty() ? "result" : name;
        result_.characters.push_back(std::make_unique<pelt_character>(std::move(character), called + ".glb"));
    }
    std::unique_ptr<io::SequenceWriter> open(std::string_view output, const io::SequenceInfo& info) override {
        return std::make_unique<FrameKeeper>(result_.sequences[std::string(output)], info);
    }
    void take(std::string_view, std::span<const std::byte> bytes) override {
        result_.bytes.assign(bytes.begin(), bytes.end());
    }

private:
    const Progress::Callback& callback_;
    const std::map<std::string, Kind, std::less<>>& outputs_;
    pelt_result& result_;
};

}  // namespace

VerbRun::VerbRun(const char* verb, const pelt_call* call)
    : verb_(verbOf(verb)), callback_(callbackOf(call)), threads_(threadsOf(call)) {
    if (const verbs::Output* main = rowOf(verb_.outputs, "output")) outputs_["output"] = main->kinds.front();
}

void VerbRun::input(const std::string& name, const pelt_character* character) {
    need(character, name.c_str());
    input(name, Given{.name = character->name, .character = &character->character, .warnings = character->warnings});
}

void VerbRun::input(const std::string& name, Given given) {
    const verbs::Input* row = rowOf(verb_.inputs, name);
    if (row && row->kind == Kind::picture && given.name.starts_with("data:")) {
        io::DataFile file = io::readDataUri(given.name, name);
        given = {.name = std::move(file.name), .bytes = std::move(file.bytes)};
    }
    inputs_[name].push_back(std::move(given));
}

void VerbRun::frames(const std::string& name, const float* frames, std::size_t frame_count, std::size_t vertex_count,
                     std::span<const Triangle> triangles, const char* called) {
    need(frames, name.c_str());
    if (frame_count == 0 || vertex_count == 0) throw Error::badInput(fmt::format("{}: there are no frames", name));
    const std::span<const Vec3f> all(reinterpret_cast<const Vec3f*>(frames), frame_count * vertex_count);
    const std::string known_as = called ? called : name;
    input(name, Given{.name = known_as, .frames = all, .vertex_count = vertex_count, .triangles = triangles});
}

void VerbRun::option(const std::string& name, const Json& value) {
    if (value.is_string()) refuseNul(name, value.get_ref<const std::string&>());
    if (value.is_null() || inputOption(name, value) || outputOption(name, value)) return;
    const OptionInfo* row = rowOf(verb_.options, name);
    if (name == "threads" && !row) {
        if (!value.is_number() || value < 0) throw Error::badUsage("option 'threads': is a number, 0 for all cores");
        threads_ = value.get<int>();
        return;
    }
    for (OptionValue& one : valuesOf(name, value)) {
        const auto accepts = [&](const OptionValue& given) { return row && row->accepts && row->accepts(given); };
        if (one.number() && !accepts(one) && accepts(true)) one = *one.number() != 0;  // a flag as a number
        if (one.flag() && !*one.flag() && row && !accepts(one)) continue;              // as if it was not given
        options_[name].push_back(std::move(one));
    }
}

void VerbRun::options(const char* object) {
    const Json parsed = parseOptions(object);
    for (const auto& [name, value] : parsed.items()) option(name, value);
}

bool VerbRun::inputOption(const std::string& name, const Json& value) {
    const verbs::Input* row = rowOf(verb_.inputs, name);
    if (!row || (rowOf(verb_.options, name) && !value.is_structured())) return false;
    if (value.is_array() && !isJson(row->kind))
        for (const Json& one : value) input(name, givenOf(*row, one));
    else if (value != false)
        input(name, givenOf(*row, value));
    return true;
}

bool VerbRun::outputOption(const std::string& name, const Json& value) {
    const verbs::Output* row = rowOf(verb_.outputs, name);
    if (!row || row->program_only) return false;
    if (value == false || value == 0) return true;
    Kind kind = row->kinds.front();
    if (value.is_string()) {
        const std::optional<Kind> named = enumOf<Kind>(value.get<std::string>());
        if (!named || std::find(row->kinds.begin(), row->kinds.end(), *named) == row->kinds.end())
            throw Error::badUsage(fmt::format("option '{}': the result is returned, it has no file", name));
        kind = *named;
    }
    outputs_[name] = kind;
    return true;
}

std::unique_ptr<pelt_result> VerbRun::run() const {
    auto result = std::make_unique<pelt_result>();
    MemoryHost host(callback_, outputs_, *result);
    verbs::Report report;
    try {
        withThreads(threads_, [&] { report = verbs::run(verb_, inputs_, options_, host); });
    } catch (const Error& error) {
        throw forUsers(error);
    }
    result->report = nlohmann::ordered_json::parse(report.json).dump();
    result->missed_gate = report.missed_gate;
    return result;
}

Error VerbRun::forUsers(const Error& error) const {
    for (const auto& [name, all] : inputs_)
        for (const Given& given : all)
            if (given.character && given.name == error.file())
                return {error.code(), ErrorPlace{"", error.subject()}, error.sentence()};
    return error;
}

}  // namespace pelt::c

void pelt_result::checkGate() const {
    if (!missed_gate.empty()) throw pelt::Error(pelt::ErrorCode::gate, missed_gate);
}
