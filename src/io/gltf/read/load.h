#pragma once

#include "io/gltf/document/accessor.h"
#include "io/gltf/document/node_tree.h"
#include "io/gltf/document/primitive.h"
#include "io/gltf/document/source.h"
#include "load_progress.h"

/// The steps of loading: skeleton, mesh with its weights, clips. Each fills its part of the character and of the source
/// data needed for saving.
namespace pelt::io::gltf {

struct Loading {
    Loading(Document document, const Progress& listener) : source(std::make_shared<GltfSource>()), progress(listener) {
        source->document = std::move(document);
        if (const std::size_t mended = mendParents(source->document); mended > 0)
            warnings.push_back(std::to_string(mended) + " nodes had two parents; the last one was kept");
        reader.emplace(source->document);
        tree = readNodeTree(source->document);
    }

    const Document& document() const { return source->document; }

    std::shared_ptr<GltfSource> source;
    std::optional<AccessorReader> reader;
    NodeTree tree;
    bool all_nodes = false;  ///< for the skeleton: every node of the file, not only those that the character needs
    Character character;
    std::vector<std::string> warnings;            ///< what was repaired, one sentence each
    std::optional<std::vector<Affine3d>> spaces;  ///< those of the character that this one is made from
    std::vector<Affine3d> payload_spaces;         ///< per part: from the file's rest space to that of its payload
    LoadProgress progress;
};

/// The nodes that carry the character's meshes: those with a skin, and, as props, those of the scene without a skin; if
/// none has a skin, all nodes with a mesh. A file with only joints or animations has none.
void findInstances(Loading& loading);

/// Joint slots of the skins in use (of all skins if no mesh has one) and the nodes above them.
void loadSkeleton(Loading& loading);

/// The amount of data that meshes and clips will decode, for progress; uses the document's claims and never fails.
std::uint64_t numbersToDecode(const Loading& loading);
std::uint64_t numbersOfPrimitive(const Document& document, const Json& primitive);
std::uint64_t numbersOfChannel(const Document& document, const Json& sampler);

/// Fails if the vertices that the document claims need more memory than is free: a few kilobytes can claim millions.
void checkMemory(const Loading& loading);

void loadMeshes(Loading& loading);

struct WeightEntry {
    std::uint32_t slot;
    float weight;
};

/// Appends the rows of one primitive. Records what was repaired.
class WeightLoader {
public:
    /// Whether some row of the primitive differs from the file.
    bool append(PrimitiveReader& primitive, const std::vector<std::uint32_t>& slots, SkinWeights& out);
    /// Whether some row of that primitive does not sum to 1 in the file.
    bool isLoose() const { return loose_; }
    /// Gives rows to the vertices that have none, from their neighbors; `mesh` is the whole one.
    void finish(const Loading& loading, const Mesh& mesh, SkinWeights& weights, std::vector<std::string>& warnings);

private:
    void readSets(PrimitiveReader& primitive);
    bool appendVertexRow(std::size_t vertex, const std::vector<std::uint32_t>& slots, SkinWeights& out);

    std::vector<std::vector<std::uint32_t>> joints_;  // of the current primitive, by set
    std::vector<std::vector<float>> weights_;
    std::vector<WeightEntry> row_;
    std::vector<std::uint32_t> lost_;  // vertices without any weight
    std::size_t beyond_here_ = 0;      // vertices of the primitive with weights on joints that the skin does not have
    double loose_sum_ = 0;             // by how much the sum of a row may differ from 1
    bool loose_ = false;               // whether that of a row of the primitive differs by more
    bool any_ = false;
    std::size_t off_ = 0, negative_ = 0, not_finite_ = 0, beyond_ = 0, lone_sets_ = 0;
    float worst_ = 1;
};

void loadClips(Loading& loading);

/// Transforms mesh, joints and payload to the space in which the character moves, and records how to write them back.
void normalizeSpace(Loading& loading);

}  // namespace pelt::io::gltf
