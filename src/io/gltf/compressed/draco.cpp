// Reads meshes that are compressed with Draco, after a check of what their headers claim.
#include <fmt/format.h>

#include <cstring>

#include "io/gltf/document/primitive.h"

/// KHR_draco_mesh_compression. The decoder allocates what a header claims, so the header is read and checked first; the
/// rest is decoded in the helper process.
namespace pelt::io::gltf {
namespace {

/// A cursor over the start of a Draco stream (Draco bitstream specification, 3 and 5).
class Header {
public:
    explicit Header(std::span<const std::byte> bytes) : bytes_(bytes) {}

    /// The number of faces that the stream claims; nullopt if it is not a mesh.
    std::optional<std::uint64_t> faces() {
        if (bytes_.size() < 11 || std::memcmp(bytes_.data(), "DRACO", 5) != 0) return std::nullopt;
        at_ = 5;
        const std::uint64_t major = byte(), minor = byte(), kind = byte(), method = byte();
        version_ = major * 256 + minor;
        const std::uint64_t flags = byte() + byte() * 256;
        if (kind != 1 || method > 1) return std::nullopt;
        if ((flags & 0x8000U) != 0) skipMetadata();
        if (method == 1) {
            byte();                                // kind of traversal
            if (version_ < 0x0202) count(0x0200);  // new vertices
            count(0x0200);                         // encoded vertices
        }
        const std::uint64_t faces = count(method == 1 ? 0x0200 : 0x0202);
        return good_ ? std::optional(faces) : std::nullopt;
    }

private:
    std::uint64_t byte() {
        if (at_ >= bytes_.size()) good_ = false;
        return good_ ? std::to_integer<std::uint64_t>(bytes_[at_++]) : 0;
    }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            const std::uint64_t next = byte();
            value |= (next & 0x7FU) << shift;
            if ((next & 0x80U) == 0) return value;
        }
        good_ = false;
        return 0;
    }
    /// A count: four bytes before the version from which it is a varint.
    std::uint64_t count(std::uint64_t varint_since) {
        if (version_ >= varint_since) return varint();
        std::uint64_t value = 0;
        for (int shift = 0; shift < 32; shift += 8) value |= byte() << shift;
        return value;
    }
    void skip(std::uint64_t count) {
        if (count > bytes_.size() - at_) good_ = false;
        if (good_) at_ += count;
    }
    void skipEntries(int depth) {
        if (depth > 8) good_ = false;
        for (std::uint64_t n = varint(); good_ && n > 0; --n) {
            skip(byte());
            skip(varint());
        }
        for (std::uint64_t n = varint(); good_ && n > 0; --n) {
            skip(byte());
            skipEntries(depth + 1);
        }
    }
    void skipMetadata() {
        for (std::uint64_t n = varint(); good_ && n > 0; --n) {
            varint();
            skipEntries(0);
        }
        skipEntries(0);
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    std::uint64_t version_ = 0;
    bool good_ = true;
};

/// The primitive's accessors for the compressed attributes, in the order of their names.
struct DracoPlan {
    std::vector<std::string> names;
    UnpackRequest request;
    std::uint64_t faces = 0, attribute_bytes = 0;
};

void takeClaims(const JsonRef& extension, DracoPlan& plan, Budget& budget) {
    const auto faces = Header(plan.request.packed).faces();
    // A regular grid needs an eighth of a bit per face; with less data the claim is wrong.
    if (!faces || *faces > plan.request.packed.size() * 64 + 1024)
        extension.fail(
            fmt::format("{} bytes of Draco data are not a mesh; re-export the file", plan.request.packed.size()));
    budget.take(extension, *faces * (128 + 12));
    plan.faces = *faces;
}

DracoPlan planOf(AccessorReader& reader, const JsonRef& primitive, const JsonRef& extension) {
    const Document& document = reader.document();
    DracoPlan plan;
    plan.request.kind = UnpackRequest::Kind::draco;
    plan.request.packed = reader.view(extension.at("bufferView").asIndex("bufferViews", document.count("bufferViews")));
    takeClaims(extension, plan, reader.budget());
    const auto position = primitive.at("attributes").indexOf("POSITION", "accessors", document.count("accessors"));
    plan.request.count = position ? reader.info(*position).count : 0;
    for (const auto& [name, id] : extension.at("attributes").value().items()) {
        const JsonRef number = extension.at("attributes").at(name.c_str());
        const auto accessor =
            primitive.at("attributes").indexOf(name.c_str(), "accessors", document.count("accessors"));
        if (!accessor) continue;
        const AccessorInfo about = reader.info(*accessor);
        if (about.count != plan.request.count)
            number.fail(fmt::format("accessors[{}] has {} elements for {} vertices; re-export the file", *accessor,
                                    about.count, plan.request.count));
        reader.budget().take(number, std::uint64_t(about.count) * about.width * 8);
        plan.attribute_bytes += about.count * about.width * about.component_bytes;
        plan.names.push_back(name);
        plan.request.wishes.push_back({static_cast<std::uint32_t>(number.asUnsigned()),
                                       static_cast<std::uint32_t>(about.component_type),
                                       static_cast<std::uint32_t>(about.width)});
    }
    return plan;
}

void checkAnswer(const JsonRef& extension, const DracoPlan& plan, const UnpackAnswer& answer) {
    const auto attribute = [&] {
        return extension.at("attributes")
            .at(plan.names[std::min<std::size_t>(answer.count, plan.names.size() - 1)].c_str());
    };
    if (answer.fault == UnpackFault::other_count)
        extension.fail(fmt::format("the Draco data has {} vertices, the accessors say {}; re-export the file",
                                   answer.count, plan.request.count));
    if (answer.fault == UnpackFault::no_attribute && !plan.names.empty())
        attribute().fail("the Draco data has no such attribute; re-export the file");
    if (answer.fault == UnpackFault::unfit && !plan.names.empty())
        attribute().fail("the Draco attribute does not match its accessor; re-export the file");
    failUnlessUnpacked(extension, answer, "Draco");
    std::uint64_t bytes = 0;
    for (const std::vector<std::byte>& array : answer.arrays) bytes += array.size();
    const bool whole = answer.arrays.size() == plan.names.size() && bytes == plan.attribute_bytes &&
                       std::all_of(answer.indices.begin(), answer.indices.end(),
                                   [&](std::uint32_t corner) { return corner < plan.request.count; });
    if (!whole) extension.fail("the Draco data is damaged; re-export the file");
}

}  // namespace

DracoData unpackDraco(AccessorReader& reader, const JsonRef& primitive, const JsonRef& extension) {
    const DracoPlan plan = planOf(reader, primitive, extension);
    constexpr std::uint64_t kAround = 4096;  // the bytes between the arrays
    UnpackAnswer answer = reader.unpacker().unpack(
        plan.request, plan.faces * 12 + plan.attribute_bytes + kAround + 16 * plan.names.size());
    checkAnswer(extension, plan, answer);
    DracoData out;
    out.indices = std::move(answer.indices);
    for (std::size_t a = 0; a < plan.names.size(); ++a) {
        const AccessorInfo about = reader.info(primitive.at("attributes").at(plan.names[a].c_str()).asUnsigned());
        if (answer.arrays[a].size() != about.count * about.width * about.component_bytes)
            extension.fail("the Draco data is damaged; re-export the file");
        out.attributes[plan.names[a]] = std::move(answer.arrays[a]);
    }
    return out;
}

}  // namespace pelt::io::gltf
