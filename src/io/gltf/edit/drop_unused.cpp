// Removes data of a document that nothing refers to.
#include <algorithm>
#include <array>

#include "edit.h"
#include "io/gltf/document/appender.h"
#include "io/gltf/payload/ddm_payload.h"

namespace pelt::io::gltf {
namespace {

/// Extensions that refer to no accessor and no buffer view, and Pelt's own.
bool isKnownExtension(std::string_view name) {
    constexpr std::array kStarts = {"KHR_materials_", "KHR_texture_", "EXT_texture_", "VRMC_", "PELT_"};
    constexpr std::array kNames = {"KHR_lights_punctual",
                                   "KHR_mesh_quantization",
                                   "KHR_animation_pointer",
                                   "KHR_node_visibility",
                                   "KHR_xmp_json_ld",
                                   "VRM",
                                   "MSFT_lod",
                                   "MSFT_texture_dds",
                                   "MSFT_screencoverage"};
    return std::any_of(kStarts.begin(), kStarts.end(), [&](const char* start) { return name.starts_with(start); }) ||
           std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool hasKnownExtensionsOnly(const Json& json) {
    const auto used = json.find("extensionsUsed");
    return used == json.end() || std::all_of(used->begin(), used->end(), [](const Json& name) {
               return name.is_string() && isKnownExtension(name.get_ref<const std::string&>());
           });
}

Json* child(Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

template <class Act>
void forEachIn(Json& object, const char* key, const Act& act) {
    if (Json* list = child(object, key))
        for (Json& entry : *list) act(entry);
}

Json* payloadOf(Json& primitive) {
    Json* extensions = child(primitive, "extensions");
    return extensions ? child(*extensions, kDirectDeltaMush) : nullptr;
}

/// Calls `act(reference)` for every number that refers to an accessor.
template <class Act>
void forAccessorReferences(Json& json, const Act& act) {
    const auto ifThere = [&](Json& object, const char* key) {
        if (Json* reference = child(object, key)) act(*reference);
    };
    forEachIn(json, "meshes", [&](Json& mesh) {
        forEachIn(mesh, "primitives", [&](Json& primitive) {
            forEachIn(primitive, "attributes", act);
            ifThere(primitive, "indices");
            forEachIn(primitive, "targets", [&](Json& target) {
                for (Json& reference : target) act(reference);
            });
            if (Json* payload = payloadOf(primitive)) forEachIn(*payload, "bind", act);
        });
    });
    forEachIn(json, "skins", [&](Json& skin) { ifThere(skin, "inverseBindMatrices"); });
    forEachIn(json, "animations", [&](Json& animation) {
        forEachIn(animation, "samplers", [&](Json& sampler) {
            ifThere(sampler, "input");
            ifThere(sampler, "output");
        });
    });
}

/// A range of bytes of a buffer view that something reads.
struct ViewUse {
    Json* view;    ///< the reference to the view
    Json* reader;  ///< the object whose byteOffset counts from the start of the view; null: the start itself
    std::size_t offset = 0, length = 0;  ///< length 0: all of the view
};

std::size_t numberOr(const Json& object, const char* key, std::size_t fallback) {
    const auto found = object.find(key);
    return found == object.end() ? fallback : found->get<std::size_t>();
}

std::size_t bytesOfComponent(int type) {
    return type == kByte || type == kUnsignedByte ? 1 : type == kShort || type == kUnsignedShort ? 2 : 4;
}

std::vector<ViewUse> viewUses(Json& json) {
    std::vector<ViewUse> uses;
    forEachIn(json, "accessors", [&](Json& accessor) {
        const std::size_t size = bytesOfComponent(accessor.at("componentType").get<int>()) *
                                 componentCount(accessor.at("type").get_ref<const std::string&>());
        if (Json* view = child(accessor, "bufferView")) {
            const std::size_t stride = numberOr(json["bufferViews"].at(view->get<std::size_t>()), "byteStride", size);
            const std::size_t count = numberOr(accessor, "count", 1);
            uses.push_back({view, &accessor, numberOr(accessor, "byteOffset", 0), stride * (count - 1) + size});
        }
        if (Json* sparse = child(accessor, "sparse"))
            for (const char* key : {"indices", "values"})
                uses.push_back(
                    {&sparse->at(key).at("bufferView"), &sparse->at(key), numberOr(sparse->at(key), "byteOffset", 0),
                     numberOr(*sparse, "count", 1) *
                         (key[0] == 'v' ? size : bytesOfComponent(sparse->at(key).at("componentType").get<int>()))});
    });
    forEachIn(json, "images", [&](Json& image) {
        if (Json* view = child(image, "bufferView")) uses.push_back({view, nullptr});
    });
    forEachIn(json, "meshes", [&](Json& mesh) {
        forEachIn(mesh, "primitives", [&](Json& primitive) {
            if (Json* payload = payloadOf(primitive)) uses.push_back({&payload->at("bufferView"), nullptr});
        });
    });
    return uses;
}

/// Removes the entries that are not `used` and renumbers the references to the others.
template <class References>
void dropEntries(Json& list, const std::vector<bool>& used, const References& references) {
    std::vector<std::size_t> place(used.size());
    Json kept = Json::array();
    for (std::size_t i = 0; i < used.size(); ++i) {
        place[i] = kept.size();
        if (used[i]) kept.push_back(std::move(list[i]));
    }
    list = std::move(kept);
    references([&](Json& reference) { reference = place[reference.get<std::size_t>()]; });
}

/// Bytes that are kept, and where they are then. Starts at multiples of 8 keep the alignment of all data.
struct KeptBytes {
    std::size_t first, last, now;
};

std::vector<KeptBytes> keptBytes(std::vector<KeptBytes> ranges, std::size_t size) {
    for (KeptBytes& range : ranges) range.first -= range.first % 8;
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<KeptBytes> kept;
    for (KeptBytes range : ranges) {
        range.last = std::min((range.last + 7) / 8 * 8, size);
        if (!kept.empty() && range.first <= kept.back().last)
            kept.back().last = std::max(kept.back().last, range.last);
        else
            kept.push_back(range);
    }
    std::size_t now = 0;
    for (KeptBytes& range : kept) {
        range.now = now;
        now += (range.last - range.first + 7) / 8 * 8;
    }
    return kept;
}

std::size_t newPlace(const std::vector<KeptBytes>& kept, std::size_t at) {
    const auto after = std::upper_bound(kept.begin(), kept.end(), at,
                                        [](std::size_t value, const KeptBytes& range) { return value < range.first; });
    return std::prev(after)->now + (at - std::prev(after)->first);
}

/// Cuts bytes that no use reads out of the buffers.
void cutBytes(Document& document) {
    Json& views = document.json["bufferViews"];
    const std::vector<ViewUse> uses = viewUses(document.json);
    std::vector<std::vector<KeptBytes>> kept(document.buffers.size());
    const auto begin = [&](const ViewUse& use) {
        return numberOr(views[use.view->get<std::size_t>()], "byteOffset", 0) + use.offset;
    };
    const auto end = [&](const ViewUse& use) {
        const Json& view = views[use.view->get<std::size_t>()];
        return use.length > 0 ? begin(use) + use.length
                              : numberOr(view, "byteOffset", 0) + view["byteLength"].get<std::size_t>();
    };
    for (const ViewUse& use : uses)
        kept[views[use.view->get<std::size_t>()]["buffer"].get<std::size_t>()].push_back({begin(use), end(use), 0});
    for (std::size_t b = 0; b < kept.size(); ++b)
        if (document.buffers[b]) kept[b] = keptBytes(std::move(kept[b]), document.buffers[b]->size());

    // A view begins where it did, or at the multiple of 4 at or before the first byte that is read.
    std::vector<std::pair<std::size_t, std::size_t>> spans(views.size(), {SIZE_MAX, 0});
    for (const ViewUse& use : uses) {
        auto& [first, last] = spans[use.view->get<std::size_t>()];
        first = std::min(first, std::max(begin(use) - use.offset, begin(use) / 4 * 4));
        last = std::max(last, end(use));
    }
    std::vector<std::size_t> reader_at;
    for (const ViewUse& use : uses) reader_at.push_back(begin(use));
    for (std::size_t v = 0; v < views.size(); ++v) {
        const std::vector<KeptBytes>& where = kept[views[v]["buffer"].get<std::size_t>()];
        const std::size_t start = newPlace(where, spans[v].first);
        views[v]["byteLength"] = newPlace(where, spans[v].second - 1) + 1 - start;
        views[v]["byteOffset"] = start;
        if (start == 0) views[v].erase("byteOffset");
    }
    std::vector<std::size_t> inside(uses.size());
    for (std::size_t u = 0; u < uses.size(); ++u) {
        const Json& view = views[uses[u].view->get<std::size_t>()];
        inside[u] = newPlace(kept[view["buffer"].get<std::size_t>()], reader_at[u]) - numberOr(view, "byteOffset", 0);
    }
    // A new member moves the others: an accessor comes after what is inside it, and nothing is read in between.
    for (std::size_t u = uses.size(); u-- > 0;) {
        if (!uses[u].reader) continue;
        (*uses[u].reader)["byteOffset"] = inside[u];
        if (inside[u] == 0) uses[u].reader->erase("byteOffset");
    }
    for (std::size_t b = 0; b < kept.size(); ++b) {
        if (!document.buffers[b]) continue;
        std::vector<std::byte> bytes;
        for (const KeptBytes& range : kept[b]) {
            bytes.resize(range.now);
            bytes.insert(bytes.end(), document.buffers[b]->begin() + std::ptrdiff_t(range.first),
                         document.buffers[b]->begin() + std::ptrdiff_t(range.last));
        }
        document.json["buffers"][b]["byteLength"] = bytes.size();
        document.buffers[b] = std::move(bytes);
    }
}

/// Whether every buffer view lies inside bytes that are there, and everything that is read inside its view.
bool isWhole(const Document& document, Json& json) {
    for (const Json& view : json.at("bufferViews")) {
        const auto buffer = view.at("buffer").get<std::size_t>();
        if (buffer >= document.buffers.size() || !document.buffers[buffer]) return false;
        const std::size_t first = numberOr(view, "byteOffset", 0), length = view.at("byteLength").get<std::size_t>();
        if (length == 0 || first + length > document.buffers[buffer]->size()) return false;
    }
    const std::vector<ViewUse> uses = viewUses(json);
    return std::all_of(uses.begin(), uses.end(), [&](const ViewUse& use) {
        const Json& view = json["bufferViews"].at(use.view->get<std::size_t>());
        return use.offset + use.length <= view["byteLength"].get<std::size_t>();
    });
}

/// Which accessors something refers to; none if a reference is wrong.
std::vector<bool> accessorsInUse(const Document& document, Json& json) try {
    std::vector<bool> used(json.at("accessors").size(), false);
    if (!hasKnownExtensionsOnly(json) || !isWhole(document, json)) return {};
    forAccessorReferences(json, [&](Json& reference) { used.at(reference.get<std::size_t>()) = true; });
    return used;
} catch (const Json::exception&) {
    return {};
} catch (const std::out_of_range&) {
    return {};
}

}  // namespace

void dropUnused(Document& document) {
    Json& json = document.json;
    const std::vector<bool> used = accessorsInUse(document, json);
    if (std::find(used.begin(), used.end(), true) == used.end()) return;
    dropEntries(json["accessors"], used, [&](const auto& renumber) { forAccessorReferences(json, renumber); });
    std::vector<bool> viewed(json["bufferViews"].size(), false);
    const std::vector<ViewUse> uses = viewUses(json);
    for (const ViewUse& use : uses) viewed[use.view->get<std::size_t>()] = true;
    dropEntries(json["bufferViews"], viewed, [&](const auto& renumber) {
        for (const ViewUse& use : uses) renumber(*use.view);
    });
    cutBytes(document);
}

}  // namespace pelt::io::gltf
