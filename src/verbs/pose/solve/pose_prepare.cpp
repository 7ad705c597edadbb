// Prepares the reduced rig of a pose, or takes it from the cache.
#include "pose_prepare.h"

#include <pelt/geometry/tets.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <cstring>

namespace pelt::verbs {
namespace {

constexpr std::uint32_t kRigs = 2, kWeights = 1;  ///< increase it whenever the prepared data changes

pose::PoseRig makeRig(const Mesh& standing, const SkinWeights& weights, std::size_t joints, const PoseRequest& request,
                      const Progress& progress) {
    const std::vector<std::uint32_t> bodies = geometry::bodiesOf(standing);
    pose::Shape shape{standing.positions, standing.triangles, &weights, joints, bodies};
    if (request.rig.energy != pose::Energy::tets) return pose::prepare(shape, request.rig, progress);
    const geometry::TetEmbedding in = geometry::embedInTets(standing, {}, progress);
    const SkinWeights extended = pose::extendWeights(in.lattice, in.tet, in.barycentric, weights, shape.handles);
    shape.volume = &in.lattice;
    shape.volume_weights = &extended;
    return pose::prepare(shape, request.rig, progress);
}

void addWeights(ContentKey& key, const SkinWeights& weights) {
    key.addValues(std::span(weights.offsets));
    key.addValues(std::span(weights.joints));
    key.addValues(std::span(weights.weights));
}

ContentKey rigKey(const Mesh& standing, const SkinWeights& weights, std::size_t joints, const PoseRequest& request) {
    ContentKey key;
    key.add("rig");
    key.addValue(kRigs);
    key.addValues(std::span(standing.positions));
    key.addValues(std::span(standing.triangles));
    const std::vector<std::uint32_t> bodies = geometry::bodiesOf(standing);
    key.addValues(std::span(bodies));
    addWeights(key, weights);
    key.addValue(std::uint64_t(joints));
    key.addValue(std::uint64_t(request.rig.energy));
    key.addValue(std::uint64_t(request.rig.clusters ? *request.rig.clusters + 1 : 0));
    key.addValue(std::uint64_t(request.rig.extra_weights));
    key.addValue(request.rig.weld);
    key.addValue(std::uint64_t(request.rig.extra_kind));
    return key;
}

/// The number of influences per vertex, then joints, then weights.
std::vector<std::byte> bytesOf(const SkinWeights& weights) {
    std::vector<std::uint32_t> words{std::uint32_t(weights.vertexCount())};
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) words.push_back(std::uint32_t(weights.influenceCount(v)));
    words.insert(words.end(), weights.joints.begin(), weights.joints.end());
    const std::size_t numbers = words.size();
    words.resize(numbers + weights.weights.size());
    std::memcpy(words.data() + numbers, weights.weights.data(), weights.weights.size() * sizeof(float));
    const auto bytes = std::as_bytes(std::span(words));
    return {bytes.begin(), bytes.end()};
}

std::optional<SkinWeights> weightsOf(std::span<const std::byte> bytes) {
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
    if (words.empty() || words.size() <= words[0]) return {};
    const std::size_t vertices = words[0];
    std::size_t influences = 0;
    for (std::size_t v = 0; v < vertices; ++v) influences += words[1 + v];
    if (words.size() != 1 + vertices + 2 * influences) return {};
    SkinWeights weights;  // copied unchanged: appendVertex would normalize them again
    weights.joints.assign(words.begin() + std::ptrdiff_t(1 + vertices),
                          words.begin() + std::ptrdiff_t(1 + vertices + influences));
    weights.weights.resize(influences);
    std::memcpy(weights.weights.data(), words.data() + 1 + vertices + influences, influences * sizeof(float));
    for (std::size_t v = 0; v < vertices; ++v) weights.offsets.push_back(weights.offsets.back() + words[1 + v]);
    return weights;
}

}  // namespace

void addShape(ContentKey& key, const Mesh& mesh, const Skeleton& skeleton) {
    key.addValues(std::span(mesh.positions));
    key.addValues(std::span(mesh.triangles));
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    key.addValues(std::span(parents));
    for (const Joint& joint : skeleton.joints) key.addValue(joint.inverse_bind);
}

pose::PoseRig prepareRig(const Mesh& standing, const SkinWeights& weights, std::size_t joints,
                         const PoseRequest& request, const Progress& progress) {
    if (!request.cache) return makeRig(standing, weights, joints, request, progress);
    const std::string key = rigKey(standing, weights, joints, request).hex();
    if (const auto bytes = request.cache->load(key))
        if (auto rig = pose::rigFromBytes(*bytes)) return *rig;
    pose::PoseRig rig = makeRig(standing, weights, joints, request, progress);
    request.cache->store(key, pose::toBytes(rig));
    return rig;
}

SkinWeights keptWeights(const PreparationStore* cache, const ContentKey& key,
                        const std::function<SkinWeights()>& make) {
    if (!cache) return make();
    ContentKey whole = key;
    whole.addValue(kWeights);
    if (const auto bytes = cache->load(whole.hex()))
        if (auto weights = weightsOf(*bytes)) return *weights;
    SkinWeights weights = make();
    cache->store(whole.hex(), bytesOf(weights));
    return weights;
}

}  // namespace pelt::verbs
