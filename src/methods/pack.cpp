// Packs a character for an engine: skeleton, morph targets and the rig of one method.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/methods/pack.h>
#include <pelt/rig/pack.h>

#include <cstring>

namespace pelt::methods {

AlignedBytes packCharacter(const Character& character, const Method& method, const MethodOptions& options,
                           const Progress& progress) {
    const std::unique_ptr<Deformer> deformer = method.prepare(character, options, progress);
    if (deformer->rigBytes().empty())
        throw Error::badUsage(
            fmt::format("the runtime does not support the method '{}'; bake it to a plain skin first", method.name));
    const AlignedBytes skeleton = rig::packSkeleton(character.skeleton, character.driven);
    const AlignedBytes morphs = character.mesh.morphs.empty() ? AlignedBytes(0) : rig::packMorphs(character.mesh);
    const std::span<const std::byte> parts[] = {skeleton, morphs, deformer->rigBytes()};
    std::size_t size = 0;
    for (const auto part : parts) size += part.size();
    AlignedBytes bytes(size);
    std::byte* to = bytes.data();
    for (const auto part : parts) {
        if (!part.empty()) std::memcpy(to, part.data(), part.size());
        to += part.size();
    }
    return bytes;
}

}  // namespace pelt::methods
