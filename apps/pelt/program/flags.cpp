// Words and flags of the command line, from the table of verbs.
#include "program/flags.h"

#include <fmt/format.h>
#include <pelt/core/spelling.h>

#include <algorithm>

#include "program/outputs.h"
#include "program/streams.h"
#include "verbs/run/common_options.h"
#include "verbs/run/text.h"

namespace pelt::program {
namespace {

using verbs::flagOf;

std::string headingOf(std::string_view group) { return std::string(group.empty() ? verbs::kOther : group); }

/// The first word must be a verb or an option; this message is clearer than the parser's.
void checkVerb(const CLI::App& app, const std::vector<std::string>& words) {
    if (!words.empty() && words[0].rfind('-', 0) == 0) return;
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!words.empty() && words[0] == verb->get_name()) return;
        verbs.push_back(verb->get_name());
    }
    const std::string fault =
        words.empty() ? "no verb given" : fmt::format("no verb '{}'{}", words[0], didYouMean(words[0], verbs));
    throw Error::badUsage(fmt::format("{}; there are {}; see pelt --help", fault, fmt::join(verbs, ", ")));
}

/// Words without a verb: an option that there is not, or none.
std::string explainNoVerb(const CLI::App& app) {
    const std::vector<std::string> left = app.remaining();
    if (left.empty() || left.front() == "--") return "no verb given";
    return fmt::format("pelt has no option '{}'", left.front());
}

/// Explains arguments that the parser did not accept: a misspelled option, or one input too many.
std::string explainExtras(const CLI::App& verb) {
    std::vector<std::string> options;
    for (const CLI::Option* option : verb.get_options())
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    const std::string word = verb.remaining().empty() ? "" : verb.remaining().front();
    if (word.size() < 2 || word[0] != '-')
        return fmt::format("pelt {} takes no further input '{}'", verb.get_name(), word);
    const std::string given = word.substr(0, word.find('='));
    return fmt::format("pelt {} has no option '{}'{}", verb.get_name(), given, didYouMean(given, options));
}

}  // namespace

Flags::Flags(CLI::App& app, const verbs::Verb& verb, FileHost& host, std::function<void(Flags&)> chosen)
    : verb_(verb), host_(host) {
    app_ = app.add_subcommand(std::string(verb.name), std::string(verb.summary))->group("Verbs");
    const std::string notes = verb.notes.empty() ? "" : verb.notes + "\n";
    app_->footer(notes + "Example:\n  " + std::string(verb.example));
    app_->get_help_ptr()->group("General");
    addInputs();
    addOutputs();
    addOptions();
    app_->add_flag("--json", host.json,
                   "Print the report as one JSON object on standard output, and nothing else there")
        ->group("General");
    app_->add_flag("-q,--quiet", host.quiet, "Print no progress and no report; warnings and errors are still printed")
        ->group("General");
    app_->add_option("--threads", host.threads,
                     "Number of threads; the result does not depend on it (default: all cores)")
        ->check(CLI::Range(1, 4096))
        ->type_name("N")
        ->group("General");
    app_->add_flag("--local-files-only", host.local_files_only,
                   "Read no file outside the folder of a .gltf, whatever it refers to: for files you do not trust")
        ->group(headingOf({}));
    const bool writes_character =
        std::any_of(verb_.outputs.begin(), verb_.outputs.end(), [](const verbs::Output& output) {
            return std::find(output.kinds.begin(), output.kinds.end(), verbs::Kind::character) != output.kinds.end();
        });
    if (writes_character)
        app_->add_option("--fbx-up", host.fbx_up, "The axis that points up in an .fbx that is written (default: y)")
            ->check(CLI::IsMember({"y", "z"}))
            ->type_name("y|z")
            ->group(headingOf({}));
    app_->callback([this, chosen = std::move(chosen)] { chosen(*this); });
}

CLI::Option* Flags::add(const std::string& flag, Texts& texts, std::string_view summary, std::string_view values) {
    return app_->add_option(flag, texts, std::string(summary))->type_name(std::string(values))->allow_extra_args(false);
}

