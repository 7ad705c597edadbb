#include <fmt/format.h>
#include <meshoptimizer.h>

#include "gltf/accessor.h"
#include "gltf/meshopt_v1.h"

/// EXT_meshopt_compression and its ratified form: buffer views as meshoptimizer packs them.
namespace pelt::io::gltf {
namespace {

/// The most elements that so many packed bytes can hold; from the codecs' formats: an index or a triangle takes a
/// byte, sixteen equal vertices two bits for each byte of a vertex.
std::uint64_t mostElements(const std::string& mode, std::uint64_t packed_bytes, std::uint64_t stride, bool version1) {
    if (mode == "TRIANGLES") return packed_bytes * 3;
    if (mode == "INDICES") return packed_bytes;
    // Version 1 says with two bits that a byte of 256 vertices does not change.
    return (packed_bytes * (version1 ? 1024 : 64) + 8192) / stride + 256;
}

void unfilter(const JsonRef& json, const std::string& filter, std::byte* data, std::size_t count, std::size_t stride) {
    if (filter == "NONE") return;
    if (filter == "OCTAHEDRAL" && (stride == 4 || stride == 8)) return meshopt_decodeFilterOct(data, count, stride);
    if (filter == "QUATERNION" && stride == 8) return meshopt_decodeFilterQuat(data, count, stride);
    if (filter == "COLOR" && (stride == 4 || stride == 8)) return decodeFilterColor({data, count * stride}, stride);
    if (filter == "EXPONENTIAL" && stride % 4 == 0) return meshopt_decodeFilterExp(data, count, stride);
    json.fail(fmt::format("filter '{}' does not go with a stride of {}; re-export the file", filter, stride));
}

}  // namespace

std::vector<std::byte> unpackMeshopt(const Document& document, const JsonRef& json, Budget& budget) {
    const std::size_t buffer = json.at("buffer").asUnsigned();
    if (!document.buffers[buffer]) json.fail(fmt::format("buffers[{}] has no data; re-export the file", buffer));
    const auto packed = std::span(*document.buffers[buffer])
                            .subspan(json.unsignedOr("byteOffset", 0), json.at("byteLength").asUnsigned());
    const std::string mode = json.at("mode").asString(), filter = json.stringOr("filter", "NONE");
    const std::uint64_t count = json.at("count").asUnsigned(), stride = json.at("byteStride").asUnsigned();
    const bool vertices = mode == "ATTRIBUTES";
    if (!vertices && mode != "TRIANGLES" && mode != "INDICES")
        json.fail(fmt::format("unknown mode '{}'; re-export the file", mode));
    const bool stride_fits = vertices ? stride > 0 && stride <= 256 && stride % 4 == 0 : stride == 2 || stride == 4;
    if (!stride_fits) json.fail(fmt::format("byteStride {} does not go with {}; re-export the file", stride, mode));
    if (count > mostElements(mode, packed.size(), stride, isVertexVersion1(packed)) ||
        (mode == "TRIANGLES" && count % 3 != 0))
        json.fail(fmt::format("{} bytes cannot hold {} elements; re-export the file", packed.size(), count));

    budget.take(json, count * stride);
    std::vector<std::byte> out(count * stride);
    const auto* source = reinterpret_cast<const unsigned char*>(packed.data());
    int fault = 0;
    if (vertices && isVertexVersion1(packed))
        fault = decodeVertexVersion1(out, stride, packed) ? 0 : 1;
    else if (vertices)
        fault = meshopt_decodeVertexBuffer(out.data(), count, stride, source, packed.size());
    if (mode == "TRIANGLES") fault = meshopt_decodeIndexBuffer(out.data(), count, stride, source, packed.size());
    if (mode == "INDICES") fault = meshopt_decodeIndexSequence(out.data(), count, stride, source, packed.size());
    if (fault != 0) json.fail("the meshopt data is broken; re-export the file");
    unfilter(json, vertices ? filter : "NONE", out.data(), count, stride);
    return out;
}

}  // namespace pelt::io::gltf
