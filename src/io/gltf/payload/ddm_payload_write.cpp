// Writes, replaces or removes the Direct Delta Mush payload of a document.
#include <algorithm>
#include <set>

#include "ddm_payload.h"

namespace pelt::io::gltf {
namespace {

/// Calls `act(primitive)` for every primitive that has the extension; other parts of the JSON may be anything.
template <class Act>
void forEachPayload(Json& json, Act act) {
    const auto meshes = json.find("meshes");
    if (meshes == json.end()) return;
    for (Json& mesh : *meshes) {
        const auto primitives = mesh.find("primitives");
        if (primitives == mesh.end()) continue;
        for (Json& primitive : *primitives) {
            const auto extensions = primitive.find("extensions");
            if (extensions != primitive.end() && extensions->contains(kDirectDeltaMush)) act(primitive);
        }
    }
}

std::size_t sizeOr(const Json& object, const char* key, std::size_t fallback) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::size_t>() : fallback;
}

/// Whether an accessor or an image reads the view.
bool isViewRead(const Json& json, std::size_t view) {
    const auto reads = [&](const Json& object) { return sizeOr(object, "bufferView", view + 1) == view; };
    for (const char* key : {"accessors", "images"}) {
        const auto list = json.find(key);
        for (std::size_t i = 0; list != json.end() && i < list->size(); ++i) {
            const Json& object = list->at(i);
            if (reads(object)) return true;
            if (const auto sparse = object.find("sparse"); sparse != object.end())
                if (reads(sparse->value("indices", Json())) || reads(sparse->value("values", Json()))) return true;
        }
    }
    return false;
}

/// The objects that refer to ranges of that buffer: views, and their compressed versions.
std::vector<Json*> rangesOf(Json& views, std::size_t buffer) {
    std::vector<Json*> ranges;
    const auto add = [&](Json& range) {
        if (sizeOr(range, "buffer", buffer + 1) == buffer) ranges.push_back(&range);
    };
    for (Json& view : views) {
        add(view);
        if (Json* compressed = meshoptOf(view)) add(*compressed);
    }
    return ranges;
}

/// Removes the bytes of a view from its buffer, if nothing else uses them. A view that is not the last remains as a
/// stub, so that the others keep their indices.
void cutView(Document& document, std::size_t index) {
    constexpr std::size_t kStub = 4;
    Json& views = document.json["bufferViews"];
    if (isViewRead(document.json, index)) return;
    const std::size_t buffer = views[index]["buffer"].get<std::size_t>();
    const std::size_t first = sizeOr(views[index], "byteOffset", 0);
    const std::size_t length = views[index]["byteLength"].get<std::size_t>();
    Buffer& bytes = document.buffers[buffer];
    // Keeps the alignment of the following data.
    if (!bytes || first + length > bytes->size() || length % 8 != 0 || bytes->size() < length + kStub) return;
    const std::vector<Json*> ranges = rangesOf(views, buffer);
    for (const Json* range : ranges) {
        const std::size_t offset = sizeOr(*range, "byteOffset", 0);
        const bool apart = offset + sizeOr(*range, "byteLength", 0) <= first || offset >= first + length;
        if (!apart && range != &views[index]) return;
    }
    for (Json* range : ranges)
        if (const std::size_t offset = sizeOr(*range, "byteOffset", 0); offset >= first + length)
            (*range)["byteOffset"] = offset - length;
    const auto at = bytes->begin() + static_cast<std::ptrdiff_t>(first);
    bytes->erase(at, at + static_cast<std::ptrdiff_t>(length));
    document.json["buffers"][buffer]["byteLength"] = bytes->size();
    if (index + 1 == views.size())
        views.erase(index);
    else
        views[index] = {{"buffer", buffer}, {"byteLength", kStub}};
}

}  // namespace

void dropPayload(Document& document) {
    std::set<std::size_t> views;
    bool any = false;
    forEachPayload(document.json, [&](Json& primitive) {
        any = true;
        views.insert(sizeOr(primitive["extensions"][kDirectDeltaMush], "bufferView", document.count("bufferViews")));
        eraseExtension(primitive, kDirectDeltaMush);
    });
    if (!any) return;
    dropExtension(document, kDirectDeltaMush);
    if (views.size() == 1 && *views.begin() < document.count("bufferViews")) cutView(document, *views.begin());
}

void writePayload(Document& document, Appender& appender, const DdmPayload& payload,
                  std::span<const PayloadPlace> places) {
    std::vector<Json> extensions;
    std::vector<std::byte> records;
    const auto append = [&](const std::vector<std::byte>& bytes) {
        const std::size_t offset = records.size();
        records.insert(records.end(), bytes.begin(), bytes.end());
        records.resize((records.size() + 7) / 8 * 8);  // the alignment of what follows
        return offset;
    };
    for (const PayloadPlace& place : places) {
        Json extension = termsJson(payload);
        if (!isIdentity(place.part->space)) {
            extension["version"] = std::max(extension["version"].get<std::uint64_t>(), kPlacedPayloadVersion);
            extension["space"] = place.part->space.m;
        }
        extension["positionHash"] = "";
        extension["jointsHash"] = "";
        extension["bufferView"] = 0;
        extension["vertexOffset"] = append(place.part->records.vertices);
        extension["entryOffset"] = append(place.part->records.entries);
        Json bind = place.part->bind;
        if (place.part->new_bind) writeWeights(appender, bind, *place.part->new_bind);
        if (!bind.empty()) extension["bind"] = std::move(bind);
        extensions.push_back(std::move(extension));
    }
    if (places.empty()) return;
    const std::size_t view = appender.addView(records);
    for (std::size_t i = 0; i < places.size(); ++i) {
        extensions[i]["bufferView"] = view;
        document.json["meshes"][places[i].mesh]["primitives"][places[i].primitive]["extensions"][kDirectDeltaMush] =
            std::move(extensions[i]);
    }
    Json& used = collection(document, "extensionsUsed");
    if (std::find(used.begin(), used.end(), Json(kDirectDeltaMush)) == used.end()) used.push_back(kDirectDeltaMush);
    stampPayload(document);
}

void stampPayload(Document& document) {
    struct Stamp {
        std::size_t mesh, primitive;
        std::string positions, joints;
    };
    std::vector<Stamp> stamps;
    AccessorReader reader(document);
    for (std::size_t n = 0; n < document.count("nodes"); ++n) {
        const JsonRef node = document.item("nodes", n);
        const auto mesh = node.indexOf("mesh", "meshes", document.count("meshes"));
        const auto skin = node.indexOf("skin", "skins", document.count("skins"));
        if (!mesh || !skin) continue;
        const JsonRef primitives = document.item("meshes", *mesh).at("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            if (!findExtension(primitives.element(p), kDirectDeltaMush)) continue;
            PrimitiveReader primitive(reader, primitives.element(p));
            if (primitive.vertexCount() == 0) continue;
            stamps.push_back(
                {*mesh, p, hashPositions(primitive.floats("POSITION", "VEC3")), hashJoints(reader, *skin)});
        }
    }
    for (const Stamp& stamp : stamps) {
        Json& extension =
            document.json["meshes"][stamp.mesh]["primitives"][stamp.primitive]["extensions"][kDirectDeltaMush];
        extension["positionHash"] = stamp.positions;
        extension["jointsHash"] = stamp.joints;
    }
}

}  // namespace pelt::io::gltf
