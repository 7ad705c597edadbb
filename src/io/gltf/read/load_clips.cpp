// Loads the animations of a document as clips.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/gltf/mend/mend.h"
#include "load.h"

namespace pelt::io::gltf {
namespace {

class ClipLoader {
public:
    explicit ClipLoader(Loading& loading) : loading_(loading), document_(loading.document()) {
        for (std::size_t n = 0; n < loading.source->node_of.size(); ++n) skeleton_node_[loading.source->node_of[n]] = n;
        for (const auto* list : {&loading.source->instances, &loading.source->props})
            for (const InstanceSource& instance : *list) instance_of_.emplace(instance.node, instance_of_.size());
        morph_count_.resize(instance_of_.size(), 0);
        for (const Mesh* mesh : {&loading.character.mesh, &loading.character.props.mesh})
            for (const MorphTarget& morph : mesh->morphs) ++morph_count_[morph.instance];
    }

    void load(std::size_t animation);
    void finish() {
        mended_.tell(loading_.warnings);
        if (left_out_ > 0)
            loading_.warnings.push_back(
                fmt::format("{} animation channels cannot be read; they were left out", left_out_));
    }

private:
    /// The clip's channel for a channel of the file; nullopt if it does not move any part of the character.
    std::optional<Channel> targetOf(const JsonRef& channel) const;
    /// Whether there is a value for every key.
    bool readValues(const JsonRef& sampler, Channel& out);

    Loading& loading_;
    const Document& document_;
    std::map<std::size_t, std::size_t> skeleton_node_, instance_of_;
    std::vector<std::uint32_t> morph_count_;
    MendedKeys mended_;
    std::size_t left_out_ = 0;
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
    if (path != "translation" && path != "rotation" && path != "scale") return std::nullopt;
    const auto found = skeleton_node_.find(*node);
    if (found == skeleton_node_.end()) return std::nullopt;
    out.path = path == "translation" ? ChannelPath::translation
               : path == "rotation"  ? ChannelPath::rotation
                                     : ChannelPath::scale;
    out.width = path == "rotation" ? 4 : 3;
    out.target = static_cast<std::uint32_t>(found->second);
    return out;
}

bool ClipLoader::readValues(const JsonRef& sampler, Channel& out) {
    const std::string mode = sampler.stringOr("interpolation", "LINEAR");
    if (mode == "STEP") out.interpolation = Interpolation::step;
    if (mode == "CUBICSPLINE") out.interpolation = Interpolation::cubic_spline;
    const std::size_t output = sampler.at("output").asIndex("accessors", document_.count("accessors"));
    const bool morphs = out.path == ChannelPath::morph_weights;
    const char* type = morphs ? "SCALAR" : out.width == 4 ? "VEC4" : "VEC3";
    if (loading_.reader->info(output).type != type) return false;
    out.values = loading_.reader->floats(output, type);
    const std::size_t parts = out.interpolation == Interpolation::cubic_spline ? 3 : 1;
    return out.values.size() == out.times.size() * out.width * parts;
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
        const std::uint64_t index = channel.unsignedOr("sampler", ~std::uint64_t(0));
        if (!samplers || index >= samplers->size()) {
            ++left_out_;
            continue;
        }
        const JsonRef sampler = samplers->element(index);
        loading_.progress.decoded(numbersOfChannel(document_, sampler.value()));
        std::optional<Channel> made = targetOf(channel);
        Channel read = made.value_or(Channel{});
        read.times =
            loading_.reader->floats(sampler.at("input").asIndex("accessors", document_.count("accessors")), "SCALAR");
        if (made && !readValues(sampler, read)) {
            ++left_out_;
            continue;
        }
        const bool mended = mendKeys(read, mended_);
        if (read.times.empty()) continue;
        clip.first_key = any_keys ? std::min(clip.first_key, double(read.times.front())) : read.times.front();
        clip.last_key = any_keys ? std::max(clip.last_key, double(read.times.back())) : read.times.back();
        any_keys = true;
        if (!made) continue;
        clip.channels.push_back(std::move(read));
        source.channels.push_back(c);
        source.mended.push_back(mended);
    }
    loading_.character.clips.push_back(std::move(clip));
    loading_.source->clip_sources.push_back(std::move(source));
}

}  // namespace

void loadClips(Loading& loading) {
    ClipLoader loader(loading);
    for (std::size_t a = 0; a < loading.document().count("animations"); ++a) loader.load(a);
    loader.finish();
}

}  // namespace pelt::io::gltf
