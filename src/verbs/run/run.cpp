// Runs a verb of the table: checks what is given against it, and makes the report.
#include "verbs/run/run.h"

#include <fmt/format.h>
#include <pelt/core/spelling.h>
#include <pelt/methods/methods.h>

#include <algorithm>

#include "verbs/run/common_options.h"

namespace pelt::verbs {

namespace {

/// Hosts that do not take a sequence still let the verb write one.
class DroppedFrames final : public io::SequenceWriter {
public:
    void write(std::span<const Vec3f>) override {}
    void finish() override {}
};

template <class List, class Name>
bool hasName(const List& list, const Name& name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
}

}  // namespace

std::unique_ptr<io::SequenceWriter> Host::open(std::string_view, const io::SequenceInfo&) {
    return std::make_unique<DroppedFrames>();
}

Run::Run(const Verb& verb, const Inputs& inputs, const OptionValues& options, Host& host)
    : verb_(verb), inputs_(inputs), options_(options), host_(host) {
    check();
    result["verb"] = verb.name;
}

void Run::check() const {
    for (const auto& [name, values] : options_) {
        const auto row = std::find_if(verb_.options.begin(), verb_.options.end(),
                                      [&name = name](const OptionInfo& option) { return option.name == name; });
        if (row == verb_.options.end()) {
            std::vector<std::string> known;
            for (const OptionInfo& option : verb_.options) known.emplace_back(option.name);
            for (const Input& input : verb_.inputs) known.emplace_back(input.name);
            throw Error::badUsage(fmt::format("{} has no option '{}'{}", verb_.name, name, didYouMean(name, known)));
        }
        checkedValues(*row, values);
    }
    for (const auto& [name, given] : inputs_) {
        if (!hasName(verb_.inputs, name)) throw Error::badUsage(fmt::format("{} has no input '{}'", verb_.name, name));
        const auto input = std::find_if(verb_.inputs.begin(), verb_.inputs.end(),
                                        [&name = name](const Input& one) { return one.name == name; });
        if (given.size() > 1 && !input->many)
            throw Error::badUsage(fmt::format("{} takes one {}, not {}", verb_.name, name, given.size()));
    }
    for (const Input& input : verb_.inputs)
        if (input.required && !has(input.name))
            throw Error::badUsage(fmt::format("{} needs the input '{}'", verb_.name, input.name));
}

/// Whether an option or an input is given; a flag that is off is not.
bool Run::isOn(std::string_view name) const {
    const auto option = options_.find(name);
    if (option == options_.end()) return has(name);
    const std::vector<OptionValue>& values = option->second;
    return !std::all_of(values.begin(), values.end(),
                        [](const OptionValue& value) { return value.flag() && !*value.flag(); });
}

void Run::excludes(std::string_view one, std::string_view other) const {
    if (isOn(one) && isOn(other)) throw Error::badUsage(fmt::format("`{}` excludes `{}`", one, other));
}

void Run::needs(std::string_view one, std::string_view other) const {
    if (isOn(one) && !isOn(other)) throw Error::badUsage(fmt::format("`{}` requires `{}`", one, other));
}

OptionValues Run::methodOptions() const {
    OptionValues given;
    for (const OptionInfo& info : methodInfos({}))
        if (const auto found = options_.find(info.name); found != options_.end()) given.insert(*found);
    return given;
}

const Given& Run::given(std::string_view input) const { return allGiven(input).front(); }

const std::vector<Given>& Run::allGiven(std::string_view input) const {
    static const std::vector<Given> none;
    const auto found = inputs_.find(input);
    return found == inputs_.end() ? none : found->second;
}

void Run::stage(std::string_view name) {
    stages_.enter(name);
    host_.enter(name, true);
}

void Run::lap(std::string_view name) {
    stages_.enter(name);
    host_.enter(name, false);
}

Progress Run::progress() {
    return Progress([this](std::string_view name, double fraction) { return host_.goesOn(name, fraction); });
}

Progress Run::progressPart(std::string name, double from, double to) {
    return Progress([this, name = std::move(name), from, to](std::string_view, double fraction) {
        return host_.goesOn(name, from + fraction * (to - from));
    });
}

void Run::warn(const std::string& file, const std::string& message) {
    warnings_.push_back(fmt::format("{}: {}", file, host_.worded(message)));
}

void Run::warn(const std::string& message) { warnings_.push_back(host_.worded(message)); }

void Run::draw(const Heatmap& heatmap, std::string_view output) {
    stage("render");
    const std::vector<std::byte> picture = host_.draw(heatmap, progress());
    stage("write");
    save(picture, output);
}

void Run::draw(const CloseupSheet& sheet, std::string_view output) {
    stage("render");
    const std::vector<std::byte> picture = host_.draw(sheet, progress());
    stage("write");
    save(picture, output);
}

Report Run::report() {
    stages_.finish();
    result["warnings"] = warnings_;
    result["stages"] = stages_.json();
    return {result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), text_, warnings_,
            missed_gate_, missed_code_};
}

Report run(const Verb& verb, const Inputs& inputs, const OptionValues& options, Host& host) {
    Run run(verb, inputs, options, host);
    if (host.watches_memory) run.watchMemory();
    verb.run(run);
    host.finish();
    for (const std::string& sentence : host.lost) run.warn(sentence);
    return run.report();
}

}  // namespace pelt::verbs
