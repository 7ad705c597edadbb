#include <draco/compression/decode.h>
#include <fmt/format.h>

#include <cstring>

#include "gltf/primitive.h"

/// KHR_draco_mesh_compression. The decoder reserves what a header claims, so the claims are read and checked first.
namespace pelt::io::gltf {
namespace {

/// A cursor over the start of a Draco stream (Draco bitstream specification, 3 and 5).
class Header {
public:
    explicit Header(std::span<const std::byte> bytes) : bytes_(bytes) {}

    /// The number of faces that the stream claims; nullopt where it is no mesh.
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

template <class T>
bool copyAs(const draco::Mesh& mesh, const draco::PointAttribute& attribute, std::size_t width,
            std::vector<std::byte>& out) {
    out.resize(mesh.num_points() * width * sizeof(T));
    std::vector<T> values(width);
    for (std::uint32_t p = 0; p < mesh.num_points(); ++p) {
        const draco::AttributeValueIndex value = attribute.mapped_index(draco::PointIndex(p));
        if (value.value() >= attribute.size() ||
            !attribute.ConvertValue<T>(value, static_cast<std::int8_t>(width), values.data()))
            return false;
        std::memcpy(out.data() + p * width * sizeof(T), values.data(), width * sizeof(T));
    }
    return true;
}

bool copyAttribute(const draco::Mesh& mesh, const draco::PointAttribute& attribute, const AccessorInfo& about,
                   std::vector<std::byte>& out) {
    switch (about.component_type) {
        case kByte:
            return copyAs<std::int8_t>(mesh, attribute, about.width, out);
        case kUnsignedByte:
            return copyAs<std::uint8_t>(mesh, attribute, about.width, out);
        case kShort:
            return copyAs<std::int16_t>(mesh, attribute, about.width, out);
        case kUnsignedShort:
            return copyAs<std::uint16_t>(mesh, attribute, about.width, out);
        case kUnsignedInt:
            return copyAs<std::uint32_t>(mesh, attribute, about.width, out);
        default:
            return copyAs<float>(mesh, attribute, about.width, out);
    }
}

std::unique_ptr<draco::Mesh> decode(const JsonRef& extension, std::span<const std::byte> bytes, Budget& budget) {
    const auto faces = Header(bytes).faces();
    // A regular grid packs a face into an eighth of a bit; less than that is no mesh.
    if (!faces || *faces > bytes.size() * 64 + 1024)
        extension.fail(fmt::format("{} bytes of Draco data are no mesh; re-export the file", bytes.size()));
    budget.take(extension, *faces * 128);
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    draco::Decoder decoder;
    auto mesh = decoder.DecodeMeshFromBuffer(&buffer);
    if (!mesh.ok()) extension.fail("the Draco data is broken; re-export the file");
    return std::move(mesh).value();
}

}  // namespace

DracoData unpackDraco(AccessorReader& reader, const JsonRef& primitive, const JsonRef& extension) {
    const Document& document = reader.document();
    const auto view = extension.at("bufferView").asIndex("bufferViews", document.count("bufferViews"));
    const std::unique_ptr<draco::Mesh> mesh = decode(extension, reader.view(view), reader.budget());

    DracoData out;
    reader.budget().take(extension, std::uint64_t(mesh->num_faces()) * 12);
    for (std::uint32_t f = 0; f < mesh->num_faces(); ++f)
        for (const draco::PointIndex& corner : mesh->face(draco::FaceIndex(f))) {
            if (corner.value() >= mesh->num_points()) extension.fail("the Draco data is broken; re-export the file");
            out.indices.push_back(corner.value());
        }
    for (const auto& [name, id] : extension.at("attributes").value().items()) {
        const JsonRef number = extension.at("attributes").at(name.c_str());
        const auto accessor =
            primitive.at("attributes").indexOf(name.c_str(), "accessors", document.count("accessors"));
        if (!accessor) continue;
        const AccessorInfo about = reader.info(*accessor);
        const draco::PointAttribute* attribute =
            mesh->GetAttributeByUniqueId(static_cast<std::uint32_t>(number.asUnsigned()));
        if (!attribute) number.fail("the Draco data has no such attribute; re-export the file");
        if (about.count != mesh->num_points())
            number.fail(fmt::format("the Draco data has {} vertices, accessors[{}] says {}; re-export the file",
                                    mesh->num_points(), *accessor, about.count));
        reader.budget().take(number, std::uint64_t(about.count) * about.width * 8);
        if (!copyAttribute(*mesh, *attribute, about, out.attributes[name]))
            number.fail("the Draco attribute does not fit its accessor; re-export the file");
    }
    return out;
}

}  // namespace pelt::io::gltf