void Flags::addInputs() {
    for (const verbs::Input& input : verb_.inputs) {
        if (input.in_memory_only) continue;
        const std::string name(input.name);
        CLI::Option* added = add(input.isWord() ? name : flagOf(name), given_[name], input.summary, input.values);
        if (input.required) added->required();
        if (!input.isWord()) added->group(headingOf(input.group));
        if (input.many && input.isWord()) added->allow_extra_args(true);
        if (!input.many) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
}

void Flags::addOutputs() {
    for (const verbs::Output& output : verb_.outputs) {
        const std::string name(output.name);
        const std::string flag = name == "output" ? "-o,--output" : flagOf(name);
        CLI::Option* added = add(flag, given_[name], output.summary, output.values);
        added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw)->group(headingOf(output.group));
        if (output.required) added->required();
    }
}

void Flags::addOptions() {
    for (const OptionInfo& option : verb_.options) {
        const std::string name(option.name);
        Texts& texts = given_[name];
        if (option.type == OptionType::flag) {
            app_->add_flag_callback(
                    flagOf(name), [&texts] { texts = {"true"}; }, std::string(option.summary))
                ->group(headingOf(option.group));
            continue;
        }
        CLI::Option* added = add(option.positional ? name : flagOf(name), texts, option.summary, option.values);
        if (!option.positional) added->group(option.hidden ? "" : headingOf(option.group));
        if (option.positional && option.repeats) added->allow_extra_args(true);
        if (!option.repeats) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
}

verbs::Inputs Flags::inputs() const {
    verbs::Inputs inputs;
    for (const verbs::Input& input : verb_.inputs)
        if (const auto given = given_.find(input.name); given != given_.end() && !input.in_memory_only)
            for (const std::string& path : given->second) inputs[given->first].push_back({path});
    return inputs;
}

OptionValues Flags::options() const {
    OptionValues values;
    for (const OptionInfo& option : verb_.options) {
        const Texts& texts = given_.find(option.name)->second;
        if (texts.empty()) continue;
        std::vector<OptionValue>& list = values[std::string(option.name)];
        for (const std::string& text : texts)
            list.push_back(option.type == OptionType::flag ? OptionValue(true) : OptionValue(text));
        try {
            checkedValues(option, list);
        } catch (const Error& error) {
            throw Error::badUsage(fmt::format("{}; see pelt {} --help", error.sentence(), verb_.name));
        }
    }
    return values;
}

void Flags::setOutputs(const verbs::Inputs& inputs) const {
    for (const auto& [name, given] : inputs)
        for (const verbs::Given& one : given) host_.inputs.emplace_back(one.name);
    for (const verbs::Input& input : verb_.inputs)
        if (const auto given = given_.find(input.name); input.in_memory_only && given != given_.end())
            host_.inputs.insert(host_.inputs.end(), given->second.begin(), given->second.end());  // an option's file
    for (const verbs::Output& output : verb_.outputs) {
        const Texts& texts = given_.find(output.name)->second;
        if (texts.empty()) continue;
        const std::filesystem::path path = texts.front();
        const std::string name(output.name);
        host_.kinds[name] = checkOutput(path, output.kinds, host_.inputs);
        for (const auto& [other, taken] : host_.outputs)
            if (std::filesystem::absolute(taken).lexically_normal() ==
                std::filesystem::absolute(path).lexically_normal())
                throw Error::badUsage(fmt::format("{} and {} name the same file; choose two",
                                                  other == "output" ? "-o" : flagOf(other), flagOf(name)));
        host_.outputs[name] = path;
    }
}

void parseWords(CLI::App& app, std::vector<std::string> words) {
    checkVerb(app, words);
    std::reverse(words.begin(), words.end());  // the parser reads them from the back
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) throw;  // help, version
        const auto parsed = app.get_subcommands();
        const std::string verb = parsed.empty() ? "" : " " + parsed.front()->get_name();
        const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !parsed.empty();
        const bool alone = parsed.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        const std::string fault = extras ? explainExtras(*parsed.front()) : alone ? explainNoVerb(app) : error.what();
        throw Error::badUsage(fmt::format("{}; see pelt{} --help", fault, verb));
    }
}

}  // namespace pelt::program
