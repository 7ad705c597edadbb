// Reads buffer views that are compressed with meshoptimizer.
#include <fmt/format.h>

#include "io/gltf/document/accessor.h"
#include "meshopt_v1.h"

/// EXT_meshopt_compression and its ratified form: buffer views compressed by meshoptimizer.
namespace pelt::io::gltf {
namespace {

/// The maximal number of elements in this many compressed bytes; from the codecs' formats: an index or a triangle takes
/// a byte, sixteen equal vertices two bits for each byte of a vertex.
std::uint64_t mostElements(const std::string& mode, std::uint64_t packed_bytes, std::uint64_t stride, bool version1) {
    if (mode == "TRIANGLES") return packed_bytes * 3;
    if (mode == "INDICES") return packed_bytes;
    // Version 1 needs two bits to say that a byte of 256 vertices does not change.
    return (packed_bytes * (version1 ? 1024 : 64) + 8192) / stride + 256;
}

void checkFilter(const JsonRef& json, const std::string& filter, std::uint64_t stride) {
    const bool four_or_eight = stride == 4 || stride == 8;
    if (filter == "NONE" || ((filter == "OCTAHEDRAL" || filter == "COLOR") && four_or_eight)) return;
    if ((filter == "QUATERNION" && stride == 8) || (filter == "EXPONENTIAL" && stride % 4 == 0)) return;
    json.fail(fmt::format("filter '{}' does not allow a stride of {}; re-export the file", filter, stride));
}

}  // namespace

std::vector<std::byte> unpackMeshopt(AccessorReader& reader, const JsonRef& json) {
    const Document& document = reader.document();
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
    if (!stride_fits) json.fail(fmt::format("byteStride {} is not allowed for {}; re-export the file", stride, mode));
    if (count > mostElements(mode, packed.size(), stride, isVertexVersion1(packed)) ||
        (mode == "TRIANGLES" && count % 3 != 0))
        json.fail(fmt::format("{} bytes cannot hold {} elements; re-export the file", packed.size(), count));

    if (vertices) checkFilter(json, filter, stride);

    constexpr std::uint64_t kAround = 4096;  // the bytes of an answer besides the elements
    reader.budget().take(json, count * stride);
    UnpackAnswer answer = reader.unpacker().unpack(
        {UnpackRequest::Kind::meshopt, mode, vertices ? filter : "NONE", count, stride, {}, packed},
        count * stride + kAround);
    failUnlessUnpacked(json, answer, "meshopt");
    if (answer.arrays.size() != 1 || answer.arrays[0].size() != count * stride)
        json.fail("the meshopt data is damaged; re-export the file");
    return std::move(answer.arrays[0]);
}

}  // namespace pelt::io::gltf
