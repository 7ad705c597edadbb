#include "option_flags.h"

#include <fmt/format.h>
#include <pelt/core/ddm_settings.h>
#include <pelt/pipeline/methods.h>

#include "text.h"

namespace pelt::cli {

void OptionFlags::addTo(CLI::App& verb, std::span<const OptionInfo> options, const std::string& heading) {
    for (const OptionInfo& option : options) {
        const std::string flag = flagOf(option.name);
        if (verb.get_option_no_throw(flag) != nullptr) continue;
        std::vector<std::string>& texts = flags_.emplace_back(Flag{std::string(option.name), {}}).texts;
        CLI::Option* added = verb.add_option(flag, texts, std::string(option.summary))
                                 ->type_name(std::string(option.values))
                                 ->group(heading)
                                 ->allow_extra_args(false);
        if (!option.repeats) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
        if (option.separator != 0) added->delimiter(option.separator);
        added->check([option](const std::string& text) {
            return option.accepts(text) ? "" : fmt::format("'{}' is not {}", text, option.values);
        });
    }
}

void OptionFlags::addMethodOptions(CLI::App& verb) {
    addTo(verb, optionInfos(ddmFields()), "Direct Delta Mush");
    for (const pipeline::Method& method : pipeline::methods())
        addTo(verb, method.options(), fmt::format("--method {}", method.name));
}

OptionTexts OptionFlags::given() const {
    OptionTexts options;
    for (const Flag& flag : flags_)
        if (!flag.texts.empty()) options[flag.option] = flag.texts;
    return options;
}

}  // namespace pelt::cli
