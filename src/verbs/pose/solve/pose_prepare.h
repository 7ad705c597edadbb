#pragma once

#include <pelt/verbs/pose.h>
#include <pelt/verbs/preparation_cache.h>

#include <functional>

namespace pelt::verbs {

/// The rig of a mesh at the start, with a volume around it if the energy needs one; from the cache (if there is one) if
/// it was prepared before. `joints`: their number.
pose::PoseRig prepareRig(const Mesh& standing, const SkinWeights& weights, std::size_t joints,
                         const PoseRequest& request, const Progress& progress);

/// The same for weights that take long to compute; `key` contains their inputs.
SkinWeights keptWeights(const PreparationStore* cache, const ContentKey& key, const std::function<SkinWeights()>& make);

/// A mesh and the joints in it as part of a key.
void addShape(ContentKey& key, const Mesh& mesh, const Skeleton& skeleton);

}  // namespace pelt::verbs
