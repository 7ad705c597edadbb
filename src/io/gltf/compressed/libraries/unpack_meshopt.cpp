// Calls meshoptimizer; runs in the sandboxed process.
#include <meshoptimizer.h>

#include "io/gltf/compressed/meshopt_v1.h"
#include "io/gltf/compressed/unpack.h"

namespace pelt::io::gltf {
namespace {

bool isUnpacked(const UnpackRequest& job, std::span<std::byte> out) {
    const auto* source = reinterpret_cast<const unsigned char*>(job.packed.data());
    const std::size_t size = job.packed.size();
    if (job.mode == "TRIANGLES") return meshopt_decodeIndexBuffer(out.data(), job.count, job.stride, source, size) == 0;
    if (job.mode == "INDICES") return meshopt_decodeIndexSequence(out.data(), job.count, job.stride, source, size) == 0;
    if (isVertexVersion1(job.packed)) return decodeVertexVersion1(out, job.stride, job.packed);
    return meshopt_decodeVertexBuffer(out.data(), job.count, job.stride, source, size) == 0;
}

void unfilter(const UnpackRequest& job, std::span<std::byte> out) {
    if (job.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out.data(), job.count, job.stride);
    if (job.filter == "QUATERNION") meshopt_decodeFilterQuat(out.data(), job.count, job.stride);
    if (job.filter == "COLOR") decodeFilterColor(out, job.stride);
    if (job.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out.data(), job.count, job.stride);
}

}  // namespace

UnpackAnswer unpackMeshoptHere(const UnpackRequest& request) {
    UnpackAnswer answer;
    answer.arrays.emplace_back(request.count * request.stride);
    if (isUnpacked(request, answer.arrays[0]))
        unfilter(request, answer.arrays[0]);
    else
        answer = {UnpackFault::broken, 0, {}, {}};
    return answer;
}

}  // namespace pelt::io::gltf
