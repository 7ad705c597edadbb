#include <fmt/format.h>
#include <pelt/core/error.h>
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
    std::string names;
    for (const Clip& clip : character.clips) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", clip.name);
    throw Error::badInput({"", fmt::format("clip '{}'", name_or_index)},
                          names.empty() ? "not found; the file has no animation" : "not found; there are " + names);
}

}  // namespace pelt::rig
