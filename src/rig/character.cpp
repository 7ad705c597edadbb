// Finds a clip of a character by name or number.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/spelling.h>
#include <pelt/rig/character.h>

#include <charconv>

namespace pelt::rig {

const Clip& findClip(const Character& character, std::string_view name_or_index) {
    for (const Clip& clip : character.clips)
        if (clip.name == name_or_index) return clip;
    std::size_t index = 0;
    const auto [end, fault] = std::from_chars(name_or_index.data(), name_or_index.data() + name_or_index.size(), index);
    if (fault == std::errc() && end == name_or_index.data() + name_or_index.size() && index < character.clips.size())
        return character.clips[index];
    std::vector<std::string> names;
    for (const Clip& clip : character.clips) names.push_back(clip.name);
    if (names.empty()) throw Error::badInput(fmt::format("no clip '{}': the file has no animation", name_or_index));
    const std::string meant = didYouMean(name_or_index, names);
    throw Error::badInput(
        fmt::format("no clip '{}'{}", name_or_index, meant.empty() ? "; there are " + listNames(names) : meant));
}

}  // namespace pelt::rig
