// Calls the Draco library; runs in the sandboxed process.
#include <draco/compression/decode.h>

#include <cstring>

#include "io/gltf/compressed/unpack.h"
#include "io/gltf/document/appender.h"

namespace pelt::io::gltf {
namespace {

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

bool copyAttribute(const draco::Mesh& mesh, const draco::PointAttribute& attribute, const DracoWish& wish,
                   std::vector<std::byte>& out) {
    switch (wish.component_type) {
        case kByte:
            return copyAs<std::int8_t>(mesh, attribute, wish.width, out);
        case kUnsignedByte:
            return copyAs<std::uint8_t>(mesh, attribute, wish.width, out);
        case kShort:
            return copyAs<std::int16_t>(mesh, attribute, wish.width, out);
        case kUnsignedShort:
            return copyAs<std::uint16_t>(mesh, attribute, wish.width, out);
        case kUnsignedInt:
            return copyAs<std::uint32_t>(mesh, attribute, wish.width, out);
        default:
            return copyAs<float>(mesh, attribute, wish.width, out);
    }
}

bool copyIndices(const draco::Mesh& mesh, std::vector<std::uint32_t>& out) {
    out.reserve(std::size_t(3) * mesh.num_faces());
    for (std::uint32_t f = 0; f < mesh.num_faces(); ++f)
        for (const draco::PointIndex& corner : mesh.face(draco::FaceIndex(f))) {
            if (corner.value() >= mesh.num_points()) return false;
            out.push_back(corner.value());
        }
    return true;
}

}  // namespace

UnpackAnswer unpackDracoHere(const UnpackRequest& request) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(request.packed.data()), request.packed.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) return {UnpackFault::broken, 0, {}, {}};
    const std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
    if (mesh->num_points() != request.count) return {UnpackFault::other_count, mesh->num_points(), {}, {}};

    UnpackAnswer answer{UnpackFault::none, mesh->num_points(), {}, {}};
    if (!copyIndices(*mesh, answer.indices)) return {UnpackFault::broken, 0, {}, {}};
    for (std::size_t w = 0; w < request.wishes.size(); ++w) {
        const draco::PointAttribute* attribute = mesh->GetAttributeByUniqueId(request.wishes[w].id);
        if (!attribute) return {UnpackFault::no_attribute, w, {}, {}};
        if (!copyAttribute(*mesh, *attribute, request.wishes[w], answer.arrays.emplace_back()))
            return {UnpackFault::unfit, w, {}, {}};
    }
    return answer;
}

}  // namespace pelt::io::gltf
