// The document that a character came from, and hashes that tell whether its mesh changed.
#include "source.h"

#include <algorithm>
#include <bit>

namespace pelt::io::gltf {

bool GltfSource::isMended() const {
    const auto any = [](const std::vector<bool>& flags) {
        return std::find(flags.begin(), flags.end(), true) != flags.end();
    };
    return any(mended_skins) ||
           std::any_of(parts.begin(), parts.end(),
                       [](const PartSource& part) { return part.mended_weights || part.mended_shape; }) ||
           std::any_of(clip_sources.begin(), clip_sources.end(),
                       [&](const ClipSource& clip) { return any(clip.mended); });
}

namespace {

/// FNV-1a, a word at a time.
struct WordHash {
    std::uint64_t value = 0xCBF29CE484222325U;
    void add(std::uint64_t word) { value = (value ^ word) * 0x100000001B3U; }
    void add(float number) { add(std::uint64_t(std::bit_cast<std::uint32_t>(number))); }
};

}  // namespace

std::uint64_t hashFaces(const Mesh& mesh) {
    WordHash hash;
    hash.add(std::uint64_t(mesh.positions.size()));
    for (const Triangle& t : mesh.triangles)
        for (const std::uint32_t v : t) hash.add(std::uint64_t(v));
    return hash.value;
}

std::uint64_t hashShape(const Mesh& mesh, std::size_t first, std::size_t count) {
    WordHash hash;
    for (const std::vector<Vec3f>* list : {&mesh.positions, &mesh.normals})
        for (std::size_t v = first; v < first + count && v < list->size(); ++v)
            for (int i = 0; i < 3; ++i) hash.add((*list)[v][i]);
    for (std::size_t v = first; v < first + count && v < mesh.tangents.size(); ++v)
        for (const float x : {mesh.tangents[v].x, mesh.tangents[v].y, mesh.tangents[v].z, mesh.tangents[v].w})
            hash.add(x);
    return hash.value;
}

}  // namespace pelt::io::gltf
