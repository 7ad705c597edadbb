// Which words of a command name files, and commands as a line of a shell.
#include "batch/plan/arguments.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include <algorithm>
#include <set>

#include "batch/plan/glob.h"
#include "program/table.h"
#include "verbs/run/text.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

/// A word of a command and what it is.
struct Word {
    std::string value;
    bool output = false;
};

/// True for the options (without --) whose values are files or folders that the verb writes.
bool isOutput(const std::string& verb, const std::string& option) {
    const verbs::Verb* row = program::findVerb(verb);
    return row && std::any_of(row->outputs.begin(), row->outputs.end(),
                              [&](const verbs::Output& output) { return verbs::flagOf(output.name) == "--" + option; });
}

bool isFlag(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// The words that may name files. The value after an input option is a word like any other.
std::vector<Word> fileWords(const Words& argv) {
    std::vector<Word> words;
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const std::string& word = argv[i];
        if (!isFlag(word)) {
            words.push_back({word});
            continue;
        }
        const bool is_short = word[1] != '-';
        const std::size_t equals = is_short ? std::string::npos : word.find('=');
        const std::string name = is_short ? word.substr(1, 1) : word.substr(2, equals - 2);
        const bool output = name == "o" || (!is_short && isOutput(argv[0], name));
        if (equals != std::string::npos)
            words.push_back({word.substr(equals + 1), output});
        else if (is_short && word.size() > 2)
            words.push_back({word.substr(word[2] == '=' ? 3 : 2), output});
        else if (output && i + 1 < argv.size())
            words.push_back({argv[++i], true});
    }
    return words;
}

bool isPlain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=,@%+").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<fs::path> outputsOf(const Words& argv) {
    std::vector<fs::path> outputs;
    for (const Word& word : fileWords(argv))
        if (word.output) outputs.emplace_back(word.value);
    return outputs;
}

Words inputWordsOf(const Words& argv) {
    Words inputs;
    for (Word& word : fileWords(argv))
        if (!word.output && !word.value.empty()) inputs.push_back(std::move(word.value));
    return inputs;
}

std::vector<fs::path> inputsOf(const Words& argv, const fs::path& folder) {
    std::vector<fs::path> files;
    std::set<fs::path> known;
    std::error_code fault;
    const auto add = [&](const fs::path& file) {
        if (fs::is_regular_file(folder / file, fault) && known.insert(file).second) files.push_back(file);
    };
    for (const std::string& word : inputWordsOf(argv)) {
        const fs::path path = word;
        if (fs::is_directory(folder / path, fault)) {
            std::vector<fs::path> inside;
            for (fs::directory_iterator it(folder / path, fault), end; !fault && it != end; it.increment(fault))
                inside.push_back(path / it->path().filename());
            std::sort(inside.begin(), inside.end());
            std::for_each(inside.begin(), inside.end(), add);
        } else if (fs::exists(folder / path, fault)) {
            add(path);
            for (const fs::path& file : io::referredFiles(folder / path))
                add(file.is_absolute() && !path.is_absolute() ? file.lexically_relative(folder) : file);
        } else if (isPattern(word)) {
            for (const fs::path& file : findFiles(word, folder)) add(file);
        }
    }
    return files;
}

std::string fileWord(const fs::path& file) {
    const std::string word = file.string();
    return word.starts_with('-') ? "./" + word : word;
}

bool hasOption(const Words& argv, const std::string& flag) {
    return std::any_of(argv.begin(), argv.end(),
                       [&](const std::string& word) { return word == flag || word.rfind(flag + "=", 0) == 0; });
}

Words splitWords(const std::string& command) {
    Words words;
    std::string word;
    char quote = 0;
    bool open = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
            word += command[++i];
            open = true;
        } else if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            open = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (open) words.push_back(std::move(word)), word.clear();
            open = false;
        } else {
            word += c;
            open = true;
        }
    }
    if (quote != 0) throw Error::badUsage(fmt::format("--do {}: a quote is not closed", command));
    if (open) words.push_back(word);
    return words;
}

std::string joinWords(const Words& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain)) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

}  // namespace pelt::batch
