// Edits the animations of a document as the clips of a character changed.
#include <algorithm>
#include <set>

#include "edit.h"

namespace pelt::io::gltf {
namespace {

bool same(const Channel& a, const Channel& b) {
    return a.path == b.path && a.target == b.target && a.interpolation == b.interpolation && a.width == b.width &&
           a.times == b.times && a.values == b.values;
}

bool sameChannels(const Clip& a, const Clip& b) {
    return std::equal(a.channels.begin(), a.channels.end(), b.channels.begin(), b.channels.end(), same);
}

class ClipEditor {
public:
    explicit ClipEditor(Editing& editing)
        : editing_(editing), was_(editing.source.clips), used_(editing.source.clips.size(), false) {}

    void edit() {
        const std::vector<Clip>& now = editing_.character.clips;
        const auto unchanged = [](const Clip& a, const Clip& b) { return a.name == b.name && sameChannels(a, b); };
        bool mended = false;
        for (std::size_t c = 0; c < was_.size(); ++c) mended |= isMended(c);
        if (!mended && std::equal(now.begin(), now.end(), was_.begin(), was_.end(), unchanged)) return;
        Json animations = Json::array();
        for (std::size_t c = 0; c < now.size(); ++c) {
            Json animation = edited(now[c], originOf(now[c], c));
            if (animation.contains("channels") && !animation["channels"].empty())
                animations.push_back(std::move(animation));
        }
        editing_.document.json["animations"] = std::move(animations);
        if (editing_.document.json["animations"].empty()) editing_.document.json.erase("animations");
    }

private:
    /// Whether keys of a loaded clip were repaired: the keys of the file must then not be written again.
    bool isMended(std::size_t clip) const {
        const std::vector<bool>& channels = editing_.source.clip_sources[clip].mended;
        return std::find(channels.begin(), channels.end(), true) != channels.end();
    }

    /// The loaded clip that corresponds to this one: by name, otherwise by index and equal channels (a renamed clip).
    std::optional<std::size_t> originOf(const Clip& clip, std::size_t place) {
        const auto take = [&](std::size_t index) {
            used_[index] = true;
            return std::optional(index);
        };
        if (place < was_.size() && !used_[place] && was_[place].name == clip.name) return take(place);
        for (std::size_t i = 0; i < was_.size(); ++i)
            if (!used_[i] && was_[i].name == clip.name) return take(i);
        if (place < was_.size() && !used_[place] && sameChannels(was_[place], clip)) return take(place);
        return std::nullopt;
    }

    Json edited(const Clip& clip, std::optional<std::size_t> origin);
    void keep(Json& animation, const Json& original, const Json& channel);
    void add(Json& animation, const Channel& channel);

    Editing& editing_;
    const std::vector<Clip>& was_;
    std::vector<bool> used_;
    std::map<std::size_t, std::size_t> kept_samplers_;  ///< of the current animation: old index -> new index
};

/// A channel of the file with its sampler, unchanged.
void ClipEditor::keep(Json& animation, const Json& original, const Json& channel) {
    const auto given = channel.find("sampler");
    if (given == channel.end() || !given->is_number_unsigned()) return;
    const std::size_t sampler = given->get<std::size_t>();
    if (sampler >= original["samplers"].size()) return;  // cannot be read by any program
    const auto [found, is_new] = kept_samplers_.try_emplace(sampler, animation["samplers"].size());
    if (is_new) animation["samplers"].push_back(original["samplers"][sampler]);
    Json copy = channel;
    copy["sampler"] = found->second;
    animation["channels"].push_back(std::move(copy));
}

void ClipEditor::add(Json& animation, const Channel& channel) {
    if (channel.times.empty()) return;
    if (channel.path == ChannelPath::morph_weights) {
        if (channel.target < editing_.instance_node.size())
            addChannel(editing_.appender, animation, channel, editing_.instance_node[channel.target]);
        return;
    }
    const std::size_t node = editing_.node_of[channel.target];
    Json& json = editing_.document.json["nodes"][node];
    // glTF 2.0, 5.27: a node that is animated has no matrix.
    if (json.contains("matrix")) writeTransform(json, editing_.character.skeleton.nodes[channel.target], true);
    addChannel(editing_.appender, animation, channel, node);
}

Json ClipEditor::edited(const Clip& clip, std::optional<std::size_t> origin) {
    if (!origin) {
        Json animation = {{"name", clip.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
        for (const Channel& channel : clip.channels) add(animation, channel);
        return animation;
    }
    const Clip& was = was_[*origin];
    const ClipSource& place = editing_.source.clip_sources[*origin];
    Json original = editing_.document.json["animations"][place.animation];
    Json animation = original;
    if (original["channels"].is_null()) original["channels"] = Json::array();
    if (clip.name != was.name) animation["name"] = clip.name;
    if (sameChannels(clip, was) && !isMended(*origin)) return animation;

    animation["channels"] = Json::array();
    animation["samplers"] = Json::array();
    kept_samplers_.clear();
    // Channels for other nodes of the file are kept.
    const std::set<std::size_t> ours(place.channels.begin(), place.channels.end());
    for (std::size_t c = 0; c < original["channels"].size(); ++c)
        if (!ours.contains(c)) keep(animation, original, original["channels"][c]);
    for (const Channel& channel : clip.channels) {
        const auto known = std::find_if(was.channels.begin(), was.channels.end(),
                                        [&](const Channel& other) { return same(channel, other); });
        const auto index = static_cast<std::size_t>(known - was.channels.begin());
        if (known != was.channels.end() && !place.mended[index])
            keep(animation, original, original["channels"][place.channels[index]]);
        else
            add(animation, channel);
    }
    return animation;
}

}  // namespace

void editClips(Editing& editing) { ClipEditor(editing).edit(); }

}  // namespace pelt::io::gltf
