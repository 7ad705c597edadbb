#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gltf/load.h"

namespace pelt::io::gltf {
namespace {

class ClipLoader {
public:
    explicit ClipLoader(Loading& loading) : loading_(loading), document_(loading.document()) {
        for (std::size_t n = 0; n < loading.source->node_of.size(); ++n) skeleton_node_[loading.source->node_of[n]] = n;
        for (std::size_t i = 0; i < loading.source->instances.size(); ++i)
            instance_of_[loading.source->instances[i].node] = i;
        morph_count_.resize(loading.source->instances.size(), 0);
        for (const MorphTarget& morph : loading.character.mesh.morphs) ++morph_count_[morph.instance];
    }

    void load(std::size_t animation);

private:
    /// The clip's channel for a channel of the file; nullopt where it moves nothing of the character.
    std::optional<Channel> targetOf(const JsonRef& channel) const;
    std::vector<float> readTimes(const JsonRef& sampler);
    void readValues(const JsonRef& sampler, const JsonRef& channel, Channel& out);

    Loading& loading_;
    const Document& document_;
    std::map<std::size_t, std::size_t> skeleton_node_, instance_of_;
    std::vector<std::uint32_t> morph_count_;
};

std::optional<Channel> ClipLoader::targetOf(const JsonRef& channel) const {
    const JsonRef target = channel.at("target");
    const auto node = target.indexOf("node", "nodes", document_.count("nodes"));
    const std::string& path = target.at("path").asString();
    if (!node || path == "pointer") return std::nullopt;
    Channel out;
    if (path == "weights") {
        const auto instance = instance_of_.find(*node);
        if (instance == instance_of_.end() || morph_count_[instance->second] == 0) return std::nullopt;
        out.path = ChannelPath::morph_weights;
        out.target = static_cast<std::uint32_t>(instance->second);
        out.width = morph_count_[instance->second];
        return out;
    }
    if (path != "translation" && path != "rotation" && path != "scale")
        target.fail(fmt::format("unknown path '{}'; re-export the file", path));
    const auto found = skeleton_node_.find(*node);
    if (found == skeleton_node_.end()) return std::nullopt;
    out.path = path == "translation" ? ChannelPath::translation
               : path == "rotation"  ? ChannelPath::rotation
                                     : ChannelPath::scale;
    out.width = path == "rotation" ? 4 : 3;
    out.target = static_cast<std::uint32_t>(found->second);
    return out;
}

std::vector<float> ClipLoader::readTimes(const JsonRef& sampler) {
    const std::size_t input = sampler.at("input").asIndex("accessors", document_.count("accessors"));
    std::vector<float> times = loading_.reader->floats(input, "SCALAR");
    requireFinite(sampler.at("input"), times, 1, "key");
    for (std::size_t k = 1; k < times.size(); ++k)
        if (!(times[k] > times[k - 1]))
            sampler.at("input").fail(
                fmt::format("key {} at {} s does not come after key {} at {} s; re-export the file", k, times[k], k - 1,
                            times[k - 1]));
    return times;
}

void ClipLoader::readValues(const JsonRef& sampler, const JsonRef& channel, Channel& out) {
    const std::string mode = sampler.stringOr("interpolation", "LINEAR");
    if (mode == "STEP")
        out.interpolation = Interpolation::step;
    else if (mode == "CUBICSPLINE")
        out.interpolation = Interpolation::cubic_spline;
    else if (mode != "LINEAR")
        sampler.fail(fmt::format("unknown interpolation '{}'; re-export the file", mode));
    const std::size_t output = sampler.at("output").asIndex("accessors", document_.count("accessors"));
    const bool morphs = out.path == ChannelPath::morph_weights;
    out.values = loading_.reader->floats(output, morphs ? "SCALAR" : out.width == 4 ? "VEC4" : "VEC3");
    requireFinite(sampler.at("output"), out.values, out.width, "key");
    const std::size_t parts = out.interpolation == Interpolation::cubic_spline ? 3 : 1;
    if (out.values.size() != out.times.size() * out.width * parts)
        channel.fail(fmt::format("{} numbers for {} keys of {}; re-export the file", out.values.size(),
                                 out.times.size(), out.width * parts));
}

void ClipLoader::load(std::size_t animation) {
    const JsonRef json = document_.item("animations", animation);
    Clip clip;
    ClipSource source;
    source.animation = animation;
    clip.name = json.stringOr("name", "");
    if (clip.name.empty()) clip.name = fmt::format("clip_{}", animation);
    const auto channels = json.find("channels"), samplers = json.find("samplers");
    bool any_keys = false;
    for (std::size_t c = 0; channels && c < channels->size(); ++c) {
        const JsonRef channel = channels->element(c);
        const std::size_t index = channel.at("sampler").asIndex("samplers", samplers ? samplers->size() : 0);
        const JsonRef sampler = samplers->element(index);
        loading_.progress.decoded(numbersOfChannel(document_, sampler.value()));
        std::optional<Channel> made = targetOf(channel);
        std::vector<float> times = readTimes(sampler);
        clip.first_key = any_keys ? std::min(clip.first_key, double(times.front())) : times.front();
        clip.last_key = any_keys ? std::max(clip.last_key, double(times.back())) : times.back();
        any_keys = true;
        if (!made) continue;
        made->times = std::move(times);
        readValues(sampler, channel, *made);
        clip.channels.push_back(std::move(*made));
        source.channels.push_back(c);
    }
    loading_.character.clips.push_back(std::move(clip));
    loading_.source->clip_sources.push_back(std::move(source));
}

}  // namespace

void loadClips(Loading& loading) {
    ClipLoader loader(loading);
    for (std::size_t a = 0; a < loading.document().count("animations"); ++a) loader.load(a);
}

}  // namespace pelt::io::gltf
