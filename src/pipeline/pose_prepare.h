#pragma once

#include <pelt/pipeline/pose.h>
#include <pelt/pipeline/preparation_cache.h>

#include <functional>

namespace pelt::pipeline {

/// The rig of a mesh as it stands, with the volume that holds it where the energy asks for one; from the cache (if
/// there is one) where it was prepared before. `joints`: how many there are.
pose::PoseRig prepareRig(const Mesh& standing, const SkinWeights& weights, std::size_t joints,
                         const PoseRequest& request, const Progress& progress);

/// Weights that take long to make, likewise; `key` has what they are made of.
SkinWeights keptWeights(const PreparationCache* cache, const ContentKey& key, const std::function<SkinWeights()>& make);

/// A mesh and the joints in it as part of a key.
void addShape(ContentKey& key, const Mesh& mesh, const Skeleton& skeleton);

}  // namespace pelt::pipeline
