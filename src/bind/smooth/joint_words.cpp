// Splits the names of joints into words and looks for those that say what a joint is for.
#include "joint_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace pelt::bind {
namespace {

/// Lower case; a word ends where the case rises ("LeftEye", "MEyebrow"), and at whatever is not a letter.
std::vector<std::string> wordsOf(const std::string& name) {
    std::vector<std::string> words;
    bool open = false;
    const auto is = [&](std::size_t k, auto test) {
        return k < name.size() && test(static_cast<unsigned char>(name[k])) != 0;
    };
    const auto upper = [](int c) { return std::isupper(c); };
    const auto lower = [](int c) { return std::islower(c); };
    for (std::size_t k = 0; k < name.size(); ++k) {
        const auto c = static_cast<unsigned char>(name[k]);
        if (std::isalpha(c) == 0) {
            open = false;
            continue;
        }
        const bool rises = is(k, upper) && k > 0 && (is(k - 1, lower) || (is(k - 1, upper) && is(k + 1, lower)));
        if (!open || rises) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(c));
        open = true;
    }
    for (std::size_t k = 1; k < words.size(); ++k)
        if (words[k - 1] == "look" && words[k] == "at") words.emplace_back("lookat");
    return words;
}

struct Meaning {
    std::string_view word;
    bool whole;  ///< the whole word; otherwise words that begin or end with it count too
    JointWord means;
};

/// In order of preference: an eyelid is no eye, a target of the eyes steers.
constexpr std::array kMeanings = {
    Meaning{"ik", true, JointWord::steer},        Meaning{"pole", true, JointWord::steer},
    Meaning{"target", false, JointWord::steer},   Meaning{"ctrl", false, JointWord::steer},
    Meaning{"control", false, JointWord::steer},  Meaning{"lookat", false, JointWord::steer},
    Meaning{"aim", true, JointWord::steer},       Meaning{"mch", true, JointWord::steer},
    Meaning{"effector", false, JointWord::steer}, Meaning{"nub", false, JointWord::end},
    Meaning{"end", true, JointWord::end},         Meaning{"tip", true, JointWord::end},
    Meaning{"site", true, JointWord::end},        Meaning{"twist", false, JointWord::twist},
    Meaning{"roll", false, JointWord::twist},     Meaning{"lid", false, JointWord::face},
    Meaning{"brow", false, JointWord::face},      Meaning{"blink", false, JointWord::face},
    Meaning{"lip", false, JointWord::face},       Meaning{"lips", false, JointWord::face},
    Meaning{"cheek", false, JointWord::face},     Meaning{"nose", false, JointWord::face},
    Meaning{"nostril", false, JointWord::face},   Meaning{"tongue", false, JointWord::face},
    Meaning{"teeth", false, JointWord::face},     Meaning{"mouth", false, JointWord::face},
    Meaning{"temple", false, JointWord::face},    Meaning{"masseter", false, JointWord::face},
    Meaning{"oris", true, JointWord::face},       Meaning{"orbicularis", false, JointWord::face},
    Meaning{"oculi", true, JointWord::face},      Meaning{"levator", true, JointWord::face},
    Meaning{"risorius", true, JointWord::face},   Meaning{"jaw", false, JointWord::jaw},
    Meaning{"chin", true, JointWord::jaw},        Meaning{"eye", true, JointWord::eye},
    Meaning{"eyes", true, JointWord::eye},        Meaning{"eyeball", false, JointWord::eye},
    Meaning{"leye", true, JointWord::eye},        Meaning{"reye", true, JointWord::eye},
    Meaning{"faceeye", true, JointWord::eye},     Meaning{"pupil", false, JointWord::eye},
    Meaning{"hair", false, JointWord::hair},      Meaning{"ponytail", false, JointWord::hair},
    Meaning{"skirt", false, JointWord::cloth},    Meaning{"cape", false, JointWord::cloth},
    Meaning{"cloth", false, JointWord::cloth},    Meaning{"coat", false, JointWord::cloth},
    Meaning{"breast", false, JointWord::breast},  Meaning{"bust", true, JointWord::breast},
    Meaning{"head", false, JointWord::head},
};

bool says(const std::string& word, const Meaning& meaning) {
    if (word == meaning.word) return true;
    return !meaning.whole && (word.starts_with(meaning.word) || word.ends_with(meaning.word));
}

}  // namespace

JointWord jointWordOf(const std::string& name) {
    const std::vector<std::string> words = wordsOf(name);
    const bool top = std::find(words.begin(), words.end(), "top") != words.end();
    for (const Meaning& meaning : kMeanings)
        for (const std::string& word : words)
            if (says(word, meaning))
                return meaning.means == JointWord::head && top ? JointWord::end : meaning.means;  // "HeadTop_End"
    return JointWord::plain;
}

}  // namespace pelt::bind
