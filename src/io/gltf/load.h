#pragma once

#include "gltf/accessor.h"
#include "gltf/load_progress.h"
#include "gltf/node_tree.h"
#include "gltf/primitive.h"
#include "gltf/source.h"

/// The steps of loading: skeleton, mesh with its weights, clips. Each fills its part of the character and what the
/// source must know to edit it later.
namespace pelt::io::gltf {

struct Loading {
    Loading(Document document, const Progress& told) : source(std::make_shared<GltfSource>()), progress(told) {
        source->document = std::move(document);
        reader.emplace(source->document);
        tree = readNodeTree(source->document);
    }

    const Document& document() const { return source->document; }

    std::shared_ptr<GltfSource> source;
    std::optional<AccessorReader> reader;
    NodeTree tree;
    Character character;
    std::vector<Affine3d> payload_spaces;  ///< per part: from the file's rest space to that of its payload
    LoadProgress progress;
};

/// The nodes that carry the character's meshes: those with a skin; where there are none, all with a mesh.
void findInstances(Loading& loading);

/// Joint slots of the skins in use (of all skins where no mesh has one) and the nodes above them.
void loadSkeleton(Loading& loading);

/// What meshes and clips will decode, for progress; counts what the document claims and never fails.
std::uint64_t numbersToDecode(const Loading& loading);
std::uint64_t numbersOfPrimitive(const Document& document, const Json& primitive);
std::uint64_t numbersOfChannel(const Document& document, const Json& sampler);

void loadMeshes(Loading& loading);

/// Appends the rows of one primitive. Collects what had to be mended.
class WeightLoader {
public:
    void append(PrimitiveReader& primitive, const std::vector<std::uint32_t>& slots, SkinWeights& out);
    void finish(SkinWeights& weights, std::vector<std::string>& warnings) const;

private:
    bool any_ = false;
    std::size_t off_ = 0, none_ = 0, negative_ = 0;
    float worst_ = 1;
};

void loadClips(Loading& loading);

/// Brings mesh, joints and payload into the space that the figure moves in, and remembers how to write them back.
void normalizeSpace(Loading& loading);

/// Fails where a value is not finite, naming the element.
void requireFinite(const JsonRef& who, std::span<const float> values, std::size_t width, const char* what);

}  // namespace pelt::io::gltf
