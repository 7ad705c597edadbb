// Reads the Direct Delta Mush payload of a file and checks that it still fits.
#include <fmt/format.h>

#include <map>

#include "ddm_payload.h"

namespace pelt::io::gltf {
namespace {

/// The payload of one part of the mesh, as stored in the file.
struct FoundPart {
    std::size_t part = 0, first = 0, count = 0, skin = 0;
    JsonRef extension;
};

class PayloadLoader {
public:
    explicit PayloadLoader(Loading& loading) : loading_(loading), document_(loading.document()) {}

    void load() {
        std::string misfit = find();
        if (found_.empty() && misfit.empty()) return;
        if (misfit.empty()) misfit = compare();
        if (!misfit.empty()) {
            loading_.warnings.push_back(fmt::format(
                "the Direct Delta Mush payload was ignored: {}; run pelt mush again (saving removes the payload)",
                misfit));
            return;
        }
        loading_.payload_spaces.resize(loading_.source->parts.size());
        for (const FoundPart& found : found_) {
            read(found);
            loading_.payload_spaces[found.part] = readSpace(found.extension);
        }
        loading_.character.ddm = std::move(payload_);
    }

private:
    std::string find();
    std::string misfitOf(const FoundPart& found);
    std::string compare();
    void read(const FoundPart& found);
    void readBind(const FoundPart& found);
    const std::string& jointsOf(std::size_t skin);

    Loading& loading_;
    const Document& document_;
    std::vector<FoundPart> found_;
    std::map<std::size_t, std::string> joints_;  ///< hash by skin
    std::shared_ptr<DdmPayload> payload_ = std::make_shared<DdmPayload>();
    bool has_bind_ = true;
};

/// Collects the payloads of the parts. Returns the reason if they cannot be used together.
std::string PayloadLoader::find() {
    std::string missing;
    std::size_t first = 0;
    const std::vector<PartSource>& parts = loading_.source->parts;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::size_t count = parts[p].vertex_count;
        const InstanceSource& instance = loading_.source->instances[parts[p].instance];
        const JsonRef primitive = document_.item("meshes", instance.mesh).at("primitives").element(parts[p].primitive);
        const auto extension = count > 0 ? findExtension(primitive, kDirectDeltaMush) : std::nullopt;
        if (extension && instance.skin)
            found_.push_back({p, first, count, *instance.skin, *extension});
        else if (count > 0 && missing.empty())
            missing = extension ? fmt::format("part '{}' has no skin", loading_.character.mesh.parts[p].name)
                                : fmt::format("part '{}' has none", loading_.character.mesh.parts[p].name);
        first += count;
    }
    return found_.empty() ? "" : missing;
}

const std::string& PayloadLoader::jointsOf(std::size_t skin) {
    std::string& hash = joints_[skin];
    if (hash.empty()) hash = hashJoints(*loading_.reader, skin);
    return hash;
}

std::string PayloadLoader::misfitOf(const FoundPart& found) {
    const std::uint64_t version = found.extension.at("version").asUnsigned();
    if (version < kPayloadVersion || version > kReducedPayloadVersion)
        return fmt::format("it has version {}, and this Pelt reads versions {} to {}", version, kPayloadVersion,
                           kReducedPayloadVersion);
    const std::string& name = loading_.character.mesh.parts[found.part].name;
    const Vec3f* positions = loading_.character.mesh.positions.data() + found.first;
    std::vector<float> flat;
    flat.reserve(found.count * 3);
    for (std::size_t v = 0; v < found.count; ++v)
        flat.insert(flat.end(), {positions[v].x, positions[v].y, positions[v].z});
    if (found.extension.at("positionHash").asString() != hashPositions(flat))
        return fmt::format("the vertices of part '{}' were changed after it was made", name);
    if (found.extension.at("jointsHash").asString() != jointsOf(found.skin))
        return fmt::format("the joints of part '{}' were changed after it was made", name);
    return {};
}

/// Checks that the payloads belong to this mesh and to each other.
std::string PayloadLoader::compare() {
    if (loading_.character.weights.empty()) return "the file has no plain skin weights";
    for (const FoundPart& found : found_)
        if (std::string misfit = misfitOf(found); !misfit.empty()) return misfit;
    const PayloadTerms terms = readTerms(found_.front().extension);
    for (const FoundPart& found : found_)
        if (readTerms(found.extension) != terms) return "its parts were made with different settings";
    payload_->variant = terms.variant;
    payload_->encoding = terms.encoding;
    payload_->rows.content = terms.content;
    payload_->settings = terms.settings;
    payload_->expected_error = terms.expected_error;
    payload_->fitted = terms.fitted;
    return {};
}

void PayloadLoader::read(const FoundPart& found) {
    const JsonRef& extension = found.extension;
    const auto bytes =
        loading_.reader->view(extension.at("bufferView").asIndex("bufferViews", document_.count("bufferViews")));
    const auto from = [&](const char* key) {
        const std::uint64_t offset = extension.at(key).asUnsigned();
        if (offset > bytes.size())
            extension.at(key).fail(
                fmt::format("exceeds the buffer view of {} bytes; run pelt mush again", bytes.size()));
        return bytes.subspan(offset);
    };
    const auto vertices = from("vertexOffset"), entries = from("entryOffset");
    const auto too_many = [&](std::uint64_t count, const char* what) {
        extension.fail(
            fmt::format("{} {} exceed the buffer view of {} bytes; run pelt mush again", count, what, bytes.size()));
    };
    DdmRows<float>& rows = payload_->rows;
    const RecordLayout layout(payload_->encoding, rows.content);
    if (vertices.size() / layout.vertexBytes() < found.count) too_many(found.count, "vertices");
    const auto own = vertices.first(found.count * layout.vertexBytes());
    const std::uint64_t count = countEntries(own, layout);
    if (count > entries.size() / layout.entryBytes()) too_many(count, "entries");
    if (rows.joints.size() + count > 0xFFFFFFF0U) extension.fail("more than 4 billion entries; split the file");
    // Many parts may share records, but each needs its own memory.
    loading_.reader->budget().take(extension, count * 48 + found.count * 16);
    const std::string fault =
        appendRecords(own, entries, payload_->encoding, loading_.source->skin_slots[found.skin], rows);
    if (!fault.empty()) extension.fail(fault + "; run pelt mush again");
    readBind(found);
}

void PayloadLoader::readBind(const FoundPart& found) {
    const auto bind = found.extension.find("bind");
    has_bind_ = has_bind_ && bind;
    if (!has_bind_) {
        payload_->bind = {};
        return;
    }
    // The accessors of a skin, read as those of a primitive are.
    const PartSource& part = loading_.source->parts[found.part];
    const std::size_t mesh = loading_.source->instances[part.instance].mesh;
    const JsonRef primitive = document_.item("meshes", mesh).at("primitives").element(part.primitive);
    Json attributes = {{"POSITION", primitive.at("attributes").at("POSITION").value()}};
    bind->at("JOINTS_0");
    for (const auto& [name, accessor] : bind->value().items())
        if (isSkinAttribute(name)) attributes[name] = accessor;
    const Json stand_in = {{"attributes", std::move(attributes)}};
    PrimitiveReader reader(*loading_.reader, JsonRef(stand_in, document_.name, bind->place()));
    WeightLoader weights;
    if (weights.append(reader, loading_.source->skin_slots[found.skin], payload_->bind))
        bind->fail("a vertex has no valid weights; run pelt mush again");
}

}  // namespace

void loadPayload(Loading& loading) { PayloadLoader(loading).load(); }

}  // namespace pelt::io::gltf
